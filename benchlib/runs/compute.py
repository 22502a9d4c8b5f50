"""Compute or load: the one way from a linker and a benchmark to a record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from ..datasets import load, registry, transforms
from ..datasets.benchmark import Benchmark
from ..linkers import Linker, linker
from ..scoring import outcomes, strata
from .provenance import provenance
from .record import Record, key_of
from .store import Store

COMPUTE = ("missing", "never", "always")


class MissingRecord(LookupError):
    """There is no such record and ``compute`` is ``never``; the message says what would make it."""


def run(
    system: Linker,
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
        "name": system.name,
        "version": system.version,
        "config": _plain(system.config),
        **_data_inputs(dataset, changes),
        "split": split,
        "seed": seed,
        "k": k,
    }

    def make() -> Record:
        benchmark = _benchmark(dataset, changes)
        started = time.perf_counter()
        fitted = system.fit(benchmark.visible(), seed)
        fitted_at = time.perf_counter()
        corpus = benchmark.split(split)
        predictions = fitted.link(corpus.hidden().documents, k)
        linked_at = time.perf_counter()
        found = outcomes(predictions, corpus, benchmark.ontology, benchmark.cluster)
        seconds = {"fit": round(fitted_at - started, 2), "link": round(linked_at - fitted_at, 2)}
        made = {**provenance(), "seconds": seconds}
        if weights := getattr(fitted, "weights", ""):
            made["weights"] = weights
        return Record(inputs, made, found, trace=tuple(getattr(fitted, "trace", ())))

    return obtain(inputs, store, compute, make)


def kinds(
    dataset: str | Benchmark,
    store: Store,
    *,
    split: str = "test",
    changes: tuple[str, ...] = (),
    compute: str = "missing",
) -> Record:
    """The record of the kinds of the mentions of a split: its ``strata``, shared by all linking runs on it.

    Raises MissingRecord under ``never``.
    """
    inputs = {"name": "strata", "version": "1", **_data_inputs(dataset, changes), "split": split}

    def make() -> Record:
        benchmark = _benchmark(dataset, changes)
        started = time.perf_counter()
        seen = (benchmark.train, benchmark.dev) if split == "test" else (benchmark.train,)
        found = strata(benchmark.split(split), benchmark.ontology, seen)
        seconds = {"measure": round(time.perf_counter() - started, 2)}
        return Record(inputs, {**provenance(), "seconds": seconds}, strata=found)

    return obtain(inputs, store, compute, make)


@dataclass(frozen=True)
class Entry:
    """One line of a comparison: its record, or why there is none, and the kinds of its mentions."""

    linker: str
    dataset: str
    changes: tuple[str, ...]
    record: Record | None
    reason: str = ""
    kinds: Record | None = None

    @property
    def data(self) -> str:
        """The data set with what was done to it."""
        return " ".join((self.dataset, *self.changes))


def collect(
    linkers: Iterable[str],
    datasets: Iterable[str | Benchmark],
    store: Store,
    *,
    split: str = "test",
    changes: tuple[str, ...] = (),
    compute: str = "missing",
    seed: int = 0,
) -> list[Entry]:
    """Every linker of the catalogue named, on every data set, dataset by dataset."""
    entries = []
    for dataset, name in product(datasets, linkers):
        record, reason, strata = None, "", None
        try:
            record = run(
                linker(name), dataset, store, split=split, changes=changes, compute=compute, seed=seed
            )
            # What the mentions are does not depend on the run: "always" need not find it out again.
            again = "missing" if compute == "always" else compute
            strata = kinds(dataset, store, split=split, changes=changes, compute=again)
        except MissingRecord as missing:
            reason = str(missing)
        data = dataset if isinstance(dataset, str) else dataset.name
        entries.append(Entry(name, data, changes, record, reason, strata))
    return entries


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

    return obtain(inputs, store, compute, make)


def obtain(inputs: Mapping[str, object], store: Store, compute: str, make: Callable[[], Record]) -> Record:
    """The record with these inputs: found, or made and kept, as ``compute`` says (see ``COMPUTE``).

    Raises MissingRecord, which says the command that would make it, under ``never``.
    """
    if compute not in COMPUTE:
        raise ValueError(f"compute is {compute!r}; expected one of {', '.join(COMPUTE)}")
    found = None if compute == "always" else store.find(key_of(inputs))
    if found is not None:
        return found
    if compute == "never":
        changed = "".join(f" --change {change}" for change in inputs["transforms"])
        if inputs.get("split", "test") != "test":
            changed += f" --split {inputs['split']}"
        if inputs.get("seed") and "split" in inputs:
            changed += f" --seed {inputs['seed']}"
        raise MissingRecord(f"python -m benchlib.runs {inputs['dataset']} --name {inputs['name']}{changed}")
    return store.read(store.write(make()))


def _data_inputs(dataset: str | Benchmark, changes: tuple[str, ...]) -> dict[str, object]:
    if isinstance(dataset, Benchmark):
        name, fingerprint = dataset.name, dataset.fingerprint()
    else:
        # A benchmark that nobody could pin is identified by what is parsed here.
        pinned = registry.fingerprint(dataset) if dataset in registry.benchmarks() else ""
        name, fingerprint = dataset, pinned or _loaded(dataset).fingerprint()
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
