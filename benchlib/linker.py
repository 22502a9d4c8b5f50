"""Linkers: the interface, and what all of them need of names and NIL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from .benchmark import Benchmark
from .corpus import Document
from .ontology import Ontology
from .predictions import NIL, Candidate, Predictions


class Linker(Protocol):
    """A linker whose results can be stored. What is only scored needs ``fit`` and ``link`` alone, or neither.

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


def name_candidates(ontology: Ontology) -> tuple[Candidate, ...]:
    """The distinct folded names of an ontology, each with the concepts that carry it.

    Raises ValueError for an ontology without any name.
    """
    candidates = tuple(Candidate(name, ids) for name, ids in ontology.owners().items())
    if not candidates:
        raise ValueError(f"ontology {ontology.name} has no name to link to")
    return candidates


def with_nil(predictions: Predictions, threshold: float) -> Predictions:
    """The predictions, with NIL as the only answer where the best score does not exceed the threshold, such
    as that of :func:`benchlib.scoring.choose_threshold`, or where there is no candidate. Its score is 0."""
    called = ~(predictions.scores > threshold).any(axis=1)
    index, scores = predictions.index.copy(), predictions.scores.copy()
    if not index.shape[1]:  # lists without a place for the answer
        index, scores = np.full((len(index), 1), -1), np.zeros((len(index), 1))
    index[called] = -1
    index[called, 0], scores[called, 0] = len(predictions.candidates), 0.0
    return replace(predictions, candidates=(*predictions.candidates, NIL), index=index, scores=scores)
