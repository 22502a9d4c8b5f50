"""What a linker is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Protocol

from ..corpus import Document
from ..datasets.benchmark import Benchmark
from ..predictions import Predictions
from ..pretraining import RECIPES


class Linker(Protocol):
    """Anything with ``fit`` and ``link``. The study's own linkers add what a record needs.

    ``name`` appears in tables, ``version`` is bumped by hand when the meaning changes, ``config`` holds
    every setting that changes a result.
    """

    name: str
    version: str

    @property
    def config(self) -> Mapping[str, object]: ...

    def fit(self, benchmark: Benchmark, seed: int = 0) -> Linker:
        """Learn from train, dev and ontology; the test split given here is empty. Returns itself."""
        ...

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """Up to k candidates for every mention span of the documents, whose gold is hidden."""
        ...


def settings_of(linker) -> dict[str, object]:
    """The fields of a linker that is a dataclass with a ``model``, but for ``progress``, which changes no
    result; with the recipe of an encoder that this study adapted."""
    settings = {name: value for name, value in asdict(linker).items() if name != "progress"}
    if linker.model in RECIPES:
        settings["recipe"] = asdict(RECIPES[linker.model])
    return settings


def variant(base: str, linker) -> str:
    """``base`` and every setting that is not the default, ``cosines,layers=2,learning_rate=0.0001``: the name
    under which :func:`benchlib.linkers.linker` makes it again."""
    # What a linker does not show of itself, such as its progress bar, changes no result.
    changed = [
        f"{one.name}={_printed(getattr(linker, one.name))}"
        for one in fields(linker)
        if one.repr and getattr(linker, one.name) != one.default
    ]
    return ",".join([base, *changed])


def _printed(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
