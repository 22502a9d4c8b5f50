"""Documents in passes of an encoder, in each of which all spans read get their vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from benchlib import encoders
from benchlib.encoders import Encoded
from benchlib.encoders.pieces import (
    Pieces,
    Span,
    first_and_last,
    pieces_covering,
    without_overlaps,
    word_pieces,
)

from ..texts import Text

Beside = Literal["whole", "masked", "shuffled"]
Pass = tuple[int, int, Sequence[int]]
"""Where it begins and stops, in word pieces, and the numbers of its spans."""


class Passes(NamedTuple):
    """What is read of documents. ``vectors[order]`` are in the order of the spans given, document by
    document."""

    inputs: list[Encoded]
    order: np.ndarray


def chunk_inputs(
    backbone: encoders.Backbone,
    documents: Sequence[Text],
    most: int = 8,
    margin: int | None = 32,
    max_length: int = 512,
    beside: Beside = "whole",
) -> Passes:
    """[CLS] text [SEP] for each chunk of each text.

    In the order of the text, a chunk has the next ``most`` spans, or fewer where these are more than
    ``max_length`` tokens apart (8 and 512 in the dual encoder, section 4.3). It is read from ``margin``
    word pieces before its first span to as many behind its last, fewer where ``max_length`` says so. With
    ``margin`` None the text is cut as the authors' code does it: a chunk begins where the one before ended,
    and ends at the end of its last span, which so has nothing to its right; the last one ends with the text.

    ``beside`` says what stands in the place of the other spans of the document, as of
    :func:`mask_other_mentions`: with any but ``whole`` each span is read in an input of its own, with the
    text of its chunk. A span inside a word piece takes that piece, one without any piece the next (at the
    end of the text, the last), one longer than a chunk is cut at its end. Raises ValueError for a length
    that the encoder does not have, for a span outside its text, and as :func:`mask_other_mentions`.
    """
    room = room_of(backbone, max_length)
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
        for at, stop, members in _chunks(first, last, len(found.ids), room, most, margin):
            # A text without any piece has only [CLS] to stand for its spans.
            shift = 1 - at if found.ids else 0
            spans = [(int(first[i]) + shift, int(last[i]) + shift) for i in members]
            if beside == "whole":
                inputs.append(framed(backbone, found.ids[at:stop], spans))
            for i, span in zip(members, spans, strict=True) if beside != "whole" else ():
                ids, whole = list(found.ids), (int(first[i]), int(last[i]) + 1)
                for (a, b), other in without_overlaps(own.tolist(), whole).items():
                    ids[a:b] = instead[other]
                inputs.append(framed(backbone, ids[at:stop], [span]))
            taken.extend(given + i for i in members)
        given += len(own)
    return Passes(inputs, np.argsort(np.array(taken, dtype=int)))


def room_of(backbone: encoders.Backbone, max_length: int) -> int:
    """How many word pieces an input of ``max_length`` tokens has; raises ValueError for another length than
    the encoder has."""
    if not 3 <= max_length <= backbone.max_length:
        raise ValueError(f"expected a length of 3 to {backbone.max_length} tokens, found {max_length}")
    return max_length - 2


def framed(backbone: encoders.Backbone, ids: Sequence[int], spans: Sequence[Span]) -> Encoded:
    """[CLS] pieces [SEP], with spans (first, last) that count from [CLS]."""
    tokenizer = backbone.tokenizer
    return Encoded((tokenizer.cls_token_id, *ids, tokenizer.sep_token_id), tuple(spans))


def _chunks(
    first: np.ndarray, last: np.ndarray, n: int, room: int, most: int, margin: int | None
) -> Iterator[Pass]:
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


def mask_other_mentions(
    tokenizer, documents: Sequence[Pieces], ranges: Sequence[np.ndarray], beside: Beside
) -> list[list[tuple[int, ...]]]:
    """For each of the ``ranges`` of pieces (spans × 2) of each document, as many pieces as it has.

    ``whole``: its own. ``masked``: the mask token. ``shuffled``: those of another of all the spans given
    that has as many pieces, so that what is read has the same length and stays a text; the only one of its
    length keeps its own. Which one is the same at every call. Raises ValueError for a tokenizer without a
    mask token to mask with.
    """
    found = [[one.ids[a:b] for a, b in own.tolist()] for one, own in zip(documents, ranges, strict=True)]
    if beside == "masked":
        if tokenizer.mask_token_id is None:
            raise ValueError("beside is 'masked'; expected a tokenizer with a mask token, found one without")
        return [[(tokenizer.mask_token_id,) * len(ids) for ids in own] for own in found]
    if beside == "shuffled":
        by_length: dict[int, list[tuple[int, int]]] = {}
        for document, own in enumerate(found):
            for i, ids in enumerate(own):
                by_length.setdefault(len(ids), []).append((document, i))
        rng = np.random.default_rng(0)
        shuffled = [list(own) for own in found]
        for some in by_length.values():
            order = rng.permutation(len(some)).tolist()
            # The next one of a shuffled circle is never itself.
            for place, taken in zip(order, order[1:] + order[:1], strict=True):
                (document, i), (other, j) = some[place], some[taken]
                shuffled[document][i] = found[other][j]
        return shuffled
    return found
