"""Ranked lists: their first entries, and from the vectors found to the concepts they stand for."""

from collections.abc import Mapping, Sequence

import numpy as np


def first_k(index: np.ndarray, scores: np.ndarray, k: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The ``k`` entries of each row with the highest ``scores``, and these, best first, equal scores in the
    order given; all of them for None."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(index, order, axis=1), np.take_along_axis(scores, order, axis=1)


def padded(lists: Sequence[Mapping[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    """The entries and the scores of lists of any length, in their order: (int32, float32), lists × the
    longest, -1 and -inf behind the end of a list."""
    index = np.full((len(lists), max(map(len, lists), default=0)), -1, dtype=np.int32)
    scores = np.full(index.shape, -np.inf, dtype=np.float32)
    for row, listed in enumerate(lists):
        index[row, : len(listed)], scores[row, : len(listed)] = list(listed), list(listed.values())
    return index, scores


def best_per_concept(
    index: np.ndarray, scores: np.ndarray, concepts: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The first k distinct concepts of each query and the highest score among the vectors of each
    (KRISSBERT, section 3.4, equation 3): (concept int64, scores float32), each queries × min(k, hits),
    best first, equal scores in the order of the hits, -1 and -inf where a query has fewer concepts.

    ``index`` and ``scores`` (queries × hits) are vectors found, -1 for none; ``concepts`` (vectors,)
    numbers the concept of each vector from 0. The maximum is over what was found: a search for n hits
    may hold fewer than n concepts.
    """
    index, scores = first_k(index, np.where(index >= 0, scores, -np.inf))
    row, column = np.nonzero(index >= 0)
    pairs = row * (concepts.max(initial=0) + 1) + concepts[index[row, column]]
    _, kept = np.unique(pairs, return_index=True)
    first = np.zeros(index.shape, dtype=bool)  # whether a hit is the first with its concept
    first[row[kept], column[kept]] = True
    best = np.where(first, scores, -np.inf).astype(np.float32)
    return first_k(np.where(first, concepts[index], -1), best, k)


def by_votes(
    index: np.ndarray, cosines: np.ndarray, concepts: np.ndarray, neighbours: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The first k concepts of each query and their scores: (concept int64, scores float64), each queries ×
    min(k, hits), -1 and -inf where a query has fewer.

    Each of the first ``neighbours`` hits is a vote for its concept. BioCoM, section 3.3, answers with the
    concept of most votes, of k = 15 (section 4.1), and leaves equal votes open; here they go to the concept
    with the nearer vector. Concepts without a vote follow, the nearest first. A score is the number of votes
    and, below 1, half the cosine's place between -1 and 1.

    ``index`` and ``cosines`` (queries × hits) are vectors found, nearest first as :func:`search` gives them,
    -1 for none; ``concepts`` (vectors,) numbers the concept of each vector from 0.
    """
    concept, nearest = best_per_concept(index, cosines, concepts, max(k, index.shape[-1]))
    first = index[:, :neighbours]
    row, _ = np.nonzero(first >= 0)
    width = concepts.max(initial=0) + 1
    pairs, counts = np.unique(row * width + concepts[first[first >= 0]], return_counts=True)
    asked = np.arange(len(index))[:, None] * width + concept
    place = np.minimum(np.searchsorted(pairs, asked), max(len(pairs) - 1, 0))
    votes = np.where(pairs[place] == asked, counts[place], 0) if len(pairs) else 0
    score = np.where(concept < 0, -np.inf, votes + (1 + nearest.astype(np.float64)) / 4)
    return first_k(concept, score, k)
