"""How long exact search takes: 2,000 queries in 200,000 vectors of 384 numbers, the 32 nearest.

Ours beside what it is made of: one matrix product with torch.topk, and a flat faiss index (building it
is counted on both sides). All take turns in one run. Run with ``make bench``.
"""

import time
from importlib.util import find_spec
from statistics import median

import numpy as np
import torch
from timings.searching import faiss_search

from benchlib.retrieval import search

QUERIES, KEYS, WIDTH, K, ROUNDS = 2_000, 200_000, 384, 32, 3


def vectors(n: int, seed: int) -> np.ndarray:
    drawn = torch.randn(n, WIDTH, generator=torch.Generator().manual_seed(seed))
    return torch.nn.functional.normalize(drawn).numpy()


def bare_torch(queries: np.ndarray, keys: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    products = torch.as_tensor(queries, device=device) @ torch.as_tensor(keys, device=device).T
    best = torch.topk(products, k)
    return best.indices.cpu().numpy(), best.values.cpu().numpy()


def bare_faiss(queries: np.ndarray, keys: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    import faiss

    index = faiss.IndexFlatIP(keys.shape[1])
    index.add(keys)
    scores, found = index.search(queries, k)
    return found, scores


def main() -> None:
    systems = {"search": search, "bare torch": bare_torch}
    if find_spec("faiss"):
        systems |= {"faiss_search": faiss_search, "bare faiss": bare_faiss}
    queries, keys = vectors(QUERIES, 0), vectors(KEYS, 1)
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    found = {}
    for turn in range(ROUNDS + 1):
        for name, system in systems.items():
            started = time.perf_counter()
            found[name] = system(queries, keys, K)
            if turn:  # the first turn warms up
                seconds[name].append(time.perf_counter() - started)

    print(f"{QUERIES:,} queries, {KEYS:,} keys × {WIDTH}, k = {K}, {torch.get_num_threads()} threads")
    for name, times in seconds.items():
        same = (found[name][0] == found["search"][0]).mean()
        print(
            f"  {name:<13} {median(times):6.2f} s ({min(times):.2f}–{max(times):.2f}), {same:.4%} as search"
        )
    for ours, bare, bar in (
        ("search", "bare torch", "bar: 1.2"),
        ("faiss_search", "bare faiss", "bar: 1.2"),
        ("search", "bare faiss", "no bar"),
    ):
        if bare in systems:
            print(f"  {ours} / {bare}: {median(seconds[ours]) / median(seconds[bare]):.2f} ({bar})")


if __name__ == "__main__":
    main()
