"""Linkers: the interface, and the nearest names of a dictionary, which needs no training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from .benchmark import Benchmark
from .corpus import Document
from .ontology import Ontology, fold_name
from .predictions import Candidate, Predictions, spans


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


def name_candidates(ontology: Ontology) -> tuple[Candidate, ...]:
    """The distinct folded names of an ontology, each with the concepts that carry it.

    Raises ValueError for an ontology without any name.
    """
    candidates = tuple(Candidate(name, ids) for name, ids in ontology.owners().items())
    if not candidates:
        raise ValueError(f"ontology {ontology.name} has no name to link to")
    return candidates


class StringLinker(ABC):
    """A linker that sees the mention's string alone, and links each distinct string once: ``fit`` sets
    ``_candidates``, and ``_rank`` orders them for folded strings."""

    _candidates: tuple[Candidate, ...]

    @abstractmethod
    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        """(index, scores) of up to k candidates for each string, as :class:`Predictions` has them."""

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """Up to k candidates for every mention span of the documents."""
        queries = spans(documents)
        texts = {document.id: document.text for document in documents}
        strings = [fold_name(texts[query.document][query.start : query.end]) for query in queries]
        distinct = list(dict.fromkeys(strings))
        place = {string: i for i, string in enumerate(distinct)}
        index, scores = self._rank(distinct, k)
        rows = [place[string] for string in strings]
        return Predictions(tuple(queries), self._candidates, index[rows], scores[rows])


class NearestNames(StringLinker):
    """Ranks the names of a dictionary by the inner product of their vectors with that of the string."""

    encoder: Any

    def _index(self, ontology: Ontology, encoder: Any = None) -> None:
        """Take the names of an ontology and their vectors; without an encoder, only equal names count."""
        self._candidates, self.encoder = name_candidates(ontology), encoder
        if encoder is None:
            self._place = {candidate.name: i for i, candidate in enumerate(self._candidates)}
        else:
            self._vectors = self._encoded_names()

    def _encoded_names(self) -> Any:
        return self.encoder.encode([candidate.name for candidate in self._candidates])

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        if self.encoder is None:
            index = np.array([[self._place.get(string, -1)] for string in strings]).reshape(-1, 1)
            return index, np.ones(index.shape)
        from .retrieval import search  # which loads torch

        return search(self.encoder.encode(strings), self._vectors, k)


def with_nil(predictions: Predictions, threshold: float) -> Predictions:
    """The predictions, with NIL as the only answer where the best score does not exceed the threshold, such
    as that of :func:`benchlib.scoring.choose_threshold`, or where there is no candidate. Its score is 0."""
    called = ~(predictions.scores > threshold).any(axis=1)
    index, scores = predictions.index.copy(), predictions.scores.copy()
    index[called] = -1
    index[called, 0], scores[called, 0] = len(predictions.candidates), 0.0
    nil = Candidate("", ())
    return replace(predictions, candidates=(*predictions.candidates, nil), index=index, scores=scores)
