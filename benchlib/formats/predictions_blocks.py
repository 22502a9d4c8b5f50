"""The rows of a predictions file, block by block: memory does not grow with what the file says of each."""

import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq

from ..predictions import COLUMNS
from .lines import SHOWN, numbered_lines

_DELIMITERS = {".tsv": "\t", ".csv": ","}
_BYTES = 2**24  # of JSON lines in a block
_ROWS = 2**17  # of any other file
_LONGEST = 2**11  # bytes of a JSON line that Arrow is given: brackets nested 30,000 deep crash it


class Block(NamedTuple):
    """Consecutive rows and their ``numbers``: lines of the file, in Parquet rows from 1.

    ``rows`` is a table, or a list of cells by column where the rows are not alike enough for one. ``unread``
    are the columns that are none of :data:`benchlib.predictions.COLUMNS`.
    """

    numbers: Sequence[int]
    rows: pa.Table | list[Mapping[str, object]]
    unread: Sequence[str]


def blocks(path: Path) -> Iterator[Block]:
    """The blocks of a file in order.

    Raises ValueError (``path:line:``, for Parquet ``path: row N:``) for an unknown kind of file, a damaged
    one, and a row that is none.
    """
    return _READERS[kind_of(path)](path)


def kind_of(path: Path) -> str:
    """The format by its extension, ``.gz`` aside; raises ValueError for one that is none of those known."""
    kind = Path(path.name.lower().removesuffix(".gz")).suffix
    if kind not in _READERS or (kind == ".parquet" and is_packed(path)):
        raise ValueError(f"{path}: expected .jsonl, .tsv or .csv (each also with .gz) or .parquet")
    return kind


def is_packed(path: Path) -> bool:
    """Whether the file is gzipped, by its extension."""
    return path.suffix.lower() == ".gz"


def wrong(path: Path, number: int, expected: str, found: object) -> ValueError:
    """The complaint about a row."""
    place = f"{path}: row {number}" if kind_of(path) == ".parquet" else f"{path}:{number}"
    return ValueError(f"{place}: expected {expected}, found {found}")


def check_columns(path: Path, number: int, columns: Sequence[str]) -> None:
    """Raises ValueError unless the columns that a file cannot do without are there, and each is once."""
    whole = {"document", "start", "end"} <= set(columns) and ("name" in columns or "ids" in columns)
    if not whole or len(set(columns)) != len(columns):
        raise wrong(
            path, number, "columns document, start, end, and name or ids, each once", ", ".join(columns)
        )


def json_object(path: Path, number: int, line: bytes, **numerals: type) -> dict[str, object]:
    """The object on a line of JSON; ``numerals`` are ``parse_float`` and ``parse_int`` of :func:`json.loads`.

    Raises ValueError for anything else, and for a key twice.
    """
    repeated: list[str] = []

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        cells = dict(pairs)
        if len(cells) < len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend(key for key in cells if keys.count(key) > 1)
        return cells

    try:
        cells = json.loads(line.decode(), object_pairs_hook=once, **numerals)
        "".join(cells if isinstance(cells, dict) else [7]).encode()  # a key that is no Unicode
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}:{number}: expected UTF-8, {error.reason} at byte {error.start}") from None
    except (ValueError, TypeError, RecursionError) as error:
        where = f", {error.msg} at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        raise wrong(path, number, "a JSON object", ascii(line.decode()[:SHOWN]) + where) from None
    if repeated:
        raise wrong(path, number, "each key once", f"{repeated[0]!a} twice")
    return cells


def _json_blocks(path: Path) -> Iterator[Block]:
    first, schema = 1, None
    with gzip.open(path) if is_packed(path) else path.open("rb") as file:
        while lines := _lines(path, file, first):
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf") if first == 1 else lines[0]
            schema = schema or _schema(lines[0])
            yield _by_arrow(lines, first, schema) or _by_line(path, lines, first)
            first += len(lines)


def _lines(path: Path, file: io.BufferedIOBase, first: int) -> list[bytes]:
    try:
        return file.readlines(_BYTES)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path}:{first}: expected a whole gzip file from here on, {error}") from None


def _schema(line: bytes) -> pa.Schema:
    """What Arrow reads as what: a document may be a number, ids may be text, as in this line."""
    try:
        cells = json.loads(line)
    except (ValueError, RecursionError):
        cells = {}
    cells = cells if isinstance(cells, dict) else {}
    text, whole = pa.string(), pa.int64()
    return pa.schema(
        {
            "document": whole if isinstance(cells.get("document"), int) else text,
            "name": text,
            "ids": text if isinstance(cells.get("ids"), str) else pa.list_(text),
            **dict.fromkeys(("start", "end", "part", "rank"), whole),
            "score": pa.float64(),
        }
    )


def _by_arrow(lines: list[bytes], first: int, schema: pa.Schema) -> Block | None:
    """The block, if every line is an object for certain and has the types of the schema."""
    text = b"".join(lines).rstrip(b"\n") + b"\n"
    # Arrow reads objects wherever lines end: only where none ends within one are rows and lines the same.
    alike = text[:1] == b"{" and text.count(b"}\n{") == len(lines) - 1 and text[-2:] == b"}\n"
    if not alike or max(map(len, lines)) > _LONGEST:
        return None
    try:
        table = pj.read_json(pa.BufferReader(text), parse_options=pj.ParseOptions(explicit_schema=schema))
        table.validate(full=True)
        unread = [name for name in table.column_names if name not in COLUMNS]
    except (pa.ArrowException, UnicodeDecodeError):
        return None
    return Block(range(first, first + len(lines)), table, unread) if len(table) == len(lines) else None


def _by_line(path: Path, lines: list[bytes], first: int) -> Block:
    rows = {
        number: json_object(path, number, line) for number, line in enumerate(lines, first) if line.strip()
    }
    unread = dict.fromkeys(name for cells in rows.values() for name in cells if name not in COLUMNS)
    return Block(list(rows), list(rows.values()), list(unread))


def cell_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a TSV or CSV file under the number of their last line, the header first."""
    lines = (line + "\n" for _, line in numbered_lines(path))
    table = csv.reader(lines, delimiter=_DELIMITERS[kind_of(path)], strict=True)
    header: list[str] = []
    try:
        for cells in filter(None, table):
            if not header:
                check_columns(path, table.line_num, header := cells)
            if len(cells) != len(header):
                raise wrong(path, table.line_num, f"{len(header)} cells", len(cells))
            yield table.line_num, cells
    except csv.Error as error:
        raise wrong(path, table.line_num, "cells quoted as in CSV", error) from None


def _cell_blocks(path: Path) -> Iterator[Block]:
    rows = cell_rows(path)
    _, header = next(rows, (0, []))
    unread = [name for name in header if name not in COLUMNS]
    while some := list(islice(rows, _ROWS)):
        numbers, cells = zip(*some, strict=True)
        columns = [pa.array(column, pa.string()) for column in zip(*cells, strict=True)]
        yield Block(numbers, pa.table(columns, header), unread)


def _parquet_blocks(path: Path) -> Iterator[Block]:
    with path.open("rb") as file:
        try:
            table = pq.ParquetFile(file)
            names = table.schema_arrow.names
            check_columns(path, 1, names)
            first, unread = 1, [name for name in names if name not in COLUMNS]
            for batch in table.iter_batches(_ROWS, columns=[name for name in names if name in COLUMNS]):
                yield Block(range(first, first + len(batch)), pa.Table.from_batches([batch]), unread)
                first += len(batch)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: expected a Parquet file: {error}") from None


_READERS = {".jsonl": _json_blocks, ".tsv": _cell_blocks, ".csv": _cell_blocks, ".parquet": _parquet_blocks}
