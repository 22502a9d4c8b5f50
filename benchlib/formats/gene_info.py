"""NCBI Gene's gene_info table."""

from pathlib import Path

from ..ontology import Concept, Ontology
from .lines import numbered_lines, wrong
from .ontology_file import distinct

_COLUMNS = 16


def read_gene_info(path: Path | str, name: str) -> Ontology:
    """Genes with symbol, nomenclature symbol and name, description, synonyms and other designations.

    Raises ValueError (path:line) for a line without 16 columns or whose gene id is no number or stands twice.
    """
    genes: dict[str, Concept] = {}
    for number, line in numbered_lines(path):
        if line.startswith("#") or not line.strip():
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS or not columns[1].isdecimal():
            raise wrong(path, number, f"{_COLUMNS} columns, the second a gene id", line)
        symbol, synonyms, description, kind = columns[2], columns[4], columns[8], columns[9]
        names = [symbol, columns[10], columns[11], description, *synonyms.split("|"), *columns[13].split("|")]
        if columns[1] in genes:
            raise wrong(path, number, "each gene once", f"{columns[1]} again")
        genes[columns[1]] = Concept(columns[1], distinct([n for n in names if n != "-"]), types=(kind,))
    if not genes:
        raise wrong(path, 1, "at least one gene", "none")
    return Ontology(name, genes.values())
