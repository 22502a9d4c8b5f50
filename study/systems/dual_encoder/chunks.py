"""Documents in chunks of a few mentions, each read in one pass in which every mention gets its vector."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchlib import encoders
from benchlib.encoders import Encoded
from benchlib.encoders.pieces import first_and_last, pieces_covering, without_overlaps, word_pieces

from .context_ablation import mask_other_mentions


class Chunks(NamedTuple):
    """Chunks of documents. ``vectors[order]`` are in the order of the spans given, document by document."""

    inputs: list[Encoded]
    order: np.ndarray


def chunk_inputs(
    backbone: "encoders.Backbone",
    documents: Sequence[tuple[str, Sequence[tuple[int, int]]]],
    most: int = 8,
    margin: int | None = 32,
    max_length: int = 512,
    beside: str = "whole",
) -> Chunks:
    """[CLS] text [SEP] for each chunk of each (text, spans), a span being (start, end) in code points.

    In the order of the text, a chunk has the next ``most`` spans, or fewer where these are more than
    ``max_length`` tokens apart (8 and 512 in the dual encoder, section 4.3). It is read from ``margin``
    word pieces before its first span to as many behind its last, fewer where ``max_length`` says so. With
    ``margin`` None the text is cut as the authors' code does it: a chunk begins where the one before ended,
    and ends at the end of its last span, which so has nothing to its right; the last one ends with the text.
    A span that is longer than a chunk can be is cut at its end.

    ``beside`` says what stands in the place of the other spans of the document, as of
    :func:`mask_other_mentions`: with any but ``whole`` each span is read in an input of its own, with the
    text of its chunk.

    Raises ValueError for chunks of less than one span, a length that the encoder does not have, a span
    outside its text, and as :func:`mask_other_mentions`.
    """
    if most < 1:
        raise ValueError(f"expected chunks of at least 1 mention, found {most}")
    if not 3 <= max_length <= backbone.max_length:
        raise ValueError(f"expected a length of 3 to {backbone.max_length} tokens, found {max_length}")
    room = max_length - 2
    begin, end = (backbone.tokenizer.cls_token_id,), (backbone.tokenizer.sep_token_id,)
    tokenised = list(word_pieces(backbone.tokenizer, [text for text, _ in documents]))
    ranges = [
        pieces_covering(text, found, spans) for (text, spans), found in zip(documents, tokenised, strict=True)
    ]
    others = mask_other_mentions(backbone.tokenizer, tokenised, ranges, beside)
    inputs: list[Encoded] = []
    taken: list[int] = []
    given = 0
    for found, own, instead in zip(tokenised, ranges, others, strict=True):
        first, last = first_and_last(found, own, room)
        for at, stop, members in _chunks(first, last, len(found.ids), most, margin, room):
            # A text without any piece has only [CLS] to stand for its spans.
            shift = 1 - at if found.ids else 0
            spans = [(int(first[i]) + shift, int(last[i]) + shift) for i in members]
            if beside == "whole":
                inputs.append(Encoded((*begin, *found.ids[at:stop], *end), tuple(spans)))
            for i, span in zip(members, spans, strict=True) if beside != "whole" else ():
                ids = list(found.ids)
                for (a, b), other in without_overlaps(
                    own.tolist(), (int(first[i]), int(last[i]) + 1)
                ).items():
                    ids[a:b] = instead[other]
                inputs.append(Encoded((*begin, *ids[at:stop], *end), (span,)))
            taken.extend(given + i for i in members)
        given += len(own)
    return Chunks(inputs, np.argsort(np.array(taken, dtype=int)))


def _chunks(
    first: np.ndarray, last: np.ndarray, n: int, most: int, margin: int | None, room: int
) -> Iterator[tuple[int, int, list[int]]]:
    """Where each chunk of a document of ``n`` pieces begins and stops, and the numbers of its spans."""
    left, at = np.lexsort((last, first)).tolist(), 0
    while left:
        # Where two spans share a piece, the one before ended behind the first of this one.
        at = int(first[left[0]]) if margin is not None else min(at, int(first[left[0]]))
        at = max(at, int(last[left[0]]) + 1 - room)  # what is too far from the next span is not read
        size = 1
        while size < min(most, len(left)) and last[left[: size + 1]].max() < at + room:
            size += 1
        members, left = left[:size], left[size:]
        stop = int(last[members].max()) + 1
        if margin is None:
            stop = stop if left else min(n, at + room)
            yield at, stop, members
            at = stop
        else:
            both = min(margin, (room - (stop - at)) // 2)
            yield max(0, at - both), min(n, stop + both), members
