"""What linkers that look only at the mention string share: each distinct string is linked once."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from benchlib.corpus import Document
from benchlib.ontology import Ontology, fold_name
from benchlib.predictions import Candidate, Predictions, spans
from benchlib.retrieval import search

from ..settings import Settings


def dictionary(ontology: Ontology) -> tuple[Candidate, ...]:
    """The distinct folded names of an ontology, each with the concepts that carry it.

    Raises ValueError for an ontology without any name.
    """
    candidates = tuple(Candidate(name, ids) for name, ids in ontology.owners().items())
    if not candidates:
        raise ValueError(f"ontology {ontology.name} has no name to link to")
    return candidates


def places(candidates: Sequence[Candidate]) -> dict[str, list[int]]:
    """By concept, where in ``candidates`` its names are."""
    owned: dict[str, list[int]] = {}
    for i, candidate in enumerate(candidates):
        for id in candidate.ids:
            owned.setdefault(id, []).append(i)
    return owned


class ByName(Settings, ABC):
    """A linker whose ``fit`` sets ``_candidates``, and whose ``_rank`` orders them for folded strings."""

    _candidates: tuple[Candidate, ...]

    @abstractmethod
    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        """(index, scores) of up to k candidates for each string, as :class:`Predictions` has them."""

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        queries = spans(documents)
        texts = {document.id: document.text for document in documents}
        strings = [fold_name(texts[query.document][query.start : query.end]) for query in queries]
        distinct = list(dict.fromkeys(strings))
        place = {string: i for i, string in enumerate(distinct)}
        index, scores = self._rank(distinct, k)
        rows = [place[string] for string in strings]
        return Predictions(tuple(queries), self._candidates, index[rows], scores[rows])


class NearestName(ByName):
    """Ranks names of the dictionary by the inner product of their vector with that of the string.

    ``fit`` sets ``_candidates``, the fitted ``encoder``, and the ``_vectors`` of the names.
    """

    def _encoded_names(self):
        return self.encoder.encode([candidate.name for candidate in self._candidates])

    def _rank(self, strings: list[str], k: int) -> tuple[np.ndarray, np.ndarray]:
        return search(self.encoder.encode(strings), self._vectors, k)
