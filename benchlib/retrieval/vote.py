"""The concept that most of the nearest neighbours carry."""

from __future__ import annotations

import numpy as np

from .concepts import hits_per_concept


def majority_vote(index: np.ndarray, concepts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The concepts of each query's neighbours by number of votes: (concept, votes), int64, each queries
    × k, -1 and 0 where a query has fewer concepts. Column 0 is the answer.

    ``index`` (queries × k) are the nearest vectors, nearest first as :func:`search` gives them, -1 for
    none; ``concepts`` (vectors,) numbers the concept of each vector from 0. BioCoM, section 3.3, takes
    k = 15 (section 4.1) and leaves equal votes open; here they go to the concept with the nearer vector.
    Raises ValueError for other shapes and a vector without a concept.
    """
    votes = hits_per_concept(index, concepts)
    place = np.argsort(-votes, axis=1, kind="stable")
    votes = np.take_along_axis(votes, place, axis=1)
    return np.where(votes > 0, concepts[np.take_along_axis(index, place, axis=1)], -1), votes
