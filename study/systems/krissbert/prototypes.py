"""Mentions that stand for a concept, beside the vector of its own description, and their strings."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..linked_text import MatchedText

_ABOVE = 4.0  # no sum of two cosines is as large


def prototype_keys(
    prototypes: np.ndarray, concepts: np.ndarray, references: np.ndarray, doubled: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Keys whose inner product with a mention's vector is KRISSBERT's score with entity references
    (equation 6), and the concept of each: (float32 keys × width, int64 keys).

    ``prototypes`` (prototypes × width) belong to ``concepts`` (prototypes,), which number the rows of
    ``references`` (concepts × width), zeros where a concept has none. A key is the sum of both, which
    scores as the pair of them laid end to end does against the mention's vector twice, at half the
    width. A concept without prototypes has its reference as its only key (section 3.5), which scores up to 1
    where the others score up to 2; with ``doubled`` twice its reference, which scores up to 2 as they do.
    """
    alone = references.any(axis=1)
    alone[concepts] = False
    lone = references[alone] * (2 if doubled else 1)
    keys = np.concatenate([prototypes + references[concepts], lone])
    return keys.astype(np.float32), np.concatenate([concepts, np.flatnonzero(alone)])


def with_shortcut(
    strings: Sequence[str],
    found: tuple[np.ndarray, np.ndarray, np.ndarray],
    prototypes: Iterable[tuple[MatchedText, np.ndarray]],
    n_concepts: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A shortcut of KRISSBERT's released code, not in the paper: what is known is not compared.

    What was ``found`` for each of the ``strings`` of mentions, keys and similarities (mentions × keys) and
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
