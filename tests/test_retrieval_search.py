"""Search against plain loops in float64 and against faiss: its blocks, its ties, its errors."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from benchlib.retrieval import search, softmax_search
from benchmarks.timings.searching import faiss_search

# The package's name for it is the function.
module = importlib.import_module("benchlib.retrieval.search")


def by_loop(queries: np.ndarray, keys: np.ndarray, k: int) -> tuple[list[list[int]], list[list[float]]]:
    """Every product in float64, by descending score and then by index."""
    index, scores = [], []
    for query in queries.astype(np.float64).tolist():
        products = [sum(a * b for a, b in zip(query, key, strict=True)) for key in keys.tolist()]
        order = sorted(range(len(products)), key=lambda i: (-products[i], i))[:k]
        index.append(order)
        scores.append([products[i] for i in order])
    return index, scores


def unit(n: int, width: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, width))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(module, "_QUERIES", 7)
    monkeypatch.setattr(module, "_KEYS", 16)


@pytest.mark.parametrize("k", [1, 5, 16, 17, 60, 99])
def test_blocks_of_queries_and_keys_change_nothing(small_blocks, k):
    queries, keys = unit(15, 6, 0), unit(60, 6, 1)
    index, scores = search(queries, keys, k)
    expected, products = by_loop(queries, keys, k)
    assert index.tolist() == expected
    np.testing.assert_allclose(scores, products, atol=1e-6)
    assert index.shape == (15, min(k, 60)) and (index.dtype, scores.dtype) == (np.int32, np.float32)


@pytest.mark.parametrize("scale", [1.0, 300.0])
def test_the_softmax_is_over_all_keys_whatever_the_blocks(small_blocks, scale):
    queries, keys = scale * unit(15, 6, 0), unit(60, 6, 1)
    index, scores = softmax_search(queries, keys, 5)
    expected, products = by_loop(queries, keys, 60)
    assert index.tolist() == [row[:5] for row in expected]
    for row, found in zip(np.array(products), scores, strict=True):
        total = row[0] + np.log(np.exp(row - row[0]).sum())
        np.testing.assert_allclose(found, (row - total)[:5], rtol=1e-5, atol=1e-4)
    shares = np.exp(softmax_search(csr_matrix(queries), csr_matrix(keys), 60)[1])
    np.testing.assert_allclose(shares.sum(1), 1, atol=1e-3)


# Small whole numbers: products are exact, and most are ties.
whole = arrays(np.float32, st.tuples(st.integers(1, 12), st.just(2)), elements=st.integers(-2, 2))


@settings(deadline=None)
@given(whole, whole, st.integers(1, 15), st.integers(1, 5), st.integers(1, 5))
def test_equal_scores_come_by_ascending_index_wherever_k_and_the_blocks_cut(queries, keys, k, rows, columns):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_QUERIES", rows)
        patch.setattr(module, "_KEYS", columns)
        index, scores = search(queries, keys, k)
        sparse = search(csr_matrix(queries), csr_matrix(keys), k)
    assert (index.tolist(), scores.tolist()) == by_loop(queries, keys, k)
    assert (sparse[0].tolist(), sparse[1].tolist()) == (index.tolist(), scores.tolist())


def test_numbers_of_another_type_are_taken_as_single_precision():
    queries, keys = unit(9, 6, 2), unit(30, 6, 3)
    for wide in (np.float64, np.float16):
        index, scores = search(queries.astype(wide), keys, 4)
        expected = search(queries.astype(wide).astype(np.float32), keys, 4)
        assert (index == expected[0]).all() and (scores == expected[1]).all()
    index, scores = search(queries[:0], keys, 2)
    assert index.shape == scores.shape == (0, 2)


KEYS = unit(4, 3, 0)


@pytest.mark.parametrize(
    ("queries", "keys", "k", "message"),
    [
        (KEYS, KEYS, 0, "k >= 1"),
        (KEYS, KEYS[:0], 1, "at least one key"),
        (KEYS[:, :2], KEYS, 1, r"\(4, 2\) and keys \(4, 3\)"),
        (KEYS[0], KEYS, 1, r"queries \(3,\)"),
        (np.full((1, 3), np.nan), KEYS, 1, "NaN"),
        (KEYS, np.where(np.arange(4)[:, None] == 2, np.nan, KEYS), 2, "NaN"),
        (csr_matrix(KEYS), KEYS, 1, "sparse queries, dense keys"),
    ],
)
def test_what_cannot_be_searched_is_an_error(queries, keys, k, message):
    with pytest.raises(ValueError, match=message):
        search(queries, keys, k)


@pytest.mark.parametrize("k", [1, 15, 200])
def test_faiss_finds_the_same(k):
    pytest.importorskip("faiss")
    queries, keys = unit(8, 24, 4), unit(100, 24, 5)
    products = np.sort(queries.astype(np.float64) @ keys.astype(np.float64).T, axis=1)
    assert np.diff(products, axis=1).min() > 1e-6  # no two that rounding could exchange
    index, scores = search(queries, keys, k)
    found, inner = faiss_search(queries, keys, k)
    assert (found == index).all()
    np.testing.assert_allclose(inner, scores, rtol=0, atol=1e-6)
    assert (found.dtype, inner.dtype) == (np.int32, np.float32)
