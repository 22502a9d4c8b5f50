"""MEDIC, the disease vocabulary of CTD, in its two forms."""

import re
from pathlib import Path

from benchlib.formats.lines import numbered_lines, read_error
from benchlib.formats.ontology_file import unique_nonempty
from benchlib.ontology import Concept, Ontology

_MESH = re.compile(r"[CD]\d+")
_CTD_COLUMNS = 9


def medic_id(id: str) -> str | None:
    """An id as this study writes it: MeSH bare, OMIM with its prefix. None for any other vocabulary."""
    id = id.strip()
    if id.isdecimal():
        return f"OMIM:{id}"
    bare = id.removeprefix("MESH:")
    # The root of MEDIC has the literal id C.
    return bare if _MESH.fullmatch(bare) or bare == "C" else id if id.startswith("OMIM:") else None


def read_medic_2012(path: Path | str) -> Ontology:
    """MEDIC of July 2012 as BioSyn distributes it: ``id[|id...]||name[|synonym...]`` a line."""
    concepts: dict[str, Concept] = {}
    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        left, separator, right = line.partition("||")
        ids = [medic_id(id) for id in left.split("|")]
        names = unique_nonempty(right.split("|"))
        if not separator or None in ids or not names:
            raise read_error(path, number, "MeSH or OMIM ids || names, both separated by |", line)
        _once(path, number, ids[0], concepts)
        concepts[ids[0]] = Concept(ids[0], names, alternatives=tuple(ids[1:]))
    return _ontology("MEDIC 2012-07", path, concepts)


def read_ctd(path: Path | str) -> Ontology:
    """CTD_diseases.tsv. Alternative ids of the Disease Ontology are left out: one may stand for several
    diseases. Tree numbers become types at the level of the branch (C04, F03, …)."""
    concepts: dict[str, Concept] = {}
    for number, line in numbered_lines(path):
        if line.startswith("#") or not line.strip():
            continue
        columns = line.split("\t")
        if len(columns) != _CTD_COLUMNS:
            raise read_error(path, number, f"{_CTD_COLUMNS} columns", f"{len(columns)}: {line}")
        name, id, others, definition, parents, trees, _, synonyms, _ = columns
        concept = medic_id(id)
        if concept is None:
            raise read_error(path, number, "a DiseaseID of MeSH or OMIM", id)
        _once(path, number, concept, concepts)
        concepts[concept] = Concept(
            concept,
            unique_nonempty([name, *synonyms.split("|")]),
            types=tuple(sorted({tree[:3] for tree in trees.split("|") if tree})),
            parents=tuple(filter(None, map(medic_id, parents.split("|")))),
            definition=definition,
            alternatives=tuple(filter(None, map(medic_id, others.split("|")))),
        )
    return _ontology("MEDIC 2017-06", path, concepts)


def _once(path: Path | str, line: int, id: str, concepts: dict[str, Concept]) -> None:
    if id in concepts:
        raise read_error(path, line, "each disease once", f"{id} again")


def _ontology(name: str, path: Path | str, concepts: dict[str, Concept]) -> Ontology:
    if not concepts:
        raise read_error(path, 1, "at least one disease", "none")
    return Ontology(name, concepts.values())
