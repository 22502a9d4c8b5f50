"""The area under the precision-recall curve of NIL (auPR) of a system, with its interval.

As in :mod:`.nil`, NIL is the positive class, what scores lowest is called first, and there is no
interpolation: gains in recall times the precision there (PEL, table 4 and figure 2). Chance is the share of
NIL, so areas of data sets with other shares do not compare.

A system is its runs, one per seed. Both functions raise ValueError for mentions that are all NIL or all
known, without any outcomes, and for outcomes of different mentions.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from scipy.sparse import csr_matrix

from .areas import Areas, area, area_difference, units
from .nil import average_precision
from .outcomes import Outcomes
from .statistics import RESAMPLES, Estimate, resample_weights

_BLOCK = 100  # resamples at a time: with a thousand NIL mentions they fit in a processor's cache


def pr_area(runs: Sequence[Outcomes], n_resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """The area, from 0 to 1, averaged over the runs of a system; ``n`` counts known mentions as well.

    Clusters are resampled as for :func:`benchlib.scoring.roc_area`; a resample without NIL is left out.
    """
    return area(runs, partial(_areas, n_resamples=n_resamples, seed=seed))


def pr_area_difference(
    first: Sequence[Outcomes], second: Sequence[Outcomes], n_resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """The area of the first system minus that of the second, on the same resamples.

    ``seeds`` are the runs of the first, each less the mean of the second.
    """
    return area_difference(first, second, partial(_areas, n_resamples=n_resamples, seed=seed))


def _areas(runs: Sequence[Outcomes], n_resamples: int, seed: int) -> Areas:
    _, cluster = np.unique(units(runs[0]), return_inverse=True)
    weights = resample_weights(int(cluster.max()) + 1, n_resamples, seed)
    nil = runs[0].is_nil
    single = np.array([average_precision(run.top_scores, nil) for run in runs])
    return Areas(single, np.mean([_resampled(run.top_scores, nil, cluster, weights) for run in runs], axis=0))


def _resampled(scores: np.ndarray, nil: np.ndarray, cluster: np.ndarray, weights: np.ndarray) -> np.ndarray:
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
