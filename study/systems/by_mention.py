"""What linkers share that compare a mention with mentions and names, each of which stands for a concept."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from benchlib.corpus import Document
from benchlib.ontology import Ontology
from benchlib.predictions import Candidate, Predictions, spans
from benchlib.retrieval import search

from .linked_text import MatchedText
from .settings import Trainable

HITS = 512  # keys of the index looked at for each mention


class MentionIndexLinker(Trainable, ABC):
    """A linker whose ``fit`` sets ``_benchmark`` and ``_vectors`` (:class:`MentionVectors`).

    ``behind`` says what the keys of :meth:`nearest` behind the mentions are.
    """

    behind = "name"

    @abstractmethod
    def index(self) -> dict[str, tuple[MatchedText, np.ndarray]]:
        """The mentions that are in the index, by where they come from."""

    def nearest(self, documents: Sequence[Document], n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ``n`` keys most similar to each mention of some documents, in their order, and how similar,
        mentions × n each; and the number of the concept of each key. The keys are the mentions of
        :meth:`index` and, behind them, what else is in it."""
        keys, concept = self._keys()
        return *search(self._vectors.query_vectors(spans(documents), documents), keys, n), concept

    def _names(self) -> Ontology | None:
        """The dictionary of which each name is in the index too, without context."""

    def _keys(self) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of the index, and the number of the concept of each."""
        mentions = self.index().values()
        vectors = [self._vectors.text_vectors(linked, which) for linked, which in mentions]
        concepts = [linked.concept[which] for linked, which in mentions]
        if (dictionary := self._names()) is not None:
            number = {id: i for i, id in enumerate(dictionary.concepts)}
            owned = [(name, number[id]) for name, ids in dictionary.owners().items() for id in ids]
            vectors.append(self._vectors.name_vectors(tuple(name for name, _ in owned)))
            concepts.append(np.array([concept for _, concept in owned], dtype=np.int64))
        return np.concatenate(vectors), np.concatenate(concepts)

    def _predictions(
        self, documents: Sequence[Document], ranking: tuple[np.ndarray, np.ndarray]
    ) -> Predictions:
        """The numbers of concepts and their scores as answers to the mentions of some documents."""
        candidates = tuple(Candidate("", (id,)) for id in self._benchmark.ontology.concepts)
        return Predictions(tuple(spans(documents)), candidates, *ranking)
