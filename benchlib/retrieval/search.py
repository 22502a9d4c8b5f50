"""Exact nearest-neighbour search by inner product."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_matrix, issparse

if TYPE_CHECKING:
    from torch import Tensor

# Scores at a time: 512 × 262,144 of them are 512 MiB, however many queries and keys there are. Smaller
# blocks of keys cost a search of its own each, and up to a fifth of the time.
_QUERIES = 512
_KEYS = 262_144


def search(
    queries: np.ndarray | csr_matrix, keys: np.ndarray | csr_matrix, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k keys with the largest inner product for each query: (index int32, scores float32), each
    queries × min(k, keys), best first and equal scores by ascending index, also where k cuts a tie.

    ``queries`` (queries × width) and ``keys`` (keys × width) are both dense or both sparse, taken as
    float32. Dense ones are multiplied on the GPU where there is one.

    Raises ValueError for k < 1, no key, shapes that do not fit, dense with sparse, and NaN scores.
    """
    import torch

    if k < 1 or not keys.shape[0]:
        raise ValueError(f"search wants k >= 1 and at least one key, not k = {k}, {keys.shape[0]} keys")
    if queries.ndim != 2 or keys.ndim != 2 or queries.shape[1] != keys.shape[1]:
        raise ValueError(f"search wants n × width twice, not queries {queries.shape} and keys {keys.shape}")
    if issparse(queries) != issparse(keys):
        kinds = ["sparse" if issparse(vectors) else "dense" for vectors in (queries, keys)]
        raise ValueError(f"search wants both dense or both sparse, not {kinds[0]} queries, {kinds[1]} keys")
    k = min(k, keys.shape[0])
    scores = torch.full((queries.shape[0], k), -torch.inf)
    index = torch.full(scores.shape, keys.shape[0])
    for rows, first_key, products in _blocks(queries, keys):
        new_scores, new_index = _top(products, k)
        scores[rows], index[rows] = _ordered(
            torch.cat([scores[rows], new_scores.cpu()], dim=1),
            torch.cat([index[rows], new_index.cpu() + first_key], dim=1),
            k,
        )
    if scores.isnan().any():
        raise ValueError("search: a score is NaN; expected vectors of finite numbers")
    return index.int().numpy(), scores.numpy()


def softmax_search(
    queries: np.ndarray | csr_matrix, keys: np.ndarray | csr_matrix, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """What :func:`search` returns, in its order, but with the log-softmax over all keys as the scores.

    The logarithm, because of an unsure query's small shares a rounded number would keep nothing. Raises
    ValueError as :func:`search`.
    """
    import torch

    index, scores = search(queries, keys, k)
    total = torch.full((queries.shape[0],), -torch.inf)
    for rows, _, products in _blocks(queries, keys):
        total[rows] = torch.logaddexp(total[rows], products.logsumexp(dim=1).cpu())
    return index, scores - total.numpy()[:, None]


def _blocks(
    queries: np.ndarray | csr_matrix, keys: np.ndarray | csr_matrix
) -> Iterator[tuple[slice, int, Tensor]]:
    """Rows of queries, the first of a block of keys, and their inner products, queries × keys."""
    for first_key in range(0, keys.shape[0], _KEYS):
        products = _products(keys[first_key : first_key + _KEYS])
        for first in range(0, queries.shape[0], _QUERIES):
            rows = slice(first, first + _QUERIES)
            yield rows, first_key, products(queries[rows])


def _products(keys: np.ndarray | csr_matrix) -> Callable[[np.ndarray | csr_matrix], Tensor]:
    """Queries to their inner products with a block of keys, queries × keys."""
    import torch

    if issparse(keys):
        # A sparse matrix times a dense block costs the non-zeros of the keys once per query, which for
        # character n-grams is less than multiplying two sparse matrices.
        single = keys.astype(np.float32, copy=False)
        return lambda queries: torch.from_numpy(
            np.ascontiguousarray((single @ queries.astype(np.float32, copy=False).toarray().T).T)
        )
    place = {"dtype": torch.float32, "device": "cuda" if torch.cuda.is_available() else "cpu"}
    transposed = torch.as_tensor(keys, **place).T
    return lambda queries: torch.as_tensor(queries, **place) @ transposed


def _top(products: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The k largest of each row and their columns, of equal ones the first columns; in any order."""
    scores, index = products.topk(min(k + 1, products.shape[1]), dim=1)
    if scores.shape[1] <= k:
        return scores, index
    # topk picks any of equal scores, which matters only where the last one taken equals the next.
    last = scores[:, k]
    for row in (scores[:, k - 1] == last).nonzero().flatten().tolist():
        above = int((scores[row] > last[row]).sum())
        index[row, above:k] = (products[row] == last[row]).nonzero().flatten()[: k - above]
    return scores[:, :k], index[:, :k]


def _ordered(scores: Tensor, index: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """The first k columns of each row by descending score, then ascending index."""
    index, order = index.sort(dim=1)
    scores, by_score = scores.gather(1, order).sort(dim=1, descending=True, stable=True)
    return scores[:, :k], index.gather(1, by_score)[:, :k]
