"""Exact nearest-neighbour search by inner product."""

from __future__ import annotations

import numpy as np
import torch
from scipy.sparse import csr_matrix, issparse

_BLOCK = 512  # queries at a time: 512 × 300,000 scores are 600 MB


def search(
    queries: np.ndarray | csr_matrix, keys: np.ndarray | csr_matrix, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k keys with the largest inner product for each query: (index int32, scores float32), each
    queries × min(k, keys), best first. Dense or sparse, both of one kind.

    Raises ValueError for k < 1 or when there is nothing to search.
    """
    if k < 1 or not keys.shape[0]:
        raise ValueError(f"search wants k >= 1 and at least one key, not k = {k}, {keys.shape[0]} keys")
    k = min(k, keys.shape[0])
    index = np.empty((queries.shape[0], k), dtype=np.int32)
    scores = np.empty((queries.shape[0], k), dtype=np.float32)
    products = _sparse_products if issparse(keys) else _dense_products
    first = 0
    for block in products(queries, keys):
        best = torch.topk(block, k, dim=1)
        index[first : first + len(block)] = best.indices.cpu().numpy()
        scores[first : first + len(block)] = best.values.cpu().numpy()
        first += len(block)
    return index, scores


def _dense_products(queries: np.ndarray, keys: np.ndarray):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    transposed = torch.as_tensor(keys, device=device).T
    for first in range(0, len(queries), _BLOCK):
        yield torch.as_tensor(queries[first : first + _BLOCK], device=device) @ transposed


def _sparse_products(queries: csr_matrix, keys: csr_matrix):
    # A sparse matrix times a dense block costs the non-zeros of the keys once per query, which for
    # character n-grams is less than multiplying two sparse matrices.
    for first in range(0, queries.shape[0], _BLOCK):
        block = queries[first : first + _BLOCK].toarray()
        yield torch.from_numpy(np.ascontiguousarray((keys @ block.T).T))
