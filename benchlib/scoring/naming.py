"""Lists in which each name stands once, with all its concepts."""

import numpy as np

from ..ontology import fold_name
from ..predictions import Candidate, Predictions


def merge_equal_names(predictions: Predictions) -> Predictions:
    """The predictions with the rows of a list that have one name, case aside, and one score as one row.

    A file may give a name that several concepts carry as one row with all their ids, or as a row for each:
    the linker is the same. The one row has the ids of all, in order. Rows without a name stay as they are,
    and so do those of one name at different scores, whose concepts the linker tells apart.
    """
    numbers: dict[str, int] = {}
    names = [fold_name(candidate.name) for candidate in predictions.candidates]
    name_of = np.array([numbers.setdefault(name, len(numbers)) if name else -1 for name in names], dtype=int)
    if not predictions.candidates:
        return predictions
    candidates, added = list(predictions.candidates), {}
    index, scores = predictions.index.copy(), predictions.scores.copy()
    for row in np.flatnonzero(_repeats(name_of, index, scores)):
        rows: dict[object, list[int]] = {}
        for place in np.flatnonzero(index[row] >= 0).tolist():
            name = int(name_of[index[row, place]])
            rows.setdefault((name, scores[row, place]) if name >= 0 else place, []).append(place)
        firsts = [places[0] for places in rows.values()]
        listed = []
        for places in rows.values():
            several = [candidates[i] for i in index[row, places]]
            merged = Candidate(several[0].name, tuple(dict.fromkeys(id for c in several for id in c.ids)))
            if len(several) > 1 and merged not in added:
                added[merged] = len(candidates)
                candidates.append(merged)
            listed.append(added[merged] if len(several) > 1 else index[row, places[0]])
        scores[row, : len(listed)] = scores[row, firsts]
        index[row] = -1
        index[row, : len(listed)] = listed
    return Predictions(predictions.queries, tuple(candidates), index, scores)


def _repeats(name_of: np.ndarray, index: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Which lists have a name twice at one score: a mask of the queries."""
    step = np.cumsum(scores != np.roll(scores, 1, axis=1), axis=1)
    named = (index >= 0) & (name_of[index] >= 0)
    # A number apart from all others for what has no name.
    alone = -1 - np.arange(index.shape[1])
    keys = np.sort(np.where(named, step * (name_of.max(initial=0) + 1) + name_of[index], alone), axis=1)
    return (np.diff(keys, axis=1) == 0).any(axis=1)
