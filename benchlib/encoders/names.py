"""Names, and other texts read whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .backbone import Backbone
from .batches import encode
from .inputs import Encoded
from .pooling import Pooling

_TEXTS = 10_000  # tokenised at a time, to bound memory


def text_inputs(backbone: Backbone, texts: Sequence[str], max_length: int = 32) -> list[Encoded]:
    """[CLS] text [SEP] for each text, cut at ``max_length`` tokens, special tokens included.

    A separator spelt in the text, as in ``entity_text``, is read as one. Raises ValueError for a length
    that the encoder does not have.
    """
    if not 2 < max_length <= backbone.max_length:
        raise ValueError(f"expected a length of 3 to {backbone.max_length} tokens, found {max_length}")
    distinct = list(dict.fromkeys(texts))
    found: dict[str, Encoded] = {}
    for begin in range(0, len(distinct), _TEXTS):
        some = distinct[begin : begin + _TEXTS]
        ids = backbone.tokenizer(some, truncation=True, max_length=max_length, return_attention_mask=False)
        found.update(zip(some, (Encoded(tuple(one)) for one in ids["input_ids"]), strict=True))
    return [found[text] for text in texts]


def encode_names(
    backbone: Backbone,
    texts: Sequence[str],
    pooling: str | Pooling = "mean",
    max_length: int = 32,
    precision: str = "fp32",
    progress: bool = True,
) -> np.ndarray:
    """Float32 vectors of length 1, texts × width; texts that read the same are encoded once."""
    inputs = text_inputs(backbone, texts, max_length)
    return encode(backbone, inputs, pooling, precision=precision, progress=progress)
