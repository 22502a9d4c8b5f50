"""A training is a folder: what it has learned is read there by every linker that shares it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..corpora import registry, transforms
from .record import key_of, to_json_types
from .store import Store

if TYPE_CHECKING:
    from benchlib.linker import Linker


def trainings_of(linker: Linker, inputs: Mapping[str, object]) -> tuple[str, ...]:
    """The keys of the trainings behind the linking run of these ``inputs``: that of its first linker, where
    it ranks the answers of one that trains, then its own; () for a linker that does not train here."""
    own = _inputs_of(linker, inputs)
    if own is None:
        return ()
    if not hasattr(linker, "first_linker"):
        return (key_of(own),)
    first = linker.first_linker()
    identity = {"name": first.name, "version": first.version, "config": to_json_types(first.config)}
    return (*trainings_of(first, {**inputs, **identity}), key_of(own))


def _inputs_of(linker: Linker, inputs: Mapping[str, object]) -> dict[str, object] | None:
    """What identifies the training behind the linking run of these ``inputs``: all of them but the split, k
    and the settings that have no part in it, which its class names in ``after_training``. None for a linker
    whose class has no ``checkpoints``, so that it cannot train, and for one that has its own.

    A linker that is ``dictionary_only`` learns from the ontology and unlabelled text: its training is the
    same on every registered data set that has both. One with a ``learnt_dictionary`` learns from that and the
    text: its training is the same on every registered data set that has the text.
    """
    if getattr(linker, "checkpoints", "") is not None:
        return None
    learnt = getattr(linker, "learnt_dictionary", "")
    dictionary_only = getattr(linker, "dictionary_only", False) or learnt
    if after := getattr(linker, "after_training", ()):
        linker = linker.with_defaults(after)
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


def in_folder(linker: Linker, trainings: tuple[str, ...], store: Store) -> tuple[Linker, dict[str, object]]:
    """A copy of a linker that trains in the folder of the first of its ``trainings``, one that ranks anew in
    a folder within, and what its record says of that: the ``training``, and with ``resumed`` that it was
    begun, or done, before, so that the seconds are those since then."""
    linker = copy.copy(linker)
    if not trainings:
        return linker, {}
    folder = store.training_of(trainings[0])
    own = folder.joinpath(*(key[:16] for key in trainings[1:]))
    told = {"training": trainings[-1][:16]} | ({"resumed": True} if own.exists() else {})
    own.mkdir(parents=True, exist_ok=True)
    linker.checkpoints = own
    if own != folder:
        linker.first_checkpoints = folder
    return linker, told
