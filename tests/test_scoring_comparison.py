"""Paired comparisons against another library, against every swap by hand, and against simulation."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import permutation_test

from benchlib.scoring import compare, holm
from benchlib.scoring.comparison import permutation_p
from benchlib.scoring.statistics import resampled_differences


def systems(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    first = (rng.random(n) < 0.7).astype(float)
    return first, np.where(rng.random(n) < 0.2, (rng.random(n) < 0.5).astype(float), first)


def test_p_equals_that_of_every_swap_by_hand():
    first, second = systems(24)
    clusters = np.repeat(np.arange(6), 4)
    sums = [sum(first[i] - second[i] for i in range(24) if clusters[i] == c) for c in range(6)]
    observed = abs(sum(sums))
    swaps = [
        abs(sum(s * d for s, d in zip(signs, sums, strict=True))) for signs in product((1, -1), repeat=6)
    ]
    assert permutation_p(first, second, clusters) == pytest.approx(
        np.mean([s >= observed - 1e-9 for s in swaps])
    )


def test_p_agrees_with_another_library():
    first, second = systems(200, seed=3)
    second[:8] = 1 - first[:8]
    theirs = permutation_test(
        (first, second), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples",
        n_resamples=9999, vectorized=True, rng=np.random.default_rng(1),
    )  # fmt: skip
    assert permutation_p(first, second, np.arange(200)) == pytest.approx(theirs.pvalue, abs=0.03)


def test_the_observed_arrangement_is_one_of_those_counted():
    # Ahead by 3, 1 and -1 in three documents: 3+1-1 is reached by 3-1+1, by 3+1+1, and by the opposites.
    first, second = np.array([1.0, 1, 1, 1, 0]), np.array([0.0, 0, 0, 0, 1])
    assert permutation_p(first, second, np.array([0, 0, 0, 1, 2])) == pytest.approx(6 / 8)
    # Ahead in each of twelve: nothing but the observed and its opposite.
    assert permutation_p(np.ones(12), np.zeros(12), np.arange(12)) == pytest.approx(2 / 2**12)
    # Ahead in each of forty: none of 99 random swaps is one of two in 2 ** 40, and the observed remains.
    assert permutation_p(np.ones(40), np.zeros(40), np.arange(40)) == pytest.approx(1 / 10_001)


def test_equal_systems_and_the_sign():
    first, second = systems(60)
    clusters = np.repeat(np.arange(20), 3)
    assert permutation_p(first, first, clusters) == 1.0
    one, other = compare(first, second, clusters), compare(second, first, clusters)
    assert one.difference.value == pytest.approx(-other.difference.value)
    assert (one.gained, one.lost) == (other.lost, other.gained)
    assert one.p == pytest.approx(other.p)
    assert one.difference.value * 60 == pytest.approx(one.gained - one.lost)


def test_a_swap_that_leaves_a_side_without_mentions_counts_as_large():
    # Of two clusters each linker counts one: of the four swaps two only change sides, two leave one empty.
    among = (np.array([True, False]), np.array([False, True]))
    assert permutation_p(np.ones(2), np.zeros(2), np.arange(2), among) == 1.0


def test_the_detectable_difference_is_found_four_times_in_five():
    # Independent mentions, a tenth of which differ: simulate a true difference of that size.
    rng = np.random.default_rng(0)
    n = 400
    ahead = rng.choice([-1.0, 0.0, 1.0], n, p=[0.05, 0.9, 0.05])
    size = compare(ahead, np.zeros(n), np.arange(n)).detectable
    assert size == pytest.approx((1.959964 + 0.841621) * ahead.std() / np.sqrt(n), rel=0.05)
    found = 0
    for _ in range(400):
        drawn = rng.choice(ahead - ahead.mean(), n) + size
        found += abs(drawn.mean()) / (drawn.std() / np.sqrt(n)) > 1.96
    assert found / 400 == pytest.approx(0.8, abs=0.06)


def test_resamples_without_a_mention_of_the_mask_say_nothing_of_what_is_detectable():
    first, second, clusters = np.array([1.0, 0, 1, 1, 1, 1]), np.zeros(6), np.arange(6)
    kept = np.arange(6)[:, None] < 3
    drawn = resampled_differences(first, second, clusters, (kept, kept))
    size = compare(first, second, clusters, (kept, kept)).detectable
    assert np.isnan(drawn).any() and size == pytest.approx(2.801585 * drawn[~np.isnan(drawn)].std(), rel=1e-5)
    assert np.isnan(compare(first, second, clusters, (kept & False, kept & False)).detectable)
    # Two that never differ say nothing either.
    assert np.isnan(compare(first, first, clusters).detectable)


def test_holm_keeps_the_order_given():
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([]) == []
    assert holm([0.02, np.nan, 0.01]) == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)


def test_unequal_lengths_cannot_be_paired():
    with pytest.raises(ValueError, match="3 and 2 mentions"):
        compare(np.zeros(3), np.zeros(2), np.zeros(3))
