"""Several vectors per concept: from the vectors found to the concepts they stand for."""

import numpy as np


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
    order = np.argsort(-np.where(index >= 0, scores, -np.inf), axis=1, kind="stable")
    index, scores = np.take_along_axis(index, order, axis=1), np.take_along_axis(scores, order, axis=1)
    row, column = np.nonzero(index >= 0)
    pairs = row * (concepts.max(initial=0) + 1) + concepts[index[row, column]]
    _, kept = np.unique(pairs, return_index=True)
    first = np.zeros(index.shape, dtype=bool)  # whether a hit is the first with its concept
    first[row[kept], column[kept]] = True
    place = np.argsort(~first, axis=1, kind="stable")[:, :k]
    found = np.take_along_axis(first, place, axis=1)
    concept = np.where(found, concepts[np.take_along_axis(index, place, axis=1)], -1)
    return concept, np.where(found, np.take_along_axis(scores, place, axis=1), -np.inf).astype(np.float32)
