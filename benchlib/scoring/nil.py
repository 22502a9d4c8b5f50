"""Mentions that the knowledge base does not hold (NIL): how well the score of the best answer tells.

``top_score`` (mentions,) is the score of the best candidate, higher when the linker is surer that the
mention is in the knowledge base; -inf stands for no answer and for the answer NIL. ``is_nil``
(mentions,) is the gold, boolean. NIL is the positive class, its score is ``-top_score``, and a mention
is called NIL when ``top_score <= threshold``, so equal scores are called together. As in PEL (sections
5.3.1 and 6.1) the threshold is chosen on dev and applied to test as it is.

Every function raises ValueError for arrays of other shapes or types, NaN, and no mention at all;
those that need both classes also for a corpus without NIL and one of NIL only.
"""

from typing import NamedTuple

import numpy as np


class Curve(NamedTuple):
    """One point per distinct top score (``thresholds``), lowest first; none is invented at recall 0."""

    precision: np.ndarray
    recall: np.ndarray
    thresholds: np.ndarray


class NilScores(NamedTuple):
    """Scores of the class NIL at one threshold; precision and F1 are 0 when no mention is called."""

    precision: float
    recall: float
    f1: float
    n_nil: int
    n_called: int


def precision_recall(top_score: np.ndarray, is_nil: np.ndarray) -> Curve:
    """Precision and recall of NIL at every threshold that tells mentions apart, ties as one step."""
    scores, nil = _paired(top_score, is_nil, both=True)
    thresholds, called, right = _steps(scores, nil)
    return Curve(right / called, right / nil.sum(), thresholds)


def average_precision(top_score: np.ndarray, is_nil: np.ndarray) -> float:
    """auPR without interpolation: gains in recall times precision there; chance is :func:`prevalence`."""
    curve = precision_recall(top_score, is_nil)
    return float(np.diff(curve.recall, prepend=0.0) @ curve.precision)


def prevalence(is_nil: np.ndarray) -> float:
    """The share of mentions that are NIL, from 0 to 1; either class may be absent."""
    return float(_gold(is_nil).mean())


def choose_threshold(top_score: np.ndarray, is_nil: np.ndarray) -> float:
    """The top score of these mentions (dev) with the highest F1 of NIL when used as the threshold.

    Of several equally good ones the largest, which calls most NIL; -inf when only the unanswered are.
    """
    scores, nil = _paired(top_score, is_nil, both=True)
    thresholds, called, right = _steps(scores, nil)
    # One division of whole numbers: equal F1 are equal as floats.
    f1 = 2 * right / (called + nil.sum())
    return float(thresholds[np.flatnonzero(f1 == f1.max())[-1]])


def nil_scores(top_score: np.ndarray, is_nil: np.ndarray, threshold: float) -> NilScores:
    """Precision, recall and F1 of NIL at a threshold, such as that of :func:`choose_threshold`."""
    scores, nil = _paired(top_score, is_nil, both=True)
    called = called_nil(scores, threshold)
    n_nil, n_called, n_right = int(nil.sum()), int(called.sum()), int((nil & called).sum())
    precision = n_right / n_called if n_called else 0.0
    return NilScores(precision, n_right / n_nil, 2 * n_right / (n_called + n_nil), n_nil, n_called)


def called_nil(top_score: np.ndarray, threshold: float) -> np.ndarray:
    """Which mentions are called NIL, boolean: those whose best answer does not exceed the threshold."""
    if np.isnan(threshold):
        raise ValueError("threshold: expected a number, found NaN")
    return _scores(top_score) <= threshold


def recall_with_nil(
    reached: np.ndarray, top_score: np.ndarray, is_nil: np.ndarray, threshold: float
) -> np.ndarray:
    """Credit per mention over all classes including NIL, float64 (mentions,); its mean is micro recall.

    A NIL mention is right when called NIL. Another, when not called NIL, has its credit ``reached``
    (mentions,), Recall@k of 0 to 1, not read where the gold is NIL. Either class may be absent.
    """
    scores, nil = _paired(top_score, is_nil, both=False)
    called = called_nil(scores, threshold)
    return np.where(nil, called, np.where(called, 0.0, _credits("reached", reached, ~nil)))


def risk_coverage(top_score: np.ndarray, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coverage and risk when only the surest mentions are answered, one point per distinct top score.

    ``hit`` (mentions,) is each answer's credit, 0 to 1. From the highest score down, coverage is the
    share of mentions answered and risk one minus their mean credit; those at -inf enter last.
    """
    scores = _scores(top_score)
    _, answered, credit = _steps(-scores, _credits("hit", hit, np.ones(len(scores), dtype=bool)))
    return answered / len(scores), 1.0 - credit / answered


def _steps(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct keys, ascending, with the number and the sum of ``values`` up to each."""
    distinct, group = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(group).cumsum(), np.bincount(group, weights=values).cumsum()


def _scores(top_score: np.ndarray) -> np.ndarray:
    scores = np.asarray(top_score, dtype=np.float64)
    if scores.ndim != 1 or not scores.size or np.isnan(scores).any():
        raise ValueError(f"top_score: expected a number per mention, found shape {scores.shape} or a NaN")
    return scores


def _gold(is_nil: np.ndarray) -> np.ndarray:
    nil = np.asarray(is_nil)
    if nil.ndim != 1 or not nil.size or nil.dtype != bool:
        raise ValueError(f"is_nil: expected a boolean per mention, found {nil.dtype}, shape {nil.shape}")
    return nil


def _paired(top_score: np.ndarray, is_nil: np.ndarray, both: bool) -> tuple[np.ndarray, np.ndarray]:
    scores, nil = _scores(top_score), _gold(is_nil)
    if len(scores) != len(nil):
        raise ValueError(f"expected one top_score per is_nil, found {len(scores)} and {len(nil)}")
    if both and nil.all() == nil.any():
        found = "only NIL mentions" if nil.all() else "no NIL mention"
        raise ValueError(f"expected mentions that are NIL and others, found {found} among {len(nil)}")
    return scores, nil


def _credits(name: str, values: np.ndarray, read: np.ndarray) -> np.ndarray:
    credit = np.asarray(values, dtype=np.float64)
    if credit.shape != read.shape or not ((credit >= 0) & (credit <= 1))[read].all():
        raise ValueError(f"{name}: expected {len(read)} credits from 0 to 1, found {credit.shape}: {credit}")
    return credit
