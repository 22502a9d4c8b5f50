"""The ROC of NIL detection against scikit-learn, against plain resampling, and by hand."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.metrics import roc_curve as sklearn_curve
from toy import ONTOLOGY, document

from benchlib.corpus import Corpus
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import Outcomes, area, area_difference, outcomes, roc_areas, roc_curve
from benchlib.scoring.coding import ANY, EACH, NIL
from benchlib.scoring.statistics import resample_weights


def system(scores, nil, clusters=None) -> Outcomes:
    """One line per mention, -inf for no answer, and a further line of every known one that must not count."""
    scores, nil = np.array(scores, dtype=np.float32), np.array(nil, dtype=bool)
    clusters = np.arange(len(nil)) if clusters is None else np.array(clusters)
    line = np.concatenate([np.arange(len(nil)), np.flatnonzero(~nil)])
    n = len(line)
    return Outcomes(
        mention=line,
        part=np.zeros(n, dtype=int),
        wants=np.concatenate([np.where(nil, NIL, ANY), np.full((~nil).sum(), EACH)]),
        needed=np.ones(n, dtype=int),
        above=np.zeros((n, 4), dtype=int),
        ties=np.ones((n, 4), dtype=int),
        golds=np.ones((n, 4), dtype=int),
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


def test_the_curve_and_its_area_by_hand():
    # From the highest: known; NIL and known together; NIL; a known one without an answer.
    found = system([0.9, 0.5, 0.5, 0.2, -np.inf], [False, True, False, True, False])
    curve = roc_curve(found)
    assert curve.thresholds == pytest.approx([np.inf, 0.9, 0.5, 0.2, -np.inf])
    assert curve.false_positive_rate.tolist() == [0, 0, 1 / 2, 1, 1]
    assert curve.true_positive_rate == pytest.approx([0, 1 / 3, 2 / 3, 2 / 3, 1])
    # Of the six pairs the first wins two, the second a half and one, the last none.
    estimate = area([found], roc_areas)
    assert estimate.value == pytest.approx(3.5 / 6)
    assert (estimate.n, estimate.seeds) == (5, (estimate.value,))


@pytest.mark.parametrize(("scores", "nil", "clusters"), RANDOM)
def test_curve_and_area_are_those_of_another_library(scores, nil, clusters):
    found = system(scores, nil, clusters)
    false, true, _ = sklearn_curve(~nil, finite(scores), drop_intermediate=False)
    curve = roc_curve(found)
    np.testing.assert_allclose(curve.false_positive_rate, false)
    np.testing.assert_allclose(curve.true_positive_rate, true)
    value = area([found], roc_areas, n_resamples=10).value
    assert value == pytest.approx(roc_auc_score(~nil, finite(scores)))
    assert value == pytest.approx(np.trapezoid(curve.true_positive_rate, curve.false_positive_rate))


def resampled(scores, nil, clusters, n: int) -> list[float]:
    """Areas over whole clusters drawn with the weights of the project; NaN where a class is out."""
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters.tolist()))}
    number = np.array([places[cluster] for cluster in clusters.tolist()])
    areas = []
    for drawn in resample_weights(len(places), n)[:, number]:
        kept = drawn > 0
        both = nil[kept].any() and not nil[kept].all()
        area = roc_auc_score(~nil[kept], finite(scores)[kept], sample_weight=drawn[kept]) if both else np.nan
        areas.append(area)
    return areas


@pytest.mark.parametrize(("scores", "nil", "clusters"), RANDOM)
def test_the_interval_is_that_of_plain_resampling(scores, nil, clusters):
    estimate = area([system(scores, nil, clusters)], roc_areas, n_resamples=200)
    low, high = np.nanpercentile(resampled(scores, nil, clusters, 200), [2.5, 97.5])
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-5)


def test_a_difference_is_paired():
    scores, nil, clusters = RANDOM[3]
    other = np.where(np.arange(len(nil)) % 5 == 0, -scores, scores)
    other[np.isinf(scores)] = 0
    first, second = system(scores, nil, clusters), system(other, nil, clusters)
    found = area_difference([first], [second], roc_areas, n_resamples=200)
    apart = np.subtract(*(resampled(one, nil, clusters, 200) for one in (scores, other)))
    assert found.value == pytest.approx(area([first], roc_areas).value - area([second], roc_areas).value)
    assert (found.low, found.high) == pytest.approx(np.nanpercentile(apart, [2.5, 97.5]), abs=1e-5)
    none = area_difference([first], [first], roc_areas)
    assert none.low == none.high == 0


def test_seeds_are_averaged_and_kept():
    scores, nil, clusters = RANDOM[3]
    worse = np.where(nil, scores + 5, scores)
    runs = [system(one, nil, clusters) for one in (scores, worse)]
    single = [area([run], roc_areas).value for run in runs]
    estimate = area(runs, roc_areas, n_resamples=200)
    assert estimate.seeds == pytest.approx(single) and estimate.value == pytest.approx(np.mean(single))
    means = np.mean([resampled(one, nil, clusters, 200) for one in (scores, worse)], axis=0)
    assert (estimate.low, estimate.high) == pytest.approx(np.nanpercentile(means, [2.5, 97.5]), abs=1e-5)
    assert area_difference(runs, runs[1:], roc_areas).seeds == pytest.approx((single[0] - single[1], 0))


def test_negatives_that_share_the_empty_gold_are_units_of_their_own():
    rng = np.random.default_rng(1)
    nil = np.arange(60) >= 30
    scores = rng.random(60) - 0.3 * nil
    known = np.repeat(np.arange(10), 3)
    shared = system(scores, nil, np.append(known, np.full(30, 99)))
    alone = system(scores, nil, np.append(known, 99 + np.arange(30)))
    assert area([shared], roc_areas) == area([alone], roc_areas)
    # Two documents that hold the negatives are units, and so is one with a known mention in it.
    for clusters in (np.append(known, 98 + np.arange(30) % 2), np.append(known, np.full(30, 9))):
        found = area([system(scores, nil, clusters)], roc_areas, n_resamples=200)
        areas = resampled(np.float32(scores), nil, clusters, 200)
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
    for nil, message in (([False, False], "no NIL mention"), ([True, True], "only NIL")):
        with pytest.raises(ValueError, match=message):
            area([system([0.1, 0.2], nil)], roc_areas)
        with pytest.raises(ValueError, match=message):
            roc_curve(system([0.1, 0.2], nil))
    two, three = system([0.1, 0.2], [True, False]), system([0.1, 0.2, 0.3], [True, False, False])
    swapped, moved = system([0.1, 0.2], [False, True]), system([0.1, 0.2], [True, False], [3, 3])
    for other in (three, swapped, moved):
        with pytest.raises(ValueError, match="same mentions"):
            area_difference([two], [other], roc_areas)
        with pytest.raises(ValueError, match="same mentions"):
            area([two, other], roc_areas)
    with pytest.raises(ValueError, match="found none"):
        area([], roc_areas)
