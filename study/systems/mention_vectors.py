"""Vectors of marked mentions, each encoded once for all linkers of one training."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from benchlib import encoders
from benchlib.corpus import Document
from benchlib.encoders import Encoded, mention_inputs
from benchlib.predictions import Query

from .linked_text import MatchedText
from .places import texts_of
from .sentences import sentences_of


@dataclass
class MentionVectors:
    """The vectors of mentions by one encoder, mentions × width and of length 1. ``pooling``, ``precision``
    and ``progress`` are as of :func:`encode`, ``window`` and ``tags`` as of :meth:`MatchedText.windows`. With
    ``sentences`` a mention to be linked is read in its sentence alone (:func:`sentences_of`).

    All are kept: linkers that differ in their index alone ask for the same again.
    """

    backbone: "encoders.Backbone"
    pooling: str
    window: int
    precision: str
    progress: bool
    tags: str = "one"
    sentences: bool = False
    _in_text: dict[MatchedText, dict[int, np.ndarray]] = field(default_factory=dict, init=False, repr=False)
    _asked: dict[tuple, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def text_vectors(self, linked: MatchedText, which: np.ndarray) -> np.ndarray:
        """Those of some mentions in linked text."""
        kept = self._in_text.setdefault(linked, {})
        new = [i for i in which.tolist() if i not in kept]
        inputs, _ = linked.windows(self.backbone, new, self.window, self.tags)
        kept.update(zip(new, self._encode(inputs), strict=True))
        return np.stack([kept[i] for i in which.tolist()])

    def query_vectors(self, queries: Sequence[Query], documents: Sequence[Document]) -> np.ndarray:
        """Those of the mentions to be linked, document by document; with ``tags`` ``all``, the others of
        their document marked."""
        key = (*queries, *(document.text for document in documents))
        if key not in self._asked:
            spans, beside = [], []
            for text, own in texts_of(queries, documents):
                contexts = sentences_of(text, own) if self.sentences else [(0, len(text))] * len(own)
                for (first, last), (start, end) in zip(contexts, own, strict=True):
                    spans.append((text[first:last], start - first, end - first))
                    beside.append([(a - first, b - first) for a, b in own if first <= a and b <= last])
            others = beside if self.tags == "all" else None
            self._asked[key] = self._encode(mention_inputs(self.backbone, spans, self.window, others).inputs)
        return self._asked[key]

    def name_vectors(self, names: tuple[str, ...]) -> np.ndarray:
        """Those of names without context."""
        if names not in self._asked:
            spans = [(name, 0, len(name)) for name in names]
            self._asked[names] = self._encode(mention_inputs(self.backbone, spans, self.window).inputs)
        return self._asked[names]

    def _encode(self, inputs: Sequence[Encoded]) -> np.ndarray:
        vectors = encoders.encode(
            self.backbone, inputs, self.pooling, precision=self.precision, progress=self.progress
        )
        return vectors[first_spans(inputs)]


def first_spans(inputs: Sequence[Encoded]) -> np.ndarray:
    """Where in the vectors of inputs that of the first span of each is."""
    return np.cumsum([0, *(one.n_vectors for one in inputs)])[:-1]
