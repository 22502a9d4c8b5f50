"""A predictions file: JSON lines, TSV, CSV (each also gzipped) or Parquet, one candidate per row.

Columns as in :data:`benchlib.predictions.COLUMNS`. ``document``, ``start``, ``end`` and one of ``name`` and
``ids`` must be there. ``part`` is 0 where absent; without ``score`` a row scores minus its ``rank``, without
both the order of the file ranks. ``ids`` is a list, or text joined by ``|``; an id is text, so ``007`` stays
``007``. A row with a name and no ids stands for the concepts that carry the name, case aside; a row with
neither answers NIL. TSV and CSV quote as CSV does.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..corpus import Corpus
from ..ontology import Ontology, fold_name
from ..predictions import COLUMNS, Predictions, Query
from .lines import SHOWN, numbered_lines

_DELIMITERS = {".tsv": "\t", ".csv": ","}
_LARGEST = float(np.finfo(np.float32).max)  # scores are kept in single precision
_QUERY = list(Query._fields)
_LISTED = 3  # rows that a message names


def read_predictions(
    path: Path | str, corpus: Corpus, ontology: Ontology
) -> tuple[Predictions, tuple[str, ...]]:
    """The predictions, and a counted warning for each kind of oddity that could be read all the same.

    Raises ValueError (``path:line:``, for Parquet ``path: row N:``) for a file that is damaged, empty or of
    no known kind, a column or number missing, a span that is no mention, a candidate twice in a list.
    """
    path = Path(path)
    table, unread = _table(path)
    owners, given = ontology.owners(), zip(table["name"], table["ids"], strict=True)
    table["ids"] = pd.Series([ids or owners.get(fold_name(n), ()) for n, ids in given], table.index, object)
    spans = {(d.id, m.start, m.end) for d, m in corpus.mentions()}
    strange = [row not in spans for row in table[_QUERY[:3]].itertuples(index=False, name=None)]
    _refuse(path, table[strange], f"spans of mentions of {corpus.name}")
    repeated = table.assign(ids=table["ids"].map(frozenset)).duplicated([*_QUERY, "name", "ids"])
    _refuse(path, table[repeated], "each candidate once in a list")
    warnings = {"columns that are not read": unread}
    if "rank" not in table and "score" not in table:
        warnings["rows without rank or score, ranked in the order of the file"] = list(table.index)
        table["rank"] = table.groupby(_QUERY).cumcount() + 1
    if "score" not in table:
        table["score"] = -table["rank"].astype(float)
    warnings |= _odd_rows(table if "rank" in table else table.assign(rank=0), ontology)
    answered = set(table[_QUERY].itertuples(index=False, name=None))
    mentions = [Query(d.id, m.start, m.end) for d, m in corpus.mentions()]
    warnings["mentions without an answer (part 0)"] = [tuple(q[:3]) for q in mentions if q not in answered]
    predictions = Predictions.from_frame(table.assign(rank=0))
    return predictions, tuple(f"{path}: {len(w)} {what}: {_listed(w)}" for what, w in warnings.items() if w)


def _kind_of(path: Path) -> str:
    """The format by its extension, ``.gz`` aside; raises ValueError for one that is none of those known."""
    kind = Path(path.name.removesuffix(".gz")).suffix
    if kind not in _READERS or (kind == ".parquet" and path.suffix == ".gz"):
        raise ValueError(f"{path}: expected .jsonl, .tsv or .csv (each also with .gz) or .parquet")
    return kind


def _wrong(path: Path, number: int, expected: str, found: object) -> ValueError:
    place = f"{path}: row {number}" if path.suffix == ".parquet" else f"{path}:{number}"
    return ValueError(f"{place}: expected {expected}, found {found}")


def _listed(items: list) -> str:
    return ", ".join(map(str, items[:_LISTED])) + (", ..." if len(items) > _LISTED else "")


def _refuse(path: Path, rows: pd.DataFrame, expected: str) -> None:
    if len(rows):
        first = [f"{n} {tuple(r)}" for n, *r in rows[[*_QUERY, "name", "ids"]].head(_LISTED).itertuples()]
        raise _wrong(path, rows.index[0], expected, f"{len(rows)} rows without: {'; '.join(first)}")


def _odd_rows(table: pd.DataFrame, ontology: Ontology) -> dict[str, list]:
    """Row numbers by what is odd about them."""
    ranked = table.sort_values([*_QUERY, "rank", "score"], ascending=[True] * 5 + [False])
    rising = ranked.index[ranked.groupby(_QUERY)["score"].diff() > 0]
    unknown = {id for ids in table["ids"] for id in ids if id not in ontology}
    outside = [
        f"{n} ({_listed(odd)})"
        for n, ids in table["ids"].items()
        if (odd := [i for i in ids if i in unknown])
    ]
    names = table["name"][(table["name"] != "") & (table["ids"].map(len) == 0)]
    return {
        f"rows with ids outside {ontology.name}": outside,
        f"rows with neither ids nor a name of {ontology.name}": [
            f"{n} ({name})" for n, name in names.items()
        ],
        "rows that score higher than a row ranked before them (the score decides)": sorted(rising),
    }


def _table(path: Path) -> tuple[pd.DataFrame, list[str]]:
    """The rows of a file under their numbers, each cell checked, and the columns that were passed over."""
    rows = dict(_READERS[_kind_of(path)](path))
    if not rows:
        raise _wrong(path, 1, "at least one row of predictions", "none")
    raw = pd.DataFrame(list(rows.values()), index=list(rows), dtype=object)
    _check_columns(path, raw.index[0], list(raw.columns))
    table = pd.DataFrame(index=raw.index)
    for column in (column for column in COLUMNS if column in raw or column in _ABSENT):
        cells = raw.get(column, pd.Series(None, raw.index, object)).items()
        cells = [_cell(path, number, column, cell) for number, cell in cells]
        table[column] = pd.Series(cells, raw.index, object if column == "ids" else None)
    return table, [str(column) for column in raw if column not in COLUMNS]


def _cell(path: Path, number: int, column: str, cell: object) -> object:
    if column in _ABSENT and (cell is None or cell != cell):
        return _ABSENT[column]
    read, expected = _CELLS[column]
    try:
        return read(cell)
    except (TypeError, ValueError):
        raise _wrong(path, number, f"{expected} as {column}", repr(cell)[:SHOWN]) from None


def _whole(cell: object) -> int:
    if isinstance(cell, bool) or not re.fullmatch("[0-9]+", str(cell)):
        raise ValueError
    return int(cell)


def _finite(cell: object) -> float:
    if isinstance(cell, bool) or not abs(float(cell)) <= _LARGEST:
        raise ValueError
    return float(cell)


def _text(cell: object) -> str:
    if not isinstance(cell, str):
        raise TypeError
    return cell


def _ids(cell: object) -> tuple[str, ...]:
    ids = cell.split("|") if isinstance(cell, str) and cell else cell or ()
    if not isinstance(cell, str | list) or not all(isinstance(id, str) and id for id in ids):
        raise TypeError
    return tuple(ids)


_ABSENT = {"part": 0, "name": "", "ids": ()}  # what a row has that does not say
_CELLS = {
    **dict.fromkeys(("start", "end", "part", "rank"), (_whole, "a whole number")),
    # A PubMed number is often stored as a number; a wrong one is no document of the corpus.
    "document": (lambda cell: str(_whole(cell)) if isinstance(cell, int) else _text(cell), "text"),
    "name": (_text, "text"),
    "ids": (_ids, "ids stored as text, joined by | or in a list,"),
    "score": (_finite, "a finite number"),
}


def _check_columns(path: Path, number: int, columns: list[str]) -> None:
    whole = {"document", "start", "end"} <= set(columns) and ("name" in columns or "ids" in columns)
    if not whole or len(set(columns)) != len(columns):
        raise _wrong(path, number, "columns document, start, end, and name or ids", ", ".join(columns))


def _json_rows(path: Path) -> Iterator[tuple[int, dict]]:
    for number, line in filter(lambda numbered: numbered[1].strip(), numbered_lines(path)):
        cells = None
        with suppress(ValueError):
            cells = json.loads(line)
        if not isinstance(cells, dict):
            raise _wrong(path, number, "a JSON object", repr(line)[:SHOWN])
        yield number, cells


def _table_rows(path: Path) -> Iterator[tuple[int, dict]]:
    lines = (line + "\n" for _, line in numbered_lines(path))
    table = csv.reader(lines, delimiter=_DELIMITERS[_kind_of(path)], strict=True)
    header: list[str] = []
    try:
        for cells in filter(None, table):
            if not header:
                _check_columns(path, table.line_num, header := cells)
                continue
            if len(cells) != len(header):
                raise _wrong(path, table.line_num, f"{len(header)} cells", len(cells))
            yield table.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise _wrong(path, table.line_num, "cells quoted as in CSV", error) from None


def _parquet_rows(path: Path) -> Iterator[tuple[int, dict]]:
    with path.open("rb") as file:
        try:
            table = pq.read_table(file)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{path}: expected a Parquet file: {error}") from None
    _check_columns(path, 1, table.column_names)
    yield from enumerate((row for batch in table.to_batches() for row in batch.to_pylist()), start=1)


_READERS = {".jsonl": _json_rows, ".tsv": _table_rows, ".csv": _table_rows, ".parquet": _parquet_rows}
