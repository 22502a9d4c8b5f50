"""Plain dictionaries: one id and its names per line. An id is text, so ``007`` stays ``007``.

Two forms, told apart by the first line:

- ``id<TAB>name[<TAB>name ...]``: the first name of an id is its preferred name; an id may have several lines;
- ``id||name``, the form of BioSyn, where ``id|id||name`` lists ids that share the name.
"""

from __future__ import annotations

from pathlib import Path

from ..ontology import Concept, Ontology
from .lines import numbered_lines, wrong
from .ontology_file import OntologyFile, distinct


def read_dictionary(path: Path | str) -> OntologyFile:
    """The concepts in order of first appearance.

    Of several ids on one line, the first and each that leads a line of its own are concepts that carry
    the name; an id that never leads a line is an alternative id of the first. Blank lines are passed
    over. Raises ValueError for a line without separator, an empty id, or an id without a name.
    """
    rows = _rows(path)
    names: dict[str, list[str]] = {ids[0]: [] for ids, _ in rows}
    alternatives: dict[str, list[str]] = {id: [] for id in names}
    for ids, row_names in rows:
        for id in ids:
            if id in names:
                names[id].extend(row_names)
            else:
                alternatives[ids[0]].append(id)
    concepts = (Concept(id, distinct(names[id]), alternatives=distinct(alternatives[id])) for id in names)
    return OntologyFile(Ontology(Path(path).name, concepts))


def _rows(path: Path | str) -> list[tuple[list[str], list[str]]]:
    rows: list[tuple[list[str], list[str]]] = []
    separator = ""
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        separator = separator or ("\t" if "\t" in line else "||")
        shown = "id<TAB>name" if separator == "\t" else "id||name` or `id<TAB>name"
        left, found, right = line.partition(separator)
        if not found:
            raise wrong(path, number, f"`{shown}`", line)
        ids = [id.strip() for id in (left.split("|") if separator == "||" else [left])]
        names = distinct(right.split("\t") if separator == "\t" else [right])
        if not all(ids) or not names:
            raise wrong(path, number, "a non-empty id and a name", line)
        rows.append((ids, list(names)))
    if not rows:
        raise wrong(path, 1, "`id<TAB>name` or `id||name`", "an empty file")
    return rows
