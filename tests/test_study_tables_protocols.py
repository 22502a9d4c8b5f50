"""The same predictions under many protocols, and a reader's own predictions file, as tables."""

from dataclasses import replace
from pathlib import Path

import pytest
from ranked import GONE, cells, links, runs
from toy import BENCHMARK

from benchlib import evaluate
from benchlib.formats.predictions import write_predictions
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import CLASSES, PRESETS, PROTOCOLS, STRATA, Scoring
from study import tables
from study.corpora import load
from study.pages import own_files
from study.pages.numbers import percent
from study.records import Store, linking_record, strata_record
from study.systems import ExactLinker, linker
from study.tables import own
from study.tables.rows import in_context

EXAMPLE = Path(__file__).resolve().parent.parent / "data" / "examples" / "ambiguous-name"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("runs") / "records")
    strata = strata_record(BENCHMARK, store)
    linked = [runs(name, linking_record(linker(name), BENCHMARK, store), kinds=strata)
              for name in ("exact", "prior")]  # fmt: skip
    return [*linked, runs("lost", None, changes=("x",)), runs("theirs", reason=GONE)]


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    path = tmp_path_factory.mktemp("own") / "p.jsonl"
    write_predictions(ExactLinker().fit(BENCHMARK.visible()).link(BENCHMARK.test.hidden().documents, 5), path)
    return evaluate(path, BENCHMARK)


def test_scores_show_the_metric_and_say_what_was_not_run(found):
    table = tables.scores(found, [Scoring("strict", "names"), "lenient/names/any-of"])
    assert list(table) == ["data", "linker", "n", "strict/names", "lenient/names"]
    # Exact match: half of Cold and the whole of FEVER, of six.
    rows = cells(table)
    assert rows[0] == ["toy", "exact", "6", "25.0", "33.3"] and rows[2] == ["toy x", "lost", *["NOT RUN"] * 3]
    assert rows[3] == ["toy", "theirs", "NOT RUN", GONE, GONE] and table["strict/names"][0].startswith(
        "25.0 ["
    )
    deep = tables.scores(found[:1], ["strict/names/any-of"], ("recall@1", "mrr"))
    assert list(deep)[3:] == ["recall@1 strict/names", "mrr strict/names"] and cells(deep)[0][3] == "25.0"
    here = replace(found[0].record, path="data/records/e.json")
    table = tables.scores([replace(found[0], records=((here,),))], [])
    assert links(table["linker"][0]) == {"exact": "e"}


def test_counts_close_and_strata_are_shares_of_what_is_scored(found):
    counts = cells(tables.counts(found))
    assert counts[0] == ["toy", "exact", "7", "nil 1", "6", "0", "3"] and counts[2][2] == "NOT RUN"
    strata = cells(tables.strata(found, ["no name", "composite"]))
    assert strata[0] == ["toy", "50.0", "16.7", "6"] and strata[2] == ["toy x", *["NOT RUN"] * 3]
    assert list(tables.strata([], ["reachable"])) == ["data", "reachable", "n"]
    untrained = tables.strata([replace(found[0], train=False)], ["seen name", "refined", "no name"])
    assert cells(untrained) == [["toy", "needs train", "needs train", "50.0", "6"]]


def test_published_protocols_have_a_row_each_and_a_column_a_system(found):
    table = tables.under_published(found)
    here, there = (table[table["data"] == data].set_index("protocol") for data in ("toy", "toy x"))
    assert [*here.index] == [name for name, preset in PRESETS.items() if preset.scoring.nil != "with-nil"]
    exact = percent(found[0].record.metric("recall@1", "strict/names/any-of"))
    assert here.loc["krissbert", ["exact", "lost", "theirs", "n"]].tolist() == [exact, "", GONE, "6"]
    assert set(there["lost"]) == {"NOT RUN"} and set(there["exact"]) == {""}
    assert tables.published()["protocol"].tolist() == list(PRESETS)
    assert here.loc["cosines-refined", "n"] != ""
    untrained = tables.under_published([replace(found[0], train=False)]).set_index("protocol")
    assert untrained.loc["cosines-refined", ["exact", "n"]].tolist() == ["needs train", ""]
    assert untrained.loc["krissbert", ["exact", "n"]].tolist() == [exact, "6"]


def test_the_ambiguous_name_scores_by_hand_under_every_protocol():
    benchmark = load(str(EXAMPLE / "corpus.pubtator.txt"), str(EXAMPLE / "ontology.tsv"))
    answers = {name: evaluate(EXAMPLE / f"{name}.tsv", benchmark) for name in ("by name", "in context")}
    asked = [scoring for scoring in PROTOCOLS if scoring.gold == "any-of"]
    table = tables.by_scoring({name: one.outcomes for name, one in answers.items()}, asked)
    # Three concepts are called ER and one is meant: the gold is first, second or third, each as likely
    # (strict; 11/18 is the mean of 1, 1/2 and 1/3), or last (pessimistic), or the name suffices (lenient).
    by_hand = {
        "strict": ["0.333", "0.667", "0.611"], "pessimistic": ["0", "0", "0.333"], "lenient": ["1", "1", "1"],
    }  # fmt: skip
    assert list(table)[2:5] == ["by name: R@1", "by name: R@2", "by name: MRR"]
    assert cells(table) == [
        [match, over, *of, "1", "1", "1"] for match, of in by_hand.items() for over in ("names", "concepts")
    ]
    table = own.files_summary({"by name": answers["by name"]})
    assert cells(table, "rank", "score") == [["1", "0.98"], ["2", "0.61"], ["3", "0.55"]]
    assert set(table["concepts"][0].split(", ")) == {"C0562508", "C1414461", "C0014239"}
    assert table["concepts"].tolist()[1:] == ["C1414461", "C0014239"]


def test_errors_are_listed_with_context_gold_and_answer(scored):
    table = own.errors(scored, 10)
    # "Cold" is carried by D1 and D2, so it is half right; "ague" was not answered; "cold" means D4 there.
    assert table.iloc[0, :6].tolist() == [
        "3", "<mark>Cold</mark> FEVER ague ", "D1 Cold", "“cold”: D1 Cold; D2 cold", "0.50", "1",
    ]  # fmt: skip
    assert table.iloc[1, 3:6].tolist() == ["(no answer)", "0.00", "not listed"]
    assert "FEVER" not in "".join(m.partition("<mark>")[2].partition("</mark>")[0] for m in table["mention"])
    assert len(own.errors(scored, 1)) == 1 and own.errors(scored, 0).empty
    # A name that no concept carries is a wrong answer, and none is NIL.
    for name, told in (("gibberish", "“gibberish”: no concept"), ("", "NIL")):
        answer = Predictions((Query("3", 0, 4),), (Candidate(name, ()),), [[0]], [[1]])
        assert told in own.errors(evaluate(answer, BENCHMARK), 10)["predicted"].tolist()
    shown = in_context("a <b> | `x` hit *y*", 12, 15, 10)
    assert shown == "…&lt;b&gt; &#124; &#96;x&#96; <mark>hit</mark> &#42;y&#42;"


def test_every_protocol_kind_and_difference_has_its_row(scored):
    published = own.listed(scored.published, "score")
    assert published["protocol"].tolist().count("cosines") == 3
    assert " to " in published[published["protocol"] == "sapbert-unmerged"]["if ties fall"].iloc[0]
    grid = own.grid(scored.grid)
    assert list(grid.columns) == ["protocol", "recall@1", "recall@5", "mrr"] and len(grid) == 12
    # Half of Cold and the whole of FEVER, of six.
    of = grid.set_index("protocol")["recall@1"]
    assert of["strict/names/any-of"].startswith("25.0 [") and of["lenient/names/any-of"].startswith("33.3 [")
    # Neither the gold of ague, shivers, cold fever nor that of cold is listed; Cold is half misranked.
    kinds = own.listed(scored.kinds, "accuracy")
    assert cells(kinds, "n", "accuracy", "gold not listed", "gold ranked below another")[0] == [
        "6", "25.0", "66.7", "8.3",
    ]  # fmt: skip
    against = own.listed(scored.against(scored), "difference")
    heads = ("difference", "p", "p (Holm)", "gained", "lost")
    assert {*map(tuple, cells(against, *heads))} == {("+0.0", "1.0000", "1.0000", "0.0", "0.0")}
    assert own.legend().count("- **") == len(STRATA) + len(CLASSES)


def test_what_reading_found_odd_is_said_without_a_folder_or_markup(scored):
    told = own_files.warnings([scored])
    assert told.startswith("- `p.jsonl`:") and "/" not in told.partition(":")[0]
    assert own_files.warnings([]) == "The files have no oddities."
