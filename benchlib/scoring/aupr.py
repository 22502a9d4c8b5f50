"""The area under the precision-recall curve of NIL (auPR) of a system, with its interval.

As in :mod:`.nil`, NIL is the positive class, what scores lowest is called first, and there is no
interpolation: gains in recall times the precision there (PEL, table 4 and figure 2). Chance is the share of
NIL, so areas of data sets with other shares do not compare.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix

from .areas import Areas, units
from .nil import average_precision
from .outcomes import Outcomes
from .statistics import resample_weights

_BLOCK = 100  # resamples at a time: with a thousand NIL mentions they fit in a processor's cache


def pr_areas(runs: Sequence[Outcomes], n_resamples: int) -> Areas:
    """The areas of runs on the same mentions, some of them NIL and others not: for :func:`.areas.area` and
    :func:`.areas.area_difference`, which check that. A resample without NIL is left out."""
    _, cluster = np.unique(units(runs[0]), return_inverse=True)
    weights = resample_weights(int(cluster.max()) + 1, n_resamples)
    nil = runs[0].is_nil
    single = np.array([average_precision(run) for run in runs])
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
