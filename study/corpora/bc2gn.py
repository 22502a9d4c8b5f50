"""BioCreative II gene normalisation at mention level (GNormPlus) × human genes of NCBI Gene."""

import re
from dataclasses import replace
from pathlib import Path

from benchlib.corpus import Corpus, Gold
from benchlib.formats.ontology_file import unique_nonempty
from benchlib.formats.pubtator import read_pubtator
from benchlib.ontology import Concept, Ontology

from .files import FileLocator
from .medmentions import part_dev
from .tsv import tsv_rows

DEV_EVERY = 5
_TAXON = re.compile(r"\(Tax:\d+\)")


def bc2gn_corpora(
    locate: FileLocator, name: str, human: Ontology, all_species: bool = True
) -> dict[str, Corpus]:
    """The gene mentions; those of other species cannot be found among human genes. Without ``all_species``
    a mention without a human gene is dropped as ``no human gene``. Dev is every fifth document of train."""

    def gold(printed: str, type: str, submentions: tuple[str, ...]) -> Gold | str | None:
        if type != "Gene":
            return type if type in ("FamilyName", "DomainMotif") else None
        # Ids are parted by "," or ";", species marks taken off; all of them are asked for.
        ids = dict.fromkeys(filter(None, re.split(r"[,;]", _TAXON.sub("", printed))))
        found = Gold(tuple(frozenset([id]) for id in ids), printed=printed)
        parts = tuple(part for part in found.parts if any(id in human for id in part))
        if all_species or found.nil:
            return found
        return replace(found, parts=parts) if parts else "no human gene"

    train, test = (
        read_pubtator(locate(f"bc2gn_gnormplus/GNormPlus_{file}.PubTator"), f"{name}-{file.lower()}", gold)
        for file in ("Train", "Test")
    )
    rest, held_out = part_dev(train.documents, DEV_EVERY)
    dev = Corpus(f"{name}-dev", tuple(held_out), moved_spans=train.moved_spans)
    # What reading dropped is counted with train.
    return {"train": replace(train, documents=tuple(rest)), "dev": dev, "test": test}


def human_genes(locate: FileLocator) -> Ontology:
    """The human genes of NCBI Gene."""
    return read_gene_info(locate("gene_lexicon/Homo_sapiens.gene_info.gz"), "NCBI Gene 2021-09, human")


def read_gene_info(path: Path | str, name: str) -> Ontology:
    """Genes with symbol, nomenclature symbol and name, description, synonyms and other designations."""
    genes = []
    for columns in tsv_rows(path):
        if columns[0].startswith("#"):
            continue
        id, symbol, synonyms, description, kind = (columns[i] for i in (1, 2, 4, 8, 9))
        names = [symbol, columns[10], columns[11], description, *synonyms.split("|"), *columns[13].split("|")]
        genes.append(Concept(id, unique_nonempty(n for n in names if n != "-"), types=(kind,)))
    return Ontology(name, genes)
