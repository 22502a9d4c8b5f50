"""What linkers that look only at the mention string share: each distinct string is linked once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..corpus import Document
from ..ontology import Ontology, fold_name
from ..predictions import Candidate, Predictions, spans


def dictionary(ontology: Ontology) -> tuple[Candidate, ...]:
    """The distinct folded names of an ontology, each with the concepts that carry it.

    Raises ValueError for an ontology without any name.
    """
    candidates = tuple(Candidate(name, ids) for name, ids in ontology.owners().items())
    if not candidates:
        raise ValueError(f"ontology {ontology.name} has no name to link to")
    return candidates


def places(candidates: Sequence[Candidate]) -> dict[str, list[int]]:
    """By concept, where in ``candidates`` its names are."""
    owned: dict[str, list[int]] = {}
    for i, candidate in enumerate(candidates):
        for id in candidate.ids:
            owned.setdefault(id, []).append(i)
    return owned


def link_strings(
    documents: Sequence[Document],
    candidates: Sequence[Candidate],
    rank: Callable[[list[str]], tuple[np.ndarray, np.ndarray]],
) -> Predictions:
    """Predictions from ``rank``: distinct folded strings in, (index, scores) into ``candidates`` out."""
    queries = spans(documents)
    texts = {document.id: document.text for document in documents}
    strings = [fold_name(texts[query.document][query.start : query.end]) for query in queries]
    distinct = list(dict.fromkeys(strings))
    place = {string: i for i, string in enumerate(distinct)}
    index, scores = rank(distinct)
    rows = [place[string] for string in strings]
    return Predictions(tuple(queries), tuple(candidates), index[rows], scores[rows])
