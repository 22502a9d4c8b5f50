"""Predictions: the one table that every linker writes and every scorer reads."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

COLUMNS = ("document", "start", "end", "part", "rank", "name", "ids", "score")


class Query(NamedTuple):
    """What a candidate list answers: a span, and which part of it (0 = the whole mention)."""

    document: str
    start: int
    end: int
    part: int = 0


class Candidate(NamedTuple):
    """A name with the ids of the concepts that carry it; empty for a linker that ranks ids. Neither name nor
    ids = the answer NIL; a name that no concept carries is a wrong answer."""

    name: str
    ids: tuple[str, ...]

    @property
    def answer_ids(self) -> tuple[str, ...]:
        """Its ids; for a name without ids one that no concept has; none for NIL."""
        return self.ids or ((f"?{self.name}",) if self.name else ())


NIL = Candidate("", ())


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """Ranked candidates per query, held compactly; :meth:`frame` gives the table with ``COLUMNS``.

    ``index`` (queries × k, int32) points into ``candidates``, -1 where a list is shorter than k;
    ``scores`` (queries × k, float64) is higher for better. Rows are brought into descending order of
    score. Equal scores are a tie: the order inside a tie carries no meaning.

    Raises ValueError for shapes that disagree, scores that are not finite, a query answered twice, and ids of
    a candidate that are one text.
    """

    queries: tuple[Query, ...]
    candidates: tuple[Candidate, ...]
    index: np.ndarray
    scores: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", tuple(Query(*query) for query in self.queries))
        object.__setattr__(self, "candidates", tuple(Candidate(*candidate) for candidate in self.candidates))
        if text := next((ids for _, ids in self.candidates if isinstance(ids, str)), None):
            raise ValueError(f"predictions: expected the ids of a candidate as a tuple, found {text!r}")
        index = np.ascontiguousarray(self.index, dtype=np.int32)
        scores = np.ascontiguousarray(self.scores, dtype=np.float64)
        if index.shape != scores.shape or index.ndim != 2 or len(index) != len(self.queries):
            actual = f"index {index.shape} and scores {scores.shape}"
            raise ValueError(f"predictions: expected {len(self.queries)} queries × k twice, found {actual}")
        if index.size and (index.max() >= len(self.candidates) or index.min() < -1):
            raise ValueError(f"predictions: a candidate index lies outside 0..{len(self.candidates) - 1}")
        if (strange := ~np.isfinite(scores) & (index >= 0)).any():
            row, column = np.argwhere(strange)[0]
            actual = f"{scores[row, column]} for {self.queries[row]}"
            raise ValueError(f"predictions: expected scores that are numbers and finite, found {actual}")
        if len(set(self.queries)) != len(self.queries):
            repeated = pd.Series(self.queries)
            raise ValueError(f"predictions: {repeated[repeated.duplicated()].iloc[0]} is answered twice")
        scores = np.where(index >= 0, scores, -np.inf)
        order = np.argsort(-scores, axis=1, kind="stable")
        object.__setattr__(self, "index", np.take_along_axis(index, order, axis=1))
        object.__setattr__(self, "scores", np.take_along_axis(scores, order, axis=1))

    def __repr__(self) -> str:
        return f"Predictions({len(self):,} queries, {len(self.candidates):,} candidates)"

    def __len__(self) -> int:
        return len(self.queries)

    def frame(self) -> pd.DataFrame:
        """One row per candidate with ``COLUMNS``; ``rank`` from 1, ``ids`` a tuple."""
        rows, ranks = np.nonzero(self.index >= 0)
        picked = self.index[rows, ranks]
        queries = pd.DataFrame(list(self.queries), columns=list(Query._fields)).iloc[rows]
        return pd.DataFrame(
            {
                **{column: queries[column].to_numpy() for column in Query._fields},
                "rank": ranks + 1,
                "name": [self.candidates[i].name for i in picked],
                "ids": [self.candidates[i].ids for i in picked],
                "score": self.scores[rows, ranks],
            },
            columns=list(COLUMNS),
        )


def spans(documents: Sequence) -> list[Query]:
    """The distinct mention spans of documents, in order: one query per span, whole mention."""
    return list(dict.fromkeys(Query(d.id, m.start, m.end) for d in documents for m in d.mentions))
