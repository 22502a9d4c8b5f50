"""Measurements, data cards, times and counts in print as tables."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from ranked import cells, links, measured, runs
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from study import tables
from study.chapters.chapter import Chapter
from study.chapters.jobs import DataRef
from study.chapters.plan import Plan
from study.chapters.speeds import fastest, seconds_ratio, timed
from study.chapters.templates import System
from study.corpora import registry
from study.measurements.card import card
from study.measurements.golds import frequent_golds
from study.measurements.strings import strings
from study.printed import reported
from study.records import Record
from study.tables.in_print import STATISTICS
from study.tables.rows import heads
from study.yaml_file import read_yaml

FAST = System(("fast",), "Fast", "exact", printed="F", timed="f")
SLOW = System(("slow",), "Slow", "prior", printed="S", timed="s")


def test_strings_are_counted_by_hand_and_stand_beside_what_is_printed():
    # Train: cold (D2), Cold (D2), COLD (D1), shivers (D3); dev: cold (D1) twice, pyrexia (D3).
    found = strings(BENCHMARK)
    assert found == {
        "learn.mentions": 7, "learn.distinct": 5, "learn.folded": 3, "learn.concepts": 3,
        # Not the first name of their gold: Cold (of D2, whose is cold), COLD, cold (of D1), shivers, pyrexia.
        "learn.distinct_no_canonical": 5,
        "test.mentions": 6, "test.distinct": 6, "test.seen": 3, "test.refined": 3, "test.largest_3": 4,
        "test.nil": 1, "test.concepts": 4, "dictionary.concepts": 4,  # D1, D3, D4, OMIM:3
    }  # fmt: skip
    printed = {"learn.mentions": Decimal("3973")}
    rows = cells(tables.measured.strings({"toy": measured(**found), "gone": None}, printed))
    listed = heads("strings").items()
    assert rows[: len(listed)] == [
        ["toy", text, str(found[key]), "3,973" if key in printed else ""] for key, text in listed
    ]
    assert {tuple(row[::2]) for row in rows[len(listed) :]} == {("gone", "NOT RUN")}


def test_golds_are_counted_by_concept_and_rare_ones_are_not_listed():
    # Cold, FEVER (OMIM:3 is D3), ague, shivers, nothing, cold fever (D1 and D3), cold (D4): seven mentions.
    assert frequent_golds(BENCHMARK) == {"mentions": 7, "golds": {"D3": 4, "D1": 2, "D4": 1}}
    for more, golds in ((0, {"D2": 998, "D3": 1}), (1, {"D2": 999})):  # of 1,000 mentions, of 1,001
        mentions = [("cold", "D2")] * (998 + more) + [("fever", "D3"), ("elsewhere", "X9")]
        many = replace(BENCHMARK, test=Corpus("t", (document("1", *mentions),)))
        assert frequent_golds(many) == {"mentions": 1000 + more, "golds": golds}


EXACT = {"same_first": 100.0, "same_k": 99.96, "worst": 3e-7, "seconds": 0.123}
ADAPTED = {"tokens": 4_000_000, "steps": 976, "seconds": 1200.0, "held_out_texts": 12,
           "perplexity_before": 100.0, "perplexity_after": 20.04}  # fmt: skip
EXCLUDED = {"test.documents": 5, "all.texts": 1000, "all.same_id": 1, "all.shared_text": 2}
COVERED = {"texts": 10, "mentions": 1200, "names": 7, "dictionary.names": 20, "concepts": 5}


@pytest.mark.parametrize(
    ("table", "values", "rows", "not_run"),
    [
        (tables.cost, {"names.tfidf": 12345.6, "documents.graph": 9.94, "n.names": 20},
         [["names", "tfidf", "12,346"], ["documents", "graph", "9.9"]], 1),
        (tables.measured.exactness, {"k": 64} | {f"search.{name}": value for name, value in EXACT.items()},
         [["search", "100.0", "100.0", "3e-07", "0.12"]], 1),
        (lambda found: tables.measured.counts(found, "excluded"),
         EXCLUDED | {"all.boilerplate": 3, "all.kept": 997}, [["5", "1,000", "1", "2", "3", "997"]], 6),
        (tables.measured.coverage,
         COVERED | {"dictionary.concepts": 9, "test.mentions": 8, "found": [0, 3, 7]},
         [["10", "1,200", "7", "20", "5", "9", "8", "37.5 %"]], 7),
        (lambda found: tables.measured.counts(found, "cut"),
         {"concepts": 2000, "cut": 44, "test.mentions": 400, "test.cut": 90},
         [["2,000", "400", "2.2", "22.5"]], 4),
        (tables.density, {"n.mentions": 12, "n.pieces": 180, "all.mentions": 100, "all.pieces": 1000},
         [["12", "120", "80"]], 1),
    ],
)  # fmt: skip
def test_a_measurement_has_its_rows_and_says_where_there_is_none(table, values, rows, not_run):
    made = table({"toy": measured("data/records/m.json", **values), "gone": None})
    found = cells(made)
    assert links(made["data"][0]) == {"toy": "m"}
    assert found[:-1] == [["toy", *row] for row in rows]
    assert found[-1][0] == "gone" and found[-1].count("NOT RUN") == not_run
    assert set(found[-1][1:]) <= {"NOT RUN", ""}


def test_times_are_listed_with_the_printed_seconds_of_what_was_timed():
    values = {"fast": 0.5, "fast.runs": [0.4, 0.5, 0.9], "b": 2.0, "b.runs": [2.0], "n.mentions": 100}
    printed = pd.DataFrame(
        [("A", "inference_seconds", "60"), ("A", "recall_at_1", "99")], columns=["system", "metric", "value"]
    )
    systems = [runs("a", None, printed="A", timed="fast"), runs("x", printed="X", reason="paid")]
    assert cells(tables.times({"toy": measured(**values), "gone": None}, printed, systems)) == [
        ["toy", "fast", "0.50", "0.40 to 0.90", "200", "60"], ["toy", "b", "2.00", "2.00 to 2.00", "50", ""],
        ["gone", "", "NOT RUN", "", "", ""],
    ]  # fmt: skip


def test_what_adapting_an_encoder_took():
    found = Record({"config": {"encoder": "minilm+pubmed"}}, {}, values=ADAPTED)
    table = tables.measured.pretraining([None, found])
    assert list(table) == [
        "encoder", "tokens", "steps", "minutes", "held-out texts", "perplexity before", "after",
    ]  # fmt: skip
    assert cells(table) == [
        ["NOT RUN", *[""] * 6], ["minilm+pubmed", "4,000,000", "976", "20", "12", "100.0", "20.0"],
    ]  # fmt: skip


def test_matches_have_two_bounds_with_and_without_shared_names():
    shares = {"precision_at_mentions": 0.9, "precision": 0.5, "recall": float("nan")}
    ends = {"": 0, "_low": -0.05, "_high": 0.05}
    values = {f"{shared}.{name}{end}": value + off for shared in ("skip", "keep")
              for name, value in shares.items() for end, off in ends.items()}  # fmt: skip
    values |= {"skip.matches": 1200, "skip.exact": 700, "keep.matches": 1500, "keep.exact": 800}
    table = tables.measured.precision({"preferred": {"toy": measured(**values)}, "all": {"toy": None}})
    assert cells(table) == [
        ["toy", "preferred", "left out", "1,200", "700", "90.0", "50.0", ""],
        ["toy", "preferred", "with all their concepts", "1,500", "800", "90.0", "50.0", ""],
        ["toy", "all", "", "", "", "NOT RUN", "NOT RUN", ""],
    ]
    assert table["right of those at mentions"][0] == "90.0 [85.0, 95.0]"


def test_cards_have_a_row_a_split_and_say_what_was_not_counted():
    cards = {"toy": measured(**card(BENCHMARK)), "other": None}
    table = tables.data.corpora(cards)
    assert cells(table, "corpus", "split")[:3] == [["toy", "train"], ["toy", "dev"], ["toy", "test"]]
    # Of seven mentions one is NIL, one has two concepts, and D4, of which there is no name, is one's gold.
    assert cells(table, "documents", "dropped", "mentions", "NIL", "composite", "ids")[2] == [
        "2", "none", "7", "1", "1", "4",
    ]  # fmt: skip
    assert cells(table, "corpus", "documents")[3:] == [["other", "NOT RUN"]] * 3
    table = tables.measured.counts(cards, "dictionary")
    assert cells(table, "data", "concepts", "ids", "names", "distinct names") == [
        ["toy", "4", "5", "6", "5"], ["other", *["NOT RUN"] * 4],
    ]  # fmt: skip


def test_notes_and_excerpts_are_of_the_data_sets_chosen_and_escaped(monkeypatch, tmp_path):
    data = SimpleNamespace(registered=False, name="<b>", benchmark=BENCHMARK, load=lambda: BENCHMARK)
    html = tables.data.excerpts([data])
    assert html.count("<li>") == 3 and "<strong>&lt;b&gt;</strong>" in html
    assert "<li><mark>Cold</mark> FEVER ague  → <code>D1</code></li>" in html
    assert tables.data.notes([]) == "Nothing."
    assert "**bc5cdr-released**" in tables.data.notes([DataRef("bc5cdr-released")])
    listed = tables.data.sources().set_index("cite")
    home = "https://biocreative.bioinformatics.udel.edu/tasks/biocreative-v/track-3-cdr/"
    assert listed.loc["{cite}`li2016bc5cdr`", "source"].startswith(f'<a href="{home}">BC5CDR, ')
    of_medmentions = registry.source("medmentions")
    told = "\n  - ".join((f"- **{of_medmentions.title}**", *of_medmentions.notes))
    assert f"\n{told}\n- **" in tables.data.source_notes()
    monkeypatch.setenv("BENCHLIB_DATA", str(tmp_path))
    assert "make data" in tables.data.excerpts([DataRef("bc2gn")])


def test_a_printed_table_keeps_its_rows_and_digits_and_has_one_number_a_cell():
    def printed(*rows):
        return pd.DataFrame(rows, columns=["system", "variant", "dataset", "metric", "value"])

    rows = [("B", "mixed", "one", "recall_at_1", "46.50"), ("A", "", "one", "aupr", "3"),
            ("B", "mixed", "one", "recall_at_64", "84.8"),
            ("B", "random", "one", "recall_at_64", "81.80")]  # fmt: skip
    assert cells(tables.as_printed(printed(*rows)), "system", "variant", "@1", "@64", "aupr") == [
        ["B", "mixed", "46.50", "84.8", ""], ["A", "", "", "", "3"], ["B", "random", "", "81.80", ""],
    ]  # fmt: skip
    # One metric of several data sets has a column for each.
    rows = [
        ("A", "lazy", "one", "mrr", "93.7"),
        ("B", "", "one", "mrr", "91.3"),
        ("A", "lazy", "two", "mrr", "90.40"),
    ]
    assert cells(tables.as_printed(printed(*rows)), "system", "variant", "one", "two") == [
        ["A", "lazy", "93.7", "90.40"], ["B", "", "91.3", ""],
    ]  # fmt: skip
    twice = printed(("A", "", "one", "recall_at_1", "91.3"), ("A", "", "one", "recall_at_1", "90.4"))
    with pytest.raises(LookupError, match="A, : two printed numbers in column @1; expected one"):
        tables.as_printed(twice)


def test_what_pel_says_of_its_numbers_comes_from_its_tables():
    # 72.1 - 55.7 and 72.6 - 63.3 of Table 2; 14, 4.8 and 4.7 thousand of Table 7; 71.0 - 74.0 of Table 4.
    assert cells(tables.restated("pel"), "from the tables", "stated", "difference")[:4] == [
        ["16.4", "17", "-0.6"], ["9.3", "9", "+0.3"], ["23,500", "24,000", "-500"], ["-3.0", "above 0", ""],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "line", "error", "message"),
    [
        (
            "restated",
            "{what: x, plus: {item: table2}}",
            ValueError,
            "x.yaml: pel_1: line 1: .*either stated or said",
        ),
        ("restated", "{what: x, said: y, plus: {item: table99}}", LookupError, "no reported number matches"),
        ("statistics", "{dataset: x}", ValueError, r"x\.yaml: pel_1: line 1: .*either ours or why"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(tmp_path, table, line, error, message):
    path = tmp_path / "x.yaml"
    path.write_text(f"pel_1:\n  - {line}\n")
    with pytest.raises(error, match=message):
        tables.restated("pel_1", path) if table == "restated" else tables.statistics("pel_1", {}, path)


def test_every_statistic_in_print_has_a_line_and_every_line_a_statistic():
    for table, lines in read_yaml(STATISTICS).items():
        paper, _, item = table.rpartition("_")
        assert len(reported.table(paper, item)) == len(lines) == len(tables.statistics(table, {})), table


def test_a_statistic_of_ours_stands_beside_the_printed_one():
    ours = measured("data/records/card.json", **{"test.documents": 100, "test.mentions": 950})
    table = tables.statistics("biocom_table3", {"ncbi-disease": ours})
    rows = cells(table, "printed", "ours", "difference", "why")
    assert [row[:3] for row in rows[:2]] == [["100", "100", "0"], ["960", "950", "-10"]]
    assert (
        rows[-1][1] == "NOT RUN" and "licensed" in rows[-1][3] and links(table["ours"][0]) == {"100": "card"}
    )
    assert rows[3][3].startswith("(not counted here) of them are NIL")
    nil = {"test.documents": 500, "test.mentions": 4424, "test.nil": 61, "test.reachable": 4363}
    table = tables.statistics("biocom_table3", {"bc5cdr-disease": measured(**nil)})
    [why] = table.loc[table["printed"] == "4,424", "why"]
    assert why.startswith("61 of them are NIL, so 4,363 can be scored")


NAMES = {"toy": "T", "gone": "G"}
PRINTED = pd.DataFrame(
    [("F", "T", "402.5"), ("S", "T", "87.0"), ("F", "G", "192.4"), ("S", "G", "65.0"), ("S", "other", "1")],
    columns=["system", "dataset", "value"],
)


def rounds(**seconds) -> Record:
    """One pass and four passes a call, with three rounds each; 12 mentions."""
    values = {"n.mentions": 12}
    for name, of in seconds.items():
        key = name.replace("_", " by ")
        values |= {f"{key}.runs": of, key: sorted(of)[1], f"{key}.search": sorted(of)[1] / 4}
    return Record({"arguments": {"batches": [1, 4]}}, {}, values=values)


FOUND = {
    "toy": rounds(f_1=[1.0, 2.0, 4.0], f_4=[0.5, 0.5, 1.0], s_1=[4.0, 4.0, 8.0], s_4=[9.0, 8.0, 7.0]),
    "gone": None,
}


def test_speeds_stand_beside_the_printed_ones():
    heads = ("passes a call", "mentions a second", "slowest to fastest", "search, %", "printed")
    assert cells(tables.speeds(FOUND, [FAST, SLOW], PRINTED, NAMES), "data", "system", *heads) == [
        ["toy", "Fast", "1", "6.0", "3.0 to 12.0", "25", "402.5"],
        ["toy", "Fast", "4", "24.0", "12.0 to 24.0", "25", ""],
        ["toy", "Slow", "1", "3.0", "1.5 to 3.0", "25", "87.0"],
        ["toy", "Slow", "4", "1.5", "1.3 to 1.7", "25", ""],
        ["gone", "Fast", "", "NOT RUN", "", "", "192.4"], ["gone", "Slow", "", "NOT RUN", "", "", "65.0"],
    ]  # fmt: skip
    assert tables.speeds(FOUND, [FAST], PRINTED[:0], NAMES)["printed"].tolist() == ["", "", ""]


def test_ratios_of_speeds_with_one_pass_a_call_and_each_at_its_best():
    values = FOUND["toy"].values
    found = seconds_ratio(values, timed(SLOW, 1), timed(FAST, 1))
    # 2 to the power of 4/3, give or take t (4.303) by a deviation of 1 / root 3 by 1 / root 3.
    assert [found.value, found.low] == pytest.approx([2 ** (4 / 3), 2 ** (4 / 3 - 4.303 / 3)], rel=1e-3)
    assert timed(FAST) == "f" and (fastest(values, FAST, (1, 4)), fastest(values, SLOW, (1, 4))) == (4, 1)
    alone = System(("x",), "X", "bm25", timed="s")
    # Four passes suit the one, a single one the other.
    assert cells(tables.speed_ratios(FOUND, [(FAST, SLOW), (FAST, alone)], PRINTED, NAMES)) == [
        ["toy", "Fast / Slow", "4.6", "2.5", "8.0"], ["toy", "Fast / X", "", "2.5", "8.0"],
        ["gone", "Fast / Slow", "3.0", "NOT RUN", ""], ["gone", "Fast / X", "", "NOT RUN", ""],
    ]  # fmt: skip


def test_times_of_training_have_a_row_for_each_kind_of_negatives():
    values = {"f": 2.5, "f.runs": [2.0, 3.0], "f.updates": 3, "s": 8.0, "s.runs": [8.0, 6.0], "s.updates": 5}
    found = {"toy": measured(**values, **{"n.mentions": 40}), "gone": None}
    table = tables.updates(found, [("shared", FAST, SLOW), ("own", SLOW, FAST)])
    heads = [f"{who}, {what}" for who in ("collective", "one mention") for what in ("seconds", "updates")]
    assert list(table)[2:6] == heads
    assert cells(table) == [
        ["toy", "shared", "2.5", "3", "8.0", "5", "40", "2.8"],
        ["toy", "own", "8.0", "5", "2.5", "3", "40", "0.4"],
        ["gone", "shared", *[""] * 5, "NOT RUN"], ["gone", "own", *[""] * 5, "NOT RUN"],
    ]  # fmt: skip


def test_what_is_timed_are_the_linkers_as_fast_as_the_systems_each_once():
    of = {"label": "A", "linker": "tfidf,ngrams=2-4"}
    entry = {"measurement": "inference", "data": "mini", "timed": ["a", "b", "same", "gone"]}
    chapter = {
        "name": "c", "path": Path("c.yaml"), "scales": {"mini": {"drop": ["gone"]}},
        "systems": {"a": of | {"timed": "tfidf"}, "b": of, "same": of, "gone": of | {"linker": "exact"}},
    }  # fmt: skip
    plan = Plan(Chapter(**chapter, measured={"times": entry}), {"scale": "mini"})
    [job] = plan.measured("times")
    assert job.arguments == (("linkers", ("tfidf", "tfidf,ngrams=2-4")),)
    assert [system.keys for system in plan.timed("times")] == [("a",), ("b",), ("same",)]
    with pytest.raises(ValueError, match="measured: times: there is no 'c'; expected one of a"):
        Chapter.model_validate(chapter | {"measured": {"times": entry | {"timed": ["c"]}}})
