"""From names and ids to integers: the table that scoring works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from ..corpus import Corpus
from ..ontology import Ontology
from ..predictions import Predictions, Query
from .naming import merge_equal_names

ANY, ALL, OWN, EACH, NIL = range(5)
"""What a line wants: any gold concept, all parts, its own part, one gold concept of several, nothing."""


@dataclass(frozen=True)
class Ragged:
    """Lists of integers end to end: list i is ``values[start[i]:start[i + 1]]``."""

    start: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, lists: list[list[int]]) -> Ragged:
        start = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return cls(start, np.fromiter((v for each in lists for v in each), dtype=np.int64, count=start[-1]))

    def pick(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The chosen lists end to end, and for each value the position in ``which`` it came from."""
        lengths = np.diff(self.start)[which]
        source = np.repeat(np.arange(len(which)), lengths)
        offset = np.arange(len(source)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self.values[self.start[which][source] + offset], source


@dataclass(frozen=True)
class Coded:
    """Predictions against gold, with every id an integer.

    ``listed`` are the predictions, and ``named`` the same with each name once
    (:func:`benchlib.scoring.naming.merge_equal_names`); the ``owners`` of each candidate of ``named``, which
    has all those of ``listed``, are its concepts, and its ``labels`` a number that candidates of the same
    concepts share. A line is one candidate list to be judged for one mention; ``lines`` × 4 are the mention,
    the part whose list it is (0 = the whole mention's), what is wanted of it (``ANY``, ``ALL``, ...) and the
    row of the list (-1 = not answered). ``sets`` are gold sets of concepts, set i belonging to line
    ``set_line[i]``; all sets of a line must be found.
    """

    listed: Predictions
    named: Predictions
    owners: Ragged
    labels: np.ndarray
    lines: np.ndarray
    set_line: np.ndarray
    sets: Ragged
    n_concepts: int
    cluster: np.ndarray
    top: np.ndarray
    counts: Mapping[str, int | Mapping[str, int]]


def code(predictions: Predictions, corpus: Corpus, ontology: Ontology, cluster: str = "document") -> Coded:
    """Code predictions and gold together; see :func:`benchlib.scoring.outcomes` for errors."""
    if cluster not in ("document", "gold"):
        raise ValueError(f"cluster is {cluster!r}; expected document or gold")
    concepts: dict[str, int] = {}

    def codes(ids) -> list[int]:
        return [concepts.setdefault(c, len(concepts)) for c in ontology.concepts_of(ids)]

    named = merge_equal_names(predictions)
    owned = [codes(candidate.ids) for candidate in named.candidates]
    labels: dict[tuple[int | str, ...], int] = {}
    row_of = {query: row for row, query in enumerate(predictions.queries)}
    answered = (predictions.index >= 0).any(axis=1)
    _check_spans(predictions, corpus)

    lines: list[tuple[int, int, int, int]] = []
    sets: list[list[int]] = []
    set_line: list[int] = []
    clusters: dict[int, str] = {}
    cluster_of: list[int] = []
    n_outside = n_unanswered = 0
    for number, (document, mention) in enumerate(corpus.mentions()):
        gold = mention.gold
        if gold is None:
            raise ValueError(f"corpus {corpus.name}: document {document.id} has a mention without gold")
        parts = [codes(sorted(part)) for part in gold.parts]
        span = document.id, mention.start, mention.end
        row, *part_rows = (row_of.get(Query(*span, part), -1) for part in range(len(parts) + 1))
        if len(parts) < 2 or max(part_rows) < 0:  # no lists of parts
            part_rows = []
        key = document.id if cluster == "document" else "|".join(sorted(gold.ids))
        for part, wants, query, wanted in _lines(row, parts, part_rows):
            set_line.extend([len(lines)] * len(wanted))
            sets.extend(wanted)
            lines.append((number, part, wants, query))
            cluster_of.append(cluster_number(key, clusters))
        if not gold.nil:
            n_outside += not any(id in ontology for id in gold.ids)
            n_unanswered += row < 0 or not answered[row]
    n_nil = sum(mention.gold.nil for _, mention in corpus.mentions())
    if corpus.n_mentions == 0:
        raise ValueError(f"corpus {corpus.name} has no mentions: there is nothing to score")

    # Names that no concept has are as many answers.
    keys = [tuple(sorted(o)) or of.answer_ids for o, of in zip(owned, named.candidates, strict=True)]
    return Coded(
        listed=predictions,
        named=named,
        owners=Ragged.of(owned),
        labels=np.array([labels.setdefault(key, len(labels)) for key in keys], dtype=np.int64),
        lines=np.array(lines, dtype=np.int64).reshape(-1, 4),
        set_line=np.array(set_line, dtype=np.int64),
        sets=Ragged.of(sets),
        n_concepts=len(concepts),
        cluster=np.array(cluster_of, dtype=np.int64),
        top=_top_ids(predictions),
        counts={
            "n_raw": corpus.n_raw,
            "dropped": {**corpus.dropped, "nil": n_nil + corpus.dropped.get("nil", 0)},
            "n_scored": corpus.n_mentions - n_nil,
            "gold_outside_ontology": n_outside,
            "unanswered": n_unanswered,
        },
    )


def cluster_number(key: str, taken: dict[int, str]) -> int:
    """A number below 2³¹ for a cluster: the same in every split and fold, so that mentions of several can be
    resampled together."""
    number = int.from_bytes(blake2b(key.encode(), digest_size=4).digest(), "big") >> 1
    while taken.setdefault(number, key) != key:
        number = (number + 1) % 2**31
    return number


def _lines(row: int, parts: list[list[int]], part_rows: list[int]):
    """What judges one mention: (part, what is wanted, query row, the gold sets wanted of that list)."""
    if not parts:
        yield 0, NIL, row, []
        return
    concepts = list(dict.fromkeys(c for part in parts for c in part))
    yield 0, ANY, row, [concepts]
    if len(concepts) > 1:
        yield from ((0, EACH, row, [[concept]]) for concept in concepts)
    if len(parts) > 1:
        # Parts that mean the same concept are found together.
        yield 0, ALL, row, [list(part) for part in dict.fromkeys(map(tuple, parts))]
    for number, part_row in enumerate(part_rows, start=1):
        yield number, ANY, part_row, [concepts]
        yield number, OWN, part_row, [parts[number - 1]]


def _check_spans(predictions: Predictions, corpus: Corpus) -> None:
    known = {(document.id, mention.start, mention.end) for document, mention in corpus.mentions()}
    strange = [query for query in predictions.queries if query[:3] not in known]
    if strange:
        actual = f"{len(strange)} spans that are no mention of {corpus.name}, first {tuple(strange[0])}"
        raise ValueError(f"predictions: expected (document, start, end) of mentions, found {actual}")


def _top_ids(predictions: Predictions) -> np.ndarray:
    """One id per query: the first answer of the best candidate, "" for NIL or no answer. Where NIL ties with
    others it is theirs, in whatever order they stand."""
    index, scores = predictions.index, predictions.scores
    if not index.shape[1]:
        return np.full(len(predictions), "", dtype=object)
    first = np.array(
        [next(iter(candidate.answer_ids), "") for candidate in predictions.candidates] + [""], dtype=object
    )
    best = (index >= 0) & (scores == scores[:, :1]) & (first != "")[index]
    return first[index[np.arange(len(index)), best.argmax(axis=1)]]
