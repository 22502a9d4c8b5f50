"""A paper's tables as they stand, what it says of them beside what they come to, and what is held out."""

import pandas as pd
import pytest

from study import tables
from study.corpora import load
from study.corpora.hold_out import held_out_counts
from study.records import Record


def test_a_printed_table_keeps_its_rows_and_digits():
    rows = [
        ("B", "mixed", "recall_at_1", "46.50"),
        ("A", "", "aupr", "3"),
        ("B", "mixed", "recall_at_64", "84.8"),
        ("B", "random", "recall_at_64", "81.80"),
    ]
    columns = ["system", "variant", "metric", "value"]
    table = tables.as_printed(pd.DataFrame(rows, columns=columns).assign(dataset="one"))
    assert table.to_dict("records") == [
        {"system": "B", "variant": "mixed", "@1": "46.50", "@64": "84.8", "aupr": ""},
        {"system": "A", "variant": "", "@1": "", "@64": "", "aupr": "3"},
        {"system": "B", "variant": "random", "@1": "", "@64": "81.80", "aupr": ""},
    ]


def test_one_metric_of_several_data_sets_has_a_column_for_each():
    rows = [("A", "lazy", "one", "93.7"), ("B", "", "one", "91.3"), ("A", "lazy", "two", "90.40")]
    printed = pd.DataFrame(rows, columns=["system", "variant", "dataset", "value"])
    assert tables.as_printed(printed.assign(metric="recall_at_1")).to_dict("records") == [
        {"system": "A", "variant": "lazy", "one": "93.7", "two": "90.40"},
        {"system": "B", "variant": "", "one": "91.3", "two": ""},
    ]


def test_two_numbers_in_one_cell_are_an_error():
    # Under two protocols, say.
    rows = pd.DataFrame([("A", "", "91.3"), ("A", "", "90.4")], columns=["system", "variant", "value"])
    with pytest.raises(LookupError, match="A, : two printed numbers in column @1; expected one"):
        tables.as_printed(rows.assign(metric="recall_at_1", dataset="one"))


def test_what_pel_says_of_its_numbers_comes_from_its_tables():
    table = tables.restated("pel")
    # 72.1 - 55.7 and 72.6 - 63.3 of Table 2; 14, 4.8 and 4.7 thousand of Table 7; 71.0 - 74.0 of Table 4.
    assert table["from the tables"].tolist()[:4] == ["16.4", "9.3", "23,500", "-3.0"]
    assert table["stated"].tolist()[:4] == ["17", "9", "24,000", "above 0"]
    assert table["difference"].tolist()[:4] == ["-0.6", "+0.3", "-500", ""]


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        (
            "{what: x, plus: {item: table2}}",
            ValueError,
            "restated.yaml: pel: line 1: .*either stated or said",
        ),
        ("{what: x, said: y, plus: {item: table99}}", LookupError, "no reported number matches"),
        ("{what: x, stated: {item: table2}, plus: {item: table2}}", LookupError, "expected exactly one"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(tmp_path, line, error, message):
    path = tmp_path / "restated.yaml"
    path.write_text(f"pel:\n  - {line}\n")
    with pytest.raises(error, match=message):
        tables.restated("pel", path)


def test_what_is_held_out_is_counted():
    counts = held_out_counts(load("mini"), "hash:0.2")
    record = Record({}, {}, values=counts, path="data/records/held.json")
    table = tables.measured.held_out({"by a hash": {"mini": record}, "a branch": {"mini": None}})
    assert table["held out"].tolist() == ["by a hash", "a branch"]
    assert "held.html" in table["data"][0] and table["data"][1] == "mini"
    assert table["of them held out"].tolist() == [str(counts["concepts.held_out"]), "NOT RUN"]
    assert table["NIL by this, test"].tolist() == [str(counts["test.held_out"]), "NOT RUN"]
