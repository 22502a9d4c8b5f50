"""The cells of a predictions file: each checked, its texts coded as numbers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..predictions import COLUMNS
from .lines import SHOWN
from .predictions_blocks import Block, blocks, wrong

_BELOW = 2**31  # offsets, parts and ranks
_JOIN = "\0"  # between the ids of a cell: no text holds it


@dataclass(frozen=True)
class Rows:
    """The rows of a file, column by column.

    ``numbers``, ``start``, ``end``, ``part`` and, where the file has it, ``rank`` are int64, ``score`` is
    float64. ``document``, ``name`` and ``ids`` are places in ``documents``, ``names`` and ``id_lists``.
    ``unread`` are the other columns of the file.
    """

    numbers: np.ndarray
    document: np.ndarray
    start: np.ndarray
    end: np.ndarray
    part: np.ndarray
    name: np.ndarray
    ids: np.ndarray
    documents: Sequence[str]
    names: Sequence[str]
    id_lists: Sequence[tuple[str, ...]]
    unread: Sequence[str]
    rank: np.ndarray | None = None
    score: np.ndarray | None = None


def read_rows(path: Path) -> Rows:
    """The rows of a file; raises ValueError as :func:`blocks`, for no row at all, and for a wrong cell."""
    numbers, cells, unread, given = [], [], {}, set()
    texts: dict[str, dict[str, int]] = {column: {} for column in ("document", "name", "ids")}
    for block in blocks(path):
        if len(block.numbers):
            unread |= dict.fromkeys(block.unread)
            given.update(_given(block.rows))
            numbers.append(np.asarray(block.numbers, dtype=np.int64))
            checked = _checked(path, block)
            cells.append({column: _coded(found, texts.get(column)) for column, found in checked.items()})
    if not cells:
        raise wrong(path, 1, "at least one row of predictions", "none")
    if not {"name", "ids"} & given:
        raise wrong(path, numbers[0][0], "columns document, start, end, and name or ids", "neither of these")
    columns = {}
    for column in dict.fromkeys(column for block in cells for column in block):
        for block, of_block in zip(cells, numbers, strict=True):
            if column not in block:
                _cell(path, of_block[0], column, None)
        columns[column] = np.concatenate([block[column] for block in cells])
    documents, names, ids = map(list, texts.values())
    id_lists = [tuple(text.split(_JOIN)) if text else () for text in ids]
    return Rows(np.concatenate(numbers), **columns, documents=documents, names=names, id_lists=id_lists,
                unread=list(unread))  # fmt: skip


def _given(rows: pa.Table | list[Mapping[str, object]]) -> list[str]:
    """The columns in which some row has a cell."""
    if isinstance(rows, pa.Table):
        return [c for c in COLUMNS if c in rows.column_names and rows[c].null_count < len(rows)]
    return [c for c in COLUMNS if any(cells.get(c) is not None for cells in rows)]


def _checked(path: Path, block: Block) -> dict[str, pa.Array]:
    """The columns of a block: whole numbers, finite numbers, and texts as dictionaries, ids joined to one.

    What is not certain to be right as a column is read cell by cell: the first wrong one is named."""
    columns = [c for c in COLUMNS if c not in ("rank", "score") or c in _given(block.rows)]
    if not isinstance(block.rows, pa.Table):
        return _cell_by_cell(path, block.numbers, block.rows, columns)
    try:
        found = {}
        for column in columns:
            there = column in block.rows.column_names
            cells = block.rows[column].combine_chunks() if there else pa.nulls(len(block.rows))
            if column in _ABSENT and cells.null_count == len(cells):
                cells = pa.array([_ABSENT[column]] * len(cells), _TYPES[column])
            found[column] = _COLUMNS[column](cells)
        return found
    except (pa.ArrowException, _Uncertain):
        pass
    try:
        rows = block.rows.to_pylist()
    except UnicodeDecodeError as error:
        raise wrong(path, block.numbers[0], "text in UTF-8 in this row and the next", error.reason) from None
    return _cell_by_cell(path, block.numbers, rows, columns)


class _Uncertain(Exception):
    """A column that may hold a wrong cell."""


def _whole_column(cells: pa.Array) -> pa.Array:
    if pa.types.is_string(cells.type) and pc.all(pc.ascii_is_decimal(cells)).as_py():
        cells = cells.cast(pa.int64())
    if not pa.types.is_integer(cells.type) or cells.null_count:
        raise _Uncertain
    bounds = pc.min_max(cells).as_py()
    if bounds["min"] < 0 or bounds["max"] >= _BELOW:
        raise _Uncertain
    return cells.cast(pa.int64())


def _finite_column(cells: pa.Array) -> pa.Array:
    if not (
        pa.types.is_string(cells.type) or pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)
    ):
        raise _Uncertain
    values = cells.cast(pa.float64(), safe=False)
    if values.null_count or not pc.all(pc.is_finite(values)).as_py():
        raise _Uncertain
    return values


def _text_column(cells: pa.Array) -> pa.DictionaryArray:
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)) or cells.null_count:
        raise _Uncertain
    cells.validate(full=True)
    coded = cells.cast(pa.string()).dictionary_encode()
    if pc.any(pc.match_substring(coded.dictionary, _JOIN)).as_py():
        raise _Uncertain
    return coded


def _document_column(cells: pa.Array) -> pa.DictionaryArray:
    # A PubMed number is often stored as a number; a wrong one is no document of the corpus.
    return _text_column(cells.cast(pa.string()) if pa.types.is_integer(cells.type) else cells)


def _name_column(cells: pa.Array) -> pa.DictionaryArray:
    return _text_column(cells.fill_null(""))


def _ids_column(cells: pa.Array) -> pa.DictionaryArray:
    if pa.types.is_list(cells.type):
        each = _text_column(cells.flatten())
        joined = pc.binary_join(cells, _JOIN).fill_null("").dictionary_encode()
        texts = each.dictionary.to_pylist()
    else:
        joined = _text_column(cells.fill_null(""))
        ids = [text.split("|") if text else [] for text in joined.dictionary.to_pylist()]
        texts = [id for some in ids for id in some]
        joined = pa.DictionaryArray.from_arrays(joined.indices, pa.array(map(_JOIN.join, ids), pa.string()))
    if "" in texts:
        raise _Uncertain
    return joined


def _cell_by_cell(path: Path, numbers: Sequence[int], rows: list[Mapping[str, object]], columns: list[str]):
    read: dict[str, list] = {column: [] for column in columns}
    for number, row in zip(numbers, rows, strict=True):
        for column, cells in read.items():
            cells.append(_cell(path, number, column, row.get(column)))
    arrays = {column: pa.array(cells, _TYPES[column]) for column, cells in read.items()}
    return {
        c: cells.dictionary_encode() if _TYPES[c] == pa.string() else cells for c, cells in arrays.items()
    }


def _cell(path: Path, number: int, column: str, cell: object) -> object:
    if column in _ABSENT and cell is None:
        return _ABSENT[column]
    read, expected = _CELLS[column]
    try:
        return read(cell)
    except (TypeError, ValueError, OverflowError):
        raise wrong(path, number, expected.format(column), ascii(cell)[:SHOWN]) from None


def _whole(cell: object) -> int:
    if isinstance(cell, bool) or not re.fullmatch("[0-9]+", str(cell)) or not int(cell) < _BELOW:
        raise ValueError
    return int(cell)


def _finite(cell: object) -> float:
    if isinstance(cell, bool) or not np.isfinite(float(cell)):
        raise ValueError
    return float(cell)


def _text(cell: object) -> str:
    if not isinstance(cell, str) or _JOIN in cell:
        raise TypeError
    cell.encode()  # a lone surrogate is no Unicode
    return cell


def _document(cell: object) -> str:
    return _text(str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell)


def _ids(cell: object) -> str:
    ids = cell.split("|") if isinstance(cell, str) and cell else cell or []
    if not isinstance(cell, str | list) or not all(map(_text, ids)):
        raise TypeError
    return _JOIN.join(ids)


def _coded(cells: pa.Array, numbers: dict[str, int] | None) -> np.ndarray:
    """Numbers as they are, texts by their place in ``numbers``, which those that are new join."""
    if numbers is None:
        return cells.to_numpy()
    known = [numbers.setdefault(text, len(numbers)) for text in cells.dictionary.to_pylist()]
    return np.array(known, dtype=np.int64)[cells.indices.to_numpy()]


_WHOLE = ("start", "end", "part", "rank")
_ABSENT = {"part": 0, "name": "", "ids": ""}  # what a row has that does not say
_TYPES = {**dict.fromkeys(COLUMNS, pa.string()), **dict.fromkeys(_WHOLE, pa.int64()), "score": pa.float64()}
_COLUMNS: dict[str, Callable[[pa.Array], pa.Array]] = {
    **dict.fromkeys(_WHOLE, _whole_column),
    "document": _document_column,
    "name": _name_column,
    "ids": _ids_column,
    "score": _finite_column,
}
_CELLS: dict[str, tuple[Callable[[object], object], str]] = {
    **dict.fromkeys(_WHOLE, (_whole, f"a whole number as {{}}, below {_BELOW:,}")),
    "document": (_document, "text as {}"),
    "name": (_text, "text as {}"),
    "ids": (_ids, "ids stored as text, joined by | or in a list, as {}"),
    "score": (_finite, "a finite number as {}"),
}
