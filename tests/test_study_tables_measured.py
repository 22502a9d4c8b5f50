"""Measurements, data cards and printed counts as tables."""

from decimal import Decimal
from types import SimpleNamespace

import pandas as pd
import pytest
from ranked import runs
from toy import BENCHMARK

from benchlib.counts import card
from study import tables
from study.chapters.jobs import DataRef
from study.measurements.strings import strings
from study.printed import reported
from study.records import Record
from study.tables.printed_counts import read_statistics


def counted(values) -> Record:
    return Record({}, {}, values=values)


def test_strings_are_counted_by_hand_and_stand_beside_what_is_printed():
    # Train: cold (D2), Cold (D2), COLD (D1), shivers (D3); dev: cold (D1) twice, pyrexia (D3).
    found = strings(BENCHMARK)
    assert found == {
        "learn.mentions": 7,
        "learn.distinct": 5,
        "learn.folded": 3,
        # Not the first name of their gold: Cold (of D2, whose is cold), COLD, cold (of D1), shivers, pyrexia.
        "learn.distinct_no_canonical": 5,
        "learn.concepts": 3,
        "test.mentions": 6,
        "test.distinct": 6,
        "test.seen": 3,
        "test.refined": 3,
        "test.concepts": 5,
        "test.largest_3": 4,
        "test.nil": 1,
        "dictionary.concepts": 4,
    }
    table = tables.measured.strings(
        {"toy": counted(found), "gone": None}, {"learn.mentions": Decimal("3973")}
    )
    half = len(table) // 2
    assert table["here"].tolist()[:2] == ["4", "7"] and table["printed"].tolist()[:2] == ["", "3,973"]
    assert table["data"].tolist() == ["toy"] * half + ["gone"] * half
    assert set(table["here"][half:]) == {"NOT RUN"} and table["printed"][half + 1] == "3,973"


def test_times_are_listed_with_the_printed_seconds_of_what_was_timed():
    values = {"fast": 0.5, "fast.runs": [0.4, 0.5, 0.9], "b": 2.0, "b.runs": [2.0], "n.mentions": 100}
    printed = pd.DataFrame(
        [
            {"system": "A", "metric": "inference_seconds", "value": "60"},
            {"system": "A", "metric": "recall_at_1", "value": "99"},
        ]
    )
    systems = [runs("a", None, printed="A", timed="fast"), runs("x", printed="X", reason="paid")]
    table = tables.measured.times({"toy": counted(values), "gone": None}, printed, systems)
    assert table.iloc[0].tolist() == ["toy", "fast", "0.50", "0.40 to 0.90", "200", "60"]
    assert table.iloc[1].tolist() == ["toy", "b", "2.00", "2.00 to 2.00", "50", ""]
    assert table["seconds"][2] == "NOT RUN"


def test_costs_and_agreement_with_exact_search():
    cost = {"names.tfidf": 12345.6, "documents.graph": 9.94, "n.names": 20}
    table = tables.measured.cost({"toy": counted(cost), "gone": None})
    assert table["encoder"].tolist() == ["tfidf", "graph", ""] and table["of"].tolist()[0] == "names"
    assert table["a second"].tolist() == ["12,346", "9.9", "NOT RUN"]
    of = {"same_first": 100.0, "same_k": 99.96, "worst": 3e-7, "seconds": 0.123}
    exact = {"k": 64, **{f"search.{name}": value for name, value in of.items()}}
    table = tables.measured.exactness({"toy": counted(exact), "gone": None})
    assert table.iloc[0].tolist() == ["toy", "search", "100.0", "100.0", "3e-07", "0.12"]
    assert "same 64 scores, %" in table and table["search"].tolist() == ["search", "NOT RUN"]


def test_what_adapting_an_encoder_took():
    values = {"tokens": 4_000_000, "steps": 976, "seconds": 1200.0, "held_out_texts": 12,
              "perplexity_before": 100.0, "perplexity_after": 20.04}  # fmt: skip
    found = Record({"config": {"encoder": "minilm+pubmed"}}, {}, values=values)
    table = tables.measured.pretraining([None, found])
    assert table["encoder"].tolist() == ["NOT RUN", "minilm+pubmed"]
    assert table.iloc[1].tolist()[1:] == ["4,000,000", "976", "20", "12", "100.0", "20.0"]


def test_cards_have_a_row_a_split_and_say_what_was_not_counted():
    cards = {"toy": counted(card(BENCHMARK)), "other": None}
    table = tables.data.corpora(cards)
    assert table[table["corpus"] == "toy"]["split"].tolist() == ["train", "dev", "test"]
    test = table[(table["corpus"] == "toy") & (table["split"] == "test")].iloc[0]
    # Of seven mentions one is NIL, one has two concepts, and D4, of which there is no name, is one's gold.
    assert test[["documents", "mentions", "NIL", "composite", "ids"]].tolist() == ["2", "7", "1", "1", "4"]
    assert (table[table["corpus"] == "other"]["documents"] == "NOT RUN").all()
    dictionaries = tables.data.dictionaries(cards)
    assert dictionaries.iloc[0][["concepts", "ids", "names", "distinct names"]].tolist() == [
        "4",
        "5",
        "6",
        "5",
    ]
    assert dictionaries["names"][1] == "NOT RUN"


def test_notes_and_excerpts_are_of_the_data_sets_chosen_and_escaped():
    data = SimpleNamespace(registered=False, name="<b>", benchmark=BENCHMARK, load=lambda: BENCHMARK)
    html = tables.data.excerpts([data], mentions=2, width=3)
    assert html.count("<li>") == 2 and "<strong>&lt;b&gt;</strong>" in html
    assert "<li>…<mark>Cold</mark> FE… → <code>D1</code></li>" in html
    assert tables.data.notes([]) == "Nothing."
    assert "**bc5cdr-released**" in tables.data.notes([DataRef("bc5cdr-released")])
    assert len(tables.data.sources()) > 5


def test_a_corpus_that_is_not_there_says_what_fetches_it(monkeypatch, tmp_path):
    monkeypatch.setenv("BENCHLIB_DATA", str(tmp_path))
    assert "make data" in tables.data.excerpts([DataRef("bc2gn")])


def test_every_statistic_in_print_has_a_line_and_every_line_a_statistic():
    for table, lines in read_statistics().items():
        paper, _, item = table.rpartition("_")
        assert len(reported.table(paper, item)) == len(lines) == len(tables.statistics(table, {})), table


def test_a_statistic_of_ours_stands_beside_the_printed_one():
    ours = counted({"test.documents": 100, "test.mentions": 950})
    rows = tables.statistics("biocom_table3", {"ncbi-disease": ours}).to_dict("records")
    assert [rows[0][name] for name in ("printed", "ours", "difference")] == ["100", "100", "0"]
    assert [rows[1][name] for name in ("printed", "ours", "difference")] == ["960", "950", "-10"]
    assert rows[-1]["ours"] == "NOT RUN" and "licensed" in rows[-1]["why"]
    assert rows[3]["why"].startswith("(not counted here) of them are NIL")
    nil = {"test.documents": 500, "test.mentions": 4424, "test.nil": 61, "test.reachable": 4363}
    table = tables.statistics("biocom_table3", {"bc5cdr-disease": counted(nil)})
    [why] = table.loc[table["printed"] == "4,424", "why"]
    assert why.startswith("61 of them are NIL, so 4,363 can be scored")


@pytest.mark.parametrize("line", ["{dataset: x, colour: y, why: z}", "{dataset: x}"])
def test_a_broken_line_of_the_statistics_is_named(tmp_path, line):
    (tmp_path / "statistics.yaml").write_text(f"a_table1:\n  - {line}\n")
    with pytest.raises(ValueError, match=r"statistics\.yaml: a_table1: line 1"):
        read_statistics(tmp_path / "statistics.yaml")


def test_matches_have_two_bounds_with_and_without_shared_names():
    def of(right, low, high):
        return {"": right, "_low": low, "_high": high}

    values = {}
    for shared, matches, exact in (("skip", 1200, 700), ("keep", 1500, 800)):
        values |= {f"{shared}.matches": matches, f"{shared}.exact": exact}
        for name, found in (
            ("precision_at_mentions", of(0.9, 0.85, 0.95)),
            ("precision", of(0.5, 0.4, 0.6)),
            ("recall", of(float("nan"), float("nan"), float("nan"))),
        ):
            values |= {f"{shared}.{name}{end}": value for end, value in found.items()}
    found = {"preferred": {"toy": counted(values)}, "all": {"toy": None}}
    table = tables.matching.precision(found)
    assert table["names"].tolist() == ["preferred", "preferred", "all"]
    assert table["matches"].tolist() == ["1,200", "1,500", ""]
    assert table.loc[2, ["right of those at mentions", "right of all"]].tolist() == ["NOT RUN", "NOT RUN"]
    assert table["shared names"].tolist()[:2] == ["left out", "with all their concepts"]
    assert table["at mentions"].tolist()[:2] == ["700", "800"]
    assert table["right of those at mentions"][0] == "90.0 [85.0, 95.0]"
    assert (table["right of all"][1], table["mentions found"][0]) == ("50.0 [40.0, 60.0]", "")


def test_texts_that_are_left_out_are_told_by_reason():
    values = {"test.documents": 5, "all.texts": 1000, "all.same_id": 1, "all.shared_text": 2}
    values |= {"all.boilerplate": 3, "all.kept": 997}
    table = tables.matching.excluded_texts({"toy": counted(values), "gone": None})
    assert table.iloc[0].tolist() == ["toy", "5", "1,000", "1", "2", "3", "997"]
    assert table.iloc[1].tolist() == ["gone", *["NOT RUN"] * 6]


def test_what_a_text_covers_and_its_frequent_names():
    values = {"texts": 10, "mentions": 1200, "names": 7, "dictionary.names": 20, "concepts": 5}
    values |= {"dictionary.concepts": 9, "test.mentions": 8, "found": [0, 3, 7]}
    values["frequent"] = [["pain", 1000], ["gout", 20]]
    found = {"gone": None, "toy": counted(values)}
    table = tables.matching.coverage(found)
    assert table.iloc[1].tolist() == ["toy", "10", "1,200", "7", "20", "5", "9", "8", "37.5 %"]
    assert table.iloc[0].tolist() == ["gone", *["NOT RUN"] * 7, ""]
    assert tables.matching.frequent_names(found).to_numpy().tolist() == [["pain", "1,000"], ["gout", "20"]]
    assert tables.matching.frequent_names({"gone": None})["mentions"].tolist() == ["NOT RUN"]


def test_the_share_of_texts_that_are_cut_and_of_their_mentions():
    values = {"concepts": 2000, "cut": 44, "test.mentions": 400, "test.cut": 90}
    table = tables.measured.cut_entities({"a": counted(values), "b": None})
    assert table.to_dict("records") == [
        {"data": "a", "concepts": "2,000", "test mentions": "400", "concepts cut, %": "2.2",
         "mentions of them, %": "22.5"},
        {"data": "b", "concepts": "NOT RUN", "test mentions": "", "concepts cut, %": "",
         "mentions of them, %": ""},
    ]  # fmt: skip
