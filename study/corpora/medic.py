"""MEDIC, the disease vocabulary of CTD, in its two forms."""

import re
from dataclasses import replace
from pathlib import Path

from benchlib.benchmark import Benchmark
from benchlib.formats.lines import numbered_lines
from benchlib.formats.ontology_file import unique_nonempty
from benchlib.ontology import Concept, Ontology

from .files import FileLocator, locator
from .tsv import tsv_rows

_MESH = re.compile(r"[CD]\d+")


def medic_id(id: str) -> str | None:
    """An id as this study writes it: MeSH bare, OMIM with its prefix. None for any other vocabulary."""
    id = id.strip()
    if id.isdecimal():
        return f"OMIM:{id}"
    bare = id.removeprefix("MESH:")
    # The root of MEDIC has the literal id C.
    return bare if _MESH.fullmatch(bare) or bare == "C" else id if id.startswith("OMIM:") else None


def medic_2012(locate: FileLocator) -> Ontology:
    """MEDIC of July 2012."""
    return read_medic_2012(locate("medic/medic_06Jul2012.txt.gz"))


def medic_2017(locate: FileLocator) -> Ontology:
    """MEDIC of June 2017."""
    return read_ctd(locate("medic/CTD_diseases.tsv.gz"))


def with_medic_2017(benchmark: Benchmark) -> Benchmark:
    """With MEDIC of June 2017, the newest edition that is fetched, in the place of its dictionary. Raises
    MissingFile."""
    return replace(benchmark, ontology=medic_2017(locator(["medic"])))


def read_medic_2012(path: Path | str) -> Ontology:
    """MEDIC of July 2012 as BioSyn distributes it: ``id[|id...]||name[|synonym...]`` a line."""
    concepts = []
    for _, line in numbered_lines(path):
        left, _, right = line.partition("||")
        id, *others = map(medic_id, left.split("|"))
        concepts.append(Concept(id, unique_nonempty(right.split("|")), alternatives=tuple(others)))
    return Ontology("MEDIC 2012-07", concepts)


def read_ctd(path: Path | str) -> Ontology:
    """CTD_diseases.tsv. Alternative ids of the Disease Ontology are left out: one may stand for several
    diseases. Tree numbers become types at the level of the branch (C04, F03, …)."""
    rows = (row for row in tsv_rows(path) if not row[0].startswith("#"))
    return Ontology(
        "MEDIC 2017-06",
        (
            Concept(
                medic_id(id),
                unique_nonempty([name, *synonyms.split("|")]),
                types=tuple(sorted({tree[:3] for tree in trees.split("|") if tree})),
                parents=tuple(filter(None, map(medic_id, parents.split("|")))),
                definition=definition,
                alternatives=tuple(filter(None, map(medic_id, others.split("|")))),
            )
            for name, id, others, definition, parents, trees, _, synonyms, _ in rows
        ),
    )
