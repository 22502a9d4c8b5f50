"""MedMentions ST21pv: published counts, our dev split, the knowledge base and the reference values."""

from collections import Counter

import pytest
from toy import document

from benchlib.corpus import Corpus
from benchlib.ontology import fold_name
from study.corpora import load
from study.corpora.medmentions import knowledge_base, open_names
from study.corpora.names import add_mention_names


@pytest.fixture(scope="module")
def benchmark(data_folder):
    return load("medmentions-st21pv")


def pairs(*splits):
    return [(fold_name(m.text), m.gold.printed) for split in splits for _, m in split.mentions()]


def test_counts_per_split(benchmark):
    assert [len(benchmark.split(s).documents) for s in ("train", "dev", "test")] == [2_635 - 329, 329, 879]
    assert benchmark.train.n_mentions + benchmark.dev.n_mentions == 122_001
    assert benchmark.dev.n_mentions == 15_287 and benchmark.test.n_mentions == 40_074
    assert {len(m.gold.parts) for _, m in benchmark.test.mentions()} == {1}
    assert {m.type for _, m in benchmark.train.mentions()} == {""}


def test_dev_is_every_eighth_of_the_official_list(benchmark, data_folder):
    """Positions counted in the raw file, without the reader."""
    raw = (
        (data_folder / "medmentions" / "official_pmids" / "corpus_pubtator_pmids_trng.txt")
        .read_text()
        .split()
    )
    assert [d.id for d in benchmark.dev.documents] == [p for i, p in enumerate(raw, 1) if i % 8 == 0]
    assert [d.id for d in benchmark.train.documents] == [p for i, p in enumerate(raw, 1) if i % 8 != 0]


def test_first_middle_and_last_test_mention(benchmark):
    rows = [(d.id, m.start, m.end, m.text, m.gold.printed) for d, m in benchmark.test.mentions()]
    assert rows[0] == ("27781034", 0, 20, "Generalized Epilepsy", "C0014548")
    assert rows[20_037] == ("27350860", 724, 731, "surface", "C0205148")
    assert rows[-1] == ("28221032", 967, 971, "H2O2", "C0020281")


def test_knowledge_base(benchmark):
    gold = {id for split in ("train", "dev", "test") for _, id in pairs(benchmark.split(split))}
    assert set(benchmark.ontology.concepts) == gold and len(gold) == 22_095
    assert sum(not c.names for c in benchmark.ontology.concepts.values()) == 4_696


def test_no_name_comes_from_dev_or_test(benchmark, data_folder):
    """Every name is a train string of that concept, or an open ontology's."""
    train = {(m.text, m.gold.printed) for _, m in benchmark.train.mentions()}
    elsewhere = open_names(lambda name: data_folder / name)
    for concept in benchmark.ontology.concepts.values():
        strange = [n for n in concept.names if (n, concept.id) not in train]
        assert set(strange) <= set(elsewhere.get(concept.id, ()))


def test_reference_values_of_exact_match(benchmark):
    """Names of the whole official train split only, in percent of the test mentions: by a plain loop, and
    through the transform that every linker uses."""
    train, test = pairs(benchmark.train, benchmark.dev), pairs(benchmark.test)
    owners: dict[str, Counter] = {}
    for name, id in train:
        owners.setdefault(name, Counter())[id] += 1
    seen = {id for _, id in train}

    def percent(owners, *more: int) -> list[float]:
        strict = sum(1 / len(owners[name]) for name, id in test if id in owners.get(name, ()))
        lenient = sum(id in owners.get(name, ()) for name, id in test)
        ambiguous = sum(len(owners.get(name, ())) > 1 for name, _ in test)
        known = sum(name in owners for name, _ in test)
        return [100 * value / 40_074 for value in (strict, lenient, ambiguous, known, *more)]

    prior = sum(name in owners and owners[name].most_common(1)[0][0] == id for name, id in test)
    found = percent(owners, prior, sum(id in seen for _, id in test))
    assert len(test) == 40_074
    assert found == pytest.approx([35.6, 52.6, 27.9, 58.5, 48.2, 77.4], abs=0.1)
    changed = add_mention_names(benchmark, ("train", "dev"), keep=False)
    assert percent(changed.ontology.owners()) == pytest.approx(found[:4])


def test_names_by_frequency_then_open_names():
    train = Corpus(
        "x-train", (document("1", ("b", "C1"), ("a", "C1"), ("flu", "C1"), ("Flu", "C1"), ("flu", "C1")),)
    )
    test = Corpus("x-test", (document("2", ("secret", "C1"), ("cold", "C2"), ("x", "C3")),))
    named = {"C1": ["a", "influenza"], "C2": ["common cold"], "C9": ["other"]}
    ontology = knowledge_base({"train": train, "test": test}, named)
    assert {c.id: c.names for c in ontology.concepts.values()} == {
        "C1": ("flu", "b", "a", "Flu", "influenza"),
        "C2": ("common cold",),
        "C3": (),
    }
    assert ontology.name == "x-concepts"
