"""MedMentions, the diseases: mentions whose concept of UMLS is one of MEDIC, as far as MONDO says so.

BioCoM converts the concepts through UMLS and calls what is left MedMentions-d (appendix B). UMLS is licensed;
MONDO gives its exact matches to UMLS, MeSH and OMIM openly, which finds fewer mentions.
"""

from collections.abc import Mapping
from dataclasses import replace

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Gold, Mention
from benchlib.ontology import Ontology

from . import biocom
from .files import FileLocator
from .medic import medic_id, read_ctd
from .medmentions import read_edition
from .sssom import read_sssom

NO_DISEASE = "no disease of the dictionary"


def medmentions_disease(locate: FileLocator) -> Benchmark:
    """The mentions × MEDIC of June 2017."""
    ontology = read_ctd(locate("medic/CTD_diseases.tsv.gz"))
    return _benchmark("medmentions-disease", locate, ontology)


def medmentions_disease_biocom(locate: FileLocator) -> Benchmark:
    """The mentions × BioCoM's released dictionary: in place of MedMentions-d."""
    return _benchmark("medmentions-disease-biocom", locate, biocom.halved_medic(locate))


def medic_of_umls(locate: FileLocator) -> dict[str, frozenset[str]]:
    """CUI -> ids of MeSH and OMIM, of those MONDO concepts that match both exactly."""
    of_mondo: dict[str, set[str]] = {}
    for vocabulary in ("mesh", "omim"):
        for mapping in read_sssom(locate(f"mondo/mondo_exactmatch_{vocabulary}.sssom.tsv.gz")):
            id = medic_id(mapping.object.removeprefix("mesh:"))
            if id is not None:
                of_mondo.setdefault(mapping.subject, set()).add(id)
    of_umls: dict[str, set[str]] = {}
    for mapping in read_sssom(locate("mondo/mondo_exactmatch_umls.sssom.tsv.gz")):
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

    return corpus.mapped(translated, NO_DISEASE)


def _benchmark(name: str, locate: FileLocator, ontology: Ontology) -> Benchmark:
    ids = medic_of_umls(locate)
    splits = read_edition(locate, name)
    diseases = {split: with_gold_of(corpus, ids, ontology) for split, corpus in splits.items()}
    return Benchmark(name, **diseases, ontology=ontology)
