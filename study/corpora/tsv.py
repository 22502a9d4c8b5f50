"""Tables row by row: tab-separated ones of the sources, and small ones with commas."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchlib.formats.lines import csv_cells, numbered_lines, read_error


def tsv_rows(path: Path | str) -> Iterator[list[str]]:
    """The cells of each row of a table that the registry pins: its checksum is checked, not its rows."""
    return (line.split("\t") for _, line in numbered_lines(path))


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
