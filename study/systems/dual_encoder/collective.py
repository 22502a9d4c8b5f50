"""The collective dual encoder: all mentions of a chunk of a document in one pass (Bhowmik et al. 2021)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchlib import encoders
from benchlib.corpus import Document
from benchlib.encoders import Encoded
from benchlib.predictions import Query

from ..by_entity import TrainingMention
from ..encoders import encoder_folder
from ..pel.linker import BiEncoderLinker
from ..settings import require_choice
from .chunks import Chunks, chunk_inputs
from .context_ablation import BESIDE

CHUNKS = ("context", "authors")
Text = tuple[str, list[tuple[int, int]]]  # with the spans of the mentions to be linked


@dataclass
class CollectiveLinker(BiEncoderLinker):
    """A :class:`BiEncoderLinker` that reads a document in chunks of at most ``mentions`` mentions, without
    markers (sections 3.1 and 4.3).

    The vector of a mention is a linear layer of the states of its first and last word piece, which starts as
    their mean; ``pooling`` is that of entities, ``cls`` in the paper. With the ``chunks`` ``context`` a chunk
    is read with half a ``window`` of word pieces on either side, about what a mention alone has; with
    ``authors`` it ends with its last mention, see :func:`chunk_inputs`. In training, chunks are made of the
    mentions that are learned from; ``batch`` is a number of chunks.

    ``beside`` is what stands at linking in the place of the other mentions of the document, as of
    :func:`stand_ins`: it has no part in the training. With ``mentions`` 1 and ``whole`` each mention is read
    alone in its window, and all else is the same: the control for what reading them together does.

    Raises ValueError also for chunks of less than one mention.
    """

    loss: str = "ce"
    batch: int = 5
    mentions: int = 8
    chunks: str = "context"
    beside: str = "whole"
    base, after_training = "collective", ("score", "beside")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, chunks=CHUNKS, beside=BESIDE)
        if self.mentions < 1:
            raise ValueError(f"mentions: expected 1 or more a chunk, found {self.mentions}")

    def _load(self):
        from ..dual import DualEncoder

        model = DualEncoder.load(encoder_folder(self.model), self.layers, self.shared, (), self.pooling)
        model.mention_pooling = encoders.FirstLast(model.mention.width).to(model.mention.device)
        return model

    def mention_vectors(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        spans: dict[str, list[tuple[int, int]]] = {document.id: [] for document in documents}
        for query in queries:
            spans[query.document].append((query.start, query.end))
        read = self._in_chunks([(document.text, spans[document.id]) for document in documents], self.beside)
        return self._encode("mention", read.inputs)[read.order]

    def _read_seen(self, seen: Sequence[TrainingMention]) -> tuple[list[Encoded], np.ndarray]:
        texts: dict[str, Text] = {}
        for document, mention, _ in seen:
            texts.setdefault(document.id, (document.text, []))[1].append((mention.start, mention.end))
        read = self._in_chunks(list(texts.values()), "whole")
        concepts = np.array([concept for *_, concept in seen])
        return read.inputs, concepts[np.argsort(read.order)]

    def _in_chunks(self, texts: Sequence[Text], beside: str) -> Chunks:
        backbone = self.encoder.mention
        margin = self.window // 2 if self.chunks == "context" else None
        return chunk_inputs(backbone, texts, self.mentions, margin, backbone.max_length, beside)
