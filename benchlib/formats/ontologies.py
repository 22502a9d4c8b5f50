"""An ontology by its path: the reader of each file ending."""

from collections.abc import Collection
from pathlib import Path

from .dictionary import read_dictionary
from .json_lines import read_json_lines
from .lines import ending
from .obo import read_obo
from .obo_graph import read_obo_graph
from .ontology_file import OntologyFile
from .rrf import ST21PV_SOURCES, ST21PV_TYPES, read_rrf

ST21PV = "#st21pv"
READERS = {  # with the options of each
    **dict.fromkeys(
        (".tsv", ".txt", ".csv", ".gene_info", ".dmp"), (read_dictionary, ("synonyms", "id_column", "strict"))
    ),
    ".obo": (read_obo, ("scopes",)),
    ".json": (read_obo_graph, ("scopes",)),
    ".jsonl": (read_json_lines, ("strict",)),
    ".rrf": (read_rrf, ()),
}


def read_ontology(
    path: Path | str,
    synonyms: str = "",
    scopes: Collection[str] = ("exact",),
    id_column: str = "",
    strict: bool = False,
) -> OntologyFile:
    """The ontology in a file, plain or gzipped, or in a folder of ``.RRF`` files (or a file within one).

    The ending says how it is read, whatever its case: ``READERS``. ``synonyms``, ``id_column`` and ``strict``
    are those of :func:`benchlib.formats.dictionary.read_dictionary`, ``scopes`` those of
    :func:`benchlib.formats.obo.read_obo`. A retired id is an alternative id of the concept that replaces it.
    Of a release of UMLS definitions and parents are read where it has their tables; with ``#st21pv`` behind
    its path it is restricted to the semantic types and source vocabularies of MedMentions ST21pv.

    Raises FileNotFoundError for a missing path, and ValueError for a name of no known kind, and for an option
    that files of the kind do not have; any file may be read ``strict``.
    """
    restricted = str(path).endswith(ST21PV)
    path = Path(str(path).removesuffix(ST21PV))
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file or folder")
    kind = ".rrf" if path.is_dir() else ending(path)
    if kind == ".bin":
        raise ValueError(f"{path}: MeSH in ASCII is not read. Write it as TSV, `id<TAB>name` on each line.")
    if kind not in READERS:
        known = f"{', '.join(READERS)} (each also with .gz)"
        raise ValueError(f"{path}: expected an ontology as {known}, or a folder of .RRF files")
    if restricted and kind != ".rrf":
        raise ValueError(f"{path}: {ST21PV} is for a release of UMLS, a folder of .RRF files")
    read, options = READERS[kind]
    given = {"synonyms": synonyms, "scopes": tuple(scopes), "id_column": id_column, "strict": strict}
    unread = [name for name in ("synonyms", "scopes", "id_column")
              if name not in options and given[name] not in ("", ("exact",))]  # fmt: skip
    if unread:
        raise ValueError(f"{path}: {kind} files are read without {', '.join(unread)}")
    if kind == ".rrf":
        folder = path if path.is_dir() else path.parent
        return read_rrf(folder, ST21PV_TYPES, ST21PV_SOURCES) if restricted else read_rrf(folder)
    return read(path, **{name: given[name] for name in options}).with_replaced()
