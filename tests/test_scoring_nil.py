"""NIL measures against scikit-learn, against plain loops, and against cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve, precision_recall_fscore_support

from benchlib.scoring.nil import (
    NilScores,
    average_precision,
    called_nil,
    choose_threshold,
    nil_scores,
    precision_recall,
    prevalence,
    recall_with_nil,
    risk_coverage,
)

# In descending order of NIL score: NIL, NIL and not NIL together, not NIL, NIL.
TOP = np.array([0.9, 0.1, 0.3, 0.3, 0.5])
NIL = np.array([True, True, True, False, False])


def mentions(n: int, levels: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores that lean the right way; few ``levels`` make many ties."""
    rng = np.random.default_rng(seed)
    nil = rng.random(n) < 0.3
    nil[:2] = True, False
    return np.floor((rng.random(n) - 0.2 * nil) * levels) / 8, nil


RANDOM = [mentions(n, levels, seed) for seed, n in enumerate((2, 7, 60, 500)) for levels in (3, 20, 10**9)]


def loop_f1(top: np.ndarray, nil: np.ndarray, threshold: float) -> float:
    right = called = 0
    for score, gold in zip(top, nil, strict=True):
        called += score <= threshold
        right += bool(score <= threshold and gold)
    return 2 * right / (called + sum(nil))


def test_the_curve_by_hand():
    curve = precision_recall(TOP, NIL)
    assert curve.thresholds.tolist() == [0.1, 0.3, 0.5, 0.9]
    assert curve.precision.tolist() == [1, 2 / 3, 2 / 4, 3 / 5]
    assert curve.recall.tolist() == [1 / 3, 2 / 3, 2 / 3, 1]
    assert average_precision(TOP, NIL) == pytest.approx(1 / 3 * (1 + 2 / 3 + 3 / 5))
    assert prevalence(NIL) == 0.6 == curve.precision[-1]


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_the_curve_is_that_of_another_library(top, nil):
    precision, recall, thresholds = precision_recall_curve(nil, -top)
    curve = precision_recall(top, nil)
    # Theirs starts where every mention is called and ends at an invented point of recall 0.
    np.testing.assert_allclose(curve.precision, precision[:-1][::-1])
    np.testing.assert_allclose(curve.recall, recall[:-1][::-1])
    np.testing.assert_array_equal(curve.thresholds, -thresholds[::-1])
    assert average_precision(top, nil) == pytest.approx(average_precision_score(nil, -top))


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_the_chosen_threshold_is_the_best_of_a_loop(top, nil):
    best = max((loop_f1(top, nil, threshold), threshold) for threshold in top)
    assert choose_threshold(top, nil) == best[1]
    # No threshold between, under or over the scores does better.
    tried = np.concatenate([np.nextafter(top, np.inf), np.nextafter(top, -np.inf), [-np.inf, np.inf]])
    assert max(loop_f1(top, nil, threshold) for threshold in tried) <= best[0]
    assert nil_scores(top, nil, best[1]).f1 == pytest.approx(best[0])


@pytest.mark.parametrize(("top", "nil"), RANDOM)
@pytest.mark.parametrize("quantile", [0.0, 0.4, 1.0])
def test_scores_of_nil_are_those_of_another_library(top, nil, quantile):
    threshold = float(np.quantile(top, quantile))
    theirs = precision_recall_fscore_support(nil, top <= threshold, average="binary", zero_division=0)
    ours = nil_scores(top, nil, threshold)
    assert ours[:3] == pytest.approx(theirs[:3])
    assert (ours.n_nil, ours.n_called) == (nil.sum(), (top <= threshold).sum())


def test_of_equal_thresholds_the_largest():
    # F1 is 2/3 when one is called (1 of 1, of 2) and when all four are (2 of 4).
    top, nil = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, False, True])
    assert loop_f1(top, nil, 1.0) == loop_f1(top, nil, 4.0) == pytest.approx(2 / 3)
    assert choose_threshold(top, nil) == 4.0


def test_a_threshold_of_dev_on_test():
    dev_top, dev_nil = np.array([0.2, 0.4, 0.6, 0.8]), np.array([True, True, False, False])
    threshold = choose_threshold(dev_top, dev_nil)
    assert threshold == 0.4
    test_top, test_nil = np.array([0.3, 0.35, 0.5, 0.9]), np.array([True, False, True, False])
    assert nil_scores(test_top, test_nil, threshold) == NilScores(0.5, 0.5, 0.5, 2, 2)
    assert nil_scores(test_top, test_nil, 0.1) == NilScores(0.0, 0.0, 0.0, 2, 0)


def test_single_precision_scores_are_called_at_their_own_threshold():
    top, nil = np.float32([0.1, 0.7]), np.array([True, False])
    assert called_nil(top, choose_threshold(top, nil)).tolist() == [True, False]


def test_no_answer_is_called_nil_at_every_threshold():
    top, nil = np.array([-np.inf, -np.inf, 0.5, 0.7]), np.array([True, True, False, False])
    assert choose_threshold(top, nil) == -np.inf
    assert nil_scores(top, nil, -np.inf) == NilScores(1.0, 1.0, 1.0, 2, 2)
    curve = precision_recall(top, nil)
    assert curve.thresholds.tolist() == [-np.inf, 0.5, 0.7]
    assert (curve.precision[0], curve.recall[0], average_precision(top, nil)) == (1.0, 1.0, 1.0)
    assert nil_scores(np.full(4, -np.inf), nil, -5.0).n_called == 4


def test_a_score_that_says_nothing_is_at_chance():
    assert average_precision(np.zeros(5), NIL) == prevalence(NIL)


def test_recall_over_all_classes():
    # NIL called, NIL linked, linked to the gold, half of a tie, missed, gold in reach but called NIL.
    top = np.array([0.1, 0.9, 0.9, 0.9, 0.9, 0.1])
    nil = np.array([True, True, False, False, False, False])
    reached = np.array([np.nan, 1.0, 1.0, 0.5, 0.0, 1.0])
    assert recall_with_nil(reached, top, nil, 0.1).tolist() == [1, 0, 1, 0.5, 0, 0]
    nobody = np.zeros(6, dtype=bool)
    assert recall_with_nil(np.ones(6), top, nobody, -np.inf).tolist() == [1] * 6
    assert recall_with_nil(np.ones(6), top, ~nobody, 0.1).tolist() == [1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_recall_over_all_classes_by_a_loop(top, nil):
    reached = np.random.default_rng(5).random(len(top))
    threshold = float(np.median(top))
    loop = []
    for score, gold, credit in zip(top, nil, reached, strict=True):
        if gold:
            loop.append(1.0 if score <= threshold else 0.0)
        else:
            loop.append(0.0 if score <= threshold else credit)
    assert recall_with_nil(reached, top, nil, threshold).tolist() == loop


def test_risk_and_coverage_by_hand():
    # Surest first: right; right and wrong together; no answer, which is wrong.
    top, hit = np.array([0.4, 0.8, -np.inf, 0.4]), np.array([True, True, False, False])
    coverage, risk = risk_coverage(top, hit)
    assert coverage.tolist() == [0.25, 0.75, 1.0]
    assert risk == pytest.approx([0, 1 / 3, 1 / 2])


@pytest.mark.parametrize(("top", "nil"), RANDOM)
def test_risk_and_coverage_by_a_loop(top, nil):
    hit = np.where(nil, 0.25, 1.0)
    coverage, risk = risk_coverage(top, hit)
    for i, score in enumerate(sorted(set(top.tolist()), reverse=True)):
        answered = [h for s, h in zip(top, hit, strict=True) if s >= score]
        assert coverage[i] == pytest.approx(len(answered) / len(top))
        assert risk[i] == pytest.approx(1 - sum(answered) / len(answered))
    assert len(coverage) == len(risk) == len(set(top.tolist()))


# Whole numbers, some of them missing: adding a constant is exact and no two scores merge.
corpora = st.lists(st.tuples(st.integers(-6, 6) | st.just(-np.inf), st.booleans()), min_size=2).filter(
    lambda rows: len({nil for _, nil in rows}) == 2
)


def everything(top: np.ndarray, nil: np.ndarray, hit: np.ndarray) -> tuple[float, list[list[float]]]:
    """The chosen threshold, and all that must not move with the scale or the order of mentions."""
    threshold = choose_threshold(top, nil)
    curve = precision_recall(top, nil)
    numbers = [average_precision(top, nil), prevalence(nil), *nil_scores(top, nil, threshold)]
    coverage, risk = risk_coverage(top, hit)
    recall = [recall_with_nil(hit, top, nil, threshold).mean()]
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
    curve = precision_recall(top, nil)
    assert (np.diff(curve.recall) >= 0).all()
    assert (np.diff(curve.thresholds) > 0).all()
    assert (curve.recall[-1], curve.precision[-1]) == (1.0, prevalence(nil))
    assert average_precision(np.where(nil, -1.0, 1.0), nil) == 1.0
    coverage, risk = risk_coverage(top, ~nil)
    assert coverage[-1] == 1.0 and risk[-1] == pytest.approx(prevalence(nil))
    assert ((risk >= 0) & (risk <= 1)).all()
    # With every gold in reach, a mention is right exactly when it is called what it is.
    threshold = choose_threshold(top, nil)
    right = recall_with_nil(np.ones(len(top)), top, nil, threshold)
    assert right.tolist() == (called_nil(top, threshold) == nil).astype(float).tolist()


@pytest.mark.parametrize(("nil", "found"), [([False, False], "no NIL mention"), ([True, True], "only NIL")])
def test_a_corpus_of_one_class_is_an_error(nil, found):
    top, nil = np.array([0.1, 0.2]), np.array(nil)
    for measure in (precision_recall, average_precision, choose_threshold):
        with pytest.raises(ValueError, match=found):
            measure(top, nil)
    with pytest.raises(ValueError, match=found):
        nil_scores(top, nil, 0.1)
    assert prevalence(nil) == float(nil[0])


@pytest.mark.parametrize(
    ("top", "nil", "message"),
    [
        ([0.1, np.nan], [True, False], "NaN"),
        ([[0.1, 0.2]], [[True, False]], "top_score"),
        ([0.1, 0.2], [1, 0], "boolean"),
        ([0.1, 0.2, 0.3], [True, False], "3 and 2"),
        ([], [], "top_score"),
    ],
)
def test_bad_input_is_an_error(top, nil, message):
    for measure in (average_precision, choose_threshold):
        with pytest.raises(ValueError, match=message):
            measure(np.array(top), np.array(nil))
    with pytest.raises(ValueError, match=message):
        recall_with_nil(np.ones(np.shape(nil)), np.array(top), np.array(nil), 0.0)


def test_bad_credits_and_thresholds_are_errors():
    for bad in ([1.0, 0.0], [1.0, 0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, np.nan, 0.0], [0, 0, 0, 0, -0.1]):
        with pytest.raises(ValueError, match="hit"):
            risk_coverage(TOP, np.array(bad))
    with pytest.raises(ValueError, match="reached"):
        recall_with_nil(np.ones(4), TOP, NIL, 0.0)
    with pytest.raises(ValueError, match="reached"):
        recall_with_nil(np.array([0, 0, 0, np.nan, 0]), TOP, NIL, 0.0)
    with pytest.raises(ValueError, match="NaN"):
        nil_scores(TOP, NIL, np.nan)
    with pytest.raises(ValueError, match="is_nil"):
        prevalence(np.array([], dtype=bool))
