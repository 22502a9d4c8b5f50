"""Areas under the curves of NIL detection, with intervals: of ROC curves by :func:`.roc.roc_areas`, under
precision against recall (auPR) by :func:`.aupr.pr_areas`.

A system is its runs, one per seed: its area is the mean over these, taken anew on each resample of clusters.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .nil import both_kinds
from .outcomes import Outcomes
from .statistics import RESAMPLES, Estimate, interval, renumbered


class Areas(NamedTuple):
    """The area of each run (runs,), and their mean on each resample (resamples,), NaN where there is none."""

    single: np.ndarray
    resampled: np.ndarray


Of = Callable[[Sequence[Outcomes], int], Areas]
"""The areas of runs, and of so many resamples: those of one curve."""


def area(runs: Sequence[Outcomes], of: Of, n_resamples: int = RESAMPLES) -> Estimate:
    """The mean area of the runs of a system, from 0 to 1; ``n`` counts NIL mentions as well.

    Clusters are resampled whole, NIL and known together (:func:`units`). Raises ValueError without any run,
    for runs of different mentions, and for mentions that are all NIL or all known.
    """
    _check(runs)
    return _estimate(of(runs, n_resamples), runs[0])


def area_difference(
    first: Sequence[Outcomes], second: Sequence[Outcomes], of: Of, n_resamples: int = RESAMPLES
) -> Estimate:
    """The area of the first system minus that of the second, on the same resamples; raises as :func:`area`.

    ``seeds`` are the runs of the first, each less the mean of the second.
    """
    _check([*first, *second])
    a, b = (of(runs, n_resamples) for runs in (first, second))
    return _estimate(Areas(a.single - b.single.mean(), a.resampled - b.resampled), first[0])


def _check(runs: Sequence[Outcomes]) -> None:
    """Raises ValueError unless there are runs, all of the same mentions, some of them NIL and others not."""
    if not runs:
        raise ValueError("expected the outcomes of at least one run, found none")
    first, *others = (np.stack([run.mention[run.every], run.is_nil, units(run)]) for run in runs)
    if any(not np.array_equal(first, other) for other in others):
        sizes = ", ".join(str(one.shape[1]) for one in (first, *others))
        raise ValueError(f"expected outcomes of the same mentions, found others: {sizes} mentions")
    both_kinds(runs[0])


def units(outcomes: Outcomes) -> np.ndarray:
    """The cluster of every mention, NIL included. One that is all NIL and nothing else is the empty gold,
    which makes no unit of them: each gets a number of its own."""
    nil = outcomes.is_nil
    cluster = renumbered(outcomes.cluster[outcomes.every])
    shared = np.unique(cluster[nil])
    if len(shared) == 1 and shared[0] not in cluster[~nil]:
        cluster[nil] = cluster.max() + 1 + np.arange(nil.sum())
    return cluster


def _estimate(areas: Areas, outcomes: Outcomes) -> Estimate:
    low, high = interval(areas.resampled[:, None])[:, 0].tolist()
    seeds = tuple(areas.single.tolist())
    return Estimate(float(areas.single.mean()), low, high, int(outcomes.every.sum()), seeds)
