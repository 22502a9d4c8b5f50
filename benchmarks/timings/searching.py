"""Is the search exact, and what does it cost beside others? Measured on real names."""

import time
from importlib.util import find_spec

import numpy as np
import torch

from benchlib.benchmark import SPLITS, Benchmark
from benchlib.encoders import Backbone, NameEncoder
from benchlib.retrieval import search

_REPEATS = 3  # the first call of a library warms it up


def exactness(benchmark: Benchmark, names: int = 20_000, k: int = 10) -> dict[str, float | int]:
    """Names of the dictionary searched with the mentions of the corpus, encoded by the default encoder.

    ``<way>.same_first`` and ``<way>.same_k`` are the shares of queries, in percent, whose best score, and
    all k best scores, equal those of a float64 matrix product to 1e-6; ``<way>.worst`` the largest
    difference of a score; ``<way>.seconds`` the best of three times, for ``search``, for ``faiss`` where it
    is installed, and for a bare product with topk.
    """
    keys = list(benchmark.ontology.owners())[:names]
    strings = list(dict.fromkeys(m.text for s in SPLITS for _, m in benchmark.split(s).mentions()))
    encoder = NameEncoder(Backbone.load())
    vectors, queries = encoder.encode(keys), encoder.encode(strings)
    exact = -np.sort(-(queries.astype(np.float64) @ vectors.astype(np.float64).T), axis=1)[:, :k]
    ways = {"search": search, "bare": _bare} | ({"faiss": faiss_search} if find_spec("faiss") else {})
    values: dict[str, float | int] = {"n.names": len(keys), "n.queries": len(strings), "k": k}
    for name, way in ways.items():
        seconds = []
        for _ in range(_REPEATS):
            started = time.perf_counter()
            _, scores = way(queries, vectors, k)
            seconds.append(time.perf_counter() - started)
        values[f"{name}.seconds"] = round(min(seconds), 3)
        apart = np.abs(scores - exact)
        values[f"{name}.same_first"] = round(100 * float((apart[:, 0] < 1e-6).mean()), 3)
        values[f"{name}.same_k"] = round(100 * float((apart < 1e-6).all(axis=1).mean()), 3)
        values[f"{name}.worst"] = float(f"{apart.max():.1e}")
    return values


def _bare(queries: np.ndarray, keys: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    best = torch.topk(torch.from_numpy(queries) @ torch.from_numpy(keys).T, k, dim=1)
    return best.indices.numpy(), best.values.numpy()


def faiss_search(queries: np.ndarray, keys: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """What :func:`search` returns, for dense vectors, by ``IndexFlatIP`` (KRISSBERT, section 4.2), but
    with equal scores in an order of faiss's own."""
    import faiss

    index = faiss.IndexFlatIP(keys.shape[1])
    index.add(np.ascontiguousarray(keys, dtype=np.float32))
    scores, found = index.search(np.ascontiguousarray(queries, dtype=np.float32), min(k, index.ntotal))
    return found.astype(np.int32), scores
