"""ESAppMod: names of software, as people write them, against a small catalogue.

The corpus has no documents: a mention is a string on its own, so each mention is a document here, and the
unit of resampling is the gold entity. Three entities hold 30 % of the test mentions.
"""

from collections import Counter

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Ontology, fold_name

from .esappmod_files import read_entities, read_entity_mentions, read_mentions
from .files import Locate

DEV_EVERY = 10
DEV_LEAST = 3


def esappmod(locate: Locate) -> Benchmark:
    """Train and dev are the published training mentions, test the published test mentions and negatives.

    ``locate`` gives the path of a file of the local mirror.
    """
    training = read_entity_mentions(locate("esappmod/train.json"))
    entities = read_entities(locate("esappmod/tca_entities.json"))
    trained = {id for _, gold in training for id in gold.ids}
    ontology = Ontology("esappmod-canonical", [e for e in entities if e.id in trained])
    dev = dev_positions(training, ontology)
    numbered = [(f"train-{i:06d}", text, gold) for i, (text, gold) in enumerate(training)]
    test = read_mentions(locate("esappmod/infer.json"))
    negative = read_mentions(locate("esappmod/infer_negative.json"))
    return Benchmark(
        "esappmod",
        train=_corpus("esappmod-train", [row for i, row in enumerate(numbered) if i not in dev], ontology),
        dev=_corpus("esappmod-dev", [row for i, row in enumerate(numbered) if i in dev], ontology),
        test=_corpus(
            "esappmod-test",
            [(f"test-{i:06d}", text, gold) for i, (text, gold) in enumerate(test)]
            + [(f"negative-{i:06d}", text, gold) for i, (text, gold) in enumerate(negative)],
            ontology,
        ),
        ontology=ontology,
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


def _corpus(name: str, rows: list[tuple[str, str, Gold]], ontology: Ontology) -> Corpus:
    types = {id: concept.types[0] for id, concept in ontology.concepts.items()}
    return Corpus(
        name,
        tuple(
            Document(id, text, (Mention(0, len(text), text, types.get(gold.printed, ""), gold),))
            for id, text, gold in rows
        ),
    )
