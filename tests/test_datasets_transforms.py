"""Folds: every document held out once, none lost, test untouched. Mention names: whose, and from where."""

from dataclasses import replace

import pytest
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.datasets.transforms import apply, fold
from benchlib.synthetic import Dials, generate


def test_every_document_is_held_out_once_and_trained_on_otherwise():
    mini = generate(Dials())
    everything = {d.id for d in (*mini.train.documents, *mini.dev.documents)}
    held_out = []
    for number in range(1, 6):
        found = fold(mini, number, 5)
        train, dev = ({d.id for d in corpus.documents} for corpus in (found.train, found.dev))
        assert train | dev == everything and not train & dev
        assert abs(len(dev) - len(everything) / 5) < 1
        assert found.test is mini.test and found.ontology is mini.ontology
        assert found.train.n_raw + found.dev.n_raw == mini.train.n_raw + mini.dev.n_raw
        held_out += dev
    assert sorted(held_out) == sorted(everything)
    # Dealt out at random: a fold is no run of neighbouring documents.
    assert held_out != sorted(held_out)


def test_a_fold_is_named_and_the_same_each_time():
    once, again = (apply(BENCHMARK, ("fold:2/2",)) for _ in range(2))
    assert once.transforms == ("fold:2/2",)
    assert once.fingerprint() == again.fingerprint()
    assert once.fingerprint() != apply(BENCHMARK, ("fold:1/2",)).fingerprint()


def test_what_reading_left_out_stays_counted():
    lossy = Corpus("t", BENCHMARK.train.documents, {"offset mismatch": 2})
    found = fold(BENCHMARK.__class__("x", lossy, BENCHMARK.dev, BENCHMARK.test, BENCHMARK.ontology), 1, 2)
    assert found.train.dropped == {"offset mismatch": 2}


@pytest.mark.parametrize(
    "name", ["fold:0/2", "fold:3/2", "fold:1/1", "fold:1/9", "fold:1", "fold:a/b", "folds:1/2"]
)
def test_a_fold_that_is_none_is_an_error(name):
    with pytest.raises(ValueError, match="expected"):
        apply(BENCHMARK, (name,))


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ("add-names:train", [("Cold", "common cold", "sweats"), ("cold", "low temperature"),
                             ("Fever", "pyrexia", "sweats"), ()]),
        ("only-names:train", [("sweats",), (), ("sweats",), ()]),
    ],
    ids=["added", "alone"],
)  # fmt: skip
def test_a_mention_of_one_part_names_its_concepts_and_a_composite_or_nil_one_none(change, names):
    mentions = ("cold fever", "D1+D3"), ("nothing", ""), ("sweats", "D1|OMIM:3"), ("elsewhere", "X9")
    given = replace(BENCHMARK, train=Corpus("t", (document("9", *mentions),)))
    found = apply(given, (change,)).ontology
    assert [concept.names for concept in found.concepts.values()] == names


@pytest.mark.parametrize("change", ["add-names:test", "only-names:train+test"])
def test_no_test_mention_becomes_a_name(change):
    with pytest.raises(ValueError, match="not from test"):
        apply(BENCHMARK, (change,))


def test_dev_can_be_made_the_test_split_and_says_so():
    found = apply(BENCHMARK, ("dev:test",))
    assert found.dev == BENCHMARK.test == found.test and found.train == BENCHMARK.train
    assert found.transforms == ("dev:test",)
    # What a linker is given then holds the gold of test, as dev.
    assert found.visible().test.n_mentions == 0 and found.visible().dev.n_mentions == 7
    with pytest.raises(ValueError, match="expected test"):
        apply(BENCHMARK, ("dev:train",))


def test_perturbations_are_named_and_change_the_test_split_alone():
    for name in ("misspelt:test", "acronyms:test"):
        found = apply(BENCHMARK, (name,))
        assert found.transforms == (name,) and found.train == BENCHMARK.train and found.dev == BENCHMARK.dev
    with pytest.raises(ValueError, match="test mentions only"):
        apply(BENCHMARK, ("misspelt:train",))
