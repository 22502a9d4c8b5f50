"""Tables and texts as a page shows them, and numbers as text."""

from base64 import b64decode

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from ranked import record

from benchlib.scoring.statistics import Estimate
from study.pages import show
from study.pages.cells import is_number, stacked
from study.pages.numbers import between, percent, points
from study.records import Record


def test_a_number_does_not_break_and_a_reason_may():
    frame = pd.DataFrame({"a": ["1.0 %", "NOT RUN: no data", "3 / 4"], "b": ["x, y [1, 2]"] * 3})
    lines = show.myst_table(frame, "tab-x", "c").splitlines()
    assert lines[1] == ":name: tab-x" and lines[5] == "| ---: | :--- |"
    assert lines[6] == "| 1.0\xa0% | x, y \\[1, 2\\] |"
    assert "NOT RUN: no data" in lines[7] and "3\xa0/\xa04" in lines[8]


@pytest.mark.parametrize(
    ("text", "bare", "interval"),
    [
        ("51.7 [48.0, 55.3]", "51.7", "[48.0, 55.3]"),
        ("+3.0 [-0.1, +6.7]", "+3.0", "[-0.1, +6.7]"),
        ("17.0 [16.1, 17.9] points", "17.0 points", "[16.1, 17.9]"),
        ("27.0 [23.9, 30.1] %", "27.0 %", "[23.9, 30.1]"),
        ("1,204 [1,100, 1,300] mentions/min", "1,204 mentions/min", "[1,100, 1,300]"),
    ],
)
def test_an_interval_stands_under_its_value(text, bare, interval):
    below = f' <span class="interval">{interval}</span>'
    assert stacked(text) == bare + below
    link = stacked(show.Markup(f'<a href="x[1, 2]">{text}</a>'))
    assert link == f'<a href="x[1, 2]">{bare}</a>{below}' and isinstance(link, show.Markup)
    of_record = show.linked(text, record([1], path="data/records/a.json"))
    assert stacked(of_record) == f'<a href="../data/records/a.html">{bare}</a>{below}'
    assert is_number(text) and is_number(stacked(text)) and is_number(link)
    assert f"| {bare}{below} |" in show.myst_table(pd.DataFrame({"a": [text]}), "t", "c")


def test_what_is_no_number_with_an_interval_stays_and_a_link_is_what_it_shows():
    for text in ("x 1.0 [0.5, 1.5]", "1.0 (0.5)", "seeds [1, 2]", "<b>1 [0, 2]</b>", ""):
        assert stacked(text) == text
    for text, numeric in (("NOT RUN", True), ("no mention left", True), ("ncbi", False)):
        assert is_number(text) is is_number(show.Markup(f"<a href='1'>{text}</a>")) is numeric


def classes(frame, decisive=(), more=""):
    return show.myst_table(frame, "t", "c", decisive, more).splitlines()[2].removeprefix(":class: ").split()


def test_the_heads_say_what_a_phone_shows_and_where_less_is_better():
    frame = show.table_from([{"system": "a", "n": "1", "@1": "2", "printed @1": "3", "p (Holm)": "0.1"}])
    assert classes(frame) == ["sortable", "download", "keep-3", "keep-4", "less-5"]
    less = ["p", "macro p (Holm)", "p (Holm) of F1", "perplexity before", "after", "printed seconds"]
    less += ["seconds to read the text", "memory, MB", "largest difference"]
    assert classes(show.table_from([dict.fromkeys(less, "1")]))[2:] == [f"less-{i}" for i in range(1, 10)]
    assert classes(frame, decisive=["n"]) == ["sortable", "download", "keep-2", "less-5"]
    with pytest.raises(KeyError, match="m"):
        classes(frame, decisive=["m"])
    # A long table can be filtered; a cell that a row lacks is empty.
    rows = [{"a": str(i)} for i in range(show.LONG + 1)]
    assert "filterable" not in classes(show.table_from(rows[:-1]))
    assert classes(show.table_from(rows), more="filterable") == ["sortable", "download", "filterable"]
    assert show.table_from([{"a": "1"}, {"b": "2"}]).to_numpy().tolist() == [["1", ""], ["", "2"]]


def test_only_a_published_record_is_a_link():
    made = record([1], path="data/records/a&b.json")
    assert show.linked("<x>", made) == '<a href="../data/records/a&amp;b.html">&lt;x&gt;</a>'
    for other in (None, Record({}, {})):
        text = show.linked("<x>", other)
        assert text == "<x>" and not isinstance(text, show.Markup)
    cell = show.table_from([{"a": show.linked("x", made)}])
    assert 'href="../data/records/a&amp;b.html"' in show.myst_table(cell, "t", "c")
    # The pages of records are there in the book alone: Jupyter has the command that prints one.
    assert '<span title="study record a&amp;b">x</span>' in show._html(cell, "c")


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


class Picture:
    """A figure as :class:`study.figures.Drawn` gives it."""

    svg, csv = "<svg>ü</svg>", "a,b\n1,2\n"

    def __init__(self, **records):
        self.records = records


def opened(address: str) -> tuple[str, str]:
    kind, _, content = address.removeprefix("data:").partition(";base64,")
    return kind, b64decode(content).decode()


def test_a_figure_brings_its_picture_its_data_and_its_records(shown):
    made = record([1], path="data/records/a.json")
    show.figure(Picture(**{"<x>": [made, record([1])]}), "fig-x", "A **caption**: so.", 'With "words": 1 # 2')
    markdown = shown[0]["text/markdown"].split("\n")
    assert opened(markdown[0].removeprefix(":::{figure} ")) == ("image/svg+xml", "<svg>ü</svg>")
    assert markdown[1:3] == [":name: fig-x", ':alt: "With \\"words\\": 1 # 2"']
    assert markdown[4] == "A **caption**: so." and markdown[-1] == ":::"
    behind = BeautifulSoup(markdown[6], "html.parser")
    csv, *records = behind.find_all("a")
    assert csv["download"] == "fig-x.csv" and opened(csv["href"]) == ("text/csv", "a,b\n1,2\n")
    assert [link["href"] for link in records] == ["../data/records/a.html"]
    assert behind.span.text == "Records: <x> 1 2"
    picture = '<svg role="img" aria-label="With &quot;words&quot;: 1 # 2">ü</svg>'
    assert shown[0]["text/html"].startswith(f"<figure>{picture}<figcaption>")
    number = '<a href="../data/records/a.html">1</a>'
    as_command = markdown[6].replace(number, '<span title="study record a">1</span>')
    assert as_command != markdown[6] and as_command in shown[0]["text/html"]
    # Many records are folded, and none are not told.
    many = BeautifulSoup(show.myst_figure(Picture(a=[made] * 13), "f", "c", "alt"), "html.parser")
    assert many.summary.text == "Records: 13" and len(many.details.find_all("a")) == 13
    assert "Records" not in show.myst_figure(Picture(), "f", "c", "alt")


def test_numbers_as_text():
    one = Estimate(0.5174, 0.48, 0.553, 10)
    assert percent(one) == percent({"value": 0.5174, "low": 0.48, "high": 0.553}) == "51.7 [48.0, 55.3]"
    assert points({"value": 0.03, "low": -0.001, "high": 0.067}) == "+3.0 [-0.1, +6.7]"
    assert between(1, 2, 3, digits=0) == "1 [2, 3]"
