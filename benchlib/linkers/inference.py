"""How long linking takes once everything is fitted, all systems in one run."""

from __future__ import annotations

import time
from statistics import median

import torch

from ..corpus import Corpus
from ..datasets.benchmark import Benchmark
from ..encoders import Backbone
from ..encoders.pretrained import DEFAULT
from ..ontology import fold_name
from ..pretraining import encoder_folder
from .cosines import GRAPH, CosinesLinker
from .nearest import EncoderLinker, TfidfLinker
from .protocol import Linker


def systems(encoder: str = DEFAULT) -> tuple[Linker, ...]:
    """What is timed: TF-IDF, the character graph, and an encoder with the first 1, 2, 4 and all layers.

    An encoder is as fast before its training as after: these are untrained.
    """
    deepest = Backbone.load(encoder_folder(encoder)).n_layers
    cut = [layers for layers in (1, 2, 4) if layers < deepest]
    return (
        TfidfLinker(),
        TfidfLinker("2-4", "char_wb"),
        CosinesLinker(GRAPH, epochs=1, progress=False),
        *(EncoderLinker(encoder, layers, "cls", progress=False) for layers in (*cut, None)),
        EncoderLinker(encoder, progress=False),
    )


def inference(
    benchmark: Benchmark, encoder: str = DEFAULT, runs: int = 10, k: int = 5
) -> dict[str, float | list[float]]:
    """Seconds to link the test mentions that have a concept, k candidates each: the median of ``runs``, by
    the name of the linker.

    From the mention strings to ranked names, the vectors of the dictionary being there before (CoSiNES,
    section 3.5 and table 1). Systems take turns, so that what else the machine does falls on all of them.
    ``LINKER.runs`` lists the runs. Also ``n.mentions``, ``n.strings`` (distinct, case-folded, each linked
    once) and ``n.threads``.
    """
    documents = tuple(d for d in benchmark.test.documents if any(not m.gold.nil for m in d.mentions))
    hidden = Corpus(benchmark.test.name, documents).hidden().documents
    fitted = {system.name: system.fit(benchmark.visible()) for system in systems(encoder)}
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
