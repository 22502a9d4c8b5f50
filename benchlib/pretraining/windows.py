"""Unlabelled text as a language model reads it: windows of tokens."""

from collections.abc import Iterable, Iterator

import numpy as np

_TEXTS = 1_000  # tokenised at a time


def windows(texts: Iterable[str], tokenizer, length: int) -> np.ndarray:
    """Windows of ``length`` tokens, int32 (windows, length): [CLS] … [SEP] around what fits between.

    Texts follow one another, each ended by [SEP], so no window has padding; what is left over at the end
    is dropped. Raises ValueError for a length without room, and when the texts do not fill one window.
    """
    if length < 3:
        raise ValueError(f"window: expected room for a token between [CLS] and [SEP], found length {length}")
    tokens = np.fromiter(_tokens(texts, tokenizer), dtype=np.int32)
    room = length - 2
    n = len(tokens) // room
    if not n:
        raise ValueError(f"expected at least {room} tokens of text for a window, found {len(tokens)}")
    inside = tokens[: n * room].reshape(n, room)
    ends = [np.full((n, 1), id, dtype=np.int32) for id in (tokenizer.cls_token_id, tokenizer.sep_token_id)]
    return np.hstack([ends[0], inside, ends[1]])


def _tokens(texts: Iterable[str], tokenizer) -> Iterator[int]:
    texts = list(texts)
    for first in range(0, len(texts), _TEXTS):
        some = texts[first : first + _TEXTS]
        # Texts are longer than the model reads at once: that is what windows are for.
        for ids in tokenizer(some, add_special_tokens=False, verbose=False)["input_ids"]:
            yield from ids
            yield tokenizer.sep_token_id
