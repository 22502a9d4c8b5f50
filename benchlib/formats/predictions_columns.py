"""Read and check the columns of a predictions file, each distinct cell once."""

import gzip
import json
import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj
import pyarrow.parquet as pq

from ..predictions import COLUMNS
from .json_text import read_json
from .lines import SHOWN, csv_cells, ending, numbered_lines, reading_bar

_ROWS, _BYTES = 2**17, 2**24  # read at a time: memory does not grow with what a row says
_LONGEST = 2**11  # bytes of a JSON line that Arrow is given: brackets nested 30,000 deep crash it
_BELOW = 2**31  # offsets, parts and ranks
_SPAN, _ANSWER = {"document", "start", "end"}, {"name", "ids"}
_NEEDED = "columns document, start, end, and name or ids, each once"

Block = tuple[Sequence[int], Mapping[str, pa.Array | list | None]]  # the numbers of rows; column -> cells


class NoRows(ValueError):
    """A predictions file without a row."""


def read_error(path: Path, number: int, expected: str, found: object) -> ValueError:
    """The complaint about a row."""
    place = f"{path}: row {number}" if path.suffix.lower() == ".parquet" else f"{path}:{number}"
    return ValueError(f"{place}: expected {expected}, found {found}")


def read_rows(path: Path) -> tuple[pd.DataFrame, list[str]]:
    """The rows of a file with ``COLUMNS``, and the names of its other columns.

    The index is the line of the file, in Parquet the row from 1. ``start``, ``end``, ``part`` and ``rank``
    are int64, ``score`` is float64; ``rank`` and ``score`` may lack. ``ids`` are tuples of text. Raises
    ValueError as :func:`benchlib.formats.predictions.read_predictions` for all but the spans and candidates.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file")
    kind = ending(path)
    if kind == ".parquet" == path.suffix.lower():
        return _frame(path, _parquet_blocks(path))
    if kind in (".tsv", ".csv"):
        return _frame(path, _plain_blocks(_delimited_rows(path, "\t" if kind == ".tsv" else ",")))
    if kind != ".jsonl":
        raise ValueError(f"{path}: expected .jsonl, .tsv or .csv (each also with .gz) or .parquet")
    try:
        return _frame(path, _arrow_blocks(path))
    except (pa.ArrowException, ValueError, TypeError, gzip.BadGzipFile, EOFError, zlib.error):
        return _frame(path, _plain_blocks(_json_rows(path)))  # which names the line, if one is wrong


def _frame(path: Path, blocks: Iterator[Block]) -> tuple[pd.DataFrame, list[str]]:
    numbers, seen = [], {}
    read: dict[str, list[np.ndarray]] = {column: [] for column in COLUMNS}
    shared: dict[object, object] = {}  # one object for equal texts of all blocks
    for numbered, columns in blocks:
        numbers.append(np.asarray(numbered))
        seen |= dict.fromkeys(columns)
        if not seen.keys() >= _SPAN:
            raise read_error(path, numbers[0][0], _NEEDED, ", ".join(seen) or "none")
        for column in COLUMNS:
            cells = columns.get(column, pa.nulls(len(numbered)))
            if column == "score" and isinstance(cells, pa.DoubleArray) and np.isfinite(cells).all():
                read[column].append(np.asarray(cells))  # hardly a score is there twice
                continue
            cells, places = _distinct(cells)
            values = _checked(path, column, cells, places, numbered)
            if column in ("document", "name", "ids"):
                values = pd.Series([shared.setdefault(value, value) for value in values], dtype=object)
            read[column].append(np.asarray(values)[places])
    if not numbers:
        raise NoRows(read_error(path, 1, "at least one row of predictions", "none"))
    if seen.keys().isdisjoint(_ANSWER):
        raise read_error(path, numbers[0][0], _NEEDED, ", ".join(seen))
    frame = pd.DataFrame({c: np.concatenate(cells) for c, cells in read.items()}, np.concatenate(numbers))
    lacking = frame[["rank", "score"]].isna()
    for column in ("rank", "score"):
        if lacking[column].any() and not lacking[column].all():
            raise read_error(path, lacking[column].idxmax(), _CELLS[column][1], None)
    unread = [column for column in seen if column not in COLUMNS]
    return frame.drop(columns=lacking.columns[lacking.all()]), unread


def _arrow_blocks(path: Path) -> Iterator[Block]:
    """The blocks of JSON lines; raises TypeError where Arrow may read them otherwise than Python does."""
    first, options = 1, None
    zipped = path.suffix.lower() == ".gz"
    with path.open("rb") as raw, gzip.open(raw) if zipped else raw as file, reading_bar(path) as bar:
        while lines := file.readlines(_BYTES):
            text = b"".join(lines).rstrip(b"\n") + b"\n"
            # Arrow reads objects wherever lines end: rows and lines are the same where none ends within one.
            alike = text[:1] == b"{" and text.count(b"}\n{") == len(lines) - 1 and text[-2:] == b"}\n"
            if not alike or max(map(len, lines)) > _LONGEST:
                raise TypeError
            options = options or pj.ParseOptions(explicit_schema=_schema(json.loads(lines[0])))
            table = pj.read_json(pa.BufferReader(text), parse_options=options)
            table.validate(full=True)
            if len(table) != len(lines):
                raise TypeError
            # Without a value it may be in no row: whether it is, Python tells.
            there = [c for c in table.column_names if c not in _ANSWER or table[c].null_count < len(table)]
            yield range(first, first + len(lines)), {c: table[c].combine_chunks() for c in there}
            first += len(lines)
            bar.update(raw.tell() - bar.n)


def _schema(row: Mapping[str, object]) -> pa.Schema:
    """The types of the columns as in this row: a document may be a number, ids may be text."""
    types = dict.fromkeys(COLUMNS, pa.int64()) | {"name": pa.string(), "score": pa.float64()}
    types["document"] = pa.int64() if isinstance(row.get("document"), int) else pa.string()
    types["ids"] = pa.string() if isinstance(row.get("ids"), str) else pa.list_(pa.string())
    return pa.schema(types)


def _plain_blocks(rows: Iterator[tuple[int, Mapping[str, object]]]) -> Iterator[Block]:
    while block := list(islice(rows, _ROWS)):
        numbers, cells = zip(*block, strict=True)
        yield numbers, {c: [row.get(c) for row in cells] for c in dict.fromkeys(chain.from_iterable(cells))}


def _json_rows(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    for number, line in numbered_lines(path):
        if line.strip():
            try:
                if not isinstance(row := read_json(line), dict):
                    raise ValueError("another value")
            except ValueError as error:
                raise read_error(path, number, "a JSON object", f"{line[:SHOWN]!a}, {error}") from None
            yield number, row


def _delimited_rows(path: Path, delimiter: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    rows = csv_cells(path, delimiter, skipinitialspace=False)
    number, header = next(rows, (1, []))
    _check_columns(path, number, header)
    for number, cells in rows:
        # Such a cell holds the end of a row and the beginning of another.
        if swallowed := [c for c in cells if "\n" in c and c.count(delimiter) >= len(header) - 1]:
            expected = "quotes that are closed in their row"
            raise read_error(path, number, expected, f"the cell {swallowed[0][:SHOWN]!r}")
        if len(cells) != len(header):
            raise read_error(path, number, f"{len(header)} cells", len(cells))
        yield number, {c: cell or None for c, cell in zip(header, cells, strict=True)}  # as in Parquet


def _parquet_blocks(path: Path) -> Iterator[Block]:
    with path.open("rb") as file:
        try:
            table = pq.ParquetFile(file)
            names = table.schema_arrow.names
            _check_columns(path, 1, names)
            first, read = 1, [name for name in names if name in COLUMNS]
            for batch in table.iter_batches(_ROWS, columns=read):
                batch.validate(full=True)
                if len(batch):
                    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
                    yield range(first, first + len(batch)), dict.fromkeys(names) | columns
                first += len(batch)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: expected a Parquet file: {' '.join(str(error).split())}") from None


def _check_columns(path: Path, number: int, columns: Sequence[str]) -> None:
    whole = set(columns) >= _SPAN and not _ANSWER.isdisjoint(columns)
    if not whole or len(set(columns)) != len(columns):
        raise read_error(path, number, _NEEDED, ", ".join(columns) or "none")


def _distinct(cells: pa.Array | list) -> tuple[list[object], np.ndarray]:
    """The distinct cells of a column in order, and by row the place of its own; of nested lists all cells."""
    if isinstance(cells, pa.ListArray) and pa.types.is_string(cells.type.value_type):
        ids = cells.flatten()
        odd = pc.any(pc.or_(pc.equal(ids, ""), pc.match_substring(ids, "\0"))).as_py()
        if not odd and not ids.null_count:  # as texts they are coded in half the time
            texts, places = _distinct(pc.binary_join(cells, "\0"))
            return [None if text is None else [*filter(None, text.split("\0"))] for text in texts], places
    if isinstance(cells, pa.Array):
        try:
            coded = pc.dictionary_encode(cells, null_encoding="encode")
            return coded.dictionary.to_pylist(), coded.indices.to_numpy()
        except pa.ArrowException:  # of lists and categories
            cells = cells.to_pylist()
    numbers: dict[tuple, int] = {}
    try:
        keys = ((type(cell), tuple(cell) if isinstance(cell, list) else cell) for cell in cells)
        places = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    except TypeError:
        return cells, np.arange(len(cells))
    return [cells[i] for i in np.unique(places, return_index=True)[1]], places


def _checked(
    path: Path, column: str, cells: list[object], places: np.ndarray, numbers: Sequence[int]
) -> list[object]:
    """The cells as they are read; raises ValueError for the first row with a wrong one."""
    (read, expected), absent, values = _CELLS[column], _ABSENT.get(column), []
    for cell in cells:
        try:
            values.append(absent if cell is None and absent is not None else read(cell))
        except (TypeError, ValueError, OverflowError):
            number = numbers[np.flatnonzero(places == len(values))[0]]
            raise read_error(path, number, expected, ascii(cell)[:SHOWN]) from None
    return values


def _whole(cell: object) -> int:
    whole = re.fullmatch(r"([0-9]+)(\.0*)?", str(cell))  # a table that was read as floats prints 12.0
    if isinstance(cell, bool) or not whole or int(whole[1]) >= _BELOW:
        raise ValueError
    return int(whole[1])


def _finite(cell: object) -> float:
    if isinstance(cell, bool) or not math.isfinite(float(cell)):
        raise ValueError
    return float(cell)


def _text(cell: object) -> str:
    if not isinstance(cell, str) or "\0" in cell:
        raise TypeError
    return cell


def _document(cell: object) -> str:
    # A PubMed number is often stored as a number; a wrong one is no document of the corpus.
    return str(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else _text(cell)


def _ids(cell: object) -> tuple[str, ...]:
    ids = cell.split("|") if isinstance(cell, str) and cell else cell or []
    if not isinstance(cell, str | list) or not all(bare := [_text(id).strip() for id in ids]):
        raise TypeError
    return tuple(bare)


_CELLS: dict[str, tuple[Callable[[object], object], str]] = {
    **{c: (_whole, f"a whole number as {c}, below {_BELOW:,}") for c in ("start", "end", "part", "rank")},
    "document": (_document, "text as document"),
    "name": (_text, "text as name"),
    "ids": (_ids, "ids stored as text, joined by | or in a list, as ids"),
    "score": (_finite, "a finite number as score"),
}
_ABSENT = {"part": 0, "name": "", "ids": (), "rank": np.nan, "score": np.nan}  # what a row may lack
