"""The collective dual encoder: all mentions of a chunk of a document in one pass (Bhowmik et al. 2021)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from pydantic import PositiveInt
from pydantic.dataclasses import dataclass

from benchlib import encoders
from benchlib.corpus import Document
from benchlib.encoders import Encoded
from benchlib.predictions import Query

from ..by_entity import TrainingMention
from ..contrast import Loss
from ..pel.linker import BiEncoderLinker
from ..texts import Text, texts_of
from .passes import Beside, Passes, chunk_inputs


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
    :func:`mask_other_mentions`: it has no part in the training. With ``mentions`` 1 and ``whole`` each one
    is read alone in its window, and all else is the same: the control for what reading them together does.
    """

    loss: Loss = "ce"
    batch: int = 5
    mentions: PositiveInt = 8
    chunks: Literal["context", "authors"] = "context"
    beside: Beside = "whole"
    base, after_training = "collective", ("score", "beside")

    def _load(self):
        from ..dual import DualEncoder

        model = DualEncoder.load(self.model, self.layers, self.shared, (), self.pooling)
        model.mention_pooling = encoders.FirstLast(model.mention.width).to(model.mention.device)
        return model

    def mention_vectors(self, documents: Sequence[Document], queries: Sequence[Query]) -> np.ndarray:
        read = self._in_chunks(texts_of(queries, documents), self.beside)
        return self._encode("mention", read.inputs)[read.order]

    def _read_seen(self, seen: Sequence[TrainingMention]) -> tuple[list[Encoded], Sequence[int]]:
        texts: dict[str, Text] = {}
        for document, mention, _ in seen:
            texts.setdefault(document.id, (document.text, []))[1].append((mention.start, mention.end))
        read = self._in_chunks(list(texts.values()), "whole")
        return read.inputs, np.argsort(read.order)

    def _in_chunks(self, texts: Sequence[Text], beside: Beside) -> Passes:
        backbone = self.encoder.mention
        margin = self.window // 2 if self.chunks == "context" else None
        return chunk_inputs(backbone, texts, self.mentions, margin, backbone.max_length, beside)
