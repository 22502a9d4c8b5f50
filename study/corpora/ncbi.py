"""NCBI Disease × MEDIC of July 2012, or BioCoM's half of MEDIC."""

from functools import partial

from benchlib.benchmark import Benchmark
from benchlib.corpus import Gold
from benchlib.formats.pubtator import PubTator
from benchlib.ontology import Ontology

from . import biocom, registry
from .files import FileLocator
from .medic import medic_id, read_medic_2012


def ncbi_disease(locate: FileLocator) -> Benchmark:
    """The three official files; ``locate`` gives the path of a file of the registry."""
    return _benchmark("ncbi-disease", locate, read_medic_2012(locate("medic/medic_06Jul2012.txt.gz")))


def ncbi_disease_biocom(locate: FileLocator) -> Benchmark:
    """The same mentions × BioCoM's released dictionary."""
    return _benchmark("ncbi-disease-biocom", locate, biocom.halved_medic(locate))


def ncbi_gold(
    printed: str, type: str, submentions: tuple[str, ...], all_of: frozenset[str] = frozenset()
) -> Gold:
    """Gold by the rules that the registry states with the benchmark: ``+`` asks for all, ``|`` for all of a
    composite mention and of ``all_of``, id strings that are exceptions, and otherwise for any.

    Raises ValueError for an id that is neither MeSH nor OMIM.
    """
    printed = printed.strip()
    composite = type == "CompositeMention" or printed in all_of
    parts: list[frozenset[str]] = []
    for joined in printed.split("+"):
        ids = [medic_id(id) for id in joined.split("|")]
        if None in ids:
            raise ValueError(f"{printed!r} is not made of MeSH and OMIM ids")
        parts += [frozenset([id]) for id in ids] if composite else [frozenset(ids)]
    return Gold(tuple(dict.fromkeys(parts)), printed=printed)


def _benchmark(name: str, locate: FileLocator, ontology: Ontology) -> Benchmark:
    files = {"train": "NCBItrainset", "dev": "NCBIdevelopset", "test": "NCBItestset"}
    # One training line has trailing blanks inside its mention; reading moves it and counts nothing.
    meaning = partial(ncbi_gold, all_of=frozenset(registry.benchmark("ncbi-disease").exceptions))
    splits = {
        split: PubTator(meaning, repeated_documents=split == "train", tolerant=split == "train").read(
            locate(f"ncbi_disease/{file}_corpus.txt"), f"{name}-{split}"
        )
        for split, file in files.items()
    }
    return Benchmark(name, **splits, ontology=ontology)
