"""Outcomes: for every mention, where its gold stands in the list, and nothing else.

Every measure of this package is a function of these few integers, so a record that keeps them can be
scored again under any protocol, without the predictions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..corpus import Corpus
from ..ontology import Ontology
from ..predictions import Predictions
from .coding import ALL, ANY, NIL, Coded, code

ORDERS = ("names", "rows", "concepts", "votes")
NEIGHBOURS = 15  # that vote (BioCoM, section 4.1)
_CHUNK = 4096  # gold sets at a time: bounds the memory to some tens of MB at 64 candidates


@dataclass(frozen=True, eq=False, repr=False)
class Outcomes:
    """Where the gold stands in every candidate list: all that is kept of the predictions.

    Say a list reads ``fever`` 0.9, ``Cold`` 0.8, ``chill`` 0.8, ``flu`` 0.3, and the gold is the concept of
    ``Cold``. One candidate scores higher (``n_better`` 1), two have the gold's score, itself included
    (``n_tied`` 2), and one of these two is gold (``n_tied_gold`` 1): its rank is 2 or 3, each as likely.
    Recall@k and MRR need no more, however they treat ties. ``n_better`` is -1 where no gold is listed; of
    several golds the best counts.

    Papers count different things as a candidate, so the three arrays (lines × 4) have a column for each of
    ``ORDERS``: ``names``, a name once, whoever carries it; ``rows``, a name once for each of its concepts;
    ``concepts``, a concept once, at its best name; ``votes``, a set of concepts once, ranked by how many of
    the ``NEIGHBOURS`` best names it owns (with those that tie with the last of them). For ``names`` and
    ``votes`` rows that split a name over its concepts are one
    (:func:`benchlib.scoring.naming.merge_equal_names`).

    An array has one value or row per *line*: one candidate list judged by one question. An ordinary mention
    is one line, a NIL mention too; a composite one, ``cold fever`` with the gold D1+D3, is four: any of the
    two found, D1, D3, and both. Lines are in corpus order, and ``mention`` is the mention's number from 0.

    - ``line_type``, the question: ``ANY`` gold concept; ``EACH``, one of several gold concepts, a line
      apiece; ``ALL`` parts, where ``n_better`` and ``n_tied`` are those of the part found last, and
      ``n_required`` is how many golds of that tie have to be reached; ``OWN``, the part that the list is for;
      ``NIL``, none: the gold is NIL.
    - ``part``: 0 for the list of the whole mention, else the part, from 1, whose own list is judged.
    - ``cluster``: a number for the unit that intervals resample.
    - ``top``, ``top_score``: an id that owns the best name, "" for no answer and for NIL, and its score. A
      record keeps four decimals of it.

    ``counts`` close: ``n_raw`` is ``n_scored`` and all ``dropped`` together.
    """

    mention: np.ndarray
    part: np.ndarray
    line_type: np.ndarray
    n_required: np.ndarray
    n_better: np.ndarray
    n_tied: np.ndarray
    n_tied_gold: np.ndarray
    cluster: np.ndarray
    top: np.ndarray
    top_score: np.ndarray
    counts: Mapping[str, int | Mapping[str, int]]

    def __repr__(self) -> str:
        return f"Outcomes({self.counts['n_scored']:,} mentions scored, {len(self.mention):,} lines)"

    def among(self, mentions: np.ndarray) -> Outcomes:
        """Those of the mentions of a mask, one entry a mention of the corpus; the counts stay those of the
        corpus."""
        kept = mentions[self.mention]
        arrays = {of.name: getattr(self, of.name)[kept] for of in fields(self) if of.name != "counts"}
        return replace(self, **arrays)

    def distinct(self, order: str) -> tuple[np.ndarray, np.ndarray]:
        """The distinct (above, ties, golds, needed) of the lines in one of ``ORDERS``, and which of them each
        line has: a few, that all measures go by, so they are kept."""
        if order not in self._distinct:
            ranked = (of[:, ORDERS.index(order)] for of in (self.n_better, self.n_tied, self.n_tied_gold))
            places = np.stack([*ranked, self.n_required], axis=1)
            # One integer per line: unique() of integers is many times faster than unique() of rows.
            spans = places.max(axis=0, initial=0) + 2
            keys = np.ravel_multi_index(tuple((places + 1).T), tuple(spans))
            _, where, which = np.unique(keys, return_index=True, return_inverse=True)
            self._distinct[order] = places[where], which
        return self._distinct[order]

    @cached_property
    def _distinct(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        return {}

    @property
    def whole(self) -> np.ndarray:
        """Mask of the lines that judge the whole mention by any gold: one per scored mention."""
        return (self.part == 0) & (self.line_type == ANY)

    @property
    def every(self) -> np.ndarray:
        """Mask of one line per mention, NIL included."""
        return self.whole | (self.line_type == NIL)

    @property
    def scored(self) -> np.ndarray:
        """The numbers of the scored mentions."""
        return self.mention[self.whole]

    @property
    def clusters(self) -> np.ndarray:
        """The cluster of each scored mention."""
        return self.cluster[self.whole]

    @property
    def is_nil(self) -> np.ndarray:
        """Which mentions have the gold NIL, one of ``every``."""
        return self.line_type[self.every] == NIL

    @property
    def top_scores(self) -> np.ndarray:
        """The top score of ``every`` mention, float64; -inf for no answer and for the answer NIL."""
        return np.where(self.top == "", -np.inf, self.top_score)[self.every].astype(np.float64)

    @property
    def composite(self) -> np.ndarray:
        """Which scored mentions have several parts."""
        return np.isin(self.scored, self.mention[self.line_type == ALL])


def outcomes(
    predictions: Predictions, corpus: Corpus, ontology: Ontology, cluster: str = "document"
) -> Outcomes:
    """The outcomes of predictions on a corpus with gold.

    ``cluster`` is ``document`` or ``gold``. NIL mentions are dropped from the scored under the reason
    ``nil``; a mention that was not answered, or whose gold the ontology lacks, is scored as wrong and
    counted. Raises ValueError for a corpus without mentions or without gold, and for predictions whose
    spans are no spans of the corpus.
    """
    return from_coded(code(predictions, corpus, ontology, cluster))


def from_coded(coded: Coded) -> Outcomes:
    """The outcomes of an integer-coded table."""
    mention, part, line_type, row = coded.lines.T
    n_sets, n_lines = len(coded.set_line), len(row)
    best = np.full(n_sets, -np.inf)
    places = np.zeros((3, n_sets, len(ORDERS)), dtype=np.int64)
    for first in range(0, n_sets, _CHUNK):
        chunk = np.arange(first, min(first + _CHUNK, n_sets))
        best[chunk], places[:, chunk] = _places(coded, chunk)

    # A line is as good as its worst set; sets that share the worst place are needed together.
    worst = np.full(n_lines, np.inf)
    np.minimum.at(worst, coded.set_line, best)
    decisive = best == worst[coded.set_line]
    above, ties, golds = np.zeros((3, n_lines, len(ORDERS)), dtype=np.int64)
    above[coded.set_line[decisive]] = places[0, decisive]
    ties[coded.set_line[decisive]] = places[1, decisive]
    np.add.at(golds, coded.set_line[decisive], places[2, decisive])
    above[~np.isfinite(worst)] = -1

    has_list = (row >= 0) & (coded.listed.index.size > 0)
    top, top_score = np.full(n_lines, "", dtype=object), np.full(n_lines, -np.inf)
    if has_list.any():
        top[has_list] = coded.top[row[has_list]]
        top_score[has_list] = coded.listed.scores[row[has_list], 0]
    return Outcomes(
        mention=mention,
        part=part,
        line_type=line_type,
        n_required=np.bincount(coded.set_line[decisive], minlength=n_lines),
        n_better=above,
        n_tied=ties,
        n_tied_gold=golds,
        cluster=coded.cluster,
        top=top,
        top_score=top_score,
        counts=coded.counts,
    )


def _places(coded: Coded, chunk: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For some gold sets: the best gold score, and (above, ties, golds) × sets × ``ORDERS``."""
    n = len(chunk)
    if not coded.listed.index.size or not len(coded.labels):
        return np.full(n, -np.inf), np.zeros((3, n, len(ORDERS)), dtype=np.int64)
    listed = _entries(coded, chunk, coded.listed)
    named = listed if coded.named is coded.listed else _entries(coded, chunk, coded.named)
    sizes, hits = (np.ones(len(named.row)), named.owners), (named.golds > 0, named.golds)
    best, *names = _stand(named.row, named.score, sizes, hits, n)
    _, *ranked = _stand(listed.row, listed.score, (listed.first,), (listed.first_golds,), n)
    orders = (names, ranked, _voting(coded, chunk, named))
    return best, np.stack([np.concatenate(arrays, axis=1) for arrays in zip(*orders, strict=True)])


class _Entries(NamedTuple):
    """The candidates listed for some gold sets, end to end: the set (``row``), and of its concepts how many
    there are (``owners``), stand there for the first time (``first``), are gold, and are both. The answer NIL
    takes a place as a concept does."""

    row: np.ndarray
    candidate: np.ndarray
    score: np.ndarray
    owners: np.ndarray
    first: np.ndarray
    golds: np.ndarray
    first_golds: np.ndarray


def _entries(coded: Coded, chunk: np.ndarray, predictions: Predictions) -> _Entries:
    query = coded.lines[coded.set_line[chunk], 3]
    index = np.where(query[:, None] >= 0, predictions.index[query], -1)
    row, place = np.nonzero(index >= 0)
    candidate, score = index[row, place], predictions.scores[query[row], place]
    concept, entry = coded.owners.pick(candidate)

    # Lists descend by score, so a concept's first entry is its best.
    key = row[entry] * coded.n_concepts + concept
    first = np.zeros(len(key), dtype=bool)
    first[np.unique(key, return_index=True)[1]] = True
    gold_concept, gold_row = coded.sets.pick(chunk)
    wanted = np.sort(gold_row * coded.n_concepts + gold_concept)
    # A key above all is held against the last.
    is_gold = wanted[np.searchsorted(wanted[:-1], key)] == key
    n_first, *n_gold = (np.bincount(entry[m], minlength=len(row)) for m in (first, is_gold, is_gold & first))
    owners = np.diff(coded.owners.start)[candidate]
    nil = owners == 0
    return _Entries(row, candidate, score, owners + nil, n_first + nil, *n_gold)


def _voting(coded: Coded, chunk: np.ndarray, named: _Entries) -> list[np.ndarray]:
    """(above, ties, golds), each sets × 1, of sets of concepts that their best names vote for."""
    # The last that votes may tie with others: they all do.
    query, scores = coded.lines[coded.set_line[chunk], 3], coded.named.scores
    last = scores[query, min(NEIGHBOURS, scores.shape[1]) - 1]
    votes = named.score >= last[named.row]
    _, voted, n_votes = np.unique(
        named.row[votes] * (coded.labels.max() + 1) + coded.labels[named.candidate[votes]],
        return_index=True,
        return_counts=True,
    )
    voted = np.flatnonzero(votes)[voted]
    # A number that rises with the votes, then with the score, equal where both are.
    _, by_score = np.unique(named.score[voted], return_inverse=True)
    ranks = n_votes * (by_score.max(initial=0) + 1) + by_score
    sizes, hits = (np.ones(len(voted)),), (named.golds[voted] > 0,)
    return list(_stand(named.row[voted], ranks, sizes, hits, len(chunk))[1:])


def _stand(row: np.ndarray, score: np.ndarray, sizes, hits, n: int) -> tuple[np.ndarray, ...]:
    """Per row the best gold score, and where it stands: above, ties, golds, each rows × orders.

    An entry counts ``sizes[o]`` candidates of order o, ``hits[o]`` of them gold."""
    gold = hits[0] > 0
    best = np.full(n, -np.inf)
    np.maximum.at(best, row[gold], score[gold])
    higher, tied = score > best[row], score == best[row]

    def per_row(counts, among: np.ndarray) -> np.ndarray:
        sums = [np.bincount(row, weights=count * among, minlength=n) for count in counts]
        return np.stack(sums, axis=1).astype(np.int64)

    above = np.where(np.isfinite(best)[:, None], per_row(sizes, higher), -1)
    return best, above, per_row(sizes, tied), per_row(hits, tied)
