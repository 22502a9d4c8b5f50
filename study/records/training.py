"""A training that several records need is done once: the last fitted linker stays in the process."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..corpora import registry, transforms
from .record import key_of, stem_of, to_json_types
from .store import Store

if TYPE_CHECKING:
    from benchlib.benchmark import Benchmark
    from benchlib.linker import Linker


def trains(linker: Linker) -> bool:
    """Whether a linker asks for a folder for its checkpoints: its ``checkpoints`` are None."""
    return getattr(linker, "checkpoints", "") is None


def training_inputs(linker: Linker, inputs: Mapping[str, object]) -> dict[str, object] | None:
    """What identifies the training behind the linking run of these ``inputs``, None for a linker that does
    not train: all of them but the split, k, and the settings that have no part in it, which its class names
    in ``after_training``.

    A linker that is ``dictionary_only`` learns from the ontology and unlabelled text: its training is the
    same on every registered data set that has both. One with a ``learnt_dictionary`` learns from that and the
    text: its training is the same on every registered data set that has the text.
    """
    if not trains(linker):
        return None
    learnt = getattr(linker, "learnt_dictionary", "")
    dictionary_only = getattr(linker, "dictionary_only", False) or learnt
    if after := getattr(linker, "after_training", ()):
        linker = replace(linker, **{one.name: one.default for one in fields(linker) if one.name in after})
    kept = {name: value for name, value in inputs.items() if name not in ("split", "k")}
    if dictionary_only:
        kept = _of_dictionary(kept, learnt)
    return kept | {"name": linker.name, "config": to_json_types(linker.config)}


def _of_dictionary(inputs: dict[str, object], learnt: str) -> dict[str, object]:
    """The inputs with the dictionary, its own or the one ``learnt``, in the place of the data set, where
    others can share it."""
    dataset = inputs["dataset"]
    entry = registry.benchmarks().get(dataset)
    if entry is None or entry.fingerprint != inputs["fingerprint"]:
        return inputs
    dictionary = learnt or transforms.dictionary_after(entry.dictionary, inputs["transforms"])
    if not dictionary or not transforms.same_for(dataset, inputs["transforms"]):
        return inputs
    rest = {name: value for name, value in inputs.items() if name not in ("dataset", "fingerprint")}
    return rest | {"dictionary": dictionary}


@dataclass
class _Fit:
    """A fitted linker, the folder of its training, the inputs of the records made with it, first of that for
    which it was fitted, and the data that its index is of."""

    linker: Any
    folder: Path
    records: list[Mapping[str, object]]
    data: list[object]

    def trained(self, linker: Linker, folder: Path, store: Store) -> bool:
        """Whether this is the training of a linker; not where the record is gone that counts its seconds."""
        same = (type(self.linker), self.folder) == (type(linker), folder)
        return same and store.has(self.records[0])

    def serves(self, linker: Linker, inputs: Mapping[str, object], folder: Path, store: Store) -> bool:
        # Not for the same record again, which is asked for to be made afresh.
        return self.trained(linker, folder, store) and key_of(inputs) not in map(key_of, self.records)

    def like(self, linker: Linker, benchmark: Benchmark, inputs: Mapping[str, object]) -> Linker:
        """The fitted linker with what another of its training has of its own, for these inputs."""
        # Where it learns from the benchmark's dictionary, that is the same, and so is the index.
        if getattr(linker, "learnt_dictionary", "") and self.data != _data(inputs):
            self.linker, self.data = self.linker.with_index_of(benchmark), _data(inputs)
        again = copy.copy(self.linker)
        for name in getattr(linker, "after_training", ()):
            object.__setattr__(again, name, getattr(linker, name))  # of a frozen dataclass, too
        return again


def _data(inputs: Mapping[str, object]) -> list[object]:
    return [inputs[name] for name in ("dataset", "transforms", "fingerprint")]


_last: list[_Fit] = []  # at most two: the last fitted, and behind it the first linker that it was given


def fitted(
    linker: Linker, benchmark: Benchmark, seed: int, inputs: Mapping[str, object], folder: Path, store: Store
) -> tuple[Linker, dict[str, object]]:
    """A copy of the linker, fitted for the record of these ``inputs``, and what the record must say of it.

    ``folder`` is that of the training, which takes its checkpoints. Where the last linker that this process
    fitted had the same, it is taken, and ``fitted_for`` names the record that has the seconds of its fit.
    A linker that ranks the answers of that one anew takes it as its first, which ``first_fitted_for`` says:
    the seconds are those of its own training, and so do those after it that have the same first. ``resumed``
    is True where an earlier process began the training; the seconds are those since then.
    """
    linker = copy.copy(linker)
    if not trains(linker):
        return linker.fit(benchmark, seed), {}
    for last in _last:
        if last.serves(linker, inputs, folder, store):
            last.records.append(inputs)
            return last.like(linker, benchmark, inputs), {"fitted_for": stem_of(last.records[0])}
    first = _first_fitted(linker, inputs, store)
    within = {"first": first.like(linker.first_linker(), benchmark, inputs)} if first else {}
    told = {"first_fitted_for": stem_of(first.records[0])} if first else {}
    _last[:] = [first] if first else []  # before another one takes as much memory
    folder.mkdir(parents=True, exist_ok=True)
    told |= {"resumed": True} if any(folder.iterdir()) else {}
    object.__setattr__(linker, "checkpoints", folder)
    linker = linker.fit(benchmark, seed, **within)
    _last.insert(0, _Fit(linker, folder, [inputs], _data(inputs)))
    return linker, told


def _first_fitted(linker: Linker, inputs: Mapping[str, object], store: Store) -> _Fit | None:
    """The first linker of one that ranks its answers anew, where it is among the last that were fitted."""
    if not _last or not hasattr(linker, "first_linker"):
        return None
    first = linker.first_linker()
    own = {"name": first.name, "version": first.version, "config": to_json_types(first.config)}
    training = training_inputs(first, {**inputs, **own})
    if not training:
        return None
    folder = store.training_of(training)
    return next((last for last in _last if last.trained(first, folder, store)), None)
