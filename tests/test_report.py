"""Tables, figures and sessions of the pages, from records worked out by hand."""

from types import SimpleNamespace

import pandas as pd
import pytest
from toy import BENCHMARK

from benchlib.datasets.card import card
from benchlib.linkers import ExactLinker, linker
from benchlib.report import cards, example, figures, scores, show, statistics
from benchlib.report.chapter import claims_section
from benchlib.report.measured import TESTS
from benchlib.report.page import missing_note
from benchlib.report.session import OPEN, Session
from benchlib.runs import Entry, MissingRecord, Store, kinds, measure, run
from benchlib.scoring import Scoring


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path)


@pytest.fixture
def entries(store) -> list[Entry]:
    record = run(ExactLinker(), BENCHMARK, store)
    return [
        Entry("exact", "toy", (), record, kinds=kinds(BENCHMARK, store)),
        Entry("prior", "toy", ("x",), None, "make it so"),
    ]


def test_a_score_table_shows_the_metric_and_says_what_was_not_run(entries):
    table = scores.score_table(entries, [Scoring("strict", "names"), "lenient/names/any-of"])
    assert list(table.columns) == ["data", "linker", "n", "strict/names", "lenient/names"]
    # Half of Cold and the whole of FEVER, of six.
    assert table.iloc[0]["strict/names"].startswith("25.0 [")
    assert table.iloc[0]["lenient/names"].startswith("33.3 [")
    assert table.iloc[1].tolist() == ["toy x", "prior", "NOT RUN", "NOT RUN", "NOT RUN"]


def test_counts_and_strata_tables(entries):
    counts = scores.counts_table(entries)
    assert counts.iloc[0].tolist() == ["toy", "exact", "7", "nil 1", "6", "0", "3"]
    strata = scores.strata_table(entries, ["no name", "composite"])
    assert strata.iloc[0].tolist() == ["toy", "50.0", "16.7", "6"]
    assert strata.iloc[1]["no name"] == "NOT RUN"


def test_the_card_of_the_toy_benchmark_by_hand():
    values = card(BENCHMARK)
    picked = {
        "test.mentions": 7, "test.nil": 1, "test.composite": 1, "test.ids": 4, "test.concepts": 3,
        "test.in_dictionary": 6, "test.reachable": 5, "all.documents": 4, "all.mentions": 14,
        "dictionary.concepts": 4, "dictionary.ids": 5, "dictionary.names": 6, "dictionary.folded_names": 5,
        "dictionary.ambiguous_names": 1, "dictionary.unnamed": 1, "test.refined": 3,
        "test.entities_seen_pct": 66.67,
    }  # fmt: skip
    assert {name: values[name] for name in picked} == picked


def test_card_tables_say_what_was_not_counted(store):
    shown = {"toy": measure("card", card, BENCHMARK, store), "other": None}
    table = cards.corpora(shown)
    assert table[table["corpus"] == "toy"]["split"].tolist() == ["train", "dev", "test"]
    assert (table[table["corpus"] == "other"]["documents"] == "NOT RUN").all()
    assert cards.dictionaries(shown).iloc[1]["names"] == "NOT RUN"
    assert cards.ambiguity_figure(shown).axes[0].patches[0].get_width() == pytest.approx(20.0)


def test_the_worked_example_scores_by_hand():
    table = example.example().set_index(["match", "over"])
    assert table.loc[("strict", "names"), "by name: R@1"] == "0.333"
    assert table.loc[("pessimistic", "concepts"), "by name: R@1"] == "0"
    assert table.loc[("lenient", "names"), "by name: R@1"] == "1"
    # Three orders of the tie: 1, 1/2, 1/3.
    assert float(table.loc[("strict", "concepts"), "by name: MRR"]) == pytest.approx(11 / 18, abs=1e-3)
    assert (table["in context: R@1"] == "1").all()
    assert len(example.answers()) == 6


def test_the_gap_figure_draws_one_line_per_record(entries):
    axes = figures.gap_figure(entries).axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["toy  ·  exact"]
    assert figures.gap_figure([]).axes


def test_tables_escape_text():
    frame = pd.DataFrame({"a|b": ["<script>", "x*y"], "n": ["1,234", "2"]})
    text = show.myst_table(frame, "tab-x", "Caption", **{"class": "filterable"})
    assert "a\\|b" in text and "\\<script\\>" in text and "x\\*y" in text
    assert ":class: sortable filterable" in text and ":name: tab-x" in text
    assert text.splitlines()[5] == "| :--- | ---: |"
    assert "<script>" not in show._html(frame, "Caption")


def test_a_number_breaks_before_its_interval_alone_and_a_reason_where_it_may():
    frame = pd.DataFrame({"a": ["1.0 [0.5, 1.5]", "NOT RUN: no data", "3 / 4"], "b": ["x, y [1, 2]"] * 3})
    lines = show.myst_table(frame, "t", "c").splitlines()
    assert lines[5] == "| ---: | :--- |"
    assert lines[6] == "| 1.0 \\[0.5,\xa01.5\\] | x, y \\[1, 2\\] |"
    assert "NOT RUN: no data" in lines[7] and "3\xa0/\xa04" in lines[8]


def test_a_comparison_table_pairs_the_same_mentions(store, entries):
    prior = Entry("prior", "toy", (), run(linker("prior"), BENCHMARK, store))
    table = scores.comparison_table([(prior, entries[0]), (entries[1], prior)], "strict/names/any-of")
    # The prior is right on FEVER and shivers, exact match on FEVER and on half of Cold.
    assert table.iloc[0]["difference"].startswith("+8.3 [")
    # Two documents: the lead of one against the loss of the other, swapped in four ways.
    assert table.iloc[0]["p (Holm)"] == "1.0000"
    assert table.iloc[1]["difference"] == "NOT RUN"


def test_an_empty_table_says_so_and_a_corpus_without_training_is_passed_over(store, capsys):
    from dataclasses import replace

    show.table(scores.score_table([], ["strict/names/any-of"]), "tab-x", "Nothing.")
    assert "None of these data sets has it" in capsys.readouterr().out
    alone = replace(BENCHMARK, train=replace(BENCHMARK.train, documents=()))
    session = Session((alone,), store, "missing")
    assert session.linked(["exact"], changes=("only-names:train",)) == []
    assert len(session.linked(["exact"])) == 1


def test_a_published_record_is_one_click_away_and_no_other_markup_passes(entries):
    from dataclasses import replace

    record = replace(entries[0].record, path="data/records/exact.json")
    table = scores.score_table([replace(entries[0], record=record)], ["strict/names/any-of"])
    text = show.myst_table(table, "t", "c")
    assert '<a href="../data/records/exact.json">exact</a>' in text
    assert "<a href" not in show.myst_table(scores.score_table(entries, []), "t", "c")
    assert "<i>" not in show.myst_table(show.table_from([{"a": "<i>"}]), "t", "c")


def test_every_statistic_in_print_has_a_line_and_every_line_a_statistic():
    from benchlib.report import reported

    for table, lines in statistics.load().items():
        paper, _, item = table.rpartition("_")
        assert len(reported.table(paper, item)) == len(lines), table
        assert len(statistics.statistics_table(table, {})) == len(lines)


def test_a_statistic_of_ours_stands_beside_the_printed_one():
    ours = SimpleNamespace(values={"test.documents": 100, "test.mentions": 950})
    rows = statistics.statistics_table("biocom_table3", {"ncbi-disease": ours}).to_dict("records")
    assert (rows[0]["printed"], rows[0]["ours"], rows[0]["difference"]) == ("100", "100", "0")
    assert (rows[1]["printed"], rows[1]["ours"], rows[1]["difference"]) == ("960", "950", "-10")
    assert rows[-1]["ours"] == "NOT RUN" and "licensed" in rows[-1]["why"]
    assert rows[3]["why"].startswith("(not counted here) of them are NIL")
    nil = SimpleNamespace(
        values={"test.documents": 500, "test.mentions": 4424, "test.nil": 61, "test.reachable": 4363}
    )
    [why] = [
        r["why"]
        for r in statistics.statistics_table("biocom_table3", {"bc5cdr-disease": nil}).to_dict("records")
        if r["printed"] == "4,424"
    ]
    assert why.startswith("61 of them are NIL, so 4,363 can be scored")


@pytest.mark.parametrize("line", ["{dataset: x, colour: y, why: z}", "{dataset: x}"])
def test_a_broken_line_of_the_statistics_is_named(tmp_path, line):
    (tmp_path / "statistics.yaml").write_text(f"a_table1:\n  - {line}\n")
    with pytest.raises(ValueError, match="statistics.yaml: a_table1"):
        statistics.load(tmp_path / "statistics.yaml")


def page(**values):
    return SimpleNamespace(
        **{"scale": "open", "compute": "never", "dataset": "all", "ontology": "", **values}
    )


def test_a_session_shows_all_open_corpora_one_or_the_embedded():
    assert Session.of(page()).datasets == OPEN
    assert Session.of(page(dataset="bc2gn")).datasets == ("bc2gn",)
    [mini] = Session.of(page(scale="mini")).datasets
    assert mini.name == "mini"
    with pytest.raises(ValueError, match="ncbi-disease"):
        Session.of(page(dataset="ncbi"))


def test_a_session_computes_a_run_once_and_notes_what_is_missing(store):
    session = Session((BENCHMARK,), store, "always")
    first = session.linked(["exact"])
    assert session.linked(["exact"], only=["ncbi-disease"])[0] is first[0] and len(session.shown) == 1
    empty = Session(("ncbi-disease", "bc2gn"), Store(store.folder / "none"), "never")
    assert [e.dataset for e in empty.linked(["exact"], only=["bc2gn"])] == ["bc2gn"]
    assert empty.missing == ["python -m benchlib.runs bc2gn --name exact"]
    assert "benchlib.runs bc2gn" in missing_note(empty.missing) and missing_note([]) == ""


def test_measured_claims_by_hand(store, monkeypatch):
    monkeypatch.setattr(
        "benchlib.report.measured._record",
        lambda s, name, *rest, seed=0, changes=(): run(linker(name), BENCHMARK, store),
    )
    found = kinds(BENCHMARK, store).strata
    monkeypatch.setattr("benchlib.report.measured._kinds", lambda *rest: found)
    [gap] = TESTS["protocol_gap"](store, ["toy"], "exact", "lenient/names/any-of", "strict/names/any-of")
    assert gap.value == pytest.approx(100 * 0.5 / 6) and gap.n == 6
    [share] = TESTS["ambiguous_share"](store, ["toy"], "test")
    assert share.value == pytest.approx(100 * 5 / 6)
    [filtered] = TESTS["filtered_gap"](store, ["toy"], "exact", "refined", "strict/names/any-of")
    # Of the three unseen names only FEVER is right; of all six, one and a half.
    assert filtered.value == pytest.approx(100 * (1 / 3 - 1.5 / 6)) and filtered.n == 3
    # exact has 1 of Cold's 2 concepts and FEVER: prior knows from training that cold means D1 or D2.
    [ahead] = TESTS["linker_gap"](store, ["toy"], "exact", "prior", "strict/names/any-of")
    [behind] = TESTS["linker_gap"](store, ["toy"], "prior", "exact", "strict/names/any-of", seeds=(0, 1))
    assert behind.value == pytest.approx(-ahead.value) and 0 < ahead.p <= 1
    assert ahead.seeds == () and behind.seeds == pytest.approx((behind.value,) * 2)


def test_claims_without_records_are_not_run(store):
    html = claims_section(store, ["K2", "X3"])
    assert html.count("not run") >= 2 and "python -m benchlib.runs" in html
    with pytest.raises(ValueError, match="no claim Z9"):
        claims_section(store, ["Z9"])
    with pytest.raises(MissingRecord):
        TESTS["protocol_range"](store, ["ncbi-disease"], "exact")
