"""What linkers share that compare a mention in its context with what is written of each entity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from ..corpus import Document
from ..ontology import Concept, Ontology
from ..predictions import Candidate, Predictions, Query, spans
from ..retrieval import search, softmax_search
from .contrast import Contrast
from .settings import Settings

SCORES = ("dot", "cosine", "softmax")


class NearestEntity(Settings, ABC):
    """Ranks concepts by the similarity of the vector of their text to that of the mention.

    ``fit`` sets the ``_candidates``, one a concept, and the ``_entities``, a vector for each. ``contrast`` is
    the loss they are trained with, ``score`` what :func:`ranked` takes.
    """

    score: str | None
    contrast: Contrast
    _candidates: tuple[Candidate, ...]
    _entities: np.ndarray

    @abstractmethod
    def _mentions(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        """The vectors of the spans of some documents, in their order."""

    def link(self, documents: Sequence[Document], k: int = 64) -> Predictions:
        queries = spans(documents)
        found = ranked(self._mentions(documents, queries), self._entities, k, self.contrast, self.score)
        return Predictions(tuple(queries), self._candidates, *found)


def known(ontology: Ontology) -> list[Concept]:
    """The concepts that have a name, in order; raises ValueError where there is none."""
    concepts = [concept for concept in ontology.concepts.values() if concept.names]
    if not concepts:
        raise ValueError(f"ontology {ontology.name} has no name to link to")
    return concepts


def titles(concepts: Sequence[Concept]) -> tuple[Candidate, ...]:
    """Each concept as a candidate, by the first of its names."""
    return tuple(Candidate(concept.names[0], (concept.id,)) for concept in concepts)


def ranked(
    mentions: np.ndarray, entities: np.ndarray, k: int, contrast: Contrast, score: str | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k best entities of each mention and their scores, as :func:`search` gives them.

    ``mentions`` (mentions × width) and ``entities`` (entities × width) of any length. ``score``: ``dot``,
    ``cosine``, or ``softmax``, the logarithm of the share that an entity has among all of them under the loss
    it was trained with: of dot products, or of alpha times the cosines. None: what the loss compares by. The
    softmax ranks as that does; how sure an answer is, it says in another way.
    """
    score = score or ("cosine" if contrast.cosine else "dot")
    if score == "cosine" or score == "softmax" and contrast.cosine:
        mentions, entities = unit(mentions), unit(entities)
    if score == "softmax":
        return softmax_search(contrast.alpha * mentions if contrast.cosine else mentions, entities, k)
    return search(mentions, entities, k)


def unit(vectors: np.ndarray) -> np.ndarray:
    """Vectors of length 1; one of length 0 stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)
