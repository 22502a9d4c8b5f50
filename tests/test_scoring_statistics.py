"""The bootstrap in bounded memory: the draws of one go, a block at a time."""

import tracemalloc

import numpy as np
import pytest

from benchlib.scoring import comparison, difference, estimate, statistics
from benchlib.scoring.comparison import compare, permutation_p
from benchlib.scoring.statistics import resample_weights, resampled_means


def test_weights_are_those_of_one_draw(monkeypatch):
    drawn = np.random.default_rng(0).integers(0, 30, size=(200, 30))
    by_hand = np.array([[np.sum(row == cluster) for cluster in range(30)] for row in drawn])
    for block in (1, 7 * 30 + 1, 2**22):
        monkeypatch.setattr(statistics, "_DRAWN", block)
        monkeypatch.setattr(statistics, "_kept", {})
        assert np.array_equal(resample_weights(30, 200), by_hand)


def test_the_weights_used_last_are_kept_as_far_as_they_have_room(monkeypatch):
    monkeypatch.setattr(statistics, "_kept", {})
    monkeypatch.setattr(statistics, "_KEPT", 10 * (3 + 4))
    three, four = resample_weights(3, 10), resample_weights(4, 10)
    assert resample_weights(3, 10) is three and resample_weights(4, 10) is four
    resample_weights(3, 10), resample_weights(2, 10)  # in the place of the four
    assert resample_weights(3, 10) is three and resample_weights(4, 10) is not four
    eight = resample_weights(8, 10)  # more than have room: alone
    assert resample_weights(8, 10) is eight and np.array_equal(resample_weights(3, 10), three)


def test_means_of_blocks_are_those_of_the_whole(monkeypatch):
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(40), 3)
    values = np.stack([rng.random(120) < 0.5, rng.random(120)], axis=1).astype(float)
    counted = rng.random((120, 2)) < 0.7
    whole = resampled_means(values, clusters, counted)
    monkeypatch.setattr(statistics, "_KEPT", 0)
    monkeypatch.setattr(statistics, "_DRAWN", 40 * 64)
    blocks = resampled_means(values, clusters, counted)
    assert np.array_equal(whole[:, 0], blocks[:, 0])  # whole numbers add up alike in any order
    assert blocks == pytest.approx(whole, rel=1e-12)


def test_swaps_of_blocks_are_those_of_one_draw(monkeypatch):
    rng = np.random.default_rng(0)
    first, second = rng.random((2, 60))
    whole = permutation_p(first, second, np.arange(60))
    monkeypatch.setattr(comparison, "_SIGNS", 60 * 7)
    assert permutation_p(first, second, np.arange(60)) == whole


def test_memory_is_bounded_whatever_the_documents(monkeypatch):
    """100,000 clusters: their weights for 200 resamples alone would be 80 MB, the draws before them 160."""
    n = 100_000
    values = (np.arange(n) % 2).astype(float)
    monkeypatch.setattr(statistics, "_KEPT", 0)
    for module in (statistics, comparison):
        monkeypatch.setattr(module, "RESAMPLES", 200)
    tracemalloc.start()
    try:
        [found] = estimate(values, np.arange(n))
        bootstrap = tracemalloc.get_traced_memory()[1]
        tracemalloc.reset_peak()
        permutation_p(values, np.zeros(n), np.arange(n))
        swaps = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert 0.496 < found.low < 0.5 < found.high < 0.504
    assert bootstrap < 150e6 and swaps < 150e6


def test_the_two_means_of_a_difference_are_of_the_same_resamples():
    rng = np.random.default_rng(0)
    clusters, second = np.repeat(np.arange(25), 4), rng.random(100)
    constant = difference(second + 0.25, second, clusters)  # whatever is drawn, a quarter lies between
    assert [constant.value, constant.low, constant.high] == pytest.approx([0.25] * 3, abs=1e-6)
    among = rng.random(100) < 0.5
    resampled = [resampled_means(second, clusters, counted=mask)[:, 0] for mask in (among, None)]
    low, high = np.quantile(resampled[0] - resampled[1], [0.025, 0.975])
    part = difference(second, second, clusters, (among, None))
    assert [part.low, part.high] == pytest.approx([low, high], abs=1e-3)


@pytest.mark.parametrize("form", [np.uint8, bool, list])
def test_credits_may_be_of_any_type(form):
    first, second = [1, 0, 1, 0], [1, 1, 1, 1]
    given = [each if form is list else np.array(each, dtype=form) for each in (first, second)]
    found, expected = (compare(a, b, np.arange(4)) for a, b in (given, map(np.array, (first, second))))
    assert found == expected and (found.difference.value, found.gained, found.lost) == (-0.5, 0, 2)
