"""Mentions that the knowledge base does not hold (NIL): how well the score of the best answer tells.

``top_scores`` of the outcomes are higher when the linker is surer that the mention is in the knowledge base;
-inf stands for no answer and for the answer NIL. A mention is called NIL when its top score is at most the
``threshold``, so equal scores are called together. As in PEL (sections 5.3.1 and 6.1) the threshold is chosen
on dev and applied to test as it is.

Two curves sum this up. In precision against recall, NIL is the positive class; the area (auPR) is the gains
in recall times the precision there, without interpolation (PEL, table 4 and figure 2); chance is the share of
NIL. In the ROC curve, known mentions are the positive class; the area is the chance that a known mention
scores higher than a NIL one, equal scores counting half (CoSiNES, section 5.4 and figure 6).

NIL is scored on the mentions that are NIL or can be linked: those of :func:`nil_or_linkable`. All other
functions take the outcomes of the mentions to score. Those that need both classes raise ValueError for
mentions that are all NIL or all known. A system is its runs, one per seed: its area is the mean over these,
taken anew on each resample of clusters.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

from .coding import cluster_number
from .outcomes import Outcomes
from .statistics import RESAMPLES, Estimate, canonical_clusters, resample_weights

_EMPTY_GOLD = cluster_number("", {})
_BLOCK = 100  # resamples at a time: with a thousand NIL mentions they fit in a processor's cache


class Areas(NamedTuple):
    """The area of each run (runs,), and their mean on each resample (resamples,), NaN where there is none."""

    single: np.ndarray
    resampled: np.ndarray


AreasOf = Callable[[Sequence[Outcomes], int], Areas]  # of runs, with so many resamples


def nil_or_linkable(outcomes: Outcomes, strata: pd.DataFrame) -> Outcomes:
    """The outcomes of the mentions whose gold is NIL or has a name in the dictionary (no linker can link
    others). ``strata`` has one row per mention of the corpus (:func:`benchlib.scoring.strata`), of
    which ``nil`` and ``reachable`` are read. In PEL's data every gold but NIL is in the knowledge base."""
    return outcomes.among((strata["nil"] | strata["reachable"]).to_numpy(bool))


def require_both_classes(outcomes: Outcomes) -> np.ndarray:
    """Which mentions are NIL; raises ValueError where all are, or none."""
    nil = outcomes.is_nil
    if nil.all() or not nil.any():
        actual = "only NIL mentions" if nil.any() else "no NIL mention"
        raise ValueError(f"expected mentions that are NIL and others, found {actual} among {len(nil)}")
    return nil


def precision_recall(outcomes: Outcomes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Precision and recall of NIL with their thresholds, one point per distinct top score, lowest first; none
    is invented at recall 0. Raises ValueError where all mentions are NIL, or none."""
    nil = require_both_classes(outcomes)
    thresholds, called, right = _steps(outcomes.top_scores, nil)
    return right / called, right / nil.sum(), thresholds


def average_precision(outcomes: Outcomes) -> float:
    """auPR without interpolation: gains in recall times precision there; raises ValueError where all
    mentions are NIL, or none."""
    precision, recall, _ = precision_recall(outcomes)
    return float(np.diff(recall, prepend=0.0) @ precision)


def choose_threshold(outcomes: Outcomes) -> float:
    """The top score of these mentions (dev) with the highest F1 of NIL when used as the threshold.

    Of several equally good ones the largest, which calls most NIL; -inf when only the unanswered are.
    Raises ValueError where all mentions are NIL, or none.
    """
    nil = require_both_classes(outcomes)
    thresholds, called, right = _steps(outcomes.top_scores, nil)
    # One division of whole numbers: equal F1 are equal as floats.
    f1 = 2 * right / (called + nil.sum())
    return float(thresholds[np.flatnonzero(f1 == f1.max())[-1]])


def nil_scores(outcomes: Outcomes, threshold: float) -> dict[str, float | int]:
    """``n_called``, ``precision``, ``recall`` and ``f1`` of NIL at a threshold, such as that of
    :func:`choose_threshold`; precision and F1 are 0 when no mention is called. Raises ValueError where all
    mentions are NIL, or none."""
    nil, called = require_both_classes(outcomes), called_nil(outcomes, threshold)
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


def roc_curve(outcomes: Outcomes) -> tuple[np.ndarray, np.ndarray]:
    """The shares of NIL mentions and of known ones whose top score reaches a threshold: one point per
    distinct top score, highest first, after (0, 0). Raises ValueError where all mentions are NIL, or none."""
    nil = require_both_classes(outcomes)
    rates = (_steps(-outcomes.top_scores, kind)[2] / kind.sum() for kind in (nil, ~nil))
    return tuple(np.append(0.0, rate) for rate in rates)


def area(runs: Sequence[Outcomes], of: AreasOf, n_resamples: int = RESAMPLES) -> Estimate:
    """The mean area of the runs of a system, from 0 to 1; ``n`` counts NIL mentions as well.

    ``of`` is :func:`pr_areas` or :func:`roc_areas`. Clusters are resampled whole, NIL and known together
    (:func:`nil_clusters`). Raises ValueError without any run, for runs of different mentions, and for
    mentions that are all NIL or all known.
    """
    _check(runs)
    single, resampled = of(runs, n_resamples)
    return Estimate.of(single.mean(), resampled, int(runs[0].every.sum()), single.tolist())


def area_difference(
    first: Sequence[Outcomes], second: Sequence[Outcomes], of: AreasOf, n_resamples: int = RESAMPLES
) -> Estimate:
    """The area of the first system minus that of the second, on the same resamples; raises as :func:`area`.

    ``seeds`` are the runs of the first, each less the mean of the second.
    """
    _check([*first, *second])
    a, b = (of(runs, n_resamples) for runs in (first, second))
    single, n = a.single - b.single.mean(), int(first[0].every.sum())
    return Estimate.of(single.mean(), a.resampled - b.resampled, n, single.tolist())


def pr_areas(runs: Sequence[Outcomes], n_resamples: int) -> Areas:
    """Areas under precision against recall, for :func:`area` and :func:`area_difference`, which check the
    runs. A resample without NIL is left out."""
    _, cluster = np.unique(nil_clusters(runs[0]), return_inverse=True)
    weights = resample_weights(int(cluster.max()) + 1, n_resamples)
    nil = runs[0].is_nil
    single = np.array([average_precision(run) for run in runs])
    return Areas(single, np.mean([_pr_area(run.top_scores, nil, cluster, weights) for run in runs], axis=0))


def roc_areas(runs: Sequence[Outcomes], n_resamples: int) -> Areas:
    """Areas under the ROC curve, for :func:`area` and :func:`area_difference`, which check the runs."""
    nil = runs[0].is_nil
    scores = [(run.top_scores[~nil][:, None], run.top_scores[nil]) for run in runs]
    # 1 where a known mention scores higher than a NIL one, a half where both score the same.
    won = np.stack([(known > unknown) + 0.5 * (known == unknown) for known, unknown in scores])
    _, cluster = np.unique(nil_clusters(runs[0]), return_inverse=True)
    n = cluster.max() + 1
    # Every pair of a known and a NIL mention counts as often as both their clusters are drawn.
    pairs = np.zeros((n, n), dtype=np.float32)
    np.add.at(pairs, (cluster[~nil][:, None], cluster[nil]), won.mean(axis=0))
    weights = resample_weights(int(n), n_resamples)
    known, unknown = (
        weights @ np.bincount(cluster[kind], minlength=n).astype(np.float32) for kind in (~nil, nil)
    )
    total, drawn = ((weights @ pairs) * weights).sum(axis=1), known * unknown
    resampled = np.divide(total, drawn, out=np.full_like(total, np.nan), where=drawn > 0)
    return Areas(won.mean(axis=(1, 2)), resampled)


def _check(runs: Sequence[Outcomes]) -> None:
    if not runs:
        raise ValueError("expected the outcomes of at least one run, found none")
    first, *others = (np.stack([run.mention[run.every], run.is_nil, nil_clusters(run)]) for run in runs)
    if any(not np.array_equal(first, other) for other in others):
        sizes = ", ".join(str(run.every.sum()) for run in runs)
        raise ValueError(f"expected outcomes of the same mentions, found others: {sizes} mentions")
    require_both_classes(runs[0])


def nil_clusters(outcomes: Outcomes) -> np.ndarray:
    """The cluster of every mention, NIL included. The empty gold makes no unit of NIL mentions: each gets a
    number of its own. Outcomes that number clusters from 0, as those of older records, do not say what the
    clusters are: there it is a cluster of all NIL mentions and no other."""
    nil, number = outcomes.is_nil, outcomes.cluster[outcomes.every]
    cluster, [*shared] = canonical_clusters(number), np.unique(number[nil])
    alone = len(shared) == 1 and shared[0] not in number[~nil]
    if alone and (shared[0] == _EMPTY_GOLD or shared[0] < len(number)):
        cluster[nil] = cluster.max() + 1 + np.arange(nil.sum())
    return cluster


def _pr_area(scores: np.ndarray, nil: np.ndarray, cluster: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The area on each resample, NaN where no NIL mention is drawn."""
    # Recall is gained at the scores of NIL mentions alone; a known one is called with the next of these.
    steps = np.unique(scores[nil])
    step = np.searchsorted(steps, scores)
    called, right = (
        csr_matrix(
            (np.ones(of.sum(), dtype=np.float32), (step[of], cluster[of])), (len(steps), weights.shape[1])
        )
        for of in (step < len(steps), nil)
    )
    areas = []
    for first in range(0, len(weights), _BLOCK):
        drawn = np.ascontiguousarray(weights[first : first + _BLOCK].T)
        # Whole numbers far below 2 ** 24: exact in single precision.
        gained, n_called = right @ drawn, (called @ drawn).cumsum(axis=0)
        n_right = gained.cumsum(axis=0)
        precision = np.divide(n_right, n_called, out=np.zeros_like(n_right), where=n_called > 0)
        total, n_nil = (gained * precision).sum(axis=0, dtype=np.float64), n_right[-1]
        areas.append(np.divide(total, n_nil, out=np.full_like(total, np.nan), where=n_nil > 0))
    return np.concatenate(areas)


def _steps(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distinct keys, ascending, with the number and the sum of ``values`` up to each."""
    distinct, group = np.unique(keys, return_inverse=True)
    return distinct, np.bincount(group).cumsum(), np.bincount(group, weights=values).cumsum()
