"""BioCreative II gene normalisation at mention level (GNormPlus) × human genes of NCBI Gene."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Gold
from benchlib.formats.lines import numbered_lines, read_error
from benchlib.formats.ontology_file import unique_nonempty
from benchlib.formats.pubtator import GoldReader, PubTator
from benchlib.ontology import Concept, Ontology

from .files import FileLocator

DEV_EVERY = 5
_TAXON = re.compile(r"\(Tax:\d+\)")


def bc2gn(locate: FileLocator) -> Benchmark:
    """All gene mentions; those of other species stay in and cannot be found among human genes."""
    return _benchmark("bc2gn", locate, lambda human: gene_gold)


def bc2gn_human(locate: FileLocator) -> Benchmark:
    """Only mentions with a human gene; the others are dropped as ``no human gene``."""
    return _benchmark("bc2gn-human", locate, _human_gold)


def gene_gold(printed: str, type: str, submentions: tuple[str, ...]) -> Gold:
    """Ids parted by ``,`` or ``;``, species marks taken off; all of them are asked for."""
    ids = dict.fromkeys(filter(None, re.split(r"[,;]", _TAXON.sub("", printed))))
    return Gold(tuple(frozenset([id]) for id in ids), printed=printed)


def _human_gold(human: Ontology) -> GoldReader:
    def gold(printed: str, type: str, submentions: tuple[str, ...]) -> Gold | str:
        found = gene_gold(printed, type, submentions)
        parts = tuple(part for part in found.parts if any(id in human for id in part))
        return replace(found, parts=parts) if parts or found.nil else "no human gene"

    return gold


def _benchmark(name: str, locate: FileLocator, meaning: Callable[[Ontology], GoldReader]) -> Benchmark:
    human = read_gene_info(locate("gene_lexicon/Homo_sapiens.gene_info.gz"), "NCBI Gene 2021-09, human")

    def read(file: str, split: str) -> Corpus:
        reader = PubTator(
            meaning(human), types={"Gene"}, drop_types={"FamilyName", "DomainMotif"}, tolerant=True
        )
        return reader.read(locate(f"bc2gn_gnormplus/GNormPlus_{file}.PubTator"), f"{name}-{split}")

    train, dev = _part(read("Train", "train"), name)
    return Benchmark(name, train, dev, read("Test", "test"), human)


def _part(corpus: Corpus, name: str) -> tuple[Corpus, Corpus]:
    """Train and dev; what reading dropped is counted with train."""
    last = DEV_EVERY - 1
    train = tuple(d for i, d in enumerate(corpus.documents) if i % DEV_EVERY != last)
    dev = corpus.documents[last::DEV_EVERY]
    return (
        replace(corpus, documents=train),
        Corpus(f"{name}-dev", dev, elsewhere=corpus.elsewhere),
    )


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
            raise read_error(path, number, f"{_COLUMNS} columns, the second a gene id", line)
        symbol, synonyms, description, kind = columns[2], columns[4], columns[8], columns[9]
        names = [symbol, columns[10], columns[11], description, *synonyms.split("|"), *columns[13].split("|")]
        if columns[1] in genes:
            raise read_error(path, number, "each gene once", f"{columns[1]} again")
        genes[columns[1]] = Concept(
            columns[1], unique_nonempty([n for n in names if n != "-"]), types=(kind,)
        )
    if not genes:
        raise read_error(path, 1, "at least one gene", "none")
    return Ontology(name, genes.values())
