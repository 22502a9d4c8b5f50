"""Mentions that the knowledge base does not hold (NIL): how well the score of the best answer tells.

``top_scores`` of the outcomes are higher when the linker is surer that the mention is in the knowledge base;
-inf stands for no answer and for the answer NIL. NIL is the positive class, its score is ``-top_scores``, and
a mention is called NIL when its top score is at most the ``threshold``, so equal scores are called together.
As in PEL (sections 5.3.1 and 6.1) the threshold is chosen on dev and applied to test as it is.

NIL is scored on the mentions that are NIL or can be linked: those of :func:`nil_or_linkable`. All other
functions take the outcomes of the mentions to score. Those that need both classes raise ValueError for
mentions that are all NIL or all known.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from .outcomes import Outcomes


class Curve(NamedTuple):
    """One point per distinct top score (``thresholds``), lowest first; none is invented at recall 0."""

    precision: np.ndarray
    recall: np.ndarray
    thresholds: np.ndarray


def nil_or_linkable(outcomes: Outcomes, strata: pd.DataFrame) -> Outcomes:
    """The outcomes of the mentions whose gold is NIL or has a name in the dictionary.

    A mention whose concept has no name there is neither: no linker can link it, and its gold is not NIL. In
    PEL's data every gold but NIL is in the knowledge base. ``strata`` has one row per mention of the corpus
    (:func:`benchlib.scoring.strata.strata`), of which ``nil`` and ``reachable`` are read.
    """
    return outcomes.among((strata["nil"] | strata["reachable"]).to_numpy(bool))


def both_kinds(outcomes: Outcomes) -> np.ndarray:
    """Which mentions are NIL; raises ValueError where all are, or none."""
    nil = outcomes.is_nil
    if nil.all() or not nil.any():
        found = "only NIL mentions" if nil.any() else "no NIL mention"
        raise ValueError(f"expected mentions that are NIL and others, found {found} among {len(nil)}")
    return nil


def precision_recall(outcomes: Outcomes) -> Curve:
    """Precision and recall of NIL at every threshold that tells mentions apart, ties as one step.

    Raises ValueError where all mentions are NIL, or none.
    """
    nil = both_kinds(outcomes)
    thresholds, called, right = _steps(outcomes.top_scores, nil)
    return Curve(right / called, right / nil.sum(), thresholds)


def average_precision(outcomes: Outcomes) -> float:
    """auPR without interpolation: gains in recall times precision there; chance is the share of NIL.

    Raises ValueError where all mentions are NIL, or none.
    """
    curve = precision_recall(outcomes)
    return float(np.diff(curve.recall, prepend=0.0) @ curve.precision)


def choose_threshold(outcomes: Outcomes) -> float:
    """The top score of these mentions (dev) with the highest F1 of NIL when used as the threshold.

    Of several equally good ones the largest, which calls most NIL; -inf when only the unanswered are.
    Raises ValueError where all mentions are NIL, or none.
    """
    nil = both_kinds(outcomes)
    thresholds, called, right = _steps(outcomes.top_scores, nil)
    # One division of whole numbers: equal F1 are equal as floats.
    f1 = 2 * right / (called + nil.sum())
    return float(thresholds[np.flatnonzero(f1 == f1.max())[-1]])


def nil_scores(outcomes: Outcomes, threshold: float) -> dict[str, float | int]:
    """``n_called``, ``precision``, ``recall`` and ``f1`` of NIL at a threshold, such as that of
    :func:`choose_threshold`; precision and F1 are 0 when no mention is called.

    Raises ValueError where all mentions are NIL, or none.
    """
    nil, called = both_kinds(outcomes), called_nil(outcomes, threshold)
    n_nil, n_called, n_right = int(nil.sum()), int(called.sum()), int((nil & called).sum())
    return {
        "n_called": n_called,
        "precision": n_right / n_called if n_called else 0.0,
        "recall": n_right / n_nil,
        "f1": 2 * n_right / (n_called + n_nil),
    }


def called_nil(outcomes: Outcomes, threshold: float) -> np.ndarray:
    """Which mentions are called NIL, boolean: those whose best answer does not exceed the threshold."""
    return outcomes.top_scores <= threshold


def risk_coverage(outcomes: Outcomes, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coverage and risk when only the surest mentions are answered, one point per distinct top score.

    ``hit`` (mentions,) is each answer's credit, 0 to 1. From the highest score down, coverage is the
    share of mentions answered and risk one minus their mean credit; those at -inf enter last.
    """
    _, answered, credit = _steps(-outcomes.top_scores, hit)
    return answered / len(hit), 1.0 - credit / answered


def _steps(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct keys, ascending, with the number and the sum of ``values`` up to each."""
    distinct, group = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(group).cumsum(), np.bincount(group, weights=values).cumsum()
