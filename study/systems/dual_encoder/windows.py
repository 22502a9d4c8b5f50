"""A text of any length in windows of a few word pieces, none of which cuts a word where it can be helped."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchlib import encoders
from benchlib.encoders import Encoded
from benchlib.encoders.pieces import Pieces, Span, pieces_covering, word_pieces

from .passes import framed, room_of


class Window(NamedTuple):
    """A stretch of the text of number ``document``; ``pieces`` has the offsets of each word piece in it."""

    document: int
    text: str
    pieces: Pieces

    def inputs(self, backbone: "encoders.Backbone", spans: Sequence[Span]) -> Encoded:
        """[CLS] pieces [SEP], with spans of pieces (first, last) that count from 0 without [CLS]."""
        return framed(backbone, self.pieces.ids, [(a + 1, b + 1) for a, b in spans])

    def offsets(self, first: int, last: int) -> Span:
        """The half-open code-point offsets in the text of a span of pieces."""
        return int(self.pieces.starts[first]), int(self.pieces.ends[last])

    def places(self, spans: Sequence[Span]) -> list[Span | None]:
        """The (first, last) piece of spans given as code-point offsets; None for one that is not wholly in
        the window, or has no piece. Raises ValueError as :func:`pieces_covering`."""
        begin, end = self.offsets(0, -1)
        ranges = pieces_covering(self.text, self.pieces, spans).tolist()
        return [
            (first, stop - 1) if first < stop and begin <= span[0] and span[1] <= end else None
            for span, (first, stop) in zip(spans, ranges, strict=True)
        ]


def text_windows(
    backbone: "encoders.Backbone", texts: Sequence[str], max_length: int = 256
) -> Iterator[Window]:
    """Each text in as few windows of ``max_length`` tokens, [CLS] and [SEP] among them, as will do, about
    equally long.

    A window ends behind a sentence where it can, else behind a word, else anywhere. A text without a piece
    has no window. Raises ValueError for a length that the encoder does not have.
    """
    room = room_of(backbone, max_length)
    for number, (text, found) in enumerate(zip(texts, word_pieces(backbone.tokenizer, texts), strict=True)):
        n = len(found.ids)
        # What it is worth to end behind a piece: 2 a sentence, 1 a word.
        apart = np.append(found.ends[:-1] < found.starts[1:], True) if n else np.zeros(0, dtype=bool)
        stops = np.array([text[end - 1] in ".?!" for end in found.ends.tolist()], dtype=bool)
        worth, at = apart * (1 + stops), 0
        while at < n:
            stop = n if n - at <= room else _end(worth, at, room, n)
            yield Window(number, text, Pieces(found.ids[at:stop], found.starts[at:stop], found.ends[at:stop]))
            at = stop


def _end(worth: np.ndarray, at: int, room: int, n: int) -> int:
    """Where the window that begins at ``at`` stops: the most worthy place in its second half, and of equal
    ones that which leaves all windows about equally long."""
    even = at + -(-(n - at) // -(-(n - at) // room))
    there = np.arange(at + room // 2 + 1, at + room + 1)
    value = worth[there - 1]
    best = there[value == value.max()]
    return int(best[np.abs(best - even).argmin()])
