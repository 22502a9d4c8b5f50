"""Unlabelled text as a language model reads it: windows of tokens."""

from collections.abc import Iterable

import numpy as np

_TEXTS = 1_000  # tokenised at a time


def windows(texts: Iterable[str], tokenizer, length: int) -> np.ndarray:
    """Windows of ``length`` tokens, int32 (windows, length): [CLS] … [SEP] around what fits between.

    Texts follow one another, each ended by [SEP], so no window has padding; what is left over at the end
    is dropped. Raises ValueError for a length without room, and when the texts do not fill one window.
    """
    if length < 3:
        raise ValueError(f"window: expected room for a token between [CLS] and [SEP], found length {length}")
    texts, room = list(texts), length - 2
    parts = [np.zeros(0, dtype=np.int32)]
    for first in range(0, len(texts), _TEXTS):
        # Texts are longer than the model reads at once: that is what windows are for.
        encoded = tokenizer(texts[first : first + _TEXTS], add_special_tokens=False, verbose=False)
        parts += [np.array([*ids, tokenizer.sep_token_id], dtype=np.int32) for ids in encoded["input_ids"]]
    tokens = np.concatenate(parts)
    n = len(tokens) // room
    if not n:
        raise ValueError(f"expected at least {room} tokens of text for a window, found {len(tokens)}")
    inside = tokens[: n * room].reshape(n, room)
    ends = [np.full((n, 1), id, dtype=np.int32) for id in (tokenizer.cls_token_id, tokenizer.sep_token_id)]
    return np.hstack([ends[0], inside, ends[1]])
