"""What linkers learn from: the strings of labelled mentions, and the names of their concepts."""

from collections.abc import Iterator, Sequence
from typing import Literal

from benchlib.benchmark import Benchmark
from benchlib.corpus import Document, Mention
from benchlib.ontology import fold_name

Learns = Literal["train", "train+dev"]


def training_splits(learns: str, transforms: Sequence[str] = ()) -> list[str]:
    """The splits that a linker ``learns`` from; raises ValueError for dev where the ``transforms`` of a
    benchmark have made it the test split."""
    if learns != "train" and "dev:test" in transforms:
        raise ValueError(f"learns is {learns!r}, and dev:test makes dev the test split; expected train")
    return learns.split("+")


def single_concept_mentions(
    benchmark: Benchmark, learns: Sequence[str] = ("train",)
) -> Iterator[tuple[Document, Mention, str]]:
    """The mentions of some splits that stand for one concept of the ontology, with it. Those of which a part
    is not in the ontology do not: the rest of the mention says something else."""
    for split in learns:
        for document, mention in benchmark.split(split).mentions():
            concepts = benchmark.ontology.concepts_in(mention.gold.ids)
            known = all(any(id in benchmark.ontology for id in part) for part in mention.gold.parts)
            if len(concepts) == 1 and known:
                yield document, mention, concepts.pop()


def name_concept_pairs(benchmark: Benchmark, mentions: bool = True) -> list[tuple[str, str]]:
    """(folded name, concept) of every name of the dictionary, and with ``mentions`` of every training mention
    with one concept; each pair once."""
    found = {(name, id): None for name, owners in benchmark.ontology.owners().items() for id in owners}
    for _, mention, concept in single_concept_mentions(benchmark) if mentions else ():
        found[fold_name(mention.text), concept] = None
    return list(found)


def strings_by_entity(
    benchmark: Benchmark, learns: Sequence[str] = ("train",)
) -> tuple[list[str], list[int], list[list[int]]]:
    """The folded strings of every entity that has a name: (strings, anchors, mentions), the last two giving
    per entity the place of its canonical name, and of its other names and mentions, each once."""
    seen: dict[str, list[str]] = {}
    for split in learns:
        for _, mention in benchmark.split(split).mentions():
            if len(mention.gold.parts) == 1:
                for concept in benchmark.ontology.concepts_in(mention.gold.ids):
                    seen.setdefault(concept, []).append(fold_name(mention.text))
    texts: list[str] = []
    anchors, mentions = [], []
    for id, concept in benchmark.ontology.concepts.items():
        if concept.names:
            own = dict.fromkeys([*map(fold_name, concept.names), *seen.get(id, ())])
            anchors.append(len(texts))
            mentions.append(list(range(len(texts) + 1, len(texts) + len(own))))
            texts += own
    return texts, anchors, mentions
