"""The name linker: memory, exact names and nearest names, without training a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, issparse

from .benchmark import Benchmark
from .corpus import Corpus, Document, Mention
from .datasets import read_dictionary, warn_of
from .encoders.tfidf import TfidfEncoder
from .linker import name_candidates, with_nil
from .matching import Matcher, find_mentions
from .matching.abbreviations import abbreviations
from .memory import Forms, both_forms, meanings
from .ontology import Ontology
from .predictions import Candidate, Predictions, Query, spans
from .retrieval import search
from .retrieval.cache import cached_vectors
from .retrieval.hybrid import Vectors, summed_search
from .scoring import nil_threshold, outcomes, strata

HOW = ("both", "encoder", "tfidf", "exact")
_SPARSE_WEIGHT = 1 / 3  # of TF-IDF beside the encoder: chosen on dev of NCBI Disease and BC5CDR together
_REMEMBERED, _EXACT = 3.0, 2.0  # no cosine is larger than 1
_CAPITALS = "all names are in capitals, so only capitals match; write them in small letters to ignore case"
_ROUNDED = 1e-3  # what the length of a unit vector may miss in single precision, and in half

Texts = Corpus | Iterable[Document] | Iterable[str]
"""What there is to link: documents, with mentions or without, or plain texts."""


class NameLinker:
    """Links a mention by its string alone; nothing is trained.

    A mention is answered by the first of these that knows its string: the concepts that the string meant in
    the ``train`` mentions, most often first; the concepts of the dictionary that have it as a name; the
    nearest names of the dictionary and of ``train``. Of a name that several concepts have, those that
    ``train`` has most often count, or all, tied. With ``abbreviations`` a short form that the document
    defines is read as its long form (:func:`benchlib.matching.abbreviations.abbreviations`), and as it stands
    where only that is known.

    ``how`` names are near: ``tfidf`` by the cosine of TF-IDF vectors of character 1- and 2-grams, ``encoder``
    by that of an ``encoder`` (anything with ``encode(texts)``, or the model of an :class:`benchlib.Encoder`,
    ``minilm`` by default), ``both`` by their weighted mean, and with ``exact`` none is. Scores: more than 3
    for remembered strings, 2 for an exact name, else the cosine. With a ``threshold`` a mention whose best
    score does not exceed it, or that has no candidate, is answered with NIL.

    The vectors of names are computed in parts and kept below the folder ``cache``
    (:func:`benchlib.retrieval.cache.cached_vectors`), where it names one. ``progress`` shows a bar.

    With a ``dictionary`` it is fitted at once. Raises ValueError for another ``how``, for an encoder that
    would not be used or cannot encode, for a threshold that is no number, and as :meth:`fit`.
    """

    def __init__(
        self,
        dictionary: str | Path | Ontology | Benchmark | None = None,
        train: Corpus | None = None,
        *,
        how: str = "both",
        encoder: Any = None,
        threshold: float | None = None,
        abbreviations: bool = True,
        cache: str | Path | None = None,
        progress: bool = False,
    ) -> None:
        if how not in HOW:
            raise ValueError(f"how is {how!r}; expected one of {', '.join(HOW)}")
        if encoder is not None and how not in ("both", "encoder"):
            raise ValueError(
                f"how is {how!r}, which uses no encoder; expected how='encoder' or 'both' with one"
            )
        if encoder is not None and not (isinstance(encoder, str | Path) or hasattr(encoder, "encode")):
            raise ValueError(f"encoder is {encoder!r}; expected a model, or anything with encode(texts)")
        if threshold is not None and (not isinstance(threshold, Real) or isnan(threshold)):
            raise ValueError(f"threshold is {threshold!r}; expected a number")
        self.how, self.threshold, self.abbreviations, self._model = how, threshold, abbreviations, encoder
        self.cache, self.progress, self._train, self._ontology = cache, progress, train, None
        if dictionary is not None:
            self.fit(dictionary)

    def __repr__(self) -> str:
        return f"NameLinker({self._ontology!r}, how={self.how!r})"

    def fit(
        self, dictionary: str | Path | Ontology | Benchmark, seed: int = 0, train: Corpus | None = None
    ) -> NameLinker:
        """Take the names of a dictionary (its file, an Ontology, a registered name, or a Benchmark, whose
        train split is remembered) and the mentions of ``train`` with one concept, by default those of the
        ``train`` given at first. Returns itself; the seed changes nothing. Raises ValueError for a dictionary
        without a name and for a ``train`` that is no Corpus, FileNotFoundError for a file that is not
        there."""
        train = train or self._train
        if isinstance(dictionary, Benchmark):
            train, ontology = train or dictionary.train, dictionary.ontology
        else:
            ontology, notes = read_dictionary(dictionary)
            warn_of(notes)
        _refuse_other(train=train)
        memory, frequency = meanings(ontology, train.documents if train else (), self.abbreviations)
        names = [
            candidate._replace(ids=_most_frequent(candidate.ids, frequency))
            for candidate in name_candidates(ontology)
        ]
        place = {candidate: number for number, candidate in enumerate(names)}
        self._exact = {candidate.name: number for number, candidate in enumerate(names)}
        self._memory = {
            string: {
                place.setdefault(Candidate(string, (id,)), len(place)): n for id, n in counts.most_common()
            }
            for string, counts in memory.items()
        }
        self._candidates = tuple(place)
        # A training string that is no name of the dictionary is one to be near to as well.
        own = [next(iter(counts)) for string, counts in self._memory.items() if string not in self._exact]
        self._near = np.array([*range(len(names)), *own])
        self._ontology, self._matcher = ontology, None
        self._index([self._candidates[number].name for number in self._near], len(names))
        return self

    def link(self, documents: Texts, k: int = 64) -> Predictions:
        """Up to k candidates for every mention span of the documents; where k cuts a tie, the first of it. In
        a text, and in documents of which none has a mention, the names of the dictionary and their
        abbreviations are found first. The place of a text, from 0, is the id of its document. Raises
        ValueError for a text without a character, for two documents with one id, for k below 1, and before
        :meth:`fit`."""
        if not isinstance(k, Integral) or k < 1:
            raise ValueError(f"k is {k!r}; expected a whole number, at least 1")
        predictions = self._link(documents, k)
        return predictions if self.threshold is None else with_nil(predictions, self.threshold)

    def _link(self, documents: Texts, k: int) -> Predictions:
        forms = self._forms(self._with_mentions(documents))
        distinct = {form: row for row, form in enumerate(dict.fromkeys(forms.values()))}
        index, scores = self._rank(list(distinct), k)
        rows = [distinct[form] for form in forms.values()]
        return Predictions(tuple(forms), self._candidates, index[rows], scores[rows])

    def calibrate(self, dev: Corpus) -> NameLinker:
        """Set the ``threshold`` to the one with the highest F1 of NIL on ``dev``, which is not in ``train``
        (:func:`benchlib.scoring.choose_threshold`; on dev as in PEL, sections 5.3.1 and 6.1). Returns itself.
        Raises ValueError for a dev that is no Corpus, and where none of its golds is NIL or none is a concept
        with a name."""
        _refuse_other(dev=dev)
        scored = outcomes(self._link(dev.hidden().documents, 1), dev, self._ontology)
        threshold = nil_threshold(scored, strata(dev, self._ontology, ()))
        if threshold is None:
            raise ValueError(f"{dev.name}: expected mentions with a concept and NIL ones to calibrate on")
        self.threshold = threshold
        return self

    def explain(self, documents: Texts) -> pd.DataFrame:
        """The best answer to each mention that has one, with ``text``, the mention, and ``why``: ``remembered
        14 times``, ``exact name``, ``nearest name: ...``, each with ``abbreviation of ...`` where that was
        read."""
        documents = self._with_mentions(documents)
        table = self.link(documents, 1).frame().drop(columns=["part", "rank"])
        forms = self._forms(documents)
        texts = {document.id: document.text for document in documents}
        table.insert(3, "text", [texts[row.document][row.start : row.end] for row in table.itertuples()])
        reasons = []
        for row in table.itertuples():
            long, short = forms[Query(row.document, row.start, row.end)]
            why = self._why(row.name, row.ids, row.score)
            reasons.append(f"{why}, abbreviation of {long}" if long != short and row.name != short else why)
        return table.assign(why=reasons)

    def _why(self, name: str, ids: tuple[str, ...], score: float) -> str:
        if score >= _REMEMBERED:
            counts = {self._candidates[place].ids: n for place, n in self._memory[name].items()}
            return f"remembered {counts[ids]} time{'s' if counts[ids] > 1 else ''}"
        return "NIL" if not ids else "exact name" if score == _EXACT else f"nearest name: {name}"

    def _with_mentions(self, documents: Texts) -> Sequence[Document]:
        if self._ontology is None:
            raise ValueError("expected a dictionary: NameLinker(dictionary), or fit")
        documents = documents_of(documents)
        if any(document.mentions for document in documents):
            return documents
        if self._matcher is None:
            self._matcher = Matcher(self._ontology, shared="keep")
            if all(name.isupper() for name in self._matcher.names):
                warn_of([f"{self._ontology.name}: {_CAPITALS}"])
        is_known = self._known if self.abbreviations else None
        return [*find_mentions(documents, self._matcher, is_known, self.progress)]

    def _forms(self, documents: Sequence[Document]) -> dict[Query, Forms]:
        """The two strings of every span of the documents, in order."""
        ids = Counter(document.id for document in documents)
        if len(ids) < len(documents):
            [(id, n)] = ids.most_common(1)
            raise ValueError(f"document {id}: expected one with this id, found {n}")
        forms: dict[Query, Forms] = {}
        for document in documents:
            defined = abbreviations(document.text) if self.abbreviations else []
            for query in spans([document]):
                forms[query] = both_forms(document.text[query.start : query.end], defined)
        return forms

    def _index(self, names: list[str], n_dictionary: int) -> None:
        """Encode the names, of which TF-IDF is fitted on the ``n_dictionary`` first."""
        self._encoders, self._vectors = [], []
        if self.how in ("both", "encoder"):
            model = self._model
            if own := isinstance(model, str | Path | None):
                from .encoder import Encoder  # which loads torch

                model = Encoder(model or "minilm", progress=self.progress and not self.cache)
            self._encoders.append(model)
            of_dictionary = names[:n_dictionary]
            if self.cache is not None and hasattr(model, "fingerprint"):
                how = (model.encode, model.fingerprint(), of_dictionary, Path(self.cache), self.progress)
                vectors = cached_vectors(*how)
            else:
                vectors = _encoded(model, of_dictionary)
            if len(names) > n_dictionary:
                vectors = np.concatenate([vectors, _encoded(model, names[n_dictionary:])])
            self._vectors.append(_units(vectors))
            if own:
                model.names.progress = self.progress
        if self.how in ("both", "tfidf"):
            self._encoders.append(TfidfEncoder().fit(names[:n_dictionary]))
            self._vectors.append(self._encoders[-1].encode(names))

    def _nearest(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        if not self._encoders or not strings:
            return np.empty((len(strings), 0), dtype=np.int64), np.empty((len(strings), 0))
        queries = [_units(_encoded(encoder, strings)) for encoder in self._encoders]
        if len(queries) == 1:
            index, scores = search(queries[0], self._vectors[0], k)
        else:
            vectors = Vectors(*queries), Vectors(*self._vectors)
            index, scores = summed_search(*vectors, _SPARSE_WEIGHT, k, self.progress)
            scores = scores / (1 + _SPARSE_WEIGHT)
        return self._near[index], scores

    def _rank(self, forms: list[Forms], k: int) -> tuple[np.ndarray, np.ndarray]:
        k = min(k, len(self._candidates))
        index = np.full((len(forms), k), -1)
        scores = np.zeros((len(forms), k))
        known = [next((known for known in map(self._known, form) if known), {}) for form in forms]
        # Lists that are full already need no nearest names.
        searched = [row for row, ranked in enumerate(known) if len(ranked) < k]
        near, cosines = self._nearest([forms[row][0] for row in searched], k)
        for row, places, values in zip(searched, near.tolist(), cosines.tolist(), strict=True):
            for place, value in zip(places, values, strict=True):
                known[row].setdefault(place, value)
        for row, ranked in enumerate(known):
            best = list(ranked.items())[:k]
            index[row, : len(best)] = [place for place, _ in best]
            scores[row, : len(best)] = [value for _, value in best]
        return index, scores

    def _known(self, string: str) -> dict[int, float]:
        """The candidates of a string that is remembered or a name, with their scores."""
        counts = self._memory.get(string, {})
        total = sum(counts.values())
        known = {place: _REMEMBERED + n / total for place, n in counts.items()}
        if string in self._exact:
            known.setdefault(self._exact[string], _EXACT)
        return known


def documents_of(texts: Texts, whole: bool = False) -> Sequence[Document]:
    """Documents as they are; texts as documents with their places, from 0, as ids, where ``whole`` with the
    whole text as their mention. Raises ValueError for what is neither, and for a text without a character."""
    if isinstance(texts, Corpus):
        return texts.documents
    if isinstance(texts, str | Mapping | pd.DataFrame) or not isinstance(texts, Iterable):
        raise ValueError(f"expected a list of texts or of documents, found a {type(texts).__name__}")
    texts = [*texts]
    if all(isinstance(text, Document) for text in texts):
        return texts
    for place, text in enumerate(texts):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"text {place}: expected a text that is not empty, found {text!r}")
    spans = (((Mention(0, len(text), text),) if whole else ()) for text in texts)
    return [Document(str(place), *of) for place, of in enumerate(zip(texts, spans, strict=True))]


def _refuse_other(**splits: Any) -> None:
    """Raises ValueError for a split that is neither a Corpus nor None."""
    for name, corpus in splits.items():
        if not isinstance(corpus, Corpus | None):
            raise ValueError(f"{name}: expected a Corpus, found a {type(corpus).__name__}")


def _encoded(encoder: Any, texts: list[str]) -> np.ndarray | csr_matrix:
    """A vector for each text; raises ValueError for another number of them, and for sparse ones."""
    vectors = encoder.encode(texts)
    if not isinstance(encoder, TfidfEncoder):
        if issparse(vectors):
            raise ValueError("encoder: expected dense vectors, found sparse ones")
        try:
            vectors = np.asarray(vectors, dtype=np.float32)
        except (ValueError, TypeError, RuntimeError) as error:  # torch, of gradients and of half precision
            raise ValueError(f"encoder: expected vectors that numpy reads, found: {error}") from None
    if vectors.ndim != 2 or vectors.shape[0] != len(texts):
        raise ValueError(f"encoder: expected {len(texts)} vectors for as many texts, found {vectors.shape}")
    return vectors


def _units(vectors: np.ndarray | csr_matrix) -> np.ndarray | csr_matrix:
    """Vectors of length 1, or 0, whose inner products are cosines; those of TF-IDF are."""
    if isinstance(vectors, csr_matrix):
        return vectors
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return vectors if np.allclose(lengths, 1, atol=_ROUNDED) else vectors / lengths


def _most_frequent(ids: tuple[str, ...], frequency: Counter[str]) -> tuple[str, ...]:
    most = max(frequency[id] for id in ids)
    return tuple(id for id in ids if frequency[id] == most)
