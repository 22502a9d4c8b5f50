"""Concepts held out: gone from the ontology and from training, their mentions NIL and counted."""

from dataclasses import replace

import pytest
from toy import BENCHMARK, document

from benchlib.corpus import Corpus, Gold
from benchlib.ontology import Concept, Ontology
from benchlib.scoring import outcomes
from study.corpora.hold_out import LEFT_OUT, held_out, held_out_counts, hold_out
from study.corpora.transforms import apply

TREE = Ontology(
    "tree",
    [
        Concept("A", ("a",), ("a",), parents=("R",)),
        Concept("B", ("b",), ("b",), parents=("R",), alternatives=("OMIM:1", "OMIM:2")),
        # Below both; its parent is given by an alternative id of B.
        Concept("AB", ("ab",), ("a", "b"), parents=("A", "OMIM:1")),
        Concept("R", ("r",), ("r",)),
        Concept("X", ("x",), ("b", "a"), parents=("AB",), alternatives=("OMIM:2", "A")),
        Concept("Y", ("y",), ("y of all",), alternatives=("X", "AB")),
    ],
)
MENTIONS = (
    ("a", "A"), ("b", "OMIM:1"), ("either", "A|Y"), ("two", "A+Y"), ("both", "A+AB"), ("nil", ""),
    ("outside", "Q"), ("half known", "A+Q"), ("several owners", "OMIM:2"), ("y", "Y"),
)  # fmt: skip
GIVEN = replace(
    BENCHMARK,
    ontology=TREE,
    train=Corpus("train", (document("1", *MENTIONS),), {"offset mismatch": 2}),
    dev=Corpus("dev", (document("2", *MENTIONS),)),
    test=Corpus("test", (document("3", *MENTIONS),)),
)


def golds(corpus):
    return [[sorted(part) for part in mention.gold.parts] for _, mention in corpus.mentions()]


@pytest.mark.parametrize(
    ("what", "gone"),
    [
        ("types:a", {"A", "AB", "X"}),
        ("types:b", {"B", "AB", "X"}),
        ("types:y of all+r", {"R", "Y"}),
        ("types:r+b", {"R", "B", "AB", "X"}),
        ("hash:0.999999", {"A", "B", "AB", "R", "X", "Y"}),
        ("hash:0.000000000001", set()),
    ],
)
def test_those_of_types_are_all_that_have_one_of_them(what, gone):
    assert held_out(TREE, what) == gone


def test_what_becomes_of_each_mention_by_hand():
    # A, AB and X are gone, and with X one of the two owners of OMIM:2.
    found = hold_out(GIVEN, "types:a")
    assert list(found.ontology.concepts) == ["B", "R", "Y"]
    kept = [[], [["OMIM:1"]], [["Y"]], [["Y"]], [], [], [["Q"]], [["Q"]], [["OMIM:2"]], [["Y"]]]
    assert golds(found.test) == golds(found.dev) == kept
    # In train, whatever names a concept that is held out goes, be it in part.
    assert [m.text for _, m in found.train.mentions()] == ["b", "nil", "outside", "several owners", "y"]
    assert found.train.dropped == {"offset mismatch": 2, LEFT_OUT: 5}
    assert found.train.n_raw == GIVEN.train.n_raw
    for split in ("train", "dev", "test"):
        before, after = GIVEN.split(split), found.split(split)
        assert [d.text for d in before.documents] == [d.text for d in after.documents]
    # What the corpus prints stays, so that these can be told from its own NIL.
    assert [m.gold.printed for _, m in found.test.mentions()] == [printed for _, printed in MENTIONS]
    new = [n for n, (_, m) in enumerate(found.test.mentions()) if m.gold.nil and m.gold.printed]
    assert new == [0, 4]
    assert apply(GIVEN, ("hold-out:types:a",)).transforms == ("hold-out:types:a",) and GIVEN.ontology is TREE


def test_no_id_that_is_held_out_comes_back_by_another_concept():
    found = hold_out(GIVEN, "types:a").ontology
    for id in ("A", "AB", "X"):
        assert found.resolve(id) == ()
        assert all(id not in (*c.alternatives, *c.parents) for c in found.concepts.values())
    assert found.resolve("OMIM:2") == ("B",)


def test_the_texts_of_a_composite_mention_stay_with_its_parts():
    gold = Gold((frozenset("A"), frozenset("Y")), ("first", "second"), "A+Y")
    (given,) = document("3", ("two", "A+Y")).mentions
    test = Corpus("t", (replace(document("3", ("two", "")), mentions=(replace(given, gold=gold),)),))
    ((_, mention),) = hold_out(replace(GIVEN, test=test), "types:a").test.mentions()
    assert mention.gold == Gold((frozenset("Y"),), ("second",), "A+Y")


def test_counts_close_and_scoring_sees_the_mentions_as_nil():
    counts = held_out_counts(GIVEN, "types:a")
    assert counts == {
        "concepts": 6, "concepts.held_out": 3, "train.mentions": 10, "train.left_out": 5,
        "dev.mentions": 10, "dev.held_out": 2, "dev.nil": 1, "dev.in_part": 3,
        "test.mentions": 10, "test.held_out": 2, "test.nil": 1, "test.in_part": 3,
    }  # fmt: skip
    from study.systems import ExactLinker

    found = hold_out(GIVEN, "types:a")
    predictions = ExactLinker().fit(found.visible()).link(found.test.hidden().documents)
    scored = outcomes(predictions, found.test, found.ontology)
    assert scored.counts["n_raw"] == 10 and scored.counts["dropped"]["nil"] == 3
    # Outside are those that were outside before: "outside", and "half known", of which Q is left.
    assert scored.counts["n_scored"] == 7 and scored.counts["gold_outside_ontology"] == 2


def test_the_share_of_a_hash_is_near_and_a_smaller_one_lies_in_a_larger():
    many = Ontology("many", [Concept(f"D{i:06d}") for i in range(10_000)])
    small, large = held_out(many, "hash:0.1"), held_out(many, "hash:0.3")
    # sd 30 and 46
    assert abs(len(small) - 1000) < 130 and abs(len(large) - 3000) < 190
    assert small < large
    # By the id alone: on whatever machine, and whatever stands beside it.
    assert held_out(Ontology("one", [Concept("D000004")]), "hash:0.1") == small & {"D000004"}


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("types:", "tree has no type ''"),
        ("types:a+q", "tree has no type 'q'"),
        ("types:a,b", "has no type 'a,b'"),
        ("types:a+b+r+y of all", "expected some of 6 concepts, found 6"),
        ("hash:0.000000000001", "expected some of 6 concepts, found 0"),
    ],
)
def test_what_cannot_be_held_out_is_an_error(what, message):
    with pytest.raises(ValueError, match=message):
        apply(GIVEN, (f"hold-out:{what}",))
