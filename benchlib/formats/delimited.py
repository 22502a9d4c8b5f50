"""Delimited text: CSV and TSV files, quoted as CSV."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from .lines import numbered_lines, read_error


def csv_cells(
    path: Path | str, delimiter: str = ",", skipinitialspace: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The last line and the cells of each row of a CSV or TSV file; blank lines are passed over.

    Raises ValueError (path:line) for quotes left open.
    """
    lines = (line + "\n" for _, line in numbered_lines(path))
    table = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=skipinitialspace)
    try:
        for cells in filter(None, table):
            yield table.line_num, cells
    except csv.Error as error:
        raise read_error(path, table.line_num, "cells quoted as in CSV", str(error)) from None


def csv_rows(
    path: Path | str, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the cells of each row of a CSV file, white space around cells removed.

    Raises ValueError (path:line) for columns that are not all of ``columns`` and none but these and the
    ``optional``, for rows of another length, for quotes left open, and for no row.
    """
    rows = ((line, [cell.strip() for cell in cells]) for line, cells in csv_cells(path))
    line, header = next(rows, (0, []))
    if {*header, *optional} != {*columns, *optional} or len(set(header)) < len(header):
        also = f", and maybe {','.join(optional)}" if optional else ""
        raise read_error(path, 1, f"a first line with {','.join(columns)}{also}", ",".join(header))
    n = 0
    for line, cells in rows:
        if len(cells) != len(header):
            raise read_error(path, line, f"{len(header)} cells", f"{len(cells)}: {','.join(cells)}")
        n += 1
        yield line, dict(zip(header, cells, strict=True))
    if not n:
        raise read_error(path, line + 1, "at least one row", "the end of the file")
