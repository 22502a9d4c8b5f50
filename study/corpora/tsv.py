"""Tables row by row: tab-separated ones of the sources, and small ones with commas."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchlib.formats.lines import csv_cells, numbered_lines, read_error


def tsv_rows(
    path: Path | str, least: int, most: int = 0, comments: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """The line number and the cells of each row: ``least`` to ``most`` cells, or exactly ``least``. With
    ``comments`` blank lines and those that begin with ``#`` are passed over.

    Raises ValueError (path:line) for another number of cells, and for a file without rows.
    """
    most, rows = most or least, 0
    for number, line in numbered_lines(path):
        if comments and (line.startswith("#") or not line.strip()):
            continue
        cells = line.split("\t")
        if not least <= len(cells) <= most:
            raise read_error(path, number, f"{least} to {most} tab-separated cells", f"{len(cells)}: {line}")
        rows += 1
        yield number, cells
    if not rows:
        raise read_error(path, 1, "at least one row", "none")


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
