"""How sure a number is: means with intervals that resample whole clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval: percentiles of the bootstrap over clusters."""

    value: float
    low: float
    high: float
    n: int


def resample_weights(n_clusters: int, n_resamples: int = RESAMPLES, seed: int = 0) -> np.ndarray:
    """How often each cluster is drawn in each bootstrap sample, float32, resamples × clusters."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, n_clusters, size=(n_resamples, n_clusters))
    drawn += np.arange(n_resamples)[:, None] * n_clusters
    counts = np.bincount(drawn.ravel(), minlength=n_resamples * n_clusters)
    return counts.reshape(n_resamples, n_clusters).astype(np.float32)


def resampled_means(
    values: np.ndarray, clusters: np.ndarray, n_resamples: int = RESAMPLES, seed: int = 0
) -> np.ndarray:
    """Means over bootstrap samples of clusters: resamples × columns of ``values`` (mentions × columns).

    Clusters are drawn whole, as many as there are, so mentions of one document stay together; a mean is
    over the mentions of a sample. Equal ``clusters`` and ``seed`` draw the same samples, so columns,
    and calls, are paired.
    """
    codes, cluster = np.unique(clusters, return_inverse=True)
    columns = values.reshape(len(values), -1)
    sums = np.zeros((len(codes), columns.shape[1]))
    np.add.at(sums, cluster, columns)
    sizes = np.bincount(cluster, minlength=len(codes)).astype(np.float32)
    weights = resample_weights(len(codes), n_resamples, seed)
    return (weights @ sums.astype(np.float32)) / (weights @ sizes)[:, None]


def estimate(
    values: np.ndarray, clusters: np.ndarray, n_resamples: int = RESAMPLES, seed: int = 0
) -> list[Estimate]:
    """One :class:`Estimate` per column of ``values`` (mentions × columns, or mentions).

    Raises ValueError when there is nothing to average.
    """
    if not len(values):
        raise ValueError("no mention to average over")
    columns = values.reshape(len(values), -1)
    low, high = np.percentile(resampled_means(columns, clusters, n_resamples, seed), [2.5, 97.5], axis=0)
    means = columns.mean(axis=0)
    return [
        Estimate(float(m), float(a), float(b), len(columns)) for m, a, b in zip(means, low, high, strict=True)
    ]


def difference(
    first: np.ndarray,
    second: np.ndarray,
    clusters: np.ndarray,
    among_first: np.ndarray | None = None,
    among_second: np.ndarray | None = None,
    n_resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean of ``first`` minus mean of ``second`` (both one value a mention), on the same resamples.

    Each mean can be restricted to a mask of mentions, so a subset can be compared with the whole; ``n``
    is then the size of the first. Raises ValueError when a mask leaves no mention.
    """
    codes, cluster = np.unique(clusters, return_inverse=True)
    weights = resample_weights(len(codes), n_resamples, seed)

    def means(values: np.ndarray, among: np.ndarray | None) -> tuple[float, np.ndarray, int]:
        mask = np.ones(len(values), dtype=bool) if among is None else among
        if not mask.any():
            raise ValueError("no mention to average over")
        sums = np.bincount(cluster[mask], weights=values[mask], minlength=len(codes))
        sizes = np.bincount(cluster[mask], minlength=len(codes))
        drawn = weights @ sizes.astype(np.float32)
        # A resample that drew none of the subset says nothing about its mean.
        total = weights @ sums.astype(np.float32)
        resampled = np.divide(total, drawn, out=np.full_like(total, np.nan), where=drawn > 0)
        return float(values[mask].mean()), resampled, int(mask.sum())

    a, resampled_a, n = means(first, among_first)
    b, resampled_b, _ = means(second, among_second)
    low, high = np.nanpercentile(resampled_a - resampled_b, [2.5, 97.5])
    return Estimate(a - b, float(low), float(high), n)
