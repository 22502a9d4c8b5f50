"""The scores of a predictions file as they are written, where double precision may not hold them."""

import gzip
import re
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .predictions_blocks import cell_rows, is_packed, json_object, kind_of

_LONG = 16  # characters of a number that may have more than the 15 digits that any double keeps
_NUMERAL = re.compile(rb"[0-9][0-9.]{%d}" % (_LONG - 2))


def precision_ties(path: Path, numbers: np.ndarray, query: np.ndarray, score: np.ndarray) -> list[int]:
    """The rows that tie with another of their list only in double precision: as written they differ.

    ``numbers``, ``query`` and ``score`` (rows,) are the number of each row in the file, the number of its
    list and its score.
    """
    order = np.lexsort((score, query))
    same = (np.diff(query[order]) == 0) & (np.diff(score[order]) == 0)
    tied = np.zeros(len(order), dtype=bool)
    tied[order[1:][same]] = tied[order[:-1][same]] = True
    written = dict(_long_scores(path, numbers[tied])) if tied.any() else {}
    groups: dict[tuple[int, float], dict[int, Decimal]] = {}
    for place in np.flatnonzero(tied).tolist() if written else ():
        number, value = int(numbers[place]), float(score[place])
        exact = written.get(number, Decimal(repr(value)))
        groups.setdefault((int(query[place]), value), {})[number] = exact
    return sorted(number for group in groups.values() if len(set(group.values())) > 1 for number in group)


def _long_scores(path: Path, numbers: np.ndarray) -> Iterator[tuple[int, Decimal]]:
    """Of some rows the number and the exact score of those that are written with many digits."""
    wanted = np.zeros(numbers.max() + 1, dtype=bool)
    wanted[numbers] = True
    for number, cell in _SCORES[kind_of(path)](path, wanted):
        with suppress(InvalidOperation):  # of what only Python reads as a number, 1_000 say
            yield number, Decimal(cell)


def _in_json(path: Path, wanted: np.ndarray) -> Iterator[tuple[int, object]]:
    with gzip.open(path) if is_packed(path) else path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if number < len(wanted) and wanted[number] and _NUMERAL.search(line):
                line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                cells = json_object(path, number, line, parse_float=Decimal, parse_int=Decimal)
                yield number, cells["score"]


def _in_cells(path: Path, wanted: np.ndarray) -> Iterator[tuple[int, object]]:
    rows = cell_rows(path)
    place = next(rows)[1].index("score")
    for number, cells in rows:
        if number < len(wanted) and wanted[number] and len(cells[place]) >= _LONG:
            yield number, cells[place]


def _in_parquet(path: Path, wanted: np.ndarray) -> Iterator[tuple[int, object]]:
    column = pq.read_table(path, columns=["score"])["score"]
    if not pa.types.is_floating(column.type):
        rows = np.flatnonzero(wanted)
        yield from zip(rows.tolist(), column.take(rows - 1).to_pylist(), strict=True)


_SCORES = {".jsonl": _in_json, ".tsv": _in_cells, ".csv": _in_cells, ".parquet": _in_parquet}
