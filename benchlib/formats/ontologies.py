"""An ontology by its path: which reader a file or folder needs."""

import re
from collections.abc import Iterator
from pathlib import Path

from ..ontology import Ontology
from .dictionary_tsv import read_dictionary
from .gene_info import read_gene_info
from .json_lines import read_json_lines
from .lines import numbered_lines
from .medic import read_ctd, read_medic_2012
from .mesh_ascii import NEW, read_mesh_ascii
from .obo import read_obo
from .ontology_file import OntologyFile
from .rrf import ST21PV_SOURCES, ST21PV_TYPES, read_rrf

ST21PV = "#st21pv"
TABLES = (".tsv", ".txt", ".csv", ".bin", ".gene_info")
_MEDIC_IDS = re.compile(r"(C|[CD](\d{6}|\d{9})|(OMIM:)?\d{6})(\|(C|[CD](\d{6}|\d{9})|(OMIM:)?\d{6}))*")


def read_ontology(path: Path | str, synonyms: str = "") -> OntologyFile:
    """The ontology in a file, plain or gzipped, or in a folder of ``.RRF`` files (or a file within one).

    Of a release of UMLS definitions and parents are read where it has their tables; with ``#st21pv`` behind
    its path it is restricted to the semantic types and source vocabularies of MedMentions ST21pv.
    ``.obo``, ``.jsonl`` (:mod:`.json_lines`) and ``.rrf`` go by the name, whatever its case. A file of
    ``TABLES`` goes by what it holds: CTD's diseases (9 columns, the second with ``MESH:`` or ``OMIM:``),
    MEDIC as BioSyn has it (``id||name|synonym``, ids of MeSH and OMIM, each once), NCBI's gene_info (16
    columns, the second a number), MeSH in NLM's ASCII form; else it is a plain dictionary, see
    :func:`benchlib.formats.dictionary_tsv.read_dictionary`, also for ``synonyms``. ``notes`` name the form
    where it was told by content.

    Raises FileNotFoundError for a missing path, and ValueError for a name of no known kind, and for
    ``synonyms`` with a file that is no plain dictionary.
    """
    restricted = str(path).endswith(ST21PV)
    path = Path(str(path).removesuffix(ST21PV))
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    kind = Path(path.name.lower().removesuffix(".gz")).suffix
    if not path.is_dir() and kind not in (*TABLES, ".obo", ".jsonl", ".rrf"):
        known = f"{', '.join(TABLES)}, .obo, .jsonl or .rrf (each also with .gz)"
        raise ValueError(f"{path}: expected an ontology as {known}, or a folder of .RRF files")
    if restricted and not (path.is_dir() or kind == ".rrf"):
        raise ValueError(f"{path}: {ST21PV} is for a release of UMLS, a folder of .RRF files")
    if kind in TABLES and not path.is_dir():
        form = "" if synonyms else _form(path)
        return _known(path, form) if form else read_dictionary(path, synonyms)
    if synonyms:
        raise ValueError(f"{path}: a synonym separator is for dictionaries ({', '.join(TABLES)})")
    if kind == ".obo" and not path.is_dir():
        return read_obo(path)
    if kind == ".jsonl" and not path.is_dir():
        return read_json_lines(path)
    folder = path if path.is_dir() else path.parent
    return read_rrf(folder, ST21PV_TYPES, ST21PV_SOURCES) if restricted else read_rrf(folder)


def _form(path: Path) -> str:
    """What a table holds, empty for a plain dictionary."""
    first = next(_content(path), "")
    cells = first.split("\t")
    if first.strip() == NEW:
        return "MeSH in ASCII"
    if len(cells) == 16 and cells[0].isdecimal() and cells[1].isdecimal():
        return "gene_info"
    if len(cells) == 9 and cells[1].startswith(("MESH:", "OMIM:")):
        return "CTD's diseases, ids of MeSH without MESH:"
    return "MEDIC, ids of OMIM with OMIM:" if "||" in first and _is_medic(path) else ""


def _is_medic(path: Path) -> bool:
    ids: set[str] = set()
    barred = False
    for line in _content(path):
        left, _, names = line.partition("||")
        if not _MEDIC_IDS.fullmatch(left) or left.split("|")[0] in ids:
            return False
        ids.add(left.split("|")[0])
        barred = barred or "|" in names
    return barred


def _known(path: Path, form: str) -> OntologyFile:
    note = (f"{path.name} is read as {form}.",)
    if form == "MeSH in ASCII":
        found = read_mesh_ascii(path)
        return OntologyFile(found.ontology, dropped=found.dropped, notes=note)
    if form == "gene_info":
        return OntologyFile(read_gene_info(path, path.name), notes=note)
    found = (read_ctd if form.startswith("CTD") else read_medic_2012)(path)
    return OntologyFile(Ontology(path.name, found.concepts.values()), notes=note)


def _content(path: Path) -> Iterator[str]:
    return (line for _, line in numbered_lines(path) if line.strip() and not line.startswith("#"))
