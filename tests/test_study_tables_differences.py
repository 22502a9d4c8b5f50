"""Examples as tables: printed ones, those that one of two systems alone gets right, nearest neighbours."""

from functools import partial
from types import SimpleNamespace

import pytest
import small_study
from ranked import cells, measured
from small_study import write_study

from study import tables
from study.chapters import plan as plans
from study.chapters.chapter import read_chapter
from study.records import Record, Store

CHAPTER = """
scales:
  paper: {drop: [tfidf, apart]}
systems:
  exact: {label: Exact, linker: exact}
  tfidf: {label: TF-IDF, linker: tfidf, changes: ["add-names:train"]}
runs:
  both: {data: mini, systems: [exact, tfidf]}
measured:
  apart: {measurement: differences, data: mini, of: [exact, tfidf]}
  errors: {measurement: errors, data: mini, of: tfidf}
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Makes the page of a small chapter; its records are its own."""
    cell = 'scale = "mini"\ncompute = "missing"\ndataset = "all"\nontology = ""\nencoder = "minilm"\n'
    monkeypatch.setattr(plans, "local", lambda: Store(tmp_path / "records"))
    return partial(small_study.page, write_study(tmp_path, cell, tiny=CHAPTER))


def test_a_chapter_names_two_systems_each_with_its_own_transforms(page):
    here = page()
    [job] = here.plan.measured("apart")
    asked = {"linker": "exact", "other": "tfidf", "other_changes": ("add-names:train",)}
    assert dict(job.arguments) == asked and job.changes == () and len(set(here.plan.jobs())) == 4
    assert cells(tables.differences(here, "apart")) == [["mini", "NOT RUN"]]
    here = page()
    here.runs("both")
    table = tables.differences(here, "apart")
    assert list(table) == ["data", "right", "mention", "document", "gold", "Exact", "TF-IDF"]
    assert 0 < len(table) <= 12 and (table["mention"] != "").any()
    [found] = here.measured("apart").values()
    right = found.values["other"]
    assert f"TF-IDF alone ({right['mentions']} mentions)" in set(table["right"]) and right["examples"]
    # Of one system the data are as it has them: its record is that of the run set.
    [errors] = here.measured("errors").values()
    assert errors.inputs["transforms"] == ["add-names:train"]
    # A measurement that a scale drops is empty.
    assert tables.differences(page(scale="paper", encoder="someone/bert"), "apart").empty


@pytest.mark.parametrize(
    ("of", "message"),
    [
        ("[exact, tf]", "measured: apart: there is no 'tf'; expected one of exact, tfidf"),
        ("[exact, tfidf, exact]", r"measured\.apart\.of: expected one system or two, found \['exact', "),
    ],
)
def test_systems_that_there_are_not_and_too_many_are_told(tmp_path, of, message):
    (tmp_path / "tiny.yaml").write_text(CHAPTER.replace("of: [exact, tfidf]", f"of: {of}"), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_chapter("tiny", tmp_path)


def test_votes_stand_beside_the_answers_of_a_linker_that_votes():
    example = {
        "mention": "PTC", "document": "7", "gold": [["D1", "papillary carcinoma"], ["D2", "D2"]],
        "linker": ["D1", "papillary carcinoma", 9.4375], "other": ["", "", None],
    }  # fmt: skip
    of = {"linker": "biocom,neighbours=9", "other": "tfidf"}
    values = {"linker": {"mentions": 1234, "examples": [example]}, "other": {"mentions": 2, "examples": []}}
    found = {"toy": Record({"arguments": of}, {}, values=values), "gone": None}
    labels = {"a": SimpleNamespace(label="BioCoM"), "b": SimpleNamespace(label="TF-IDF")}
    chapter = SimpleNamespace(measured={"apart": SimpleNamespace(of=("a", "b"))})
    plan = SimpleNamespace(system=labels.get, chapter=chapter)
    table = tables.differences(SimpleNamespace(plan=plan, measured=lambda name: found), "apart")
    assert cells(table) == [
        ["toy", "BioCoM alone (1,234 mentions)", "PTC", "7", "papillary carcinoma (D1); D2",
         "papillary carcinoma (D1), 9 of 9 votes", "(no answer)"],
        ["toy", "TF-IDF alone (2 mentions)", *[""] * 5], ["gone", "NOT RUN", *[""] * 5],
    ]  # fmt: skip


def test_a_mention_has_its_nearest_neighbours_below_each_other():
    near = {"before": "a ", "mention": "cold", "after": " b", "concept": ["D1", "Cold"], "from": "text"}
    name = near | {"mention": "", "from": "name", "concept": ["D2", "D2"]}
    values = {"before": "|<", "mention": "cold", "after": ">", "gold": [["D1", "Cold"]],
              "nearest": [near | {"similarity": 0.75}, name | {"similarity": 0.5}]}  # fmt: skip
    table = tables.explained({"toy": measured(mentions=[values]), "gone": None})
    assert table["mention"][0] == "&#124;&lt;<b>cold</b>&gt;"  # a bar would part the cell
    assert cells(table) == [
        ["toy", "|<cold>", "Cold (D1)", "a cold b", "text", "Cold (D1)", "0.750", "yes"],
        ["toy", "", "", "(its name)", "name", "D2", "0.500", ""], ["gone", "NOT RUN", *[""] * 6],
    ]  # fmt: skip


def test_printed_examples_stand_beside_ours(tmp_path, monkeypatch):
    monkeypatch.setattr("study.tables.qualitative.FOLDER", tmp_path)
    path, head = tmp_path / "x.csv", "type,mention,target,printed\n"
    path.write_text(f"{head}Acronym,NES,Netscape,SAS / iOS\nNone,Q,R,S\n")
    answered = {"toy": measured(NES=["iOS", "Netscape"]), "gone": None}
    table = tables.printed_examples("x", answered)
    assert list(table) == ["type", "mention", "gold", "printed", "ours"]
    assert cells(table)[0] == ["Acronym", "NES", "Netscape", "SAS / iOS", "iOS / Netscape"]
    assert table["ours"].tolist()[1:] == ["NOT RUN"] * 3
    for text, message in (
        (f"{head}Acronym,NES,Netscape\n", "x.csv:2: expected 4 cells"),
        ("type,mention\n", "x.csv:1: expected a first line with type,mention,target,printed"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            tables.printed_examples("x", {"toy": None})
