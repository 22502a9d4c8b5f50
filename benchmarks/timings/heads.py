"""How long the heads of two linkers that find mentions take."""

import time
from statistics import median

import torch

from benchlib.benchmark import Benchmark
from study.measurements.mention_detection import fitted_finder


def head_times(
    benchmark: Benchmark, linker: str, other: str, documents: int = 100, runs: int = 10
) -> dict[str, float | int | list[float]]:
    """Seconds that the heads of two linkers take from the states of word pieces to spans, in the first test
    ``documents``: the median of ``runs``, by the name of the linker (dual encoder, section 3.4).

    Both are fitted with seed 0 and take turns; ``LINKER.runs`` lists the runs, ``LINKER.spans`` is how many
    spans are found, and ``LINKER.encoding`` the seconds that the states took, once. Also ``n.documents``,
    ``n.pieces`` and ``n.threads``. Raises ValueError for a linker that finds no mentions.
    """
    texts = benchmark.test.hidden().documents[:documents]
    heads, read, values = {}, {}, {}
    for name in (linker, other):
        heads[name] = fitted_finder(benchmark, name)
        started = time.perf_counter()
        read[name] = [states for _, states in heads[name].states(texts)]
        values[f"{name}.encoding"] = round(time.perf_counter() - started, 4)
    seconds: dict[str, list[float]] = {name: [] for name in heads}
    for _ in range(runs):
        for name, one in heads.items():
            started = time.perf_counter()
            found = [one.encoder.head.found(states, one.threshold, one.least) for states in read[name]]
            seconds[name].append(time.perf_counter() - started)
            values[f"{name}.spans"] = sum(map(len, found))
    return values | {
        **{name: round(median(each), 5) for name, each in seconds.items()},
        **{f"{name}.runs": [round(one, 5) for one in each] for name, each in seconds.items()},
        "n.documents": len(texts),
        "n.pieces": sum(map(len, read[linker])),
        "n.threads": torch.get_num_threads(),
    }
