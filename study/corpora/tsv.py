"""Tab-separated tables of the sources, row by row."""

from collections.abc import Iterator
from pathlib import Path

from benchlib.formats.lines import numbered_lines, read_error


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
