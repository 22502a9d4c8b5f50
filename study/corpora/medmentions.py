"""MedMentions ST21pv: UMLS concepts in abstracts, of every kind.

The knowledge base is the corpus's own concepts (Bhowmik et al. 2021, section 4.1). Their names are what the
train split calls them, and what open ontologies call the concept they refer to as that of UMLS: a concept
that has neither is in the knowledge base without a name, and cannot be reached.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.formats.lines import numbered_lines
from benchlib.formats.obo import read_obo
from benchlib.ontology import Concept, Ontology

from .files import FileLocator
from .medmentions_tokens import read_context_archive
from .sssom import mondo

OFFICIAL_LISTS = {
    split: f"medmentions/official_pmids/corpus_pubtator_pmids_{ending}.txt"
    for split, ending in (("train", "trng"), ("dev", "dev"), ("test", "test"))
}
DEV_EVERY = 8
T = TypeVar("T")


def medmentions(locate: FileLocator) -> Benchmark:
    """The edition in per-document token files; ``locate`` gives the path of a file of the local mirror."""
    splits = read_edition(locate, "medmentions-st21pv")
    return Benchmark("medmentions-st21pv", **splits, ontology=knowledge_base(splits, open_names(locate)))


def read_edition(locate: FileLocator, name: str) -> dict[str, Corpus]:
    """The splits of the edition in token files; the registry states what it lacks.

    Dev is the 8th, 16th, ... PMID of the official train list; train is the rest of that list, test the
    official one; documents stand in list order.
    """
    trained = read_context_archive(locate("medmentions/st21pv_context_files/train.tar.xz"))
    tested = read_context_archive(locate("medmentions/st21pv_context_files/test.tar.gz"))
    train, dev = part_dev(read_pmids(locate(OFFICIAL_LISTS["train"])), DEV_EVERY)
    lists = {"train": train, "dev": dev, "test": read_pmids(locate(OFFICIAL_LISTS["test"]))}
    documents = {"train": trained, "dev": trained, "test": tested}
    return {
        split: Corpus(f"{name}-{split}", tuple(documents[split][pmid] for pmid in pmids))
        for split, pmids in lists.items()
    }


def part_dev(items: Sequence[T], every: int) -> tuple[list[T], list[T]]:
    """The items without every n-th, and these."""
    last = every - 1
    return [item for i, item in enumerate(items) if i % every != last], list(items[last::every])


def read_pmids(path: Path) -> list[str]:
    """One PMID per line."""
    return [line.strip() for _, line in numbered_lines(path)]


def knowledge_base(splits: Mapping[str, Corpus], named: dict[str, list[str]]) -> Ontology:
    """The gold concepts of all splits, in order of first appearance, train first.

    Names: the mention strings of train, the most frequent first (ties: first seen), then ``named``.
    The other splits give ids and, where the edition prints them, semantic types.
    """
    strings: dict[str, Counter[str]] = {}
    types: dict[str, dict[str, None]] = {}
    for split, mentions in splits.items():
        for _, mention in mentions.mentions():
            for id in sorted(mention.gold.ids):
                counts = strings.setdefault(id, Counter())
                types.setdefault(id, {}).update(dict.fromkeys(filter(None, mention.type.split(","))))
                if split == "train":
                    counts[mention.text] += 1
    # most_common keeps insertion order among equal counts, which is the order of first appearance
    return Ontology(
        f"{splits['train'].name.removesuffix('-train')}-concepts",
        (
            Concept(
                id,
                tuple(dict.fromkeys([*(s for s, _ in counts.most_common()), *named.get(id, [])])),
                types=tuple(types[id]),
            )
            for id, counts in strings.items()
        ),
    )


def open_names(locate: FileLocator) -> dict[str, list[str]]:
    """CUI -> names in MONDO (labels of exact matches), then HPO and Disease Ontology (exact synonyms)."""
    names: dict[str, dict[str, None]] = {}
    for mapping in mondo(locate, "umls"):
        if mapping.label:
            names.setdefault(mapping.object.removeprefix("UMLS:"), {})[mapping.label] = None
    for file, prefix in (
        ("hpo/hp_2016-04-01.obo.gz", "UMLS:"),
        ("disease_ontology/HumanDO_2015-05-14.obo.gz", "UMLS_CUI:"),
    ):
        read = read_obo(locate(file))
        for id, xrefs in read.xrefs.items():
            carried = dict.fromkeys(read.ontology.concepts[id].names)
            for xref in xrefs:
                if xref.startswith(prefix):
                    names.setdefault(xref.removeprefix(prefix), {}).update(carried)
    return {cui: list(carried) for cui, carried in names.items()}
