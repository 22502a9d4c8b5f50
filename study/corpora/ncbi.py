"""NCBI Disease, whose ids are of MEDIC."""

from functools import partial

from benchlib.corpus import Corpus, Gold
from benchlib.formats.pubtator import read_pubtator
from benchlib.ontology import Ontology

from . import registry
from .files import FileLocator
from .medic import medic_id


def ncbi_corpora(locate: FileLocator, name: str, _: Ontology) -> dict[str, Corpus]:
    """The three official files; ``locate`` gives the path of a file of the registry."""
    files = {"train": "NCBItrainset", "dev": "NCBIdevelopset", "test": "NCBItestset"}
    meaning = partial(ncbi_gold, all_of=frozenset(registry.benchmark("ncbi-disease").exceptions))
    # One training line has trailing blanks inside its mention, and one training document is there twice.
    return {
        split: read_pubtator(locate(f"ncbi_disease/{file}_corpus.txt"), f"{name}-{split}", meaning)
        for split, file in files.items()
    }


def ncbi_gold(
    printed: str, type: str, submentions: tuple[str, ...], all_of: frozenset[str] = frozenset()
) -> Gold:
    """Gold by the rules that the registry states with the benchmark: ``+`` asks for all, ``|`` for all of a
    composite mention and of ``all_of``, id strings that are exceptions, and otherwise for any."""
    printed = printed.strip()
    composite = type == "CompositeMention" or printed in all_of
    parts: list[frozenset[str]] = []
    for joined in printed.split("+"):
        ids = [medic_id(id) for id in joined.split("|")]
        parts += [frozenset([id]) for id in ids] if composite else [frozenset(ids)]
    return Gold(tuple(dict.fromkeys(parts)), printed=printed)
