"""How sure a number is: means with intervals that resample whole clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix

RESAMPLES = 10_000
_KEPT = 2**26  # weights that are kept from call to call, of all numbers of clusters together: 256 MB
_DRAWN = 2**18  # weights drawn, and multiplied, at a time, which fit in a processor's cache

Masks = tuple[np.ndarray | None, np.ndarray | None]
"""Which mentions each of two sides is averaged over, None for all."""
EVERY: Masks = (None, None)


@dataclass(frozen=True)
class Estimate:
    """A mean over ``n`` mentions with its 95 % interval: percentiles of the bootstrap over clusters.

    ``seeds`` are the means of single seeds, where training was involved: too few to resample, so they are
    printed beside. Without any mention to average over, ``n`` is 0 and the numbers are NaN.
    """

    value: float
    low: float
    high: float
    n: int
    seeds: tuple[float, ...] = ()

    @classmethod
    def of(cls, value: float, resampled: np.ndarray, n: int, seeds: Sequence[float] = ()) -> Estimate:
        """A value, and the interval of its values on resamples (resamples,)."""
        low, high = interval(resampled[:, None])[:, 0].tolist()
        return cls(float(value), low, high, n, tuple(seeds))


_kept: dict[tuple[int, int], np.ndarray] = {}  # the weights used last stand last
_keeping = Lock()


def resample_weights(n_clusters: int, n_resamples: int = RESAMPLES) -> np.ndarray:
    """How often each cluster is drawn in each bootstrap sample, resamples × clusters, read-only: whole
    numbers, which float32 holds exactly."""
    shape = (n_resamples, n_clusters)
    with _keeping:
        if (weights := _kept.pop(shape, None)) is None:
            while _kept and sum(map(np.size, _kept.values())) + n_resamples * n_clusters > _KEPT:
                del _kept[next(iter(_kept))]
            weights, first = np.empty(shape, dtype=np.float32), 0
            for block in _drawn(n_clusters, n_resamples):
                weights[first : first + len(block)] = block
                first += len(block)
            weights.flags.writeable = False
        _kept[shape] = weights
        return weights


def _drawn(n_clusters: int, n_resamples: int) -> Iterator[np.ndarray]:
    """:func:`resample_weights` in blocks of rows: the same draws, however many at a time."""
    rng = np.random.default_rng(0)
    rows = max(1, _DRAWN // n_clusters)
    for first in range(0, n_resamples, rows):
        n = min(rows, n_resamples - first)
        drawn = rng.integers(0, n_clusters, size=(n, n_clusters))
        drawn += np.arange(n)[:, None] * n_clusters
        counts = np.bincount(drawn.ravel(), minlength=n * n_clusters)
        yield counts.reshape(n, n_clusters).astype(np.float32)


def _weights(n_clusters: int, n_resamples: int) -> Iterator[np.ndarray]:
    """The weights block by block, drawn again at each call where they are too many to keep."""
    if n_clusters * n_resamples <= _KEPT:
        weights, rows = resample_weights(n_clusters, n_resamples), max(1, _DRAWN // n_clusters)
        yield from (weights[first : first + rows] for first in range(0, n_resamples, rows))
    else:
        yield from _drawn(n_clusters, n_resamples)


def resampled_means(
    values: np.ndarray, clusters: np.ndarray, counted: np.ndarray | None = None
) -> np.ndarray:
    """Means over bootstrap samples of clusters: resamples × columns of ``values`` (mentions × columns).

    Clusters are drawn whole, as many as there are, so mentions of one document stay together; a mean is
    over the mentions of a sample, of these the ``counted`` (mask of the shape of ``values``), NaN where a
    sample has none. Equal ``clusters`` draw the same samples, so columns, and calls, are paired.
    Takes less than 500 MB, however many the clusters.
    """
    codes, cluster = np.unique(clusters, return_inverse=True)
    columns, kept = in_columns(values, counted)
    of_clusters = csr_matrix((np.ones(len(cluster)), (cluster, np.arange(len(cluster)))))
    both = of_clusters @ np.hstack([kept, np.where(kept, columns, 0.0)])
    blocks = [block.astype(np.float64) @ both for block in _weights(len(codes), RESAMPLES)]
    drawn, total = np.hsplit(np.concatenate(blocks), [kept.shape[1]])
    return np.divide(total, drawn, out=np.full_like(total, np.nan), where=drawn > 0)


def estimate(values: np.ndarray, clusters: np.ndarray, counted: np.ndarray | None = None) -> list[Estimate]:
    """One :class:`Estimate` per column of ``values`` (mentions × columns, or mentions), over the ``counted``.

    Raises ValueError when there is no mention at all.
    """
    if not len(values):
        raise ValueError("no mention to average over")
    return _estimates(*_means(values, counted), resampled_means(values, clusters, counted))


def difference(first: np.ndarray, second: np.ndarray, clusters: np.ndarray, among: Masks = EVERY) -> Estimate:
    """Mean of ``first`` minus mean of ``second`` (both one value a mention), on the same resamples.

    Each mean is over the mentions of its own mask, so a subset can be compared with the whole; ``n`` is the
    size of the first. Raises ValueError when a mask leaves no mention.
    """
    [result] = differences(first, second, among, resampled_differences(first, second, clusters, among))
    if np.isnan(result.value):
        raise ValueError("no mention to average over")
    return result


def differences(first: np.ndarray, second: np.ndarray, among: Masks, resampled: np.ndarray) -> list[Estimate]:
    """As :func:`difference`, column by column (mentions × columns), from what
    :func:`resampled_differences` gives; NaN where a mask leaves no mention."""
    (a, n), (b, _) = (_means(*side) for side in zip((first, second), among, strict=True))
    return _estimates(a - b, n, resampled)


def resampled_differences(
    first: np.ndarray, second: np.ndarray, clusters: np.ndarray, among: Masks
) -> np.ndarray:
    """The differences of the two means over the same bootstrap samples: resamples × columns."""
    sides = [in_columns(*side) for side in zip((first, second), among, strict=True)]
    values = np.hstack([columns for columns, _ in sides])
    counted = np.hstack([np.broadcast_to(kept, columns.shape) for columns, kept in sides])
    a, b = np.hsplit(resampled_means(values, clusters, counted=counted), 2)
    return a - b


def magnitude_difference(first: np.ndarray, second: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The size of the mean of ``first``, its sign left aside, minus that of ``second`` (both one value a
    mention); sizes are taken on each resample. Raises ValueError when there is no mention at all."""
    if not len(first):
        raise ValueError("no mention to average over")
    both = np.stack([first, second], axis=1)
    sizes = np.abs(resampled_means(both, clusters))
    a, b = np.abs(both.mean(axis=0))
    return Estimate.of(a - b, sizes[:, 0] - sizes[:, 1], len(first))


def over_seeds(runs: Sequence[np.ndarray], clusters: np.ndarray) -> Estimate:
    """The estimate of a system trained with several seeds, from the credits of each (mentions,).

    Credits are averaged over seeds mention by mention, then clusters are resampled; ``seeds`` are the means
    of the runs. Raises ValueError without a run, and for runs on different mentions.
    """
    if not runs or len({len(run) for run in runs}) > 1:
        raise ValueError(f"expected runs on the same mentions, found lengths {[len(run) for run in runs]}")
    [result] = estimate(np.mean(runs, axis=0), clusters)
    return replace(result, seeds=tuple(float(run.mean()) for run in runs))


def cluster_means(credit: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """The mean credit of each cluster, by ascending cluster: their average counts every cluster the same,
    however many its mentions."""
    _, cluster = np.unique(clusters, return_inverse=True)
    return np.bincount(cluster, weights=credit) / np.bincount(cluster)


def canonical_clusters(clusters: np.ndarray) -> np.ndarray:
    """Clusters numbered 0, 1, … in the order in which they come: equal where two codings part the mentions
    alike, whatever their numbers."""
    return pd.factorize(clusters)[0]


def _estimates(means: np.ndarray, sizes: np.ndarray, resampled: np.ndarray) -> list[Estimate]:
    columns = (array.tolist() for array in (means, *interval(resampled), sizes))
    return [Estimate(*numbers) for numbers in zip(*columns, strict=True)]


def in_columns(values: np.ndarray, counted: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Values as mentions × columns, and the mask of those counted, of as many columns or of one."""
    columns = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
    kept = np.ones((len(values), 1), dtype=bool) if counted is None else counted.reshape(len(values), -1)
    return columns, kept


def _means(values: np.ndarray, counted: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The mean of each column, NaN over no mention, and how many mentions it is over."""
    columns, kept = in_columns(values, counted)
    sums = np.where(kept, columns, 0.0).sum(axis=0)
    sizes = np.broadcast_to(kept.sum(axis=0), sums.shape)
    return np.divide(sums, sizes, out=np.full(len(sums), np.nan), where=sizes > 0), sizes


def interval(resampled: np.ndarray) -> np.ndarray:
    """The 2.5 and 97.5 % points of each column, those samples left out that had nothing to average."""
    if not np.isnan(resampled).any():
        return np.percentile(resampled, [2.5, 97.5], axis=0)
    filled = ~np.isnan(resampled).all(axis=0)
    points = np.full((2, resampled.shape[1]), np.nan)
    points[:, filled] = np.nanpercentile(resampled[:, filled], [2.5, 97.5], axis=0)
    return points
