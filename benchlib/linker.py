"""Linkers: the interface, and the nearest names of a dictionary, which needs no training."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd

from .benchmark import Benchmark
from .corpus import Corpus, Document, Mention
from .datasets import find_benchmark, find_dictionary
from .ontology import Ontology, fold_name
from .predictions import Candidate, Predictions, spans

HOW = ("exact", "tfidf", "encoder")


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


class NameLinker(StringLinker):
    """Ranks the names of a dictionary by their likeness to the mention's string, without any training.

    ``how``: ``exact`` gives the name that equals the string, case aside, or none; ``tfidf`` ranks by the
    cosine of TF-IDF vectors of character 1- and 2-grams; ``encoder`` by the inner product of the vectors of
    ``encoder``: anything with ``encode(texts)``, a row for each, or the model of an :class:`benchlib.Encoder`
    (``minilm`` where none is given). With a ``threshold`` a mention whose best score does not exceed it, or
    that has no candidate, is answered with NIL. Raises ValueError for another ``how``, and for an encoder
    that would not be used.
    """

    encoder: Any
    threshold: float | None = None

    def __init__(self, how: str = "tfidf", encoder: Any = None, threshold: float | None = None) -> None:
        if how not in HOW:
            raise ValueError(f"how is {how!r}; expected one of {', '.join(HOW)}")
        if encoder is not None and how != "encoder":
            raise ValueError(f"how is {how!r}, which uses no encoder; expected how='encoder' with one")
        self.how, self.threshold, self._model = how, threshold, encoder

    def fit(self, dictionary: str | Path | Ontology | Benchmark, seed: int = 0) -> NameLinker:
        """Take the names of a dictionary: its file, an Ontology, or a registered name. Returns itself; the
        seed changes nothing. Raises ValueError for a dictionary without a name."""
        ontology = dictionary.ontology if isinstance(dictionary, Benchmark) else find_dictionary(dictionary)
        encoder = self._model
        if self.how == "tfidf":
            from .encoders.tfidf import TfidfEncoder

            encoder = TfidfEncoder().fit([candidate.name for candidate in name_candidates(ontology)])
        elif self.how == "encoder" and isinstance(encoder, str | Path | None):
            from .encoder import Encoder  # which loads torch

            encoder = Encoder(encoder or "minilm")
        self._index(ontology, encoder)
        return self

    def link(self, documents: Sequence[Document] | Sequence[str], k: int = 64) -> Predictions:
        """Up to k candidates for every mention span of the documents. A text in place of a document is linked
        as a whole; its place, from 0, is the id of its document. Raises ValueError for an empty text."""
        if documents and isinstance(documents[0], str):
            texts = enumerate(documents)
            documents = [Document(str(i), text, (Mention(0, len(text), text),)) for i, text in texts]
        predictions = super().link(documents, k)
        return predictions if self.threshold is None else with_nil(predictions, self.threshold)

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


def link(
    mentions: Sequence[str] | Sequence[Document] | Corpus | str | Path,
    dictionary: str | Path | Ontology | None = None,
    how: str = "tfidf",
    k: int = 10,
    encoder: Any = None,
    threshold: float | None = None,
) -> pd.DataFrame:
    """Link mentions to the names of a dictionary: a row a candidate, up to k a mention, best first, with the
    columns of a predictions file (:data:`benchlib.predictions.COLUMNS`).

    ``mentions`` are texts, each linked as a whole (``document`` is its place, from 0), documents with mention
    spans or a Corpus of them, or a PubTator file. ``dictionary`` is a file, an Ontology or a registered name.
    A registered data set is linked by its name alone, the mentions of test with its own dictionary. ``how``,
    ``encoder`` and ``threshold`` are as of :class:`NameLinker`. Raises ValueError for what cannot be read.
    """
    if isinstance(mentions, str | Path):
        benchmark = find_benchmark(mentions, dictionary)
        mentions, dictionary = benchmark.test, benchmark.ontology
    if dictionary is None:
        raise ValueError("mentions without a dictionary; expected its file, an Ontology or a registered name")
    documents = mentions.documents if isinstance(mentions, Corpus) else mentions
    return NameLinker(how, encoder, threshold).fit(dictionary).link(documents, k).frame()
