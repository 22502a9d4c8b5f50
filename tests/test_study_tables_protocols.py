"""The same predictions under many protocols, and what the mentions are, as tables."""

from dataclasses import replace
from pathlib import Path

import pytest
from ranked import GONE, runs
from toy import BENCHMARK

from benchlib import evaluate
from benchlib.scoring import PRESETS, PROTOCOLS, Scoring
from study import tables
from study.corpora import load
from study.pages import show
from study.records import Store, linking_record, strata_record
from study.systems import linker

EXAMPLE = Path(__file__).resolve().parent.parent / "data" / "examples" / "ambiguous-name"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("runs") / "records")
    strata = strata_record(BENCHMARK, store)
    linked = [runs(name, linking_record(linker(name), BENCHMARK, store), kinds=strata)
              for name in ("exact", "prior")]  # fmt: skip
    return [*linked, runs("lost", None, changes=("x",)), runs("theirs", reason=GONE)]


def test_scores_show_the_metric_and_say_what_was_not_run(found):
    table = tables.scores(found, [Scoring("strict", "names"), "lenient/names/any-of"])
    assert list(table) == ["data", "linker", "n", "strict/names", "lenient/names"]
    # Exact match: half of Cold and the whole of FEVER, of six.
    assert table["strict/names"][0].startswith("25.0 [") and table["lenient/names"][0].startswith("33.3 [")
    assert table.iloc[2].tolist() == ["toy x", "lost", "NOT RUN", "NOT RUN", "NOT RUN"]
    assert table["n"].tolist() == ["6", "6", "NOT RUN", "NOT RUN"]
    deep = tables.scores(found[:1], ["strict/names/any-of"], ("recall@1", "mrr"), interval=False)
    assert deep["recall@1 strict/names"].tolist() == ["25.0"] and "mrr strict/names" in deep


def test_counts_close_and_strata_are_shares_of_what_is_scored(found):
    counts = tables.counts(found)
    assert counts.iloc[0].tolist() == ["toy", "exact", "7", "nil 1", "6", "0", "3"]
    assert counts["raw"].tolist()[2:] == ["NOT RUN", "NOT RUN"]
    strata = tables.strata(found, ["no name", "composite"])
    assert strata.iloc[0].tolist() == ["toy", "50.0", "16.7", "6"]
    assert strata["no name"][2] == strata["n"][2] == "NOT RUN"


def test_published_protocols_have_a_row_each_and_a_column_a_system(found):
    table = tables.under_published(found)
    without_nil = [name for name, preset in PRESETS.items() if preset.scoring.nil != "with-nil"]
    assert table.loc[table["data"] == "toy", "protocol"].tolist() == without_nil
    of = table[table["data"] == "toy"].set_index("protocol")
    assert of.loc["krissbert", ["exact", "lost", "theirs"]].tolist() == ["25.0", "", "NOT RUN: closed"]
    assert (table.loc[table["data"] == "toy x", "lost"] == "NOT RUN").all()
    assert table.loc[table["data"] == "toy x", "exact"].eq("").all()
    assert tables.published()["protocol"].tolist() == list(PRESETS)


def test_without_a_train_corpus_what_needs_it_says_so_and_has_no_number(found):
    untrained = replace(found[0], train=False)
    strata = tables.strata([untrained], ["seen name", "seen concept", "refined", "no name"])
    assert strata.iloc[0].tolist() == ["toy", "needs train", "needs train", "needs train", "50.0", "6"]
    of = tables.under_published([untrained]).set_index("protocol")
    assert of.loc["cosines-refined", ["exact", "n"]].tolist() == ["needs train", ""]
    assert of.loc["krissbert", ["exact", "n"]].tolist() == ["25.0", "6"]
    assert tables.under_published([found[0]]).set_index("protocol").loc["cosines-refined", "n"] != ""


def test_the_ambiguous_name_scores_by_hand_under_every_protocol():
    benchmark = load(str(EXAMPLE / "corpus.pubtator.txt"), str(EXAMPLE / "ontology.tsv"))
    scored = {name: evaluate(EXAMPLE / f"{name}.tsv", benchmark) for name in ("by name", "in context")}
    asked = [scoring for scoring in PROTOCOLS if scoring.gold == "any-of"]
    table = tables.by_scoring({name: one.outcomes for name, one in scored.items()}, asked)
    # Three concepts are called ER and one is meant: the gold is first, second or third, each as likely
    # (strict; 11/18 is the mean of 1, 1/2 and 1/3), or last (pessimistic), or the name suffices (lenient).
    by_hand = {
        "strict": ["0.333", "0.667", "0.611"], "pessimistic": ["0", "0", "0.333"], "lenient": ["1", "1", "1"],
    }  # fmt: skip
    assert table[["match", "over"]].to_numpy().tolist() == [
        [m, over] for m in by_hand for over in ("names", "concepts")
    ]
    measures = ["R@1", "R@2", "MRR"]
    for row in table.to_dict("records"):
        assert [row[f"by name: {measure}"] for measure in measures] == by_hand[row["match"]]
        assert [row[f"in context: {measure}"] for measure in measures] == ["1", "1", "1"]


def test_the_answers_of_the_example_name_who_carries_each():
    benchmark = load(str(EXAMPLE / "corpus.pubtator.txt"), str(EXAMPLE / "ontology.tsv"))
    table = tables.own.files_summary({"by name": evaluate(EXAMPLE / "by name.tsv", benchmark)})
    assert table["rank"].tolist() == [1, 2, 3] and table["score"].tolist() == ["0.98", "0.61", "0.55"]
    assert set(table["concepts"][0].split(", ")) == {"C0562508", "C1414461", "C0014239"}
    assert table["concepts"].tolist()[1:] == ["C1414461", "C0014239"]


def test_a_published_record_is_one_click_away(found):
    here = replace(found[0].record, path="data/records/exact.json")
    table = tables.scores([replace(found[0], records=((here,),))], ["strict/names/any-of"])
    assert '<a href="../data/records/exact.html">exact</a>' in show.myst_table(table, "t", "c")
    assert "<a href" not in show.myst_table(tables.scores(found, []), "t", "c")
