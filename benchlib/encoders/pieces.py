"""Word pieces of a text, with the place of each in it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

Span = tuple[int, int]
_TEXTS = 256  # tokenised at a time: the tokenizer's own form of a text is a hundred times its size


class Pieces(NamedTuple):
    """Ids of the word pieces, and the half-open code-point offsets at which each starts and ends."""

    ids: tuple[int, ...]
    starts: np.ndarray
    ends: np.ndarray


def word_pieces(tokenizer, texts: Sequence[str]) -> Iterator[Pieces]:
    """Each text's pieces, in order, without special tokens: one that is spelt in the text is only text."""
    for begin in range(0, len(texts), _TEXTS):
        encoding = tokenizer(
            list(texts[begin : begin + _TEXTS]),
            add_special_tokens=False,
            return_offsets_mapping=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            split_special_tokens=True,
            verbose=False,
        )
        for ids, offsets in zip(encoding["input_ids"], encoding["offset_mapping"], strict=True):
            starts, ends = np.array(offsets, dtype=np.int32).reshape(-1, 2).T
            yield Pieces(tuple(ids), starts, ends)


def pieces_covering(text: str, pieces: Pieces, spans: Sequence[tuple[int, int]]) -> np.ndarray:
    """The half-open range of pieces that share a character with each span: spans × 2.

    A span inside a piece gets that piece; one without a piece (white space, a lone combining mark) gets
    the empty range before the next one. Raises ValueError for a span that is empty or not in the text.
    """
    bounds = np.array(spans, dtype=np.int64).reshape(-1, 2)
    wrong = (bounds[:, 0] < 0) | (bounds[:, 0] >= bounds[:, 1]) | (bounds[:, 1] > len(text))
    if wrong.any():
        start, end = bounds[wrong][0]
        raise ValueError(f"expected a span within 0-{len(text)} of its text, found {start}-{end}")
    first = np.searchsorted(pieces.ends, bounds[:, 0], side="right")
    stop = np.searchsorted(pieces.starts, bounds[:, 1], side="left")
    return np.stack([first, np.maximum(first, stop)], axis=1)


def first_and_last(pieces: Pieces, ranges: np.ndarray, room: int) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last piece of each of some ``ranges`` (spans × 2), one longer than ``room`` cut at
    its end. An empty range takes the next piece, or the last there is."""
    first = np.minimum(ranges[:, 0], max(len(pieces.ids) - 1, 0))
    last = np.maximum(first, ranges[:, 1] - 1)
    return first, np.minimum(last, first + room - 1)


def without_overlaps(ranges: list[Span], mention: Span) -> dict[Span, int]:
    """The ranges of pieces that share none with the mention nor with each other, in order, each with its
    place among all."""
    kept: dict[Span, int] = {}
    last = 0
    for i, (first, stop) in sorted(enumerate(ranges), key=lambda item: (item[1][0], -item[1][1])):
        if first < stop and first >= last and (stop <= mention[0] or first >= mention[1]):
            kept[first, stop], last = i, stop
    return kept
