"""UMLS releases in Rich Release Format: MRCONSO and, beside it, MRSTY, MRDEF and MRREL.

Columns: UMLS Reference Manual, chapter 3 (https://www.ncbi.nlm.nih.gov/books/NBK9685/).
The files are read as streams; only the concepts that are kept are held in memory.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from ..ontology import Concept, Ontology
from .lines import numbered_lines, read_error
from .ontology_file import OntologyFile, unique_nonempty

# The columns of a row in order; a bar ends each.
COLUMNS = {
    "MRCONSO": "CUI|LAT|TS|LUI|STT|SUI|ISPREF|AUI|SAUI|SCUI|SDUI|SAB|TTY|CODE|STR|SRL|SUPPRESS|CVF",
    "MRSTY": "CUI|TUI|STN|STY|ATUI|CVF",
    "MRDEF": "CUI|AUI|ATUI|SATUI|SAB|DEF|SUPPRESS|CVF",
    "MRREL": "CUI1|AUI1|STYPE1|REL|CUI2|AUI2|STYPE2|RELA|RUI|SRUI|SAB|SL|RG|DIR|SUPPRESS|CVF",
}
# The restriction of MedMentions ST21pv (st21pv/README.md of its repository), made for the edition 2017AA.
ST21PV_TYPES = (
    *("T005", "T007", "T017", "T022", "T031", "T033", "T037", "T038", "T058", "T062", "T074"),
    *("T082", "T091", "T092", "T097", "T098", "T103", "T168", "T170", "T201", "T204"),
)
ST21PV_SOURCES = (
    *("CPT", "FMA", "GO", "HGNC", "HPO", "ICD10", "ICD10CM", "ICD9CM", "MDR", "MSH", "MTH", "NCBI"),
    *("NCI", "NDDF", "NDFRT", "OMIM", "RXNORM", "SNOMEDCT_US"),
)


def read_rrf(folder: Path | str, types: Collection[str] = (), sources: Collection[str] = ()) -> OntologyFile:
    """The concepts of a release, with the names that are English and not suppressed.

    ``types`` keeps the concepts that have one of these semantic types (TUIs) or a type below one of them
    in the Semantic Network; ``sources`` keeps the names of these source vocabularies, and thereby the
    concepts that have one. The preferred name stands first, then the order of the file.
    ``dropped`` counts atoms (rows of MRCONSO) by the first reason that applies.

    MRSTY is needed for ``types`` and otherwise read where it is there, as are MRDEF and MRREL.
    Raises FileNotFoundError for a missing file, ValueError for a row of another width or without an id, for
    a type that MRSTY does not have, and where no name is left.
    """
    folder = Path(folder)
    semantic: dict[str, dict[str, str]] = {}  # CUI -> TUI -> tree number in the Semantic Network
    for cui, tui, number in _rows(folder, "MRSTY", "CUI TUI STN", needed=bool(types)):
        semantic.setdefault(cui, {})[tui] = number
    wanted = _below(types, semantic, folder)
    names: dict[str, list[str]] = {}
    preferred: dict[str, list[str]] = {}
    dropped: Counter[str] = Counter()
    for cui, lat, ts, stt, ispref, sab, name, suppress in _rows(
        folder, "MRCONSO", "CUI LAT TS STT ISPREF SAB STR SUPPRESS", needed=True
    ):
        if lat != "ENG":
            dropped["another language"] += 1
        elif suppress != "N":
            dropped["suppressed"] += 1
        elif sources and sab not in sources:
            dropped["another source"] += 1
        elif types and wanted.isdisjoint(semantic.get(cui, ())):
            dropped["another semantic type"] += 1
        elif not name.strip():
            dropped["empty name"] += 1
        else:
            names.setdefault(cui, []).append(name)
            if (ts, stt, ispref) == ("P", "PF", "Y"):
                preferred.setdefault(cui, []).append(name)
    if not names:
        path = _table(folder, "MRCONSO")
        raise read_error(path, 1, "at least one name to keep", f"dropped {dict(dropped)}")
    definitions: dict[str, str] = {}
    for cui, text, suppress in _rows(folder, "MRDEF", "CUI DEF SUPPRESS"):
        if cui in names and suppress == "N":
            definitions.setdefault(cui, text)
    parents: dict[str, dict[str, None]] = {}
    for child, relation, parent, suppress in _rows(folder, "MRREL", "CUI1 REL CUI2 SUPPRESS"):
        # REL says what the second concept is to the first.
        if relation == "PAR" and suppress == "N" and child != parent and {child, parent} <= names.keys():
            parents.setdefault(child, {})[parent] = None
    concepts = (
        Concept(
            cui,
            unique_nonempty(preferred.get(cui, []) + names[cui]),
            types=tuple(semantic.get(cui, ())),
            parents=tuple(parents.get(cui, ())),
            definition=definitions.get(cui, ""),
        )
        for cui in names
    )
    return OntologyFile(Ontology(folder.name, concepts), dropped=dropped)


def _below(types: Collection[str], semantic: dict[str, dict[str, str]], folder: Path) -> set[str]:
    """The TUIs asked for and all that stand below them in the tree (A1 holds A1.2, A holds A1)."""
    numbers = {tui: number for held in semantic.values() for tui, number in held.items()}
    if missing := sorted(set(types) - set(numbers)):
        raise ValueError(f"{folder}: no row of MRSTY has the semantic type {', '.join(missing)}")
    roots = [numbers[tui] for tui in types]
    within = tuple(root if root.isalpha() else f"{root}." for root in roots)
    return {tui for tui, number in numbers.items() if number in roots or number.startswith(within)}


def _table(folder: Path, table: str) -> Path | None:
    """The file of a table of :data:`COLUMNS` in a release, plain or gzipped, whatever its case, or None."""
    names = (f"{table}.RRF", f"{table}.RRF.GZ")
    return min((path for path in folder.iterdir() if path.name.upper() in names), default=None)


def _rows(folder: Path, table: str, columns: str, needed: bool = False) -> Iterator[tuple[str, ...]]:
    """The cells of each row of a table in these columns; nothing where a table that is not needed lacks."""
    if (path := _table(folder, table)) is None:
        if needed:
            raise FileNotFoundError(f"{folder}: expected {table}.RRF (or {table}.RRF.gz) of a UMLS release")
        return
    labels = COLUMNS[table].split("|")
    at = [labels.index(column) for column in columns.split()]
    for number, line in numbered_lines(path):
        fields = line.split("|")
        if len(fields) != len(labels) + 1 or fields[-1] or not fields[0]:
            raise read_error(path, number, f"{len(labels)} fields, each ended by |, the first an id", line)
        yield tuple(fields[i] for i in at)
