"""How long linking takes once everything is fitted, all systems in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median

import torch

from ..corpus import Corpus
from ..datasets.benchmark import Benchmark
from ..ontology import fold_name
from .cosines import GRAPH, CosinesLinker
from .linker import Linker
from .nearest import TfidfLinker
from .tuned import TunedLinker

SYSTEMS: Mapping[str, Callable[[], Linker]] = {
    "tfidf-char-1-2": TfidfLinker,
    "tfidf-char_wb-2-4": lambda: TfidfLinker((2, 4), "char_wb"),
    GRAPH: lambda: CosinesLinker(GRAPH, epochs=1, progress=False),
    **{
        f"encoder-{layers}-{pooling}": lambda layers=layers, pooling=pooling: TunedLinker(
            layers=layers, pooling=pooling, steps=0, max_length=32, progress=False
        )
        for layers, pooling in ((1, "cls"), (2, "cls"), (4, "cls"), (6, "cls"), (6, "mean"))
    },
}
"""What is timed. An encoder is as fast before its training as after: these are untrained."""


def inference(benchmark: Benchmark, runs: int = 10, k: int = 5) -> dict[str, float | list[float]]:
    """Seconds to link the test mentions that have a concept, k candidates each: the median of ``runs``.

    From the mention strings to ranked names, the vectors of the dictionary being there before (CoSiNES,
    section 3.5 and table 1). Systems take turns, so that what else the machine does falls on all of them.
    ``SYSTEM.runs`` lists the runs. Also ``n.mentions``, ``n.strings`` (distinct, case-folded, each linked
    once) and ``n.threads``.
    """
    documents = tuple(d for d in benchmark.test.documents if any(not m.gold.nil for m in d.mentions))
    hidden = Corpus(benchmark.test.name, documents).hidden().documents
    fitted = {name: system().fit(benchmark.visible()) for name, system in SYSTEMS.items()}
    seconds: dict[str, list[float]] = {name: [] for name in fitted}
    for _ in range(runs):
        for name, system in fitted.items():
            started = time.perf_counter()
            system.link(hidden, k)
            seconds[name].append(time.perf_counter() - started)
    return {name: round(median(found), 4) for name, found in seconds.items()} | {
        **{f"{name}.runs": [round(one, 4) for one in found] for name, found in seconds.items()},
        "n.mentions": sum(len(d.mentions) for d in hidden),
        "n.strings": len({fold_name(d.text[m.start : m.end]) for d in hidden for m in d.mentions}),
        "n.threads": torch.get_num_threads(),
    }
