"""Exact search by a dense and a sparse inner product together."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from tqdm import tqdm

_QUERIES, _NAMES = 128, 2_048  # at a time: 300,000 names are 150 MB of scores, 2,048 fit in a cache


class Vectors(NamedTuple):
    """Both vectors of some texts: ``dense`` texts × width, ``sparse`` texts × n-grams, float32."""

    dense: np.ndarray
    sparse: csr_matrix


def summed_search(
    queries: Vectors, names: Vectors, sparse_weight: float, k: int, progress: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """The k names with the largest dense inner product plus ``sparse_weight`` times the sparse one: (index
    int32, scores float32), each queries × min(k, names), best first, equal scores by ascending index.

    Exact: every name is scored, some queries at a time; ``progress`` shows a bar. Raises ValueError for a
    dense vector that is not finite, for k below 1, without a name, and for other numbers of sparse vectors
    than of dense ones.
    """
    if k < 1 or not len(names.dense):
        raise ValueError(f"expected k of at least 1 and a name, found {k} and {len(names.dense)} names")
    for dense, sparse in (queries, names):
        if len(dense) != sparse.shape[0]:
            raise ValueError(f"expected a sparse vector for each of {len(dense)}, found {sparse.shape[0]}")
    if not all(np.isfinite(vectors.dense).all() for vectors in (queries, names)):
        raise ValueError("expected finite vectors")
    k = min(k, len(names.dense))
    index = np.empty((len(queries.dense), k), dtype=np.int32)
    scores = np.empty(index.shape, dtype=np.float32)
    parts = [slice(first, first + _NAMES) for first in range(0, len(names.dense), _NAMES)]
    sparse_parts = [names.sparse[part] for part in parts]
    for first in tqdm(range(0, len(index), _QUERIES), unit_scale=_QUERIES, disable=not progress):
        rows = slice(first, first + _QUERIES)
        sums = queries.dense[rows] @ names.dense.T
        weighted = np.ascontiguousarray((sparse_weight * queries.sparse[rows]).toarray().T)
        for part, sparse in zip(parts, sparse_parts, strict=True):
            sums[:, part] += (sparse @ weighted).T
        for row, of_query in enumerate(sums, first):
            # All that equal the last one taken, so that the first of them are.
            near = np.flatnonzero(of_query >= np.partition(of_query, -k)[-k])
            index[row] = near[np.argsort(-of_query[near], kind="stable")][:k]
            scores[row] = of_query[index[row]]
    return index, scores
