"""Linkers of the study that look only at the mention's string."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchlib.corpus import Document
from benchlib.linker import name_candidates
from benchlib.ontology import Ontology, fold_name
from benchlib.predictions import Candidate, Predictions, spans
from benchlib.retrieval import search

from ..settings import Settings
from ..texts import places_of


class StringSystem(Settings):
    """A linker that links each distinct string once: ``fit`` sets ``_candidates``, and ``_rank`` gives
    (index, scores) of up to k of them for each folded string, as :class:`Predictions` has them."""

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        """Up to k candidates for every mention span of the documents."""
        queries = spans(documents)
        strings = [fold_name(text[start:end]) for text, start, end in places_of(queries, documents)]
        place = {string: i for i, string in enumerate(dict.fromkeys(strings))}
        index, scores = self._rank(list(place), k)
        rows = [place[string] for string in strings]
        return Predictions(tuple(queries), self._candidates, index[rows], scores[rows])


class NameSystem(StringSystem):
    """Ranks the names of an ontology by the inner product of their vectors with that of the string."""

    def _index(self, ontology: Ontology, encoder: Any) -> None:
        """Take the names of an ontology and their vectors."""
        self._candidates, self.encoder = name_candidates(ontology), encoder
        self._vectors = self._encoded_names()

    def _encoded_names(self) -> Any:
        return self.encoder.encode([candidate.name for candidate in self._candidates])

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        return search(self.encoder.encode(strings), self._vectors, k)


def name_indices(candidates: Sequence[Candidate]) -> dict[str, list[int]]:
    """By concept, where in ``candidates`` its names are."""
    owned: dict[str, list[int]] = {}
    for i, candidate in enumerate(candidates):
        for id in candidate.ids:
            owned.setdefault(id, []).append(i)
    return owned
