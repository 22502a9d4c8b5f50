"""A predictions file: JSON lines, TSV, CSV (each also gzipped) or Parquet, one candidate per row.

Columns as in :data:`benchlib.predictions.COLUMNS`. ``document``, ``start``, ``end`` and one of ``name`` and
``ids`` must be there. ``part`` is 0 where absent; without ``score`` a row scores minus its ``rank``, without
both the order of the file ranks. ``ids`` is a list, or text joined by ``|``; an id is text, so ``007`` stays
``007``. A row with a name and no ids stands for the concepts that carry the name, case aside; a row with
neither answers NIL, and so does one whose ids, or whose name where it has no ids, spell NIL as gold may
(:func:`benchlib.formats.gold_ids.spells_nil`) and are none of the ontology. TSV and CSV quote as CSV does.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..corpus import Corpus
from ..ontology import Ontology, fold_name
from ..predictions import Candidate, Predictions, Query
from .gold_ids import part_nil, spells_nil
from .predictions_blocks import wrong
from .predictions_cells import Rows, read_rows
from .predictions_written import precision_ties

_LISTED = 3  # rows that a message names
_REPEATS = ("refused", "best")
_SPANS = ("given", "predicted")


def read_predictions(
    path: Path | str,
    corpus: Corpus,
    ontology: Ontology,
    duplicates: str = "refused",
    spans: str = "given",
) -> tuple[Predictions, tuple[str, ...]]:
    """The predictions, and a counted warning for each kind of oddity that could be read all the same.

    A candidate that stands in a list twice is ``refused``, or of its rows the ``best`` is taken. Spans are
    ``given``, those of mentions, or ``predicted``, any stretch of a document.

    Raises ValueError (``path:line:``, for Parquet ``path: row N:``) for a file that is damaged, empty or of
    no known kind, a column or number missing, a span that is no mention, or no stretch of a document, a
    candidate twice in a list; and for another value of ``duplicates`` or ``spans``.
    """
    for name, value, choices in (("duplicates", duplicates, _REPEATS), ("spans", spans, _SPANS)):
        if value not in choices:
            raise ValueError(f"{name} is {value!r}; expected one of {', '.join(choices)}")
    path = Path(path)
    rows = read_rows(path)
    warnings: dict[str, list] = {"columns that are not read": [ascii(one)[1:-1] for one in rows.unread]}
    # A predicted span stands where the linker saw it, whatever became of a mention there.
    if spans == "given":
        rows, found = _as_read(path, rows, corpus)
        warnings |= found
    query, queries = _queries(rows)
    if spans == "given":
        parts = _parts(corpus)
        strange = np.array([one[:3] not in parts for one in queries])
        _refuse(path, rows, strange[query], f"spans of mentions of {corpus.name}")
    else:
        _refuse_outside(path, rows, corpus)
    given, candidates, spelt = _candidates(rows, ontology)

    rank, score = rows.rank, rows.score
    if rank is None and score is None:
        what = "rows without rank or score, ranked in the order of the file"
        warnings[what] = rows.numbers[np.bincount(query)[query] > 1].tolist()
        rank = 1 + _places(query)
    if score is None:
        score = -rank.astype(float)
    if rank is not None:
        what = "rows that score higher than a row ranked before them (the score decides)"
        warnings[what] = rows.numbers[_rising(query, rank, score)].tolist()

    repeated = _repeated(query, given, candidates, score, duplicates)
    if duplicates == "refused":
        _refuse(path, rows, repeated, 'each candidate once in a list (or duplicates="best")')
    what = "rows of a candidate that has a better one in its list, left out"
    warnings[what] = rows.numbers[repeated].tolist()
    warnings |= _odd_candidates(rows.numbers, given, candidates, spelt, ontology)
    if spans == "given":
        wanted, answered = (Query(d.id, m.start, m.end) for d, m in corpus.mentions()), set(queries)
        warnings["mentions without an answer (part 0)"] = [tuple(q[:3]) for q in wanted if q not in answered]
        strange = np.array([one.part > parts[one[:3]] for one in queries])
        what = "rows of a part that their mention does not have, which count in no score"
        warnings[what] = rows.numbers[strange[query]].tolist()
    else:
        what = "rows beside another of their span and part: the best counts, other concepts want other parts"
        warnings[what] = rows.numbers[_places(query) > 0].tolist()

    numbers, query, given, score = (c[~repeated] for c in (rows.numbers, query, given, score))
    place = _places(query)
    shape = (len(queries), int(place.max()) + 1)
    index, scores = np.full(shape, -1, dtype=np.int32), np.zeros(shape)
    index[query, place], scores[query, place] = given, score
    predictions = Predictions(queries, candidates, index, scores)
    if rows.score is not None:
        equal = predictions.scores[:, 1:] == predictions.scores[:, :-1]
        tied = (equal & (predictions.index[:, 1:] >= 0)).any(axis=1)
        places = np.flatnonzero(tied[query])
        what = "rows that tie with another only because scores are kept in double precision"
        warnings[what] = precision_ties(path, numbers[places], query[places], score[places])
    return predictions, tuple(f"{path}: {len(w)} {what}: {_listed(w)}" for what, w in warnings.items() if w)


def _listed(items: list) -> str:
    return ", ".join(map(str, items[:_LISTED])) + (", ..." if len(items) > _LISTED else "")


def _queries(rows: Rows) -> tuple[np.ndarray, tuple[Query, ...]]:
    """By row the place of its query in the distinct ones, which come in the order of the file."""
    query = rows.document
    for column in (rows.start, rows.end, rows.part):
        query = pd.factorize((query << 31) + column)[0].astype(np.int64)
    _, first = np.unique(query, return_index=True)
    columns = (column[first].tolist() for column in (rows.document, rows.start, rows.end, rows.part))
    return query, tuple(Query(rows.documents[d], *span) for d, *span in zip(*columns, strict=True))


def _parts(corpus: Corpus) -> dict[tuple[str, int, int], int]:
    """The spans of the mentions, each with the number of its gold's parts, 0 where that is a single one."""
    parts: dict[tuple[str, int, int], int] = {}
    for document, mention in corpus.mentions():
        n = len(mention.gold.parts) if mention.gold else 0
        span = document.id, mention.start, mention.end
        parts[span] = max(parts.get(span, 0), n if n > 1 else 0)
    return parts


def _as_read(path: Path, rows: Rows, corpus: Corpus) -> tuple[Rows, dict[str, list]]:
    """The rows at the spans that reading the corpus gave their mentions, without those of mentions that it
    left out; and the numbers of both kinds by what they are."""
    if not corpus.elsewhere:
        return rows, {}
    query, queries = _queries(rows)
    spans = {(d.id, m.start, m.end) for d, m in corpus.mentions()}
    to = [one[1:3] if one[:3] in spans else corpus.elsewhere.get(one[:3], one[1:3]) for one in queries]
    kept = np.array([span is not None for span in to])[query]
    if not kept.any():
        expected = f"mentions of {corpus.name} that count"
        raise wrong(path, rows.numbers[0], expected, f"{len(kept)} rows of mentions that are left out")
    start, end = (np.array([span[i] if span else -1 for span in to])[query] for i in (0, 1))
    moved = kept & ((start != rows.start) | (end != rows.end))
    numbers, rows = rows.numbers, replace(rows, start=start, end=end)
    arrays = {name: column[kept] for name, column in vars(rows).items() if isinstance(column, np.ndarray)}
    return replace(rows, **arrays), {
        f"rows of mentions that {corpus.name} leaves out": numbers[~kept].tolist(),
        f"rows of mentions that {corpus.name} has elsewhere, moved there": numbers[moved].tolist(),
    }


def _candidates(rows: Rows, ontology: Ontology) -> tuple[np.ndarray, tuple[Candidate, ...], list[str]]:
    """By row the place of its candidate in the distinct ones; one without ids gets those of its name. Of each
    candidate the spellings of NIL: without an id they are the answer NIL, beside one they are left out."""
    owners = ontology.owners()
    given, pairs = pd.factorize(rows.name * len(rows.id_lists) + rows.ids)
    parted = [part_nil(ids, ontology) for ids in rows.id_lists]
    found, spelt = [], []
    for name, place in zip(*divmod(pairs, len(rows.id_lists)), strict=True):
        name, (ids, nil) = rows.names[name], parted[place]
        if not ids and not nil:
            ids = owners.get(fold_name(name), ())
            nil = (name,) if name and not ids and spells_nil(name) else ()
        found.append(Candidate("" if nil and not ids else name, ids))
        spelt.append(", ".join(nil))
    return given, tuple(found), spelt


def _places(query: np.ndarray) -> np.ndarray:
    """How many rows of the same query come before each."""
    order = np.argsort(query, kind="stable")
    starts = np.cumsum(np.bincount(query)) - np.bincount(query)
    places = np.empty_like(order)
    places[order] = np.arange(len(order)) - starts[query[order]]
    return places


def _rising(query: np.ndarray, rank: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Which rows score higher than the one ranked before them, in their order."""
    keys = (query << 31) + rank
    order = np.argsort(keys, kind="stable")
    if (np.diff(keys[order]) == 0).any():
        order = np.lexsort((-score, keys))
    rising = np.zeros(len(order), dtype=bool)
    rising[order[1:]] = (np.diff(query[order]) == 0) & (np.diff(score[order]) > 0)
    return rising


def _repeated(
    query: np.ndarray,
    given: np.ndarray,
    candidates: tuple[Candidate, ...],
    score: np.ndarray,
    duplicates: str,
) -> np.ndarray:
    """Which rows give a candidate that another row of the list gives: the first, or the best, aside."""
    numbers: dict[tuple[str, frozenset[str]], int] = {}
    same = [numbers.setdefault((name, frozenset(ids)), len(numbers)) for name, ids in candidates]
    keys = query * len(numbers) + np.array(same)[given]
    order = np.argsort(-score, kind="stable") if duplicates == "best" else np.arange(len(keys))
    repeated = np.zeros(len(keys), dtype=bool)
    repeated[order] = pd.Series(keys[order]).duplicated()
    return repeated


def _refuse(path: Path, rows: Rows, wrong_ones: np.ndarray, expected: str) -> None:
    places = np.flatnonzero(wrong_ones)
    if len(places):
        first = []
        for i in places[:_LISTED]:
            span = (rows.documents[rows.document[i]], int(rows.start[i]), int(rows.end[i]), int(rows.part[i]))
            cells = (*span, rows.names[rows.name[i]], rows.id_lists[rows.ids[i]])
            first.append(f"{rows.numbers[i]} {cells}")
        found = f"{len(places)} rows without: {'; '.join(first)}"
        raise wrong(path, rows.numbers[places[0]], expected, found)


def _refuse_outside(path: Path, rows: Rows, corpus: Corpus) -> None:
    """Refuse rows that are no stretch of a document."""
    lengths = {document.id: len(document.text) for document in corpus.documents}
    length = np.array([lengths.get(id, -1) for id in rows.documents])[rows.document]
    _refuse(path, rows, length < 0, f"documents of {corpus.name}")
    outside = (rows.start >= rows.end) | (rows.end > length)
    _refuse(path, rows, outside, f"start below end, both within the text of a document of {corpus.name}")


def _odd_candidates(
    numbers: np.ndarray,
    given: np.ndarray,
    candidates: tuple[Candidate, ...],
    spelt: list[str],
    ontology: Ontology,
) -> dict[str, list]:
    """Row numbers by what is odd about their candidate."""
    outside = [[id for id in ids if id not in ontology] for _, ids in candidates]
    nowhere = [name if name and not ids else "" for name, ids in candidates]
    return {
        f"rows {what}": [
            f"{number} ({_listed(odd[i]) if isinstance(odd[i], list) else odd[i]})"
            for number, i in zip(numbers[has].tolist(), given[has].tolist(), strict=True)
        ]
        for what, odd in (
            ("with a spelling of NIL, read as NIL (beside an id left out)", spelt),
            (f"with ids outside {ontology.name}", outside),
            (f"with neither ids nor a name of {ontology.name}", nowhere),
        )
        if len(has := np.flatnonzero(np.array([bool(one) for one in odd])[given]))
    }
