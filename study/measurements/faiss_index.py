"""Exact nearest-neighbour search by faiss."""

from importlib.util import find_spec

import numpy as np
from scipy.sparse import issparse

from benchlib.retrieval.search import check


def faiss_search(queries: np.ndarray, keys: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """What :func:`search` returns, for dense vectors, by ``IndexFlatIP`` (KRISSBERT, section 4.2), but
    with equal scores in an order of faiss's own.

    Raises ValueError as :func:`search` does, for sparse vectors, and where faiss is not installed.
    """
    check(queries, keys, k)
    if issparse(keys):
        raise ValueError("faiss searches dense vectors, and these are sparse; search takes both")
    if find_spec("faiss") is None:
        raise ValueError("faiss is not installed: pip install 'benchlib[faiss]', or [gpu] for its GPU build")
    import faiss

    index = faiss.IndexFlatIP(keys.shape[1])
    index.add(np.ascontiguousarray(keys, dtype=np.float32))
    scores, found = index.search(np.ascontiguousarray(queries, dtype=np.float32), min(k, index.ntotal))
    if (found < 0).any():
        raise ValueError("faiss: a query has too few scores that are not NaN; expected finite numbers")
    return found.astype(np.int32), scores
