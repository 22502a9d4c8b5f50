"""What the authors of BioCoM release (Ujiie et al. 2021, section 4.1): half of MEDIC.

The corpora that they score with it are ``ncbi-disease-biocom`` and ``bc5cdr-disease-biocom``, and what can be
had of their MedMentions-d is ``medmentions-disease-biocom``.
"""

from pathlib import Path

from benchlib.formats.json_text import json_or_none
from benchlib.formats.lines import numbered_lines, read_error
from benchlib.ontology import Concept, Ontology

from .files import FileLocator
from .medic import medic_id


def halved_medic(locate: FileLocator) -> Ontology:
    """The concepts of the released map with the names of the released dictionary."""
    return read_biocom(
        locate("biocom_resources/disease_down_half.tsv"), locate("biocom_resources/concept_map.json")
    )


def read_biocom(names: Path | str, concepts: Path | str) -> Ontology:
    """Every concept of the map, in its order, with its names in theirs; a concept without one stays.

    ``names``: a JSON list ``[name, [id, ...]]`` a line, all ids of one concept. ``concepts``: one JSON object
    from the id of each concept to all its ids, in one line. Bare numbers are ids of OMIM, as in
    :func:`.medic.medic_id`. Raises ValueError (path:line) for anything else, and for an id that is not in the
    map, or stands there for two concepts.
    """
    ids = _read_map(concepts)
    owner = {id: concept for concept, its_ids in ids.items() for id in its_ids}
    named: dict[str, dict[str, None]] = {concept: {} for concept in ids}
    for number, line in numbered_lines(names):
        name, its_ids = _read_row(names, number, line)
        owners = {owner.get(id) for id in its_ids}
        if len(owners) > 1 or None in owners:
            raise read_error(names, number, "ids of one concept of the map", line)
        named[owners.pop()][name] = None
    return Ontology(
        "MEDIC as BioCoM halved it",
        (
            Concept(id, tuple(named[id]), alternatives=tuple(other for other in its_ids if other != id))
            for id, its_ids in ids.items()
        ),
    )


def _read_map(path: Path | str) -> dict[str, list[str]]:
    expected = "one JSON object from the id of each concept to all its ids, of MeSH or OMIM"
    [(number, line), *more] = [*numbered_lines(path)] or [(1, "")]
    listed = json_or_none(line)
    if more or not isinstance(listed, dict) or not listed:
        raise read_error(path, number, expected, line)
    ids: dict[str, list[str]] = {}
    seen: set[str] = set()
    for concept, others in listed.items():
        its_ids = _ids(others)
        if medic_id(concept) not in its_ids or seen.intersection(its_ids):
            raise read_error(path, number, f"{expected}, each once", f"{concept}: {others}")
        ids[medic_id(concept)] = its_ids
        seen.update(its_ids)
    return ids


def _read_row(path: Path | str, number: int, line: str) -> tuple[str, list[str]]:
    match json_or_none(line):
        case [str(name), list(ids)] if name.strip() and _ids(ids):
            return name, _ids(ids)
    raise read_error(path, number, "[name, [id, ...]] with ids of MeSH or OMIM", line)


def _ids(listed: object) -> list[str]:
    """The ids as this study writes them; none where something in the list is no id of MEDIC."""
    if not isinstance(listed, list) or not all(isinstance(id, str) for id in listed):
        return []
    ids = [medic_id(id) for id in listed]
    return [] if None in ids else ids
