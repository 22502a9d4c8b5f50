"""ESAppMod as published: its README's counts, and what our dev split promises."""

from collections import Counter

import pytest

from benchlib.corpus import Gold
from benchlib.ontology import Concept, Ontology, fold_name
from study.corpora import load
from study.corpora.esappmod import dev_positions


@pytest.fixture(scope="module")
def benchmark(data_folder):
    return load("esappmod")


def strings(corpus):
    return [mention.text for _, mention in corpus.mentions()]


def test_counts(benchmark):
    assert (benchmark.train.n_mentions, benchmark.dev.n_mentions) == (4_525 - 282, 282)
    assert benchmark.test.n_mentions == benchmark.test.n_raw == 2_439 + 420
    assert sum(mention.gold.nil for _, mention in benchmark.test.mentions()) == 420
    assert len(benchmark.ontology) == 640
    assert all(len(concept.names) == 1 for concept in benchmark.ontology.concepts.values())
    assert benchmark.cluster == "gold"


def test_the_training_mentions_counted_in_every_way(benchmark):
    names = {id: concept.names[0] for id, concept in benchmark.ontology.concepts.items()}
    training = [m for split in (benchmark.train, benchmark.dev) for _, m in split.mentions()]
    assert len(training) == 4_525
    assert len({m.text for m in training}) == 4_460
    assert sum(m.text != names[m.gold.printed] for m in training) == 3_981
    assert len({(m.text.lower(), m.gold.printed) for m in training}) == 3_872
    assert len({m.text.lower() for m in training}) == 3_872 - 6  # six strings are mentions of two entities
    assert {m.gold.printed for m in training} == set(names)


def test_the_test_split(benchmark):
    linked = [m for _, m in benchmark.test.mentions() if not m.gold.nil]
    entities = Counter(m.gold.printed for m in linked)
    known = {fold_name(text) for split in (benchmark.train, benchmark.dev) for text in strings(split)}
    assert len(entities) == 463 and set(entities) <= set(benchmark.ontology.concepts)
    assert [count for _, count in entities.most_common(3)] == [368, 207, 146]  # 29.6 % of 2,439
    assert sum(fold_name(m.text) in known for m in linked) == 148


def test_first_middle_and_last_mention(benchmark):
    def row(document):
        (mention,) = document.mentions
        return document.id, document.text, mention.gold.printed, mention.type

    train, test = benchmark.train.documents, benchmark.test.documents
    assert row(train[0]) == ("train-000000", ".NET SDK", "497", "Runtime")
    assert row(test[0]) == ("test-000000", "DOT NET", "497", "Runtime")
    assert row(test[2_439]) == ("negative-000000", "arp mq hub 8.0.4.7", "0", "")
    assert test[2_438].id == "test-002438" and test[-1].id == "negative-000419"
    assert not any(text.endswith("\n") for text in strings(benchmark.test))


def test_no_dev_mention_is_given_away(benchmark):
    known = {fold_name(text) for text in strings(benchmark.train)} | set(benchmark.ontology.owners())
    dev = [fold_name(text) for text in strings(benchmark.dev)]
    assert not known & set(dev) and len(set(dev)) == len(dev)
    trained = {m.gold.printed for _, m in benchmark.train.mentions()}
    assert {m.gold.printed for _, m in benchmark.dev.mentions()} <= trained
    assert len(trained) == 640


def test_dev_is_every_tenth_eligible_mention():
    """Of 23 mentions, "dup" twice, a name, and an entity with two mentions are passed over: 19 eligible."""

    def gold(id):
        return Gold((frozenset({id}),), printed=id)

    training = [("Dup", gold("1")), ("dup", gold("1")), ("the name", gold("1")), ("few", gold("2"))]
    training += [(f"m{i}", gold("1")) for i in range(19)]
    ontology = Ontology("o", [Concept("1", ("other",)), Concept("2", ("The  Name",))])
    assert dev_positions(training, ontology) == {13}
    assert training[13][0] == "m9"
    training.append(("m19", gold("1")))
    assert dev_positions(training, ontology) == {13, 23}
