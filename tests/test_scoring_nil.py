"""NIL measures against scikit-learn, plain loops and plain resampling, and cases worked by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    precision_recall_fscore_support,
    roc_auc_score,
)
from sklearn.metrics import roc_curve as sklearn_curve
from toy import ONTOLOGY, document

from benchlib.corpus import Corpus
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import (
    Outcomes,
    area,
    area_difference,
    nil_summary,
    nil_threshold,
    outcomes,
    pr_areas,
    roc_areas,
    roc_curve,
)
from benchlib.scoring.coding import ANY, EACH, NIL, cluster_number
from benchlib.scoring.nil import (
    average_precision,
    called_nil,
    choose_threshold,
    nil_clusters,
    nil_or_linkable,
    nil_scores,
    precision_recall,
    risk_coverage,
)
from benchlib.scoring.statistics import resample_weights

SCORES = ("n_called", "precision", "recall", "f1")


def system(scores, nil, clusters=None) -> Outcomes:
    """One line per mention, -inf for no answer, and a further line of every known one that must not count."""
    scores, nil = np.array(scores, dtype=np.float32), np.array(nil, dtype=bool)
    clusters = np.arange(len(nil)) if clusters is None else np.array(clusters)
    line = np.concatenate([np.arange(len(nil)), np.flatnonzero(~nil)])
    n = len(line)
    return Outcomes(
        mention=line,
        part=np.zeros(n, dtype=int),
        line_type=np.concatenate([np.where(nil, NIL, ANY), np.full((~nil).sum(), EACH)]),
        n_required=np.ones(n, dtype=int),
        n_better=np.zeros((n, 4), dtype=int),
        n_tied=np.ones((n, 4), dtype=int),
        n_tied_gold=np.ones((n, 4), dtype=int),
        cluster=clusters[line],
        top=np.where(np.isfinite(scores), "D1", "")[line],
        top_score=np.where(np.isfinite(scores), scores, 0)[line],
        counts={},
    )


def mentions(n: int, levels: int, seed: int):
    """Scores with many ties where there are few ``levels``, some without an answer; clusters of all sizes."""
    rng = np.random.default_rng(seed)
    nil = rng.random(n) < 0.3
    nil[:2] = True, False
    scores = np.floor((rng.random(n) - 0.2 * nil) * levels)
    scores[rng.random(n) < 0.1] = -np.inf
    return scores, nil, rng.integers(0, max(2, n // 4), n)


def finite(scores):
    """The same order, for a library that takes no infinity."""
    return np.maximum(scores, -1e9)


RANDOM = [mentions(n, levels, seed) for seed, n in enumerate((7, 60, 500)) for levels in (3, 20)]


def test_precision_and_recall_by_hand():
    # From the lowest: NIL without an answer; a known and a NIL one together; a known one; NIL.
    found = system([-np.inf, 0.25, 0.25, 0.5, 0.875], [True, False, True, False, True])
    precision, recall, thresholds = precision_recall(found)
    assert thresholds.tolist() == [-np.inf, 0.25, 0.5, 0.875]
    assert precision.tolist() == [1, 2 / 3, 2 / 4, 3 / 5]
    assert recall.tolist() == [1 / 3, 2 / 3, 2 / 3, 1]
    # A third of the recall at precision 1, a third at 2 of 3, a third at 3 of 5.
    estimate = area([found], pr_areas)
    assert estimate.value == pytest.approx((1 + 2 / 3 + 3 / 5) / 3) == average_precision(found)
    assert (estimate.n, estimate.seeds) == (5, (estimate.value,))
    # Scores that say nothing are at chance.
    assert average_precision(system([0.5] * 4, [True, False, False, False])) == 0.25


@pytest.mark.parametrize(("scores", "nil", "clusters"), RANDOM)
def test_the_curves_are_those_of_another_library(scores, nil, clusters):
    found, top = system(scores, nil, clusters), finite(scores)
    precision, recall, thresholds = precision_recall_curve(nil, -top)
    # Theirs starts where every mention is called and ends at an invented point of recall 0.
    *curve, at = precision_recall(found)
    np.testing.assert_allclose(curve, [precision[:-1][::-1], recall[:-1][::-1]])
    np.testing.assert_array_equal(finite(at), -thresholds[::-1])
    np.testing.assert_allclose(roc_curve(found), sklearn_curve(~nil, top, drop_intermediate=False)[:2])


def roc_auc(nil, scores, drawn):
    return roc_auc_score(~nil, scores, sample_weight=drawn)


def auc_pr(nil, scores, drawn):
    return average_precision_score(nil, -scores, sample_weight=drawn)


KINDS_OF_AREA = [(pr_areas, auc_pr), (roc_areas, roc_auc)]


def resampled(area_of, scores, nil, clusters, n: int) -> list[float]:
    """Areas over whole clusters drawn with the weights of the project; NaN where a class that is needed is
    out."""
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters.tolist()))}
    number = np.array([places[cluster] for cluster in clusters.tolist()])
    areas = []
    for drawn in resample_weights(len(places), n)[:, number]:
        kept = drawn > 0
        there = nil[kept].any() and (area_of is auc_pr or not nil[kept].all())
        areas.append(area_of(nil[kept], finite(scores)[kept], drawn[kept]) if there else np.nan)
    return areas


@pytest.mark.parametrize(("areas", "theirs"), KINDS_OF_AREA)
@pytest.mark.parametrize(("scores", "nil", "clusters"), RANDOM)
def test_area_and_interval_are_those_of_another_library_resampled(areas, theirs, scores, nil, clusters):
    # More resamples than are taken at a time.
    estimate = area([system(scores, nil, clusters)], areas, n_resamples=300)
    assert estimate.value == pytest.approx(theirs(nil, finite(scores), None))
    low, high = np.nanpercentile(resampled(theirs, scores, nil, clusters, 300), [2.5, 97.5])
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-5)


@pytest.mark.parametrize(("areas", "theirs"), KINDS_OF_AREA)
def test_seeds_are_averaged_and_differences_paired(areas, theirs):
    scores, nil, clusters = RANDOM[3]
    worse = np.where(nil, scores + 5, scores)
    first, second = (system(of, nil, clusters) for of in (scores, worse))
    single = [area([run], areas).value for run in (first, second)]
    drawn = np.array([resampled(theirs, of, nil, clusters, 200) for of in (scores, worse)])
    both = area([first, second], areas, n_resamples=200)
    assert both.seeds == pytest.approx(single) and both.value == pytest.approx(np.mean(single))
    expected = np.nanpercentile(drawn.mean(axis=0), [2.5, 97.5])
    assert (both.low, both.high) == pytest.approx(expected, abs=1e-5)
    apart = area_difference([first, second], [second], areas, n_resamples=200)
    assert apart.seeds == pytest.approx((single[0] - single[1], 0))
    expected = np.nanpercentile(drawn.mean(axis=0) - drawn[1], [2.5, 97.5])
    assert (apart.low, apart.high) == pytest.approx(expected, abs=1e-5)
    none = area_difference([first], [first], areas)
    assert none.low == none.high == 0


def test_negatives_that_share_the_empty_gold_are_units_of_their_own():
    rng = np.random.default_rng(1)
    nil = np.arange(60) >= 30
    scores = rng.random(60) - 0.3 * nil
    known = np.repeat(np.arange(10), 3)
    shared = system(scores, nil, np.append(known, np.full(30, cluster_number("", {}))))
    older = system(scores, nil, np.append(known, np.full(30, 10)))  # where golds are numbered as they come
    document = system(scores, nil, np.append(known, np.full(30, cluster_number("1", {}))))
    alone = system(scores, nil, np.append(known, 99 + np.arange(30)))
    assert area([shared], roc_areas) == area([older], roc_areas) == area([alone], roc_areas)
    assert len(np.unique(nil_clusters(document))) == 11
    # Two documents that hold the negatives are units, and so is one with a known mention in it.
    for clusters in (np.append(known, 98 + np.arange(30) % 2), np.append(known, np.full(30, 9))):
        found = area([system(scores, nil, clusters)], roc_areas, n_resamples=200)
        areas = resampled(roc_auc, np.float32(scores), nil, clusters, 200)
        assert (found.low, found.high) == pytest.approx(np.nanpercentile(areas, [2.5, 97.5]), abs=1e-5)


def test_from_predictions_where_the_cluster_is_the_gold():
    texts = [("cold", "D1"), ("fever", "D3"), ("nothing", ""), ("never", "")]
    corpus = Corpus("t", tuple(document(str(i), one) for i, one in enumerate(texts)))
    queries = [Query(d.id, m.start, m.end) for d, m in corpus.mentions()][:3]
    scores = np.array([[0.9], [0.4], [0.6]], dtype=np.float32)
    predictions = Predictions(queries, [Candidate("Cold", ("D1",))], np.zeros((3, 1), dtype=int), scores)
    found = outcomes(predictions, corpus, ONTOLOGY, "gold")
    assert len(set(found.cluster[found.every][2:])) == 1
    # 0.9 beats both negatives, 0.4 only the one without an answer.
    assert area([found], roc_areas).value == pytest.approx(3 / 4)


def test_what_cannot_be_ranked_or_paired_is_an_error():
    measures = (precision_recall, average_precision, choose_threshold, roc_curve)
    areas = (lambda found: area([found], roc_areas), lambda found: area([found], pr_areas))
    for nil, words in (([False, False], "no NIL mention"), ([True, True], "only NIL")):
        for measure in (*measures, *areas, lambda found: nil_scores(found, 0.1)):
            with pytest.raises(ValueError, match=words):
                measure(system([0.1, 0.2], nil))
    two, three = system([0.1, 0.2], [True, False]), system([0.1, 0.2, 0.3], [True, False, False])
    swapped, moved = system([0.1, 0.2], [False, True]), system([0.1, 0.2], [True, False], [3, 3])
    for other in (three, swapped, moved):
        for compared in (
            lambda o: area_difference([two], [o], roc_areas),
            lambda o: area([two, o], pr_areas),
        ):
            with pytest.raises(ValueError, match="same mentions"):
                compared(other)
    with pytest.raises(ValueError, match="found none"):
        area([], roc_areas)


def loop_f1(top: np.ndarray, nil: np.ndarray, threshold: float) -> float:
    right = called = 0
    for score, gold in zip(top, nil, strict=True):
        called += score <= threshold
        right += bool(score <= threshold and gold)
    return 2 * right / (called + sum(nil))


@pytest.mark.parametrize(("top", "nil", "clusters"), RANDOM)
def test_the_chosen_threshold_is_the_best_of_a_loop(top, nil, clusters):
    best = max((loop_f1(top, nil, threshold), threshold) for threshold in top)
    found = system(top, nil)
    assert choose_threshold(found) == best[1]
    # No threshold between, under or over the scores does better.
    tried = np.concatenate([np.nextafter(top, np.inf), np.nextafter(top, -np.inf), [-np.inf, np.inf]])
    assert max(loop_f1(top, nil, threshold) for threshold in tried) <= best[0]
    assert nil_scores(found, best[1])["f1"] == pytest.approx(best[0])


@pytest.mark.parametrize(("top", "nil", "clusters"), RANDOM)
@pytest.mark.parametrize("quantile", [0.0, 0.4, 1.0])
def test_scores_of_nil_are_those_of_another_library(top, nil, clusters, quantile):
    threshold = float(np.quantile(top, quantile, method="lower"))
    theirs = precision_recall_fscore_support(nil, top <= threshold, average="binary", zero_division=0)
    n_called, *ours = nil_scores(system(top, nil), threshold).values()
    assert ours == pytest.approx(theirs[:3])
    assert n_called == (top <= threshold).sum()


def test_of_equal_thresholds_the_largest():
    # F1 is 2/3 when one is called (1 of 1, of 2) and when all four are (2 of 4).
    top, nil = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, False, True])
    assert loop_f1(top, nil, 1.0) == loop_f1(top, nil, 4.0) == pytest.approx(2 / 3)
    assert choose_threshold(system(top, nil)) == 4.0


def test_single_precision_scores_are_called_at_their_own_threshold():
    found = system([0.1, 0.7], [True, False])
    assert found.top_score.dtype == np.float32
    assert called_nil(found, choose_threshold(found)).tolist() == [True, False]
    # Compared in single precision, 0.1 would call the score, which lies just above it.
    assert found.top_scores.dtype == np.float64
    assert called_nil(found, 0.1).tolist() == [False, False]


@pytest.mark.parametrize(("top", "nil", "clusters"), RANDOM)
def test_risk_and_coverage_by_a_loop(top, nil, clusters):
    hit = np.where(nil, 0.25, 1.0)
    coverage, risk = risk_coverage(system(top, nil), hit)
    for i, score in enumerate(sorted(set(top.tolist()), reverse=True)):
        answered = [h for s, h in zip(top, hit, strict=True) if s >= score]
        assert coverage[i] == pytest.approx(len(answered) / len(top))
        assert risk[i] == pytest.approx(1 - sum(answered) / len(answered))
    assert len(coverage) == len(risk) == len(set(top.tolist()))


# ---------------------------------------------------------------- which mentions NIL is scored on

# From the lowest score: a mention that nothing can link, NIL, a linked one, NIL, one that nothing can link.
MIXED = system([0.125, 0.25, 0.5, 0.75, 0.875], [False, True, False, True, False])
KINDS = pd.DataFrame({"nil": MIXED.is_nil, "reachable": [False, False, True, False, False]})


def test_nil_is_scored_on_mentions_that_are_nil_or_can_be_linked():
    scored = nil_or_linkable(MIXED, KINDS)
    assert scored.mention[scored.every].tolist() == [1, 2, 3]
    assert scored.is_nil.tolist() == [True, False, True]
    # Called from the lowest: NIL first of one, then second of three.
    row = nil_summary(MIXED, KINDS)
    assert row.pop("aupr") == pytest.approx((1 + 2 / 3) / 2) == average_precision(scored)
    assert row.pop("aupr_low") < average_precision(scored) < row.pop("aupr_high") == 1
    assert row == {"n": 3, "n_nil": 2, "n_unlinkable": 2, "prevalence": pytest.approx(2 / 3)}
    # Counted as known, the unlinkable ones would give NIL the second and the fourth place.
    assert average_precision(MIXED) == pytest.approx((1 / 2 + 2 / 4) / 2)
    # What is picked once is picked again.
    assert nil_or_linkable(scored, KINDS).is_nil.tolist() == [True, False, True]


def test_the_threshold_is_chosen_on_the_mentions_that_are_scored():
    # F1 is 2/3 when the first NIL is called, and 4/5 when all three are.
    assert nil_threshold(MIXED, KINDS) == 0.75
    at = {name: value for name, value in nil_summary(MIXED, KINDS, 0.75).items() if name in SCORES}
    assert at == {"n_called": 3, "precision": 2 / 3, "recall": 1.0, "f1": 4 / 5}
    only_nil = KINDS.assign(reachable=False)
    assert nil_threshold(MIXED, only_nil) is None and nil_summary(MIXED, only_nil) is None
