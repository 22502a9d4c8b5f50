"""An ontology by its path: the reader of each file ending."""

from pathlib import Path

from .dictionary import read_dictionary
from .json_lines import read_json_lines
from .obo import read_obo
from .ontology_file import OntologyFile
from .rrf import ST21PV_SOURCES, ST21PV_TYPES, read_rrf

ST21PV = "#st21pv"
READERS = {
    **dict.fromkeys((".tsv", ".txt", ".csv", ".gene_info"), read_dictionary),
    ".obo": read_obo,
    ".jsonl": read_json_lines,
    ".rrf": read_rrf,
}


def read_ontology(path: Path | str, synonyms: str = "") -> OntologyFile:
    """The ontology in a file, plain or gzipped, or in a folder of ``.RRF`` files (or a file within one).

    The ending says how it is read, whatever its case: ``READERS``. ``synonyms`` is for dictionaries, see
    :func:`benchlib.formats.dictionary.read_dictionary`. Of a release of UMLS definitions and parents are read
    where it has their tables; with ``#st21pv`` behind its path it is restricted to the semantic types and
    source vocabularies of MedMentions ST21pv.

    Raises FileNotFoundError for a missing path, and ValueError for a name of no known kind, and for
    ``synonyms`` with a file that is no plain dictionary.
    """
    restricted = str(path).endswith(ST21PV)
    path = Path(str(path).removesuffix(ST21PV))
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    kind = ".rrf" if path.is_dir() else Path(path.name.lower().removesuffix(".gz")).suffix
    if kind == ".bin":
        raise ValueError(f"{path}: MeSH in ASCII is not read. Write it as TSV, `id<TAB>name` on each line.")
    if kind not in READERS:
        known = f"{', '.join(READERS)} (each also with .gz)"
        raise ValueError(f"{path}: expected an ontology as {known}, or a folder of .RRF files")
    if restricted and kind != ".rrf":
        raise ValueError(f"{path}: {ST21PV} is for a release of UMLS, a folder of .RRF files")
    if READERS[kind] is read_dictionary:
        return read_dictionary(path, synonyms)
    if synonyms:
        raise ValueError(f"{path}: a synonym separator is for dictionaries (.tsv, .txt, .csv)")
    if kind != ".rrf":
        return READERS[kind](path)
    folder = path if path.is_dir() else path.parent
    return read_rrf(folder, ST21PV_TYPES, ST21PV_SOURCES) if restricted else read_rrf(folder)
