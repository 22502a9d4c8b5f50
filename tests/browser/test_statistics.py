"""The statistics of the book's pages against numpy, and against the library."""

import numpy as np
import pytest
from rendered import ROOT

from benchlib.scoring import compare, estimate
from benchlib.scoring.statistics import RESAMPLES

pytestmark = pytest.mark.browser
DRAWN = "([seed, n, size]) => { const r = new Benchlib.statistics.Random(seed); \
return Array.from({length: size}, () => r.below(n)) }"
PAIRED = "(given) => Benchlib.statistics.paired(...given)"
ESTIMATED = "([values, clusters, options]) => Benchlib.statistics.bootstraps([values], clusters, options)[0]"


@pytest.fixture(scope="module")
def script(browser):
    page = browser.new_page()
    page.add_script_tag(path=ROOT / "book" / "_static" / "statistics.js")
    yield page.evaluate
    page.close()


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1, 2**32, 2**45 + 3])
@pytest.mark.parametrize("n", [1, 2, 500, 1_500_001])
def test_whole_numbers_are_those_of_numpy(script, seed, n):
    # Lemire's method draws again for about one of 5,000 numbers below the largest of these.
    expected = np.random.default_rng(seed).integers(0, n, size=30_000)
    assert script(DRAWN, [seed, n, 30_000]) == expected.tolist()


def mentions(seed: int, n: int, n_clusters: int):
    """Credits of two systems with ties, the clusters, in no order and with gaps, and a mask for each."""
    rng = np.random.default_rng(seed)
    credits = rng.choice([0, 0, 1, 1, 0.5, 1 / 3], size=(2, n))
    return (
        credits,
        rng.permutation(10**6)[:n_clusters][rng.integers(0, n_clusters, n)],
        rng.random((2, n)) < 0.7,
    )


def interval(parts: list[tuple[np.ndarray, np.ndarray]], clusters: np.ndarray, resamples: int):
    """The percentiles of the first mean minus the second on the same resamples of clusters, in float64."""
    codes, cluster = np.unique(clusters, return_inverse=True)
    drawn = np.random.default_rng(0).integers(0, len(codes), size=(resamples, len(codes)))
    sums = [[np.bincount(cluster, of)[drawn].sum(axis=1) for of in (v * m, m)] for v, m in parts]
    first, *second = (total / size for total, size in sums)
    return np.percentile(first - sum(second), [2.5, 97.5])


@pytest.mark.parametrize(("n", "n_clusters", "resamples"), [(900, 60, 10_000), (50, 5, 999), (30, 1, 10)])
def test_an_interval_is_that_of_numpy_and_of_the_library(script, n, n_clusters, resamples):
    (values, _), clusters, (mask, _) = mentions(1, n, n_clusters)
    for counted in (np.ones(n, dtype=bool), mask):
        options = {"resamples": resamples, "counted": counted.tolist()}
        shown = script(ESTIMATED, [values.tolist(), clusters.tolist(), options])
        assert shown["mean"] == pytest.approx(values[counted].mean(), abs=1e-12)
        both = [shown["low"], shown["high"]]
        assert both == pytest.approx(interval([(values, counted)], clusters, resamples), abs=1e-9)
        if resamples == RESAMPLES:
            [own] = estimate(values, clusters, counted=counted)
            assert both == pytest.approx([own.low, own.high], abs=1e-9)


@pytest.mark.parametrize(("seed", "n", "n_clusters"), [(0, 800, 50), (3, 400, 13), (1, 200, 12), (2, 40, 3)])
def test_a_pair_is_compared_as_the_library_does(script, seed, n, n_clusters):
    (first, second), clusters, (mask, _) = mentions(seed, n, n_clusters)
    for kept in (np.ones(n, dtype=bool), mask):
        counted = None if kept.all() else kept.tolist()
        shown = script(PAIRED, [first.tolist(), second.tolist(), clusters.tolist(), counted])
        own = compare(first, second, clusters, (kept, kept))
        expected = interval([(first, kept), (second, kept)], clusters, 10_000)
        assert [shown["low"], shown["high"]] == pytest.approx(expected, abs=1e-9)
        assert shown["p"] == own.p
        for name in ("gained", "lost", "detectable"):
            assert shown[name] == pytest.approx(getattr(own, name), abs=1e-9)
        assert shown["difference"] == pytest.approx(own.difference.value, abs=1e-12)


def test_a_mean_over_no_mention_is_no_number(script):
    shown = script(ESTIMATED, [[1, 0], [0, 1], {"counted": [False, False]}])
    assert all(np.isnan(value) for value in shown.values())
    shown = script(PAIRED, [[1, 0], [1, 1], [0, 1], [False, False]])
    assert np.isnan([shown["difference"], shown["low"], shown["p"]]).all()
