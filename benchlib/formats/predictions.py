"""A predictions file: JSON lines, TSV, CSV (each also gzipped) or Parquet, one candidate per row.

Columns as in :data:`benchlib.predictions.COLUMNS`. ``document``, ``start``, ``end`` and one of ``name`` and
``ids`` must be there; an empty cell is an absent one. ``part`` is 0 where absent; without ``score`` a row
scores minus its ``rank``, without both the order of the file ranks. ``ids`` is a list, or text joined by
``|``; an id is text, so ``007`` stays ``007``. A row with a name and no ids stands for the concepts that
carry the name, case aside; a row with neither answers NIL, and so does one whose ids, or whose name where it
has no ids, spell NIL as gold may (:func:`benchlib.formats.gold_ids.spells_nil`) and are none of the ontology.
TSV and CSV quote as CSV does.
"""

import gzip
import json
from collections.abc import Container, Iterable, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from ..corpus import Corpus
from ..ontology import Ontology, fold_name
from ..predictions import Candidate, Predictions, Query
from ..terminal import write
from .gold_ids import part_nil, spells_nil, without_prefix
from .lines import ending
from .prediction_spans import SPAN, distinct_rows, listed, mention_parts, refuse_rows, rows_at_spans
from .predictions_columns import NoRows, read_rows

WRITTEN = (".tsv", ".jsonl")
CHOICES = {"spans": ("given", "predicted"), "duplicates": ("refused", "best")}
"""The values of these options of :func:`read_predictions` and :func:`benchlib.evaluate`."""


def require_choices(**given: str) -> None:
    """Raise ValueError for a value that is none of :data:`CHOICES`."""
    for name, value in given.items():
        if value not in CHOICES[name]:
            raise ValueError(f"{name} is {value!r}; expected one of {', '.join(CHOICES[name])}")


def read_predictions(
    path: Path | str, corpus: Corpus, ontology: Ontology, duplicates: str = "refused", spans: str = "given"
) -> tuple[Predictions, tuple[str, ...]]:
    """The predictions, and a counted warning for each kind of oddity that could be read all the same.

    A candidate that stands in a list twice is ``refused``, or of its rows the ``best`` is taken. Spans are
    ``given``, those of mentions, or ``predicted``, any stretch of a document.

    Raises ValueError (``path:line:``, for Parquet ``path: row N:``) for a file that is damaged or of no known
    kind, one without a row where spans are given, a column or number missing, a span that is no mention, or
    no stretch of a document, a candidate twice in a list; and for another value of ``duplicates`` or
    ``spans``.
    """
    require_choices(spans=spans, duplicates=duplicates)
    path = Path(path)
    try:
        rows, unread = read_rows(path)
    except NoRows:
        if spans == "given":
            raise
        return Predictions((), (), np.zeros((0, 1)), np.zeros((0, 1))), (f"{path}: no row: no span is found",)
    warnings: dict[str, list] = {"columns that are not read": [ascii(name)[1:-1] for name in unread]}
    rows = rows_at_spans(path, rows, corpus, spans == "given", warnings)
    query, queries = distinct_rows(rows, [*SPAN, "part"])
    queries = [Query(*key) for key in queries]
    if spans == "given":
        parts = mention_parts(corpus)
        ids = {document.id: None for document in corpus.documents}
        expected = f"documents of {corpus.name}, such as {listed([*ids])}"
        refuse_rows(path, rows, ~rows["document"].isin(ids).to_numpy(), expected)
        unknown = np.array([key[:3] not in parts for key in queries])
        expected = f"spans of mentions of {corpus.name}{_off_by_one(queries, parts)}"
        refuse_rows(path, rows, unknown[query], expected, parts)
    place = _places(query)
    answer, candidates, odd = _candidates(rows, ontology)

    if "score" not in rows and "rank" not in rows:
        what = "rows without rank or score, ranked in the order of the file"
        warnings[what] = rows.index[np.bincount(query)[query] > 1].tolist()
        rows = rows.assign(rank=1 + place)
    score = (rows["score"] if "score" in rows else -rows["rank"].astype(float)).to_numpy()
    if "rank" in rows:
        what = "rows that score higher than a row ranked before them (the score decides)"
        warnings[what] = rows.index[_rising(query, rows["rank"].to_numpy(), score)].tolist()

    repeated = _repeated(query, answer, candidates, score, duplicates)
    if duplicates == "refused":
        refuse_rows(path, rows, repeated, 'each candidate once in a list (or duplicates="best")')
    what = "rows of a candidate that has a better one in its list, left out"
    warnings[what] = rows.index[repeated].tolist()
    warnings |= odd
    if spans == "given":
        wanted, answered = (Query(d.id, m.start, m.end) for d, m in corpus.mentions()), set(queries)
        warnings["mentions without an answer (part 0)"] = [tuple(q[:3]) for q in wanted if q not in answered]
        beyond = np.array([key.part > parts[key[:3]] for key in queries])
        what = "rows of a part that their mention does not have, which count in no score"
        warnings[what] = rows.index[beyond[query]].tolist()
    else:
        what = "rows beside another of their span and part: the best counts, other concepts want other parts"
        warnings[what] = rows.index[place > 0].tolist()

    query, answer, score = (column[~repeated] for column in (query, answer, score))
    place = _places(query)
    shape = (len(queries), int(place.max()) + 1)
    index, scores = np.full(shape, -1, dtype=np.int32), np.zeros(shape)
    index[query, place], scores[query, place] = answer, score
    predictions = Predictions(queries, candidates, index, scores)
    return predictions, tuple(f"{path}: {len(w)} {what}: {listed(w)}" for what, w in warnings.items() if w)


def write_predictions(predictions: Predictions, path: Path | str) -> None:
    """Write JSON lines or TSV, as the name ends, gzipped where it ends in ``.gz``, whole or not at all.

    Reading the file gives the same :meth:`Predictions.frame`, unless a candidate without ids has a name of
    the dictionary, or one that spells NIL. Raises ValueError for another ending and for what could not be
    read again.
    """
    path = Path(path)
    kind = ending(path)
    if kind not in WRITTEN:
        raise ValueError(f"{path}: expected a name that ends in {' or '.join(WRITTEN)} to write to")
    rows = predictions.frame()
    ids = set(chain.from_iterable(rows["ids"]))
    check_ids(ids, path)
    if any("\0" in text for text in {*rows["name"], *rows["document"], *ids}):
        raise ValueError(f"{path}: expected names, documents and ids without NUL to write")
    if kind == ".tsv":
        if any("\r" in text or {"\n", "\t"} <= {*text} for text in {*rows["name"], *rows["document"], *ids}):
            raise ValueError(
                f"{path}: expected no carriage return, and no line with a tab, to write; .jsonl takes these"
            )
        text = rows.assign(ids=rows["ids"].map("|".join)).to_csv(sep="\t", index=False)
    else:
        lines = (json.dumps(row._asdict(), ensure_ascii=False) for row in rows.itertuples(index=False))
        text = "".join(f"{line}\n" for line in lines)
    write(path, gzip.compress(text.encode()) if path.suffix.lower() == ".gz" else text)


def check_ids(ids: Iterable[str], path: Path) -> None:
    """Raises ValueError for an id that could not be read again from a predictions file of this name."""
    for id in ids:
        if not id or id != id.strip():
            raise ValueError(f"{path}: expected no id that is empty or has blanks at an end to write")
        if "|" in id and ending(path) == ".tsv":
            raise ValueError(f"{path}: expected ids without |, which joins them; .jsonl takes these")


def _off_by_one(queries: Sequence[Query], spans: Container[tuple[str, int, int]]) -> str:
    """What added to the offsets of all rows reaches spans, in words; empty where nothing does."""
    for start, end in ((-1, 0), (0, 1), (-1, -1), (1, 1), (0, -1)):
        if all((key.document, key.start + start, key.end + end) in spans for key in queries):
            return f" (all are, with start {start:+d} and end {end:+d})"
    return ""


def _candidates(
    rows: pd.DataFrame, ontology: Ontology
) -> tuple[np.ndarray, list[Candidate], dict[str, list[str]]]:
    """By row the place of its candidate in the distinct ones; these, where one without ids gets those of its
    name; and the rows whose candidate is odd, by kind. A spelling of NIL is left out beside an id."""
    owners = ontology.owners()
    place, answers = distinct_rows(rows, ["name", "ids"])
    candidates, oddities = [], []
    for name, printed in answers:
        printed = tuple(without_prefix(id, ontology.prefixes) for id in printed)
        ids, nil = part_nil(printed, ontology)
        if not ids and not nil:
            ids = owners.get(fold_name(name), ())
            nil = (name,) if name and not ids and spells_nil(name.strip()) else ()
        candidates.append(Candidate("" if nil and not ids else name, ids))
        outside, nowhere = [id for id in ids if id not in ontology], "" if ids else candidates[-1].name
        oddities.append((", ".join(nil), listed(outside), nowhere))
    kinds = (
        "rows with a spelling of NIL, read as NIL (beside an id left out)",
        f"rows with ids outside {ontology.name}",
        f"rows with neither ids nor a name of {ontology.name}",
    )
    odd = {}
    for kind, texts in zip(kinds, zip(*oddities, strict=True), strict=True):
        at = np.flatnonzero(np.array(list(map(bool, texts)))[place])
        odd[kind] = [f"{rows.index[i]} ({texts[place[i]]})" for i in at]
    return place, candidates, odd


def _places(query: np.ndarray) -> np.ndarray:
    """How many rows of the same query come before each."""
    return pd.Series(query).groupby(query).cumcount().to_numpy()


def _rising(query: np.ndarray, rank: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Which rows score higher than the one ranked before them, in their order."""
    order = np.lexsort((-score, rank, query))
    rising = np.zeros(len(order), dtype=bool)
    rising[order[1:]] = (np.diff(query[order]) == 0) & (np.diff(score[order]) > 0)
    return rising


def _repeated(
    query: np.ndarray, answer: np.ndarray, candidates: Sequence[Candidate], score: np.ndarray, duplicates: str
) -> np.ndarray:
    """Which rows give a candidate that another row of the list gives: the first, or the best, aside."""
    numbers: dict[tuple[str, frozenset[str]], int] = {}
    same = [numbers.setdefault((fold_name(name), frozenset(ids)), len(numbers)) for name, ids in candidates]
    keys = pd.Series(query * len(numbers) + np.array(same)[answer])
    if duplicates == "best":
        keys = keys.iloc[np.argsort(-score, kind="stable")]
    return keys.duplicated().sort_index().to_numpy()
