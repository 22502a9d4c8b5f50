"""Concepts in the order of their votes among the nearest neighbours."""

import numpy as np

from ..best_per_concept import best_per_concept


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
    order = np.argsort(-score, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(concept, order, axis=1), np.take_along_axis(score, order, axis=1)
