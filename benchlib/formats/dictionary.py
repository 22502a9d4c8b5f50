"""Plain dictionaries: an id and its names on each line. An id is text, so ``007`` stays ``007``.

Three forms:

- ``id<TAB>name[<TAB>name ...]``: the first name of an id is its preferred name; an id may have several lines;
- the same with commas, in a ``.csv`` file;
- ``id||name[||name ...]``, the form of BioSyn, where ``id|id||name`` lists ids that share the names.

A line that begins with ``#`` is a comment. A file may have a head line, commented or not, that names a column
of ids (``id``, ``cui``, ``DiseaseID``, ...) and one of names (``name``, ``label``, ``term``, ``synonyms``,
...), in any order; other columns are not read, which is noted, and a cell ``-`` is empty. CTD's diseases and
NCBI's gene_info are such files: their synonyms are separated by ``|``. So are SNOMED CT's descriptions (RF2),
of which rows that are not active are dropped; gilda's grounding terms, whose ids get their ``db`` as prefix;
and the subjects or the objects of an SSSOM file, as ``id_column`` says. NCBI's ``names.dmp``, which has no
head line, is read with ``merged.dmp`` and ``delnodes.dmp`` of its folder.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from ..mends import option
from ..ontology import Concept, Ontology
from .lines import csv_cells, ending, numbered_lines, read_error
from .ontology_file import OntologyFile, bad_lines, unique_nonempty

_BARS, _NONE = "||", "\0"  # no text holds NUL
_DUMP = "\t|\t"  # of NCBI's taxonomy
_FORMS = {",": "`id,name`", _BARS: "`id||name` or `id<TAB>name`"}  # of others: `id<TAB>name`
# Tables whose columns of ids and names are known by some of their labels: SNOMED CT in RF2, gilda.
_TABLES = {
    ("conceptId", "term", "active"): ("conceptId", ("term",)),
    ("norm_text", "text", "db", "id", "entry_name"): ("id", ("entry_name", "text")),
}
_IDS = {"id", "ids", "uid", "cui", "curie", "code", "identifier", "concept", "mesh"}
_NAMES = {"name", "names", "label", "term", "string", "str", "symbol"}
# mesh_id, concept id, DiseaseID; preferred name, prefLabel. A name may end alike: fatty acid.
_AN_ID = re.compile(r".*([ _.:-](?i:id)|[a-z]I[dD])")
_A_NAME = re.compile(r".*([ _.:-](?i:name|label|term)|[a-z](Name|Label|Term))")
_SYNONYMS = re.compile("(.*)(synonym|alias|altlabel|alternativename|othername)(s|es)?[0-9]*")
_MANY = 0.1  # of the cells of a column that hold |: they may be lists of names


class _Header(NamedTuple):
    """The labels of the columns, which of them holds the ids, and which the names, names before synonyms."""

    labels: list[str]
    ids: int
    names: list[int]


_DUMP_HEADER = _Header(["tax_id", "name_txt", "unique name", "name class"], 0, [1])


def read_dictionary(
    path: Path | str, synonyms: str = "", id_column: str = "", strict: bool = False
) -> OntologyFile:
    """The concepts in order of first appearance; ``synonyms`` is what separates several names in one cell
    (``|``), nothing where empty. A column where more than a tenth of the cells hold ``|`` is noted then.
    ``id_column`` is the label of the column of ids, needed where a head line has several.

    Of several ids on one line, the first and each that leads a line of its own are concepts that carry
    the name; an id that never leads a line is an alternative id of the first. Blank lines are passed
    over. A line without separator, without id or name, or longer than the head line is left out with a note.
    Raises ValueError where these are more than 1 %, or any is and ``strict``; for a head line without ids or
    names or with several columns of ids, another ``id_column``, and quotes left open.
    """
    separator = _separator(path)
    header = _DUMP_HEADER if separator == _DUMP else None
    begun = bool(header)
    rows, errors = [], []  # (whether they are other names of a taxon, ids, names)
    filled, barred, dropped = Counter(), Counter(), Counter()
    for number, cells in _cells(path, separator):
        if not begun and (header := _header(path, number, cells, id_column)):
            begun = True
        elif not cells[0].startswith("#"):
            begun = True
            labelled = dict(zip(header.labels if header else (), cells, strict=False))
            if "conceptId" in labelled and labelled.get("active") == "0":
                dropped["inactive row"] += 1
                continue
            try:
                ids, named = _row(path, number, cells, separator, header, labelled)
                names = unique_nonempty(n for cell in named.values() for n in cell.split(synonyms or _NONE))
                if not all(ids) or not names:
                    raise read_error(path, number, "a non-empty id and a name", separator.join(cells))
            except ValueError as error:
                errors.append(str(error))
                continue
            rows.append((separator == _DUMP and cells[-1] != "scientific name", ids, names))
            filled.update(i for i, cell in named.items() if cell.strip())
            barred.update(i for i, cell in named.items() if "|" in cell)
    if id_column and (not header or header.labels[header.ids] != id_column):
        found = ", ".join(header.labels) if header else "none"
        raise read_error(path, 1, f"a head line with the column {id_column!r}", found)
    notes = bad_lines(path, errors, len(rows), strict)
    if not rows:
        raise read_error(path, 1, "`id<TAB>name`, `id,name` or `id||name`", "an empty file")
    rows.sort(key=itemgetter(0))
    ontology = Ontology(Path(path).name, _concepts([row[1:] for row in rows]))
    replaced = _replaced_taxa(Path(path).parent) if separator == _DUMP else {}
    notes = (*notes, *_notes(path, header, filled, {} if synonyms else barred))
    return OntologyFile(ontology, {}, dropped, notes, replaced)


def _row(
    path: Path | str,
    number: int,
    cells: list[str],
    separator: str,
    header: _Header | None,
    labelled: dict[str, str],
) -> tuple[list[str], dict[int, str]]:
    """The ids of a line, and its cells of names by their column."""
    if len(cells) < 2:
        raise read_error(path, number, _FORMS.get(separator, "`id<TAB>name`"), cells[0])
    if header and len(cells) > len(header.labels):
        raise read_error(path, number, f"no more than {len(header.labels)} cells", "\t".join(cells))
    _, place, columns = header or ((), 0, range(1, len(cells)))
    named = {i: cells[i] for i in columns if i < len(cells) and not (header and cells[i].strip() == "-")}
    printed = "".join(cells[place : place + 1])
    if "norm_text" in labelled and (db := labelled.get("db")):
        printed = f"{db}:{printed.removeprefix(f'{db}:')}"
    return [id.strip() for id in printed.split("|" if separator == _BARS else _NONE)], named


def _replaced_taxa(folder: Path) -> dict[str, tuple[str, ...]]:
    """Taxa that were merged into another, and those that were deleted."""
    names = (f"{name}.dmp{zipped}" for name in ("merged", "delnodes") for zipped in ("", ".gz"))
    files = [file for name in names if (file := folder / name).exists()]
    lines = (line.removesuffix("\t|").split(_DUMP) for file in files for _, line in numbered_lines(file))
    return {old.strip(): tuple(map(str.strip, new)) for old, *new in lines}


def _concepts(rows: list[tuple[list[str], tuple[str, ...]]]) -> Iterator[Concept]:
    names: dict[str, list[str]] = {ids[0]: [] for ids, _ in rows}
    alternatives: dict[str, list[str]] = {id: [] for id in names}
    for ids, row_names in rows:
        for id in ids:
            if id in names:
                names[id].extend(row_names)
            else:
                alternatives[ids[0]].append(id)
    for id in names:
        yield Concept(id, unique_nonempty(names[id]), alternatives=unique_nonempty(alternatives[id]))


def _notes(
    path: Path | str, header: _Header | None, filled: Counter[int], barred: Mapping[int, int]
) -> Iterator[str]:
    """What a user must know; by column, the cells that are not empty, and those that hold ``|``."""
    file, labels = Path(path).name, enumerate(header.labels if header else ())
    if unread := [label for i, label in labels if label and i not in (header.ids, *header.names)]:
        yield f"Columns of {file} that are not read: {', '.join(unread)}."
    for column, n in sorted(barred.items()):
        if n > _MANY * filled[column]:
            cells = f"{n:,} of {filled[column]:,} cells in column {column + 1} of {file}"
            yield f"{cells} hold `|`, each read as one name: where it separates names, say so (synonyms)."


def _separator(path: Path | str) -> str:
    """``,`` for a .csv file, else what the first line with content has: ``_DUMP``, a tab or ``||``."""
    if ending(path) == ".csv":
        return ","
    lines = (line for _, line in numbered_lines(path) if line.strip() and not line.startswith("#"))
    first = next(lines, "")
    return _DUMP if _DUMP in first and first.endswith("\t|") else "\t" if "\t" in first else _BARS


def _cells(path: Path | str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of every line that is not blank, comments among them.

    A CSV file quotes as CSV does. A TSV line with quoted cells is read as CSV where it can be; where not, as
    with ``"alpha" chain``, the quotes belong to the names.
    """
    if separator == ",":
        yield from ((line, cells) for line, cells in csv_cells(path) if any(map(str.strip, cells)))
        return
    for number, line in numbered_lines(path):
        if line.strip():
            cells = (line.removesuffix("\t|") if separator == _DUMP else line).split(separator)
            if separator == "\t" and any(cell.startswith('"') for cell in cells):
                with suppress(csv.Error):
                    cells = next(csv.reader([line], delimiter="\t", strict=True))
            yield number, cells


def _header(path: Path | str, number: int, cells: list[str], id_column: str) -> _Header | None:
    """The head line in these cells, None where they are none.

    Raises ValueError where the first cell names an id or a cell is the word for a name, and the other is not
    among the columns; and for several columns of ids where ``id_column`` is none of them.
    """
    labels = [cell.strip() for cell in (cells[0].lstrip("#"), *cells[1:])]
    words = [re.sub("[^a-z0-9]", "", label.lower()) for label in labels]  # CUI001 is an id, and no label
    columns = list(enumerate(zip(words, labels, strict=True)))
    synonyms = [i for i, word in enumerate(words) if _SYNONYMS.fullmatch(word)]
    names = [i for i, (word, label) in columns if word in _NAMES or _A_NAME.fullmatch(label)]
    names = [i for i in names if i not in synonyms] + synonyms
    # The species of a gene has an id as well.
    ids = [i for i, (word, label) in columns if word in _IDS or (_AN_ID.fullmatch(label) and word != "taxid")]
    known = next((columns for key, columns in _TABLES.items() if {*key} <= {*labels}), None)
    if known and not id_column:
        if "_Full" in Path(path).name:
            raise ValueError(f"{path}: expected the Snapshot of this release, where a description is one row")
        return _Header(labels, labels.index(known[0]), [labels.index(name) for name in known[1]])
    if id_column and id_column in labels:
        # The other ids may have names of their own: subject_label, object_label.
        others = [labels[i][:-2] for i in ids if labels[i] != id_column]
        own = [i for i in names if not any(other and labels[i].startswith(other) for other in others)]
        names = own or names
        ids = [labels.index(id_column)]
    if ids and names:
        if len(ids) > 1:
            told = f"{' and '.join(labels[i] for i in ids)}: {option('id_column', 'LABEL')} chooses"
            raise ValueError(f"{path}:{number}: expected one column of ids, found {told}")
        return _Header(labels, ids[0], names)
    labelled = words[0] in _IDS | _NAMES or 0 in ids + synonyms
    if not re.search("[0-9]", labels[0]):  # as most ids have one
        labelled = labelled or bool(names)
    if not cells[0].startswith("#") and labelled:
        missing = "names (name, synonyms)" if ids else f"ids (id; {option('id_column', 'LABEL')} chooses)"
        raise read_error(path, number, f"a head line with a column of {missing}, or none", ", ".join(cells))
    return None
