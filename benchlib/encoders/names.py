"""Names, and other texts read whole."""

import re
from collections.abc import Sequence
from numbers import Integral

import numpy as np
import torch

from .backbone import Backbone
from .batches import embed, encode
from .inputs import Encoded
from .pooling import Pooling
from .precision import PRECISIONS

_TEXTS = 10_000  # tokenised at a time, to bound memory
_SURROGATE = re.compile("[\ud800-\udfff]")  # half a character, which no tokenizer reads
_POOLINGS = ("mean", "cls")  # the others read spans, which a name has not


def text_inputs(backbone: Backbone, texts: Sequence[str], max_length: int = 32) -> list[Encoded]:
    """[CLS] text [SEP] for each text, cut at ``max_length`` tokens, special tokens included.

    A separator spelt in the text is read as one. Raises ValueError for a length that the encoder does not
    have, for a single string, and for what is no text.
    """
    if isinstance(texts, str):
        raise ValueError(f"expected a sequence of texts, found the text {texts[:20]!r}")
    check_length(backbone, max_length)
    texts = list(texts)
    for place, text in enumerate(texts):
        if not isinstance(text, str) or _SURROGATE.search(text):
            raise ValueError(f"text {place}: expected a text, found {text!r}")
    distinct = list(dict.fromkeys(texts))
    encoded: dict[str, Encoded] = {}
    for begin in range(0, len(distinct), _TEXTS):
        block = distinct[begin : begin + _TEXTS]
        ids = backbone.tokenizer(block, truncation=True, max_length=max_length, return_attention_mask=False)
        encoded.update(zip(block, (Encoded(tuple(sequence)) for sequence in ids["input_ids"]), strict=True))
    return [encoded[text] for text in texts]


def check_length(backbone: Backbone, max_length: int) -> None:
    """Raises ValueError for a length in tokens that the encoder does not have."""
    if not isinstance(max_length, Integral) or not 2 < max_length <= backbone.max_length:
        raise ValueError(f"expected a length of 3 to {backbone.max_length} tokens, found {max_length!r}")


class NameEncoder(torch.nn.Module):
    """A transformer with the way in which it reads names.

    ``pooling`` is ``mean``, ``cls`` or a function as of :func:`embed`. Texts are cut at ``max_length`` word
    pieces, special tokens included (25 in SapBERT's evaluation script). ``precision`` is that of
    :meth:`encode`, training sets its own: ``bf16`` is about three times as fast on a CPU as ``fp32``, and
    changes the nearest of 75,000 names for about 2 % of strings. Raises ValueError for another of these.
    """

    def __init__(
        self,
        backbone: Backbone,
        pooling: str | Pooling = "mean",
        max_length: int = 32,
        precision: str = "fp32",
        progress: bool = False,
    ) -> None:
        super().__init__()
        if isinstance(pooling, str) and pooling not in _POOLINGS:
            raise ValueError(f"pooling is {pooling!r}; expected {' or '.join(_POOLINGS)}")
        if precision not in PRECISIONS:
            raise ValueError(f"precision is {precision!r}; expected {' or '.join(PRECISIONS)}")
        check_length(backbone, max_length)
        self.backbone, self.pooling, self.max_length = backbone, pooling, max_length
        self.precision, self.progress = precision, progress

    def forward(self, texts: Sequence[str]) -> torch.Tensor:
        """The vectors of texts, texts × width, with gradient and of any length."""
        inputs = text_inputs(self.backbone, texts, self.max_length)
        return embed(self.backbone, inputs, self.pooling, normalize=False)

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Float32 vectors of length 1 without gradient, texts × width, the same in whatever order.

        Texts that read the same are encoded once.
        """
        inputs = text_inputs(self.backbone, texts, self.max_length)
        return encode(self.backbone, inputs, self.pooling, precision=self.precision, progress=self.progress)

    def fingerprint(self) -> str:
        return self.backbone.fingerprint()
