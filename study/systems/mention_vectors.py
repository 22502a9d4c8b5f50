"""Vectors of marked mentions, each encoded once for all linkers of one training."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchlib import encoders
from benchlib.corpus import Document
from benchlib.encoders import Encoded, mention_inputs
from benchlib.predictions import Query

from .kept_vectors import KeptVectors
from .linked_text import MatchedText
from .sentences import sentences_of
from .texts import texts_of


@dataclass
class MentionVectors:
    """The vectors of mentions by one encoder, mentions × width and of length 1. ``pooling``, ``precision``
    and ``progress`` are as of :func:`encode`, ``window`` and ``tags`` as of :meth:`MatchedText.windows`. With
    ``sentences`` a mention to be linked is read in its sentence alone (:func:`sentences_of`).

    All are kept, in the ``folder`` of the training if there is one: linkers that differ in their index alone
    ask for the same again.
    """

    backbone: "encoders.Backbone"
    pooling: str
    window: int
    precision: str
    progress: bool
    tags: str = "one"
    sentences: bool = False
    folder: Path | None = None

    def __post_init__(self) -> None:
        self._kept = KeptVectors(self.folder, "mentions")

    def text_vectors(self, linked: MatchedText, which: np.ndarray) -> np.ndarray:
        """Those of some mentions in linked text."""
        return self._vectors(linked.windows(self.backbone, which.tolist(), self.window, self.tags)[0])

    def query_vectors(self, queries: Sequence[Query], documents: Sequence[Document]) -> np.ndarray:
        """Those of the mentions to be linked, document by document; with ``tags`` ``all``, the others of
        their document marked."""
        spans, beside = [], []
        for text, own in texts_of(queries, documents):
            contexts = sentences_of(text, own) if self.sentences else [(0, len(text))] * len(own)
            for (first, last), (start, end) in zip(contexts, own, strict=True):
                spans.append((text[first:last], start - first, end - first))
                beside.append([(a - first, b - first) for a, b in own if first <= a and b <= last])
        others = beside if self.tags == "all" else None
        return self._vectors(mention_inputs(self.backbone, spans, self.window, others).inputs)

    def name_vectors(self, names: Sequence[str]) -> np.ndarray:
        """Those of names without context."""
        spans = [(name, 0, len(name)) for name in names]
        return self._vectors(mention_inputs(self.backbone, spans, self.window).inputs)

    def _vectors(self, inputs: Sequence[Encoded]) -> np.ndarray:
        def encode(new: Sequence[Encoded]) -> np.ndarray:
            how = {"precision": self.precision, "progress": self.progress}
            return encoders.encode(self.backbone, new, self.pooling, **how)[first_spans(new)]

        return self._kept.of(inputs, encode)


def first_spans(inputs: Sequence[Encoded]) -> np.ndarray:
    """Where in the vectors of inputs that of the first span of each is."""
    return np.cumsum([0, *(one.n_vectors for one in inputs)])[:-1]
