"""NIL measures against scikit-learn, against plain loops, and against cases worked by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve, precision_recall_fscore_support
from test_scoring_roc import system

from benchlib.scoring import PRESETS, Outcomes, Scoring, credits, nil_summary, nil_threshold
from benchlib.scoring.nil import (
    average_precision,
    called_nil,
    choose_threshold,
    nil_or_linkable,
    nil_scores,
    precision_recall,
    risk_coverage,
)

# In descending order of NIL score: NIL, NIL and not NIL together, not NIL, NIL.
TOP = np.array([0.9, 0.1, 0.3, 0.3, 0.5])
NIL = np.array([True, True, True, False, False])
SCORES = ("n_called", "precision", "recall", "f1")


def mentions(n: int, levels: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores that lean the right way; few ``levels`` make many ties."""
    rng = np.random.default_rng(seed)
    nil = rng.random(n) < 0.3
    nil[:2] = True, False
    top = np.floor((rng.random(n) - 0.2 * nil) * levels) / 8
    # As sure as an outcome keeps them.
    return top.astype(np.float32).astype(float), nil


RANDOM = [mentions(n, levels, seed) for seed, n in enumerate((2, 7, 60, 500)) for levels in (3, 20, 10**9)]


def loop_f1(top: np.ndarray, nil: np.ndarray, threshold: float) -> float:
    right = called = 0
    for score, gold in zip(top, nil, strict=True):
        called += score <= threshold
        right += bool(score <= threshold and gold)
    return 2 * right / (called + sum(nil))


def test_the_curve_by_hand():
    found = system(TOP, NIL)
    curve = precision_recall(found)
    assert curve.thresholds.tolist() == np.float32([0.1, 0.3, 0.5, 0.9]).tolist()
    assert curve.precision.tolist() == [1, 2 / 3, 2 / 4, 3 / 5]
    assert curve.recall.tolist() == [1 / 3, 2 / 3, 2 / 3, 1]
    assert average_precision(found) == pytest.approx(1 / 3 * (1 + 2 / 3 + 3 / 5))


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_the_curve_is_that_of_another_library(top, nil):
    precision, recall, thresholds = precision_recall_curve(nil, -top)
    found = system(top, nil)
    curve = precision_recall(found)
    # Theirs starts where every mention is called and ends at an invented point of recall 0.
    np.testing.assert_allclose(curve.precision, precision[:-1][::-1])
    np.testing.assert_allclose(curve.recall, recall[:-1][::-1])
    np.testing.assert_array_equal(curve.thresholds, -thresholds[::-1])
    assert average_precision(found) == pytest.approx(average_precision_score(nil, -top))


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_the_chosen_threshold_is_the_best_of_a_loop(top, nil):
    best = max((loop_f1(top, nil, threshold), threshold) for threshold in top)
    found = system(top, nil)
    assert choose_threshold(found) == best[1]
    # No threshold between, under or over the scores does better.
    tried = np.concatenate([np.nextafter(top, np.inf), np.nextafter(top, -np.inf), [-np.inf, np.inf]])
    assert max(loop_f1(top, nil, threshold) for threshold in tried) <= best[0]
    assert nil_scores(found, best[1])["f1"] == pytest.approx(best[0])


@pytest.mark.parametrize(("top", "nil"), RANDOM)
@pytest.mark.parametrize("quantile", [0.0, 0.4, 1.0])
def test_scores_of_nil_are_those_of_another_library(top, nil, quantile):
    threshold = float(np.quantile(top, quantile))
    theirs = precision_recall_fscore_support(nil, top <= threshold, average="binary", zero_division=0)
    n_called, *ours = nil_scores(system(top, nil), threshold).values()
    assert ours == pytest.approx(theirs[:3])
    assert n_called == (top <= threshold).sum()


def test_of_equal_thresholds_the_largest():
    # F1 is 2/3 when one is called (1 of 1, of 2) and when all four are (2 of 4).
    top, nil = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, False, True])
    assert loop_f1(top, nil, 1.0) == loop_f1(top, nil, 4.0) == pytest.approx(2 / 3)
    assert choose_threshold(system(top, nil)) == 4.0


def test_a_threshold_of_dev_on_test():
    threshold = choose_threshold(system([0.25, 0.5, 0.75, 0.875], [True, True, False, False]))
    assert threshold == 0.5
    test = system([0.3, 0.35, 0.6, 0.9], [True, False, True, False])
    assert nil_scores(test, threshold) == dict(zip(SCORES, (2, 0.5, 0.5, 0.5), strict=True))
    assert nil_scores(test, 0.1) == dict(zip(SCORES, (0, 0.0, 0.0, 0.0), strict=True))


def test_single_precision_scores_are_called_at_their_own_threshold():
    found = system([0.1, 0.7], [True, False])
    assert found.top_score.dtype == np.float32
    assert called_nil(found, choose_threshold(found)).tolist() == [True, False]
    # Compared in single precision, 0.1 would call the score, which lies just above it.
    assert found.top_scores.dtype == np.float64
    assert called_nil(found, 0.1).tolist() == [False, False]


def test_no_answer_is_called_nil_at_every_threshold():
    nil = [True, True, False, False]
    found = system([-np.inf, -np.inf, 0.5, 0.75], nil)
    assert choose_threshold(found) == -np.inf
    assert nil_scores(found, -np.inf) == dict(zip(SCORES, (2, 1.0, 1.0, 1.0), strict=True))
    curve = precision_recall(found)
    assert curve.thresholds.tolist() == [-np.inf, 0.5, 0.75]
    assert (curve.precision[0], curve.recall[0], average_precision(found)) == (1.0, 1.0, 1.0)
    assert nil_scores(system(np.full(4, -np.inf), nil), -5.0)["n_called"] == 4


def test_a_score_that_says_nothing_is_at_chance():
    assert average_precision(system(np.zeros(5), NIL)) == NIL.mean() == 0.6


def with_nil(found: Outcomes, threshold: float) -> list[float]:
    """The credit of every mention at rank 1, where NIL is a class."""
    return credits(found, "recall@1", Scoring(nil="with-nil"), threshold=threshold).values.tolist()


def standing(top, nil, above, ties) -> Outcomes:
    """Of every mention the candidates that stand above its gold and those that share its place."""
    found = system(top, nil)
    places = {"above": above, "ties": ties}
    return replace(
        found,
        **{name: np.repeat(np.array(of)[found.mention, None], 4, axis=1) for name, of in places.items()},
    )


def test_recall_over_all_classes():
    # NIL called, NIL linked, linked to the gold, half of a tie, missed, gold in reach but called NIL.
    top = [0.125, 0.875, 0.875, 0.875, 0.875, 0.125]
    nil = [True, True, False, False, False, False]
    above, ties = [-1, -1, 0, 0, 1, 0], [0, 0, 1, 2, 1, 1]
    assert with_nil(standing(top, nil, above, ties), 0.125) == [1, 0, 1, 0.5, 0, 0]
    nobody = np.zeros(6, dtype=bool)
    assert with_nil(system(top, nobody), -np.inf) == [1] * 6
    assert with_nil(system(top, ~nobody), 0.125) == [1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_recall_over_all_classes_by_a_loop(top, nil):
    ties = np.random.default_rng(5).integers(1, 5, len(top))
    threshold = float(np.median(top))
    loop = []
    for score, gold, tied in zip(top, nil, ties, strict=True):
        if gold:
            loop.append(1.0 if score <= threshold else 0.0)
        else:
            loop.append(0.0 if score <= threshold else 1 / tied)
    assert with_nil(standing(top, nil, np.zeros(len(top), dtype=int), ties), threshold) == pytest.approx(loop)


def test_risk_and_coverage_by_hand():
    # Surest first: right; right and wrong together; no answer, which is wrong.
    found = system([0.4, 0.8, -np.inf, 0.4], [False, False, True, True])
    coverage, risk = risk_coverage(found, np.array([1.0, 1.0, 0.0, 0.0]))
    assert coverage.tolist() == [0.25, 0.75, 1.0]
    assert risk == pytest.approx([0, 1 / 3, 1 / 2])


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_risk_and_coverage_by_a_loop(top, nil):
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


def test_the_protocol_with_nil_averages_over_the_same_mentions():
    values, _, counted = credits(MIXED, "recall@1", PRESETS["pel-with-nil"].scoring, KINDS, 0.25)
    assert np.flatnonzero(counted).tolist() == [1, 2, 3]
    # NIL called; linked above the threshold; NIL that is linked.
    assert values[counted].tolist() == [1, 1, 0]


# Whole numbers, some of them missing: adding a constant is exact and no two scores merge.
corpora = st.lists(st.tuples(st.integers(-6, 6) | st.just(-np.inf), st.booleans()), min_size=2).filter(
    lambda rows: len({nil for _, nil in rows}) == 2
)


def everything(top: np.ndarray, nil: np.ndarray, hit: np.ndarray) -> tuple[float, list[list[float]]]:
    """The chosen threshold, and all that must not move with the scale or the order of mentions."""
    found = system(top, nil)
    threshold = choose_threshold(found)
    curve = precision_recall(found)
    numbers = [average_precision(found), *nil_scores(found, threshold).values()]
    coverage, risk = risk_coverage(found, hit)
    recall = [np.mean(with_nil(found, threshold))]
    return threshold, [list(one) for one in (curve.precision, curve.recall, numbers, coverage, risk, recall)]


@given(corpora, st.randoms(use_true_random=False))
def test_the_order_of_mentions_changes_nothing(rows, random):
    shuffled = random.sample(rows, len(rows))
    results = []
    for one in (rows, shuffled):
        top, nil = np.array([s for s, _ in one]), np.array([n for _, n in one])
        # A credit that depends on the mention alone, so that it moves with it.
        results.append(everything(top, nil, np.where(nil, 0.0, np.mod(np.maximum(top, 0), 3) / 4)))
    assert results[0] == results[1]


@given(corpora, st.integers(-1000, 1000))
def test_a_constant_added_to_the_scores_changes_nothing(rows, constant):
    top, nil = np.array([float(s) for s, _ in rows]), np.array([n for _, n in rows])
    threshold, before = everything(top, nil, ~nil)
    moved, after = everything(top + constant, nil, ~nil)
    assert before == after
    assert moved == threshold + constant


@given(corpora)
def test_bounds(rows):
    top, nil = np.array([float(s) for s, _ in rows]), np.array([n for _, n in rows])
    found = system(top, nil)
    curve = precision_recall(found)
    assert (np.diff(curve.recall) >= 0).all()
    assert (np.diff(curve.thresholds) > 0).all()
    assert (curve.recall[-1], curve.precision[-1]) == (1.0, nil.mean())
    assert average_precision(system(np.where(nil, -1.0, 1.0), nil)) == 1.0
    coverage, risk = risk_coverage(found, ~nil)
    assert coverage[-1] == 1.0 and risk[-1] == pytest.approx(nil.mean())
    assert ((risk >= 0) & (risk <= 1)).all()
    # With every gold in reach, a mention is right exactly when it is called what it is.
    threshold = choose_threshold(found)
    assert with_nil(found, threshold) == (called_nil(found, threshold) == nil).astype(float).tolist()


@pytest.mark.parametrize(("nil", "found"), [([False, False], "no NIL mention"), ([True, True], "only NIL")])
def test_a_corpus_of_one_class_is_an_error(nil, found):
    corpus = system([0.1, 0.2], nil)
    for measure in (precision_recall, average_precision, choose_threshold):
        with pytest.raises(ValueError, match=found):
            measure(corpus)
    with pytest.raises(ValueError, match=found):
        nil_scores(corpus, 0.1)
