"""What can stand in the place of the other mentions of a document, to see what they tell of a mention."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchlib.encoders.pieces import Pieces

Beside = Literal["whole", "masked", "shuffled"]


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
