"""A marked mention in its context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from .inputs import Encoded
from .pieces import Span, pieces_covering, without_overlaps, word_pieces

if TYPE_CHECKING:
    from .backbone import Backbone

MARKERS = ("[ent]", "[/ent]")  # before and behind a mention, in every linker that marks one


class Mentions(NamedTuple):
    """Inputs in the order of the mentions. The first span of each is its mention without the markers.

    ``others`` says for each which of its other spans have the further spans of the input.
    """

    inputs: list[Encoded]
    others: list[tuple[int, ...]]


def mention_inputs(
    backbone: Backbone,
    mentions: Sequence[tuple[str, int, int]],
    window: int = 64,
    others: Sequence[Sequence[Span]] | None = None,
) -> Mentions:
    """[CLS] left [start] mention [end] right [SEP] for each (text, start, end), offsets in code points.

    The whole input has at most ``window`` word pieces (64 in KRISSBERT, section 4.2; 128 in the dual
    encoder for a single mention, section 4.3, and in PEL, table 6), with the special ones and the markers.
    The mention stands in the middle; where one side of its context is short, the other takes the room.
    A piece that is half in the mention is in it; a mention that is too long is cut at its end. Each distinct
    text is tokenised once.

    ``others`` are further spans of the text of each mention, which get markers as well where the window
    has them whole (the entity tags "all" of BioCoM, appendix E), and a span each, after the mention's and
    in the order of the text. Of those that overlap, the mention goes first, then what begins first, then
    the longest; one without a piece is left out.

    Raises ValueError without two markers, for a window with no room for a mention, and for a span outside
    its text.
    """
    if len(backbone.markers) < 2:
        raise ValueError("a marked mention needs two markers: Backbone.load(model, markers=(start, end))")
    if not 5 <= window <= backbone.max_length:
        raise ValueError(f"expected a window of 5 to {backbone.max_length} word pieces, found {window}")
    markers = backbone.marker_ids()[:2]
    begin, end = (backbone.tokenizer.cls_token_id,), (backbone.tokenizer.sep_token_id,)
    of_text: dict[str, list[int]] = {}
    for i, (text, _, _) in enumerate(mentions):
        of_text.setdefault(text, []).append(i)

    inputs: list[Encoded] = [None] * len(mentions)
    marked: list[tuple[int, ...]] = [()] * len(mentions)
    for (text, indices), pieces in zip(
        of_text.items(), word_pieces(backbone.tokenizer, list(of_text)), strict=True
    ):
        ranges = pieces_covering(text, pieces, [mentions[i][1:] for i in indices])
        for i, (first, stop) in zip(indices, ranges.tolist(), strict=True):
            room = window - 4 - (stop - first)
            if room < 0:
                stop, room = stop + room, 0
            beside = (
                without_overlaps(pieces_covering(text, pieces, others[i]).tolist(), (first, stop))
                if others
                else {}
            )
            left, right, whole = _context(first, len(pieces.ids) - stop, stop, room, list(beside))
            inside, spans = _marked(pieces.ids, first - left, stop + right, [(first, stop), *whole], markers)
            inputs[i] = Encoded(begin + inside + end, spans)
            marked[i] = tuple(beside[place] for place in whole)
    return Mentions(inputs, marked)


def _context(
    before: int, after: int, stop: int, room: int, beside: Sequence[Span]
) -> tuple[int, int, list[Span]]:
    """How many pieces before and after a mention that ends at ``stop`` there is room for, together with the
    markers of the ranges that lie in them, and these ranges."""
    for width in range(room, -1, -1):
        left = min(before, max(width // 2, width - after))
        right = min(after, width - left)
        whole = [span for span in beside if before - left <= span[0] and span[1] <= stop + right]
        if left + right + 2 * len(whole) <= room:
            break
    return left, right, whole


def _marked(
    ids: tuple[int, ...], first: int, stop: int, ranges: list[Span], markers: Sequence[int]
) -> tuple[tuple[int, ...], tuple[Span, ...]]:
    """The pieces from ``first`` to ``stop`` with markers around each range, and where the ranges then stand
    behind a [CLS]: one without a piece at its closing marker."""
    inside: list[int] = []
    place: dict[Span, Span] = {}
    at = first
    for a, b in sorted(ranges):
        inside += (*ids[at:a], markers[0])
        place[a, b] = (len(inside) + 1, len(inside) + max(1, b - a))
        inside += (*ids[a:b], markers[1])
        at = b
    return (*inside, *ids[at:stop]), tuple(place[span] for span in ranges)
