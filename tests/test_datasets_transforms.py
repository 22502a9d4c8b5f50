"""Folds: every document held out once, none lost, test untouched. Mention names: whose, and from where."""

from collections import Counter
from dataclasses import replace

import pytest
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.ontology import Concept, Ontology
from study.corpora import load
from study.corpora.transforms import apply


def test_every_document_is_held_out_once_and_trained_on_otherwise():
    mini = load("mini")
    everything = {d.id for d in (*mini.train.documents, *mini.dev.documents)}
    held_out = []
    for number in range(1, 6):
        found = apply(mini, (f"fold:{number}/5",))
        train, dev = ({d.id for d in corpus.documents} for corpus in (found.train, found.dev))
        assert train | dev == everything and not train & dev
        assert abs(len(dev) - len(everything) / 5) < 1
        assert found.test is mini.test and found.ontology is mini.ontology
        assert found.train.n_raw + found.dev.n_raw == mini.train.n_raw + mini.dev.n_raw
        held_out += dev
    assert sorted(held_out) == sorted(everything)
    # Dealt out at random: a fold is no run of neighbouring documents.
    assert held_out != sorted(held_out)


def test_what_reading_left_out_stays_counted():
    lossy = Corpus("t", BENCHMARK.train.documents, {"offset mismatch": 2})
    found = apply(replace(BENCHMARK, train=lossy), ("fold:1/2",))
    assert found.train.dropped == {"offset mismatch": 2}


def test_strings_are_dealt_out_and_there_are_no_more_folds_than_of_these():
    documents = (document(str(i), (text, "D1")) for i, text in enumerate(("cold", "Cold", "cold", "fever")))
    strings = replace(BENCHMARK, train=Corpus("t", tuple(documents)), dev=Corpus("d", ()))
    held_out = {len(apply(strings, (f"fold:{number}/2",)).dev.documents) for number in (1, 2)}
    assert held_out == {1, 3}
    with pytest.raises(ValueError, match="fold 3/3: expected 1/n to n/n with n from 2 to 2"):
        apply(strings, ("fold:3/3",))


NONE = (
    "fold:0/2 fold:3/2 fold:1/1 fold:1/9 fold:1 fold:a/b folds:1/2 titles:train universal:2 "
    "medic-2017:1 add-names:test "
    "only-names:train+test double-names:train misspelt:train misspelt acronyms:dev acronyms:test+dev "
    "dev:train sample-names:0:1 sample-names:1:1 sample-names:1.5:1 sample-names:-0.5:1 sample-names:half:1 "
    "sample-names:nan:1 sample-names:1/0:1 sample-names:0.5 sample-names:0.5: sample-names:0.5:x hold-out "
    "hold-out:hash hold-out:hash:0 hold-out:hash:1 hold-out:hash:nan hold-out:0.1 hold-out:branch:A"
)


@pytest.mark.parametrize("name", ["", *NONE.split()])
def test_a_transform_that_is_none_is_an_error(name):
    with pytest.raises(ValueError, match="expected for example add-names|expected 1/|train and dev only"):
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


def test_titles_are_the_first_names_and_nothing_else_changes():
    found = apply(BENCHMARK, ("titles",))
    assert [c.names for c in found.ontology.concepts.values()] == [("Cold",), ("cold",), ("Fever",), ()]
    assert found.ontology.concepts["D3"].alternatives == ("OMIM:3",)
    assert (found.train, found.dev, found.test) == (BENCHMARK.train, BENCHMARK.dev, BENCHMARK.test)
    assert found.transforms == ("titles",)


def test_dev_can_be_made_the_test_split_and_says_so():
    found = apply(BENCHMARK, ("dev:test",))
    assert found.dev == BENCHMARK.test == found.test and found.train == BENCHMARK.train
    assert found.transforms == ("dev:test",)
    # What a linker is given then holds the gold of test, as dev.
    assert found.visible().test.n_mentions == 0 and found.visible().dev.n_mentions == 7


@pytest.mark.parametrize("last", ["fold:1/2", "add-names:train+dev", "only-names:dev"])
@pytest.mark.parametrize("first", ["dev:test", "hold-out:hash:0.5"])
def test_what_was_taken_out_does_not_come_back_in(first, last):
    with pytest.raises(ValueError, match=f"expected before {first}, found after"):
        apply(BENCHMARK, (first, last))
    assert apply(BENCHMARK, (last, first)).transforms == (last, first)


def with_names(*names: str):
    concepts = [Concept("D1", names), Concept("D2", ("only one",)), Concept("D3")]
    return replace(BENCHMARK, ontology=Ontology("o", concepts))


@pytest.mark.parametrize(
    ("share", "n", "kept"),
    [("0.5", 1, 0), ("0.5", 2, 1), ("0.5", 3, 1), ("0.5", 7, 3), ("0.25", 7, 1), ("0.125", 7, 0),
     ("0.125", 8, 1), ("0.29", 100, 29), ("0.9", 10, 9)],
)  # fmt: skip
def test_a_share_of_the_names_is_rounded_down_in_each_concept(share, n, kept):
    names = tuple(f"name {i}" for i in range(n))
    found = apply(with_names(*names), (f"sample-names:{share}:4",))
    drawn = found.ontology.concepts["D1"].names
    assert len(drawn) == kept and set(drawn) <= set(names)
    assert list(drawn) == [name for name in names if name in drawn]
    assert found.ontology.concepts["D2"].names == found.ontology.concepts["D3"].names == ()
    assert found.transforms == (f"sample-names:{share}:4",) and found.test is BENCHMARK.test


def test_names_that_differ_in_case_are_drawn_as_one():
    given = with_names("Cold", "fever", "COLD", " cold", "FEVER")
    drawn = {apply(given, (f"sample-names:0.5:{seed}",)).ontology.concepts["D1"].names for seed in range(20)}
    assert drawn == {("Cold",), ("fever",)}


def test_each_name_is_as_likely_and_the_first_no_more():
    names = tuple("abcd")
    drawn = [apply(with_names(*names), (f"sample-names:0.5:{seed}",)) for seed in range(400)]
    counts = Counter(name for one in drawn for name in one.ontology.concepts["D1"].names)
    # 200 are expected of each; the standard deviation is 10.
    assert sum(counts.values()) == 800 and all(150 < counts[name] < 250 for name in names)


def test_a_draw_is_the_same_each_time_and_holds_those_of_smaller_shares():
    names = tuple(f"name {i}" for i in range(40))
    drawn = {
        share: apply(with_names(*names), (f"sample-names:{share}:7",)).ontology.concepts["D1"].names
        for share in ("0.125", "0.25", "0.5", "0.50")
    }
    assert set(drawn["0.125"]) < set(drawn["0.25"]) < set(drawn["0.5"]) and drawn["0.5"] == drawn["0.50"]
    # Other concepts do not matter, other seeds do.
    alone = replace(BENCHMARK, ontology=Ontology("o", [Concept("D9"), Concept("D1", names)]))
    assert apply(alone, ("sample-names:0.5:7",)).ontology.concepts["D1"].names == drawn["0.5"]
    assert apply(alone, ("sample-names:0.5:8",)).ontology.concepts["D1"].names != drawn["0.5"]
