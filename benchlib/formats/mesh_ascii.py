"""MeSH as NLM publishes it in ASCII: descriptors (``dYYYY.bin``) and supplementary records (``cYYYY.bin``).

A record is a line ``*NEWRECORD`` and lines ``KEY = value``; keys: https://www.nlm.nih.gov/mesh/dtype.html
"""

from collections.abc import Iterator
from pathlib import Path

from ..ontology import Concept, Ontology
from .lines import numbered_lines, wrong
from .ontology_file import OntologyFile, distinct

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
        if len(ids) != 1 or not ids[0] or ids[0] in concepts:
            raise wrong(path, line, "a record with one UI of its own", ", ".join(ids) or "none")
        leading, beside = ([name for key in keys for name in record.get(key, ())] for keys in _NAMES)
        if not any(map(str.strip, leading)):
            unnamed += 1
            continue
        concepts[ids[0]] = Concept(
            ids[0],
            distinct([*leading, *beside]),
            types=tuple(sorted({number[:1] for number in record.get("MN", ())})),
            definition=record.get("MS", [""])[0],
        )
    if not concepts:
        raise wrong(path, 1, "at least one record with a name", "none")
    dropped = {"record without a name": unnamed} if unnamed else {}
    return OntologyFile(Ontology(Path(path).name, concepts.values()), dropped=dropped)


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
                raise wrong(path, number, "KEY = value within a record", line)
            # A scope note may hold a bar of its own.
            record.setdefault(key, []).append(value if key == "MS" else value.partition("|")[0].strip())
    if start:
        yield start, record
