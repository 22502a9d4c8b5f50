"""Does one linker beat another? Paired comparisons over the same mentions, cluster by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from statistics import NormalDist

import numpy as np

from .statistics import RESAMPLES, Estimate, difference, resampled_means

_EXACT = 12  # clusters up to which every swap is tried: 4,096 of them


@dataclass(frozen=True)
class Comparison:
    """Two linkers on the same mentions: first minus second.

    ``p`` is two-sided. ``gained`` and ``lost`` are the sums of credit by which the first is ahead and
    behind, mention by mention: the effect in mentions. ``detectable`` is the smallest true difference
    that a test at 5 % would find four times in five on this corpus, given how these two differ.
    """

    difference: Estimate
    p: float
    gained: float
    lost: float
    detectable: float


def compare(first: np.ndarray, second: np.ndarray, clusters: np.ndarray, seed: int = 0) -> Comparison:
    """Compare credits per mention (same mentions, same order); raises ValueError for unequal lengths."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} mentions cannot be paired")
    ahead = first - second
    return Comparison(
        difference(first, second, clusters, seed=seed),
        permutation_p(first, second, clusters, seed=seed),
        float(ahead[ahead > 0].sum()),
        float(-ahead[ahead < 0].sum()),
        detectable_difference(first, second, clusters, seed=seed),
    )


def permutation_p(
    first: np.ndarray, second: np.ndarray, clusters: np.ndarray, n: int = RESAMPLES, seed: int = 0
) -> float:
    """Two-sided p of a paired permutation test: were the linkers alike, each cluster could as well have had
    their answers swapped. All swaps for up to 12 clusters, otherwise ``n`` random ones and the observed."""
    _, cluster = np.unique(clusters, return_inverse=True)
    sums = np.bincount(cluster, weights=first - second)
    observed = abs(sums.sum()) - 1e-9  # sums of the same numbers in another order may differ in the last bit
    if len(sums) <= _EXACT:
        swapped = np.array(list(product((1.0, -1.0), repeat=len(sums)))) @ sums
        return float((np.abs(swapped) >= observed).mean())
    signs = np.random.default_rng(seed).integers(0, 2, size=(n, len(sums)), dtype=np.int8) * 2 - 1
    swapped = signs.astype(np.float64) @ sums
    return float((1 + (np.abs(swapped) >= observed).sum()) / (n + 1))


def detectable_difference(
    first: np.ndarray, second: np.ndarray, clusters: np.ndarray, power: float = 0.8, seed: int = 0
) -> float:
    """The smallest difference of means that a two-sided test at 5 % finds with ``power``, from the standard
    error of the paired difference over resampled clusters (normal approximation)."""
    normal = NormalDist()
    spread = resampled_means(first - second, clusters, seed=seed).std()
    return float((normal.inv_cdf(0.975) + normal.inv_cdf(power)) * spread)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values, in the given order (Holm 1979)."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, running = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, p_values[i] * (len(p_values) - rank)))
        adjusted[i] = running
    return adjusted
