"""Tables and texts as a page shows them, and numbers as text."""

import pandas as pd
import pytest
from ranked import record

from benchlib.runs import Record
from benchlib.scoring.statistics import Estimate
from study import show
from study.formats import between, percent, points


def test_tables_escape_text():
    frame = pd.DataFrame({"a|b": ["<script>", "x*y"], "n": ["1,234", "2"]})
    text = show.myst_table(frame, "tab-x", "Caption", **{"class": "filterable"})
    assert "a\\|b" in text and "\\<script\\>" in text and "x\\*y" in text
    assert ":class: sortable download filterable" in text and ":name: tab-x" in text
    assert text.splitlines()[5] == "| :--- | ---: |"
    assert "<script>" not in show._html(frame, "Caption")
    assert "<i>" not in show.myst_table(show.table_from([{"a": "<i>"}]), "t", "c")


def test_a_number_breaks_before_its_interval_alone_and_a_reason_where_it_may():
    frame = pd.DataFrame({"a": ["1.0 [0.5, 1.5]", "NOT RUN: no data", "3 / 4"], "b": ["x, y [1, 2]"] * 3})
    lines = show.myst_table(frame, "t", "c").splitlines()
    assert lines[5] == "| ---: | :--- |"
    assert lines[6] == "| 1.0 \\[0.5,\xa01.5\\] | x, y \\[1, 2\\] |"
    assert "NOT RUN: no data" in lines[7] and "3\xa0/\xa04" in lines[8]


def test_only_a_published_record_is_a_link():
    made = record([1], path="data/records/a&b.json")
    assert show.linked("<x>", made) == '<a href="../data/records/a&amp;b.json">&lt;x&gt;</a>'
    for other in (None, Record({}, {})):
        text = show.linked("<x>", other)
        assert text == "<x>" and not isinstance(text, show.Markup)
    cell = show.table_from([{"a": show.linked("x", made)}])
    assert "<a href" in show.myst_table(cell, "t", "c") and "<a href" in show._html(cell, "c")


def test_a_cell_that_a_row_lacks_is_empty():
    frame = show.table_from([{"a": "1"}, {"b": "2"}])
    assert frame.to_numpy().tolist() == [["1", ""], ["", "2"]]


@pytest.fixture
def shown(monkeypatch):
    found = []
    monkeypatch.setattr(show, "display", lambda data, **_: found.append(data))
    return found


def test_a_table_is_shown_in_three_forms_and_an_empty_one_says_so(shown):
    show.table(show.table_from([{"a": "1"}]), "tab-x", "Caption.")
    assert set(shown[0]) == {"text/markdown", "text/html", "text/plain"}
    show.table(show.table_from([]), "tab-x", "Nothing.")
    assert shown[1]["text/markdown"] == "Nothing. *None of these data sets has it.*"
    show.markdown("")
    assert len(shown) == 2


def test_numbers_as_text():
    one = Estimate(0.5174, 0.48, 0.553, 10)
    assert percent(one) == percent({"value": 0.5174, "low": 0.48, "high": 0.553}) == "51.7 [48.0, 55.3]"
    assert points({"value": 0.03, "low": -0.001, "high": 0.067}) == "+3.0 [-0.1, +6.7]"
    assert between(1, 2, 3, digits=0) == "1 [2, 3]"
