"""The lines of a plain dictionary as cells, and what its head line calls them."""

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from .delimited import csv_cells
from .lines import numbered_lines

BARS = "||"
_IDS = {"id", "ids", "uid", "cui", "curie", "code", "identifier", "concept", "mesh"}
_NAMES = {"name", "names", "label", "term", "string", "str", "symbol"}
# mesh_id, concept id, DiseaseID; preferred name, prefLabel. A name may end alike: fatty acid.
_AN_ID = re.compile(r".*([ _.:-](?i:id)|[a-z]I[dD])")
_A_NAME = re.compile(r".*([ _.:-](?i:name|label|term)|[a-z](Name|Label|Term))")
_SYNONYMS = re.compile("(.*)(synonym|alias|altlabel|alternativename|othername)(s|es)?")


def separator_of(path: Path | str) -> str:
    """``,`` for a .csv file, else a tab or ``||``, whichever the first line with content has."""
    if Path(path).name.lower().removesuffix(".gz").endswith(".csv"):
        return ","
    lines = (line for _, line in numbered_lines(path) if line.strip() and not line.startswith("#"))
    return "\t" if "\t" in next(lines, "") else BARS


def rows_of(path: Path | str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of every line that is not blank, comments among them.

    A CSV file quotes as CSV does. A TSV line with quoted cells is read as CSV where it can be; where not, as
    with ``"alpha" chain``, the quotes belong to the names. ``||`` parts a line once.
    """
    if separator == ",":
        yield from ((line, cells) for line, cells in csv_cells(path) if any(map(str.strip, cells)))
        return
    for number, line in numbered_lines(path):
        if line.strip():
            left, found, right = line.partition(BARS)
            bars = [left, right] if found else [line]
            yield number, bars if separator == BARS else _tsv_cells(line)


def head(cells: Sequence[str]) -> tuple[int, list[int]] | None:
    """Which column holds the ids, and which the names, names before synonyms; None for no line of heads.

    Raises ValueError where the first cell names an id or a name, and the other is not among the columns.
    """
    words = [re.sub("[^a-z]", "", cell.lower()) for cell in cells]
    beside = [i for i, word in enumerate(words) if _SYNONYMS.fullmatch(word)]
    kinds = list(enumerate(zip(words, map(str.strip, cells), strict=True)))
    names = [i for i, (word, cell) in kinds if word in _NAMES or _A_NAME.fullmatch(cell)]
    names = [i for i in names if i not in beside]
    ids = [i for i, (word, cell) in kinds if word in _IDS or _AN_ID.fullmatch(cell)]
    if ids and names + beside:
        return ids[0], names + beside
    if words[0] in _IDS | _NAMES or 0 in beside:
        missing = "names (name, synonyms)" if words[0] in _IDS else "ids (id)"
        raise ValueError(f"a head line with a column of {missing}, or none")
    return None


def _tsv_cells(line: str) -> list[str]:
    cells = line.split("\t")
    if any(cell.startswith('"') for cell in cells):
        try:
            return next(csv.reader([line], delimiter="\t", strict=True))
        except csv.Error:
            return cells
    return cells
