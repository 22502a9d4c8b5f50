"""Compute or load: the one way from a linker and a benchmark to a record."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import lru_cache

from ..datasets import load, registry, transforms
from ..datasets.benchmark import Benchmark
from ..linkers import Linker
from ..scoring import outcomes, strata
from .provenance import provenance
from .record import Record, key_of
from .store import Store

COMPUTE = ("missing", "never", "always")


class MissingRecord(LookupError):
    """There is no such record and ``compute`` is ``never``; the message says what would make it."""


def run(
    linker: Linker,
    dataset: str | Benchmark,
    store: Store,
    *,
    seed: int = 0,
    split: str = "test",
    changes: tuple[str, ...] = (),
    k: int = 64,
    compute: str = "missing",
) -> Record:
    """The record of a linker on one split of a benchmark.

    ``dataset`` is a registered id, so that its key is known without the corpus, or a benchmark.
    ``changes`` are named transforms, applied in order. Raises MissingRecord under ``never``.
    """
    inputs = {
        "name": linker.name,
        "version": linker.version,
        "config": _plain(linker.config),
        **_data_inputs(dataset, changes),
        "split": split,
        "seed": seed,
        "k": k,
    }

    def make() -> Record:
        benchmark = _benchmark(dataset, changes)
        started = time.perf_counter()
        fitted = linker.fit(benchmark.visible(), seed)
        fitted_at = time.perf_counter()
        corpus = benchmark.split(split)
        predictions = fitted.link(corpus.hidden().documents, k)
        linked_at = time.perf_counter()
        found = outcomes(predictions, corpus, benchmark.ontology, benchmark.cluster)
        seconds = {"fit": round(fitted_at - started, 2), "link": round(linked_at - fitted_at, 2)}
        made = {**provenance(), "seconds": seconds}
        if weights := getattr(fitted, "weights", ""):
            made["weights"] = weights
        kinds = strata(corpus, benchmark.ontology, (benchmark.train, benchmark.dev))
        return Record(inputs, made, found, kinds, trace=tuple(getattr(fitted, "trace", ())))

    return _obtain(inputs, store, compute, make)


def measure(
    name: str,
    function: Callable[..., Mapping[str, object]],
    dataset: str | Benchmark,
    store: Store,
    *,
    changes: tuple[str, ...] = (),
    arguments: Mapping[str, object] | None = None,
    version: str = "1",
    compute: str = "missing",
) -> Record:
    """The record of a measurement that is no linking run: ``function(benchmark, **arguments)``."""
    inputs = {
        "name": name,
        "version": version,
        "config": _plain(arguments or {}),
        **_data_inputs(dataset, changes),
    }

    def make() -> Record:
        benchmark = _benchmark(dataset, changes)
        started = time.perf_counter()
        values = function(benchmark, **(arguments or {}))
        seconds = {"measure": round(time.perf_counter() - started, 2)}
        return Record(inputs, {**provenance(), "seconds": seconds}, values=values)

    return _obtain(inputs, store, compute, make)


def _obtain(inputs: Mapping[str, object], store: Store, compute: str, make: Callable[[], Record]) -> Record:
    if compute not in COMPUTE:
        raise ValueError(f"compute is {compute!r}; expected one of {', '.join(COMPUTE)}")
    found = None if compute == "always" else store.find(key_of(inputs))
    if found is not None:
        return found
    if compute == "never":
        changed = "".join(f" --change {change}" for change in inputs["transforms"])
        raise MissingRecord(f"python -m benchlib.runs {inputs['dataset']} --only {inputs['name']}{changed}")
    record = make()
    store.write(record)
    return record


def _data_inputs(dataset: str | Benchmark, changes: tuple[str, ...]) -> dict[str, object]:
    if isinstance(dataset, Benchmark):
        name, fingerprint = dataset.name, dataset.fingerprint()
    else:
        name, fingerprint = dataset, registry.fingerprint(dataset)
    return {"dataset": name, "transforms": list(changes), "fingerprint": fingerprint}


def _benchmark(dataset: str | Benchmark, changes: tuple[str, ...]) -> Benchmark:
    benchmark = _loaded(dataset) if isinstance(dataset, str) else dataset
    return transforms.apply(benchmark, changes)


@lru_cache(maxsize=2)
def _loaded(dataset: str) -> Benchmark:
    """A page runs several linkers on one corpus: reading it once is enough."""
    return load(dataset)


def _plain(value):
    """JSON's own types, so that a key does not depend on tuple or list."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
