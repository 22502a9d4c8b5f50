"""A whole document in which every span gets a vector in one pass."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchlib import encoders
from benchlib.encoders import Encoded
from benchlib.encoders.pieces import Span, first_and_last, pieces_covering, word_pieces


class Documents(NamedTuple):
    """Windows of documents. ``vectors[order]`` are in the order of the spans given, document by document."""

    inputs: list[Encoded]
    order: np.ndarray


def document_inputs(
    backbone: "encoders.Backbone", documents: Sequence[tuple[str, Sequence[Span]]], max_length: int = 512
) -> Documents:
    """[CLS] text [SEP] for each (text, spans), a span being (start, end) in code points.

    At most ``max_length`` tokens a window (512 in the dual encoder, section 4.3). The first begins with
    the document; the spans that do not fit get further windows, the first of them in the middle unless
    the document ends before. A window without a span is left out. A span inside a word piece takes that
    piece, one without any piece the next (at the end of the text, the last), one longer than a window is
    cut at its end. Each text is tokenised once. Raises ValueError for a length that the encoder does not
    have, and for a span outside its text.
    """
    if not 3 <= max_length <= backbone.max_length:
        raise ValueError(f"expected a length of 3 to {backbone.max_length} tokens, found {max_length}")
    room = max_length - 2
    begin, end = (backbone.tokenizer.cls_token_id,), (backbone.tokenizer.sep_token_id,)
    inputs: list[Encoded] = []
    taken: list[int] = []
    given = 0
    tokenised = word_pieces(backbone.tokenizer, [text for text, _ in documents])
    for (text, spans), found in zip(documents, tokenised, strict=True):
        n = len(found.ids)
        first, last = first_and_last(found, pieces_covering(text, found, spans), room)
        left = np.lexsort((last, first))
        while len(left):
            head, tail = int(first[left[0]]), int(last[left[0]])
            at = 0 if tail < room else min(max(head - room // 2, tail - room + 1), n - room)
            fits = (first[left] >= at) & (last[left] < at + room)
            chosen, left = left[fits], left[~fits]
            # A text without any piece has only [CLS] to stand for its spans.
            shift = 1 - at if n else 0
            places = np.stack([first[chosen], last[chosen]], axis=1) + shift
            inputs.append(
                Encoded(begin + found.ids[at : at + room] + end, tuple(map(tuple, places.tolist())))
            )
            taken.extend((given + chosen).tolist())
        given += len(spans)
    return Documents(inputs, np.argsort(np.array(taken, dtype=int)))
