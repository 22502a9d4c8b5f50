"""A marked mention in its context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .backbone import Backbone
from .inputs import Encoded
from .pieces import covering, pieces


class Mentions(NamedTuple):
    """Inputs in the order of the mentions, each with one span: the mention without its markers.

    ``long_mentions`` were cut at their end to fit the window; ``bare_mentions`` have no context in it.
    """

    inputs: list[Encoded]
    long_mentions: int
    bare_mentions: int


def mention_inputs(
    backbone: Backbone, mentions: Sequence[tuple[str, int, int]], window: int = 64
) -> Mentions:
    """[CLS] left [start] mention [end] right [SEP] for each (text, start, end), offsets in code points.

    The whole input has at most ``window`` word pieces (64 in KRISSBERT, section 4.1; 128 in the dual
    encoder for a single mention, and in PEL, appendix A), the special ones and the two markers included.
    The mention stands in the middle; where one side of its context is short, the other takes the room.
    A piece that is half in the mention is in it. Each distinct text is tokenised once. Raises ValueError
    without two markers, for a window with no room for a mention, and for a span outside its text.
    """
    if len(backbone.markers) < 2:
        raise ValueError("a marked mention needs two markers: Backbone.load(model, markers=(start, end))")
    if not 5 <= window <= backbone.max_length:
        raise ValueError(f"expected a window of 5 to {backbone.max_length} word pieces, found {window}")
    opening, closing = backbone.marker_ids()[:2]
    begin, end = (backbone.tokenizer.cls_token_id,), (backbone.tokenizer.sep_token_id,)
    of_text: dict[str, list[int]] = {}
    for i, (text, _, _) in enumerate(mentions):
        of_text.setdefault(text, []).append(i)

    inputs: list[Encoded] = [None] * len(mentions)
    long_mentions = bare_mentions = 0
    for (text, indices), found in zip(
        of_text.items(), pieces(backbone.tokenizer, list(of_text)), strict=True
    ):
        ranges = covering(text, found, [mentions[i][1:] for i in indices])
        for i, (first, stop) in zip(indices, ranges.tolist(), strict=True):
            room = window - 4 - (stop - first)
            if room < 0:
                long_mentions += 1
                stop, room = stop + room, 0
            before, after = first, len(found.ids) - stop
            left = min(before, max(room // 2, room - after))
            right = min(after, room - left)
            bare_mentions += not left + right
            ids = found.ids
            inputs[i] = Encoded(
                begin
                + ids[first - left : first]
                + (opening, *ids[first:stop], closing)
                + ids[stop : stop + right]
                + end,
                ((left + 2, max(left + 2, left + 1 + stop - first)),),
            )
    return Mentions(inputs, long_mentions, bare_mentions)
