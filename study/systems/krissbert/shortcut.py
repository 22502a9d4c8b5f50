"""A shortcut of KRISSBERT's released code, of which the paper says nothing: what is known is not compared."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..linked_text import MatchedText

_ABOVE = 4.0  # no sum of two cosines is as large


def with_shortcut(
    strings: Sequence[str],
    found: tuple[np.ndarray, np.ndarray, np.ndarray],
    prototypes: Iterable[tuple[MatchedText, np.ndarray]],
    n_concepts: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What was ``found`` for each of the ``strings`` of mentions, keys and similarities (mentions × keys) and
    the concept of each key, as if each concept had one more key: the strings, case kept, that stand for it
    alone among the ``prototypes`` find that first."""
    meant: dict[str, set[int]] = {}
    for linked, which in prototypes:
        for i in which.tolist():
            text, start, end = linked.span(i)
            meant.setdefault(text[start:end], set()).add(int(linked.concept[i]))
    index, scores, concept = found
    single = {string: concepts.pop() for string, concepts in meant.items() if len(concepts) == 1}
    known = np.array([single.get(string, -1) for string in strings], dtype=np.int64)
    further = np.where(known < 0, -1, len(concept) + known)
    return (
        np.column_stack([further, index]),
        np.insert(scores, 0, _ABOVE, axis=1),
        np.concatenate([concept, np.arange(n_concepts)]),
    )
