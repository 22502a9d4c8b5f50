"""CSV files of a reader's own, whose columns are known by name."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from .lines import numbered_lines, wrong


def csv_rows(
    path: Path | str, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the cells of each row of a CSV file, white space around cells removed.

    Raises ValueError (path:line) for columns that are not all of ``columns`` and none but these and the
    ``optional``, for rows of another length, for quotes left open, and for no row.
    """
    lines = (line + "\n" for _, line in numbered_lines(path))
    table = csv.reader(lines, strict=True, skipinitialspace=True)
    n = 0
    try:
        header = [cell.strip() for cell in next(table, ())]
        if {*header, *optional} != {*columns, *optional} or len(set(header)) < len(header):
            also = f", and maybe {','.join(optional)}" if optional else ""
            raise wrong(path, 1, f"a first line with {','.join(columns)}{also}", ",".join(header))
        for cells in filter(None, table):
            cells = [cell.strip() for cell in cells]
            if len(cells) != len(header):
                raise wrong(path, table.line_num, f"{len(header)} cells", f"{len(cells)}: {','.join(cells)}")
            n += 1
            yield table.line_num, dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise wrong(path, table.line_num, "cells quoted as in CSV", str(error)) from None
    if not n:
        raise wrong(path, table.line_num + 1, "at least one row", "the end of the file")
