"""Plain dictionaries: an id and its names on each line. An id is text, so ``007`` stays ``007``.

Three forms:

- ``id<TAB>name[<TAB>name ...]``: the first name of an id is its preferred name; an id may have several lines;
- the same with commas, in a ``.csv`` file;
- ``id||name``, the form of BioSyn, where ``id|id||name`` lists ids that share the name.

A line that begins with ``#`` is a comment. A file may have a head line, commented or not, that
names a column of ids (``id``, ``cui``, ``diseaseid``, ...) and one of names (``name``, ``label``, ``term``,
``synonyms``, ...), in any order; other columns are not read, which is noted.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..ontology import Concept, Ontology
from .dictionary_cells import BARS, head, rows_of, separator_of
from .lines import wrong
from .ontology_file import OntologyFile, distinct

_MANY = 0.1  # of the cells of a column that hold |: they may be lists of names


def read_dictionary(path: Path | str, synonyms: str = "") -> OntologyFile:
    """The concepts in order of first appearance; ``synonyms`` is what separates several names in one cell
    (``|``), nothing where empty. A column where more than a tenth of the cells hold ``|`` is noted then.

    Of several ids on one line, the first and each that leads a line of its own are concepts that carry
    the name; an id that never leads a line is an alternative id of the first. Blank lines are passed
    over. Raises ValueError for a line without separator, an empty id, an id without a name, a head line
    without ids or names, a line longer than the head line, and quotes left open.
    """
    table = _Table(path, synonyms)
    rows = list(table.rows())
    if not rows:
        raise wrong(path, 1, "`id<TAB>name`, `id,name` or `id||name`", "an empty file")
    names: dict[str, list[str]] = {ids[0]: [] for ids, _ in rows}
    alternatives: dict[str, list[str]] = {id: [] for id in names}
    for ids, row_names in rows:
        for id in ids:
            if id in names:
                names[id].extend(row_names)
            else:
                alternatives[ids[0]].append(id)
    concepts = (Concept(id, distinct(names[id]), alternatives=distinct(alternatives[id])) for id in names)
    return OntologyFile(Ontology(Path(path).name, concepts), notes=table.notes())


@dataclass
class _Table:
    path: Path | str
    synonyms: str
    unread: list[str] = field(default_factory=list)
    cells: Counter[int] = field(default_factory=Counter)  # column of names -> how many are filled
    barred: Counter[int] = field(default_factory=Counter)  # and hold a bar

    def rows(self) -> Iterator[tuple[list[str], list[str]]]:
        """Ids and names of each line."""
        separator = separator_of(self.path)
        first = True
        columns: tuple[int, list[int]] | None = None
        width = 0
        for number, cells in rows_of(self.path, separator):
            comment = cells[0].startswith("#")
            if first and (found := self._head(number, cells, comment)):
                columns, width, first = found, len(cells), False
            elif not comment:
                first = False
                if len(cells) < 2:
                    raise wrong(self.path, number, _shown(separator), cells[0])
                if columns and len(cells) > width:
                    raise wrong(self.path, number, f"no more than {width} cells", "\t".join(cells))
                at, named = columns or (0, range(1, len(cells)))
                ids = cells[at].split("|") if separator == BARS else cells[at : at + 1]
                ids = [id.strip() for id in ids]
                names = self._names({i: cells[i] for i in named if i < len(cells)})
                if not ids or not all(ids) or not names:
                    raise wrong(self.path, number, "a non-empty id and a name", separator.join(cells))
                yield ids, names

    def _head(self, number: int, cells: list[str], comment: bool) -> tuple[int, list[int]] | None:
        cells = [cells[0].lstrip("#"), *cells[1:]]
        try:
            found = head(cells)
        except ValueError as error:
            if comment:
                return None
            raise wrong(self.path, number, str(error), ", ".join(cells)) from None
        if found:
            read = {found[0], *found[1]}
            self.unread = [cell.strip() for i, cell in enumerate(cells) if i not in read and cell.strip()]
        return found

    def _names(self, cells: dict[int, str]) -> list[str]:
        names = []
        for column, cell in cells.items():
            self.cells[column] += bool(cell.strip())
            self.barred[column] += "|" in cell
            names += cell.split(self.synonyms) if self.synonyms else [cell]
        return list(distinct(names))

    def notes(self) -> tuple[str, ...]:
        file = Path(self.path).name
        notes = [f"Columns of {file} that are not read: {', '.join(self.unread)}."] if self.unread else []
        for column, count in self.barred.items():
            if not self.synonyms and count > _MANY * self.cells[column]:
                notes.append(
                    f"{count:,} of {self.cells[column]:,} cells in column {column + 1} of {file} hold `|`, "
                    "each read as one name: where it separates names, say so (synonyms)."
                )
        return tuple(notes)


def _shown(separator: str) -> str:
    return {"\t": "`id<TAB>name`", ",": "`id,name`"}.get(separator, "`id||name` or `id<TAB>name`")
