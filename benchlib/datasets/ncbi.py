"""NCBI Disease × MEDIC of July 2012."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ..corpus import Gold
from ..readers.medic import medic_id, read_medic_2012
from ..readers.pubtator import PubTator
from . import registry
from .benchmark import Benchmark

NOTES = (
    "Gold of several ids: `+` asks for all of them; `|` for all of them when the type is CompositeMention or "
    "the registry lists the ids as such, otherwise any of them is right.",
    "PMID 8528200 stands twice in the training file; the second copy is dropped and counted.",
    "The corpus has no NIL mentions: annotators kept what MEDIC covers.",
)


def ncbi_disease(locate: Callable[[str], Path]) -> Benchmark:
    """The three official files; ``locate`` gives the path of a file of the registry."""
    files = {"train": "NCBItrainset", "dev": "NCBIdevelopset", "test": "NCBItestset"}
    # One training line has trailing blanks inside its mention; reading moves it and counts nothing.
    meaning = partial(ncbi_gold, all_of=frozenset(registry.benchmark("ncbi-disease").exceptions))
    splits = {
        split: PubTator(meaning, repeated_documents=split == "train", tolerant=split == "train").read(
            locate(f"ncbi_disease/{file}_corpus.txt"), f"ncbi-disease-{split}"
        )
        for split, file in files.items()
    }
    ontology = read_medic_2012(locate("medic/medic_06Jul2012.txt.gz"))
    return Benchmark("ncbi-disease", **splits, ontology=ontology, notes=NOTES)


def ncbi_gold(
    printed: str, type: str, submentions: tuple[str, ...], all_of: frozenset[str] = frozenset()
) -> Gold:
    """Gold by the rules in ``NOTES``; ``all_of`` are the exceptions, id strings whose ``|`` asks for all.

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
