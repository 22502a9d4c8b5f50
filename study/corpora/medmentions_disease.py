"""MedMentions, the diseases: mentions whose concept of UMLS is one of MEDIC, as far as MONDO says so.

BioCoM converts the concepts through UMLS and calls what is left MedMentions-d (appendix B). UMLS is licensed;
MONDO gives its exact matches to UMLS, MeSH and OMIM openly, which finds fewer mentions.
"""

from collections.abc import Mapping
from dataclasses import replace

from benchlib.corpus import Corpus, Gold, Mention
from benchlib.ontology import Ontology

from .files import FileLocator
from .hold_out import map_mentions
from .medic import medic_id
from .medmentions import read_edition
from .sssom import mondo

NO_DISEASE = "no disease of the dictionary"


def disease_corpora(locate: FileLocator, name: str, ontology: Ontology) -> dict[str, Corpus]:
    """The mentions of diseases of the ontology."""
    ids = medic_of_umls(locate)
    return {
        split: with_gold_of(corpus, ids, ontology) for split, corpus in read_edition(locate, name).items()
    }


def medic_of_umls(locate: FileLocator) -> dict[str, frozenset[str]]:
    """CUI -> ids of MeSH and OMIM, of those MONDO concepts that match both exactly."""
    of_mondo: dict[str, set[str]] = {}
    for vocabulary in ("mesh", "omim"):
        for mapping in mondo(locate, vocabulary):
            id = medic_id(mapping.object.removeprefix("mesh:"))
            if id is not None:
                of_mondo.setdefault(mapping.subject, set()).add(id)
    of_umls: dict[str, set[str]] = {}
    for mapping in mondo(locate, "umls"):
        found = of_umls.setdefault(mapping.object.removeprefix("UMLS:"), set())
        found |= of_mondo.get(mapping.subject, set())
    return {cui: frozenset(ids) for cui, ids in of_umls.items() if ids}


def with_gold_of(corpus: Corpus, ids: Mapping[str, frozenset[str]], ontology: Ontology) -> Corpus:
    """The mentions of which some id is in the ontology, any of these being right; every document stays.

    ``ids`` are those of each gold id that a mention has. The others are dropped, counted.
    """

    def translated(mention: Mention) -> Mention | None:
        found = frozenset(id for gold in mention.gold.ids for id in ids.get(gold, ()) if id in ontology)
        return replace(mention, gold=Gold((found,), printed=mention.gold.printed)) if found else None

    return map_mentions(corpus, translated, NO_DISEASE)
