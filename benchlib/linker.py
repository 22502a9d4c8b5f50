"""What a linker is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from .benchmark import Benchmark
from .corpus import Document
from .predictions import Predictions


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
