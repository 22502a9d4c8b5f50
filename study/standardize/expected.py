"""How long a training will take, from its first updates."""

import time
from dataclasses import replace

from benchlib.benchmark import Benchmark

from ..systems import CosinesLinker

TRIED = 3  # updates; the first is slower than the others


def expected_seconds(benchmark: Benchmark, linker: CosinesLinker, seed: int = 0) -> float:
    """About how many seconds :func:`.training.standardize` will take on this machine.

    The first updates are made and thrown away; what else a fit takes is the encoding of the names, and the
    strings to be linked take as long each. Raises ValueError as :meth:`CosinesLinker.fit`.
    """
    started = time.perf_counter()
    tried = replace(linker, steps=TRIED, progress=False).fit(benchmark.visible(), seed)
    took = time.perf_counter() - started
    first, last = tried.trace[0], tried.trace[-1]
    update = (last["seconds"] - first["seconds"]) / (last["step"] - first["step"])
    encoding = took - last["seconds"]
    strings = benchmark.dev.n_mentions + benchmark.test.n_mentions
    names = sum(len(concept.names) for concept in benchmark.ontology.concepts.values())
    return update * linker.updates(benchmark) + encoding * (1 + strings / names)
