"""ESAppMod: names of software, as people write them, against a small catalogue.

The corpus has no documents: a mention is a string on its own, so each mention is a document here, and the
unit of resampling is the gold entity. Three entities hold 30 % of the test mentions.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Concept, Ontology, fold_name

from .files import FileLocator

DEV_EVERY = 10
DEV_LEAST = 3


def esappmod(locate: FileLocator) -> Benchmark:
    """Train and dev are the published training mentions, test the published test mentions and negatives.

    ``locate`` gives the path of a file of the local mirror.
    """
    read = _entries(locate("esappmod/train.json"))
    training = [(text.strip(), gold_of(entry)) for entry in read for text in entry["mentions"]]
    trained = {id for _, gold in training for id in gold.ids}
    entities = [
        Concept(str(entry["entity_id"]), (entry["entity_name"].strip(),), (entry["entity_type_name"],))
        for entry in _entries(locate("esappmod/tca_entities.json"))
    ]
    ontology = Ontology("esappmod-canonical", [e for e in entities if e.id in trained])
    dev = dev_positions(training, ontology)
    types = {id: concept.types[0] for id, concept in ontology.concepts.items()}

    def documents(kind: str, pairs: Iterable[tuple[str, Gold]]) -> list[Document]:
        return [
            Document(
                f"{kind}-{i:06d}", text, (Mention(0, len(text), text, types.get(gold.printed, ""), gold),)
            )
            for i, (text, gold) in enumerate(pairs)
        ]

    learned = documents("train", training)
    scored: list[Document] = []
    for kind, file in (("test", "infer"), ("negative", "infer_negative")):
        found = _entries(locate(f"esappmod/{file}.json"))
        # Negatives end in a newline.
        scored += documents(kind, ((entry["mention"].strip(), gold_of(entry)) for entry in found))
    return Benchmark(
        "esappmod",
        Corpus("esappmod-train", tuple(d for i, d in enumerate(learned) if i not in dev)),
        Corpus("esappmod-dev", tuple(d for i, d in enumerate(learned) if i in dev)),
        Corpus("esappmod-test", tuple(scored)),
        ontology,
        cluster="gold",
    )


def dev_positions(training: list[tuple[str, Gold]], ontology: Ontology) -> frozenset[int]:
    """Positions of the training mentions held out: every tenth eligible one, in file order.

    Eligible is a mention of an entity with at least three, whose case-folded string is no canonical name
    and stands once in the file, so that neither a name nor another training mention gives it away.
    """
    strings = Counter(fold_name(text) for text, _ in training)
    of_entity = Counter(gold.printed for _, gold in training)
    names = ontology.owners()
    eligible = [
        i
        for i, (text, gold) in enumerate(training)
        if of_entity[gold.printed] >= DEV_LEAST
        and strings[fold_name(text)] == 1
        and fold_name(text) not in names
    ]
    return frozenset(eligible[DEV_EVERY - 1 :: DEV_EVERY])


def gold_of(entry: Mapping[str, object]) -> Gold:
    """The entity of an entry; the id 0 means no entity at all."""
    id = str(entry["entity_id"])
    return Gold(printed=id) if id == "0" else Gold((frozenset([id]),), printed=id)


def _entries(path: Path | str) -> Iterable[Mapping[str, Any]]:
    return json.loads(Path(path).read_text(encoding="utf-8"))["data"].values()
