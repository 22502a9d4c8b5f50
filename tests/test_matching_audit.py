"""The precision of matches beside annotated mentions, on documents counted by hand."""

import pytest
from toy import annotated

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.matching import Matcher
from benchlib.ontology import Concept, Ontology
from study.measurements import measure
from study.measurements.match_audit import _place, match_audit
from study.records import Store

ONTOLOGY = Ontology(
    "toy",
    [
        Concept("P", ("pain", "ache"), alternatives=("OLD",)),
        Concept("F", ("fever", "ache")),
        Concept("H", ("hay fever",)),
    ],
)


CORPUS = Corpus(
    "test",
    (
        # pain is right by an alternative id; fever stands inside, hay fever across, the second pain outside.
        annotated("pain, high fever, hay fever. pain", ("pain", "OLD"), ("high fever", "F"), ("fever.", "H")),
        # fever is wrong, and right in one of two parts; ache is both; a NIL mention is none.
        annotated("fever", ("fever", "H"), id="2"),
        annotated("fever ache", ("fever", "P+F|H"), ("ache", "F"), id="3"),
        annotated("pain", ("pain", ""), id="4"),
    ),
)


def test_each_match_has_its_place_and_each_mention_is_found_or_not():
    matches, mentions = match_audit(Matcher(ONTOLOGY, shared="keep"), CORPUS, ONTOLOGY)
    rows = [(d, s, c, p, r) for d, s, _, c, p, r in matches.itertuples(index=False)]
    assert rows == [
        ("1", 0, "P", "exact", True),
        ("1", 11, "F", "inside", False),
        ("1", 18, "H", "across", False),
        ("1", 29, "P", "outside", False),
        ("2", 0, "F", "exact", False),
        ("3", 0, "F", "exact", True),
        ("3", 6, "P", "exact", False),
        ("3", 6, "F", "exact", True),
        ("4", 0, "P", "exact", False),
    ]
    assert mentions["found"].tolist() == [True, False, False, False, True, True]
    assert mentions["document"].tolist() == ["1", "1", "1", "2", "3", "3"]


def test_a_match_around_a_whole_mention_crosses_none_of_its_edges():
    places = [(0, 4), (5, 8), (0, 6), (2, 8), (1, 7), (2, 6), (3, 5), (7, 9)]
    document = annotated("0123456789", ("2345", "F"))
    assert [_place(document, *span) for span in places] == [
        "across", "across", "around", "around", "around", "exact", "inside", "outside",
    ]  # fmt: skip


def test_the_measurement_has_both_bounds_with_and_without_shared_names(tmp_path):
    empty = Corpus("none", ())
    data = Benchmark("toy", empty, empty, CORPUS, ONTOLOGY)
    values = measure("matched", data, Store(tmp_path)).values
    counts = ("matches", "exact", "inside", "across", "outside", "right", "mentions")
    assert [values[f"keep.{name}"] for name in counts] == [9, 6, 1, 1, 1, 3, 6]
    assert [values[f"skip.{name}"] for name in counts] == [7, 4, 1, 1, 1, 2, 6]
    for shared, share, expected in (
        ("keep", "precision_at_mentions", 3 / 6),
        ("keep", "precision", 3 / 9),
        ("keep", "recall", 3 / 6),
        ("skip", "precision_at_mentions", 2 / 4),
        ("skip", "precision", 2 / 7),
        ("skip", "recall", 2 / 6),
    ):
        value, low, high = (values[f"{shared}.{share}{end}"] for end in ("", "_low", "_high"))
        assert value == pytest.approx(expected) and low < value < high
    # Exactly matched mentions of documents 2 to 4 are right in 0, 1 and 0 of 1: no sample is above 1.
    assert values["skip.precision_low"] >= 0 and values["skip.precision_at_mentions_high"] <= 1
    nothing = measure("matched", data, Store(tmp_path), arguments={"split": "dev"}).values
    assert nothing["skip.matches"] == 0 and nothing["skip.precision"] is None
