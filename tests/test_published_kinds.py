"""Published systems by protocol and kind of mention, and what nobody gets right, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from ranked import cells, record, runs
from ranked import strata as strata_of
from toy import BENCHMARK, DEV_TELLS, ONTOLOGY, annotated, document

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus
from benchlib.predictions import Query
from benchlib.scoring import Scoring
from study.chapters.results import within
from study.corpora import load, published, registry
from study.measurements import shared_names as shared
from study.measurements.mention_kinds import mention_kinds
from study.systems import linker
from study.tables import published_systems

STRICT = Scoring()


def test_a_string_is_annotated_otherwise_where_no_mention_of_it_has_this_gold():
    found = mention_kinds(BENCHMARK)
    # "Cold" is D2 and D1 in train and dev; "cold" with the gold D4 is neither, "shivers" is D3 in both.
    assert found == {"test.mentions": 7, "abbreviation": [], "annotated otherwise": [6]}
    # "Ague" is D3 in dev and D1 here, case aside; "Chill" is D2 in both.
    assert mention_kinds(DEV_TELLS)["annotated otherwise"] == [0]


def test_an_abbreviation_is_a_short_form_of_its_own_document():
    mentions = ("heart attack", ""), ("HA", "D1"), ("HA", "D1"), ("ha", "D1")
    documents = (annotated("heart attack (HA), HA, ha", *mentions), document("2", ("HA", "D1")))
    none = Corpus("none", ())
    found = mention_kinds(Benchmark("made", none, none, Corpus("test", documents), ONTOLOGY))
    assert found == {"test.mentions": 5, "abbreviation": [1, 2], "annotated otherwise": []}


def test_names_of_several_owners_are_counted_and_the_first_of_each_document_shown(monkeypatch):
    golds = ("D1", "D1", "D4", "D3", "D2", "D1")
    documents = [document(str(n // 2), *((f"m{i}", golds[i]) for i in (n, n + 1))) for n in (0, 2, 4)]
    none = Corpus("none", ())
    benchmark = Benchmark("bc2gn", none, none, Corpus("test", documents), ONTOLOGY)
    mentions = [*benchmark.test.mentions()]
    spans = [Query(d.id, m.start, m.end) for d, m in mentions]
    ranked = [("D1",), ("D1", "9"), ("D1", "8", "D4"), ("7", "6"), ("5",), ("D1", "4", "3", "2")]
    answers = [
        published.Answer(span, frozenset([gold]), (owners,))
        for span, gold, owners in zip(spans, golds, ranked, strict=True)
    ]
    monkeypatch.setattr(shared, "answers", lambda *_: answers)
    monkeypatch.setattr(shared, "gold_mentions", lambda *_: {one.span: one.gold for one in answers})
    found = shared.shared_names(benchmark, "genbioel", examples=2)
    counts = {"one, gold": 1, "one, not gold": 1, "several, gold": 3, "several, not gold": 1}
    assert {name: found[name] for name in counts} == counts and found["mentions"] == 6
    assert (found["owners"], found["alone"]) == (3, 2)  # D4 is named beside D1 in the dictionary
    assert [(one["mention"], one["owners"], one["here"]) for one in found["examples"]] == [
        ("m1", 2, 1), ("m2", 3, 2)
    ]  # fmt: skip
    assert [one["gold"] for one in found["examples"]] == [("D1", "Cold"), ("D4", "D4")]  # D4 has no name
    kept = {"bc2gn": SimpleNamespace(values=found, path="")}
    table = published_systems.owners(kept)
    assert table["mentions"].tolist() == ["1", "1", "3", "1", "2"]
    assert table["share, %"].tolist() == ["16.7", "16.7", "50.0", "16.7", "33.3"]
    assert published_systems.shared_names(kept)["random pick, %"].tolist() == ["50", "33"]
    kept = {"toy": SimpleNamespace(values=shared.shared_names(BENCHMARK, "genbioel"), path="")}
    assert published_systems.owners(kept).empty and published_systems.shared_names(kept).empty


NAMES = ("reachable", "composite", "several concepts", "no name")
# What two systems answer to seven mentions, and the kinds of these, a digit each in the order of NAMES.
MENTIONS = [
    (1, 0, "1000"),  # the first system has it
    (0, 2, "0110"),  # outside the dictionary, which comes before composite
    (0, 0, "1110"),  # composite, which comes before ambiguous
    (2, 2, "1010"),  # annotated otherwise, which comes before ambiguous
    (0, 0, "1010"),
    (0, 0, "1001"),
    (0, 3, "1000"),
]
KINDS = {
    "toy": SimpleNamespace(values={"test.mentions": 7, "annotated otherwise": [0, 3], "abbreviation": [6]})
}


@pytest.fixture
def systems():
    first, second, kinds = zip(*MENTIONS, strict=True)
    columns = {name: [bool(int(of[i])) for of in kinds] for i, name in enumerate(NAMES)}
    kinds = SimpleNamespace(strata=strata_of(**columns), path="")
    return [
        runs("published,system=a", record(first), kinds=kinds),
        runs("other", record(second), kinds=kinds),
    ]


def test_every_mention_that_nobody_has_right_has_one_reason(systems):
    table = published_systems.unsolved(systems, KINDS, STRICT)
    assert table["toy"].tolist() == ["1 (17 %)"] * 6 + ["6 (85.7 %)"]
    assert table["reason"].tolist() == [*published_systems.RULES, "all"]


def test_a_file_of_one_answer_has_no_recall_further_down(systems):
    recounted = {"toy": SimpleNamespace(values={"systems": {"a": {"depth": 4}}})}
    table = published_systems.by_protocol(systems, recounted, STRICT)
    assert table["expected tie @5"].tolist()[0] == "not applicable"
    assert cells(table, "strict (one owner)", "lenient", "expected tie @5")[1] == ["0.0", "0.0", "42.9"]
    recounted["toy"].values["systems"]["a"]["depth"] = 5
    assert cells(published_systems.by_protocol(systems, recounted, STRICT), "expected tie @5")[0] == ["28.6"]


def test_what_a_system_found_has_a_score():
    found = runs("joint", record([1, 0, None, 1], scores=[-1, -np.inf, -1, -2]))
    masks = published_systems.found_by([found, runs("gone", None, data="other")])
    assert {data: mask.tolist() for data, mask in masks.items()} == {"toy": [True, False, True, True]}


def test_results_within_a_mask_have_its_metrics_and_counts():
    whole, mask = runs("a", record([1, 0, 1, None])), np.array([True, True, False, True])
    [kept] = within([whole], {"toy": mask})
    assert kept.credits(1, STRICT).tolist() == [[1, 0]] and within([whole], {"bc2gn": mask}) == []
    assert kept.clusters.tolist() == whole.clusters[:2].tolist() and kept.record.key == whole.record.key
    assert kept.record.metric("recall@1", "strict/names/any-of")["value"] == 0.5
    counts = kept.record.counts
    assert (counts["n_scored"], counts["dropped"]) == (2, {"nil": 1, "span": 0, "left out": 1})
    assert counts["n_raw"] == counts["n_scored"] + sum(counts["dropped"].values())


def test_all_spans_of_a_system_that_finds_them_are_claims(data_folder):
    """Those that are mentions are answered as where mentions are given."""
    if not (data_folder / "published_predictions").is_dir():
        pytest.skip("the published answers are not there: run `make data`")
    benchmark = load("ncbi-disease")
    documents = benchmark.test.documents
    given, found = (
        linker(f"{base},system=taggerone").fit(benchmark.visible())
        for base in ("published", "published-spans")
    )
    assert not hasattr(given, "find")
    first, all_of_them = (
        {query: of.candidates[row[0]] for query, row in zip(of.queries, of.index, strict=True)}
        for of in (given.link(documents), found.find(documents))
    )
    assert (len(first), len(all_of_them)) == (787, 943)  # the file says 787 of them are mentions
    assert first.items() <= all_of_them.items()
    mentions = {Query(d.id, m.start, m.end) for d, m in benchmark.test.mentions()}
    assert set(first) == set(all_of_them) & mentions


def test_every_published_system_says_how_it_was_made():
    rows = published_systems.made_with()
    assert (rows != "").all(axis=None) and list(rows)[0] == "system"
    bases = {
        file.name.split("/")[-2].split("_")[0]
        for source in published.SOURCES
        for file in registry.source(source).files
    }
    assert {name.lower() for name in rows["system"]} == bases - {"gold"}
