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
