"""Text files by lines or rows of CSV, plain or gzipped, with errors that name file and line."""

import codecs
import csv
import gzip
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TypeVar

from tqdm import tqdm

from ..terminal import visible

SHOWN = 60
_BLOCK = 10_000  # lines between two updates of the bar
_BAR = {"unit": "B", "unit_scale": True, "delay": 1, "leave": False}
Value = TypeVar("Value")


def read_error(path: Path | str, line: int, expected: str, found: str) -> ValueError:
    """The one form of a reader's complaint: ``path:line: expected ..., found ...``."""
    found = repr(found if len(found) <= SHOWN else found[:SHOWN] + "...")
    return ValueError(f"{path}:{line}: expected {expected}, found {found}")


def add_once(path: Path | str, line: int, table: dict[str, Value], id: str, value: Value) -> None:
    """Put a value into a table; raises ValueError (path:line) where the id is there already."""
    if id in table:
        raise read_error(path, line, "each id once", f"{id} again")
    table[id] = value


def reading_bar(path: Path) -> tqdm:
    """A bar over the bytes of a file, shown by a terminal where reading takes more than a second."""
    return tqdm(total=path.stat().st_size, desc=visible(path.name), disable=None, **_BAR)


def ending(path: Path | str) -> str:
    """How the name of a file ends, in lower case and without ``.gz``: ``.tsv`` of ``names.TSV.gz``."""
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix


def numbered_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end), decoded as UTF-8; ``.gz`` is unpacked on the way.

    Raises FileNotFoundError for a missing file and ValueError for a damaged archive or a line that is
    not UTF-8 or holds a NUL. A newline ends a line, a carriage return only in a file without newlines: the
    other separators of Unicode may stand within a name.
    """
    path = Path(path)
    number = 0
    with (
        path.open("rb") as raw_file,
        gzip.open(raw_file) if path.suffix.lower() == ".gz" else raw_file as file,
        reading_bar(path) as bar,
    ):
        try:
            first = next(file, b"")
            rest = chain([first], file) if first.endswith(b"\n") else first.rstrip(b"\r").split(b"\r")
            for number, raw in enumerate(rest if first else (), start=1):
                line = raw.rstrip(b"\r\n")
                line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if b"\0" in line:
                    text = line.decode(errors="replace")
                    raise read_error(path, number, "UTF-8 text without NUL characters", text)
                if number % _BLOCK == 0 and not bar.disable and raw_file.seekable():
                    bar.update(raw_file.tell() - bar.n)
                yield number, line.decode()
        except UnicodeDecodeError as error:
            told = f"{error.reason} at byte {error.start}"
            raise ValueError(f"{path}:{number}: expected UTF-8, {told}") from None
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{path}:{number + 1}: expected a whole gzip file, {error}") from None


def csv_cells(
    path: Path | str, delimiter: str = ",", skipinitialspace: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The last line and the cells of each row of a CSV or TSV file; blank lines are passed over.

    Raises ValueError (path:line) for quotes left open, with the line where the row begins.
    """
    begins = 1
    lines = (line + "\n" for _, line in numbered_lines(path))
    table = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=skipinitialspace)
    try:
        for cells in table:
            if cells:
                yield table.line_num, cells
            begins = table.line_num + 1
    except csv.Error as error:
        raise read_error(path, begins, "cells quoted as in CSV", str(error)) from None
