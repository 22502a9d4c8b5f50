"""The mentions that one of two systems alone gets right, as a chapter asks for them and a page shows them."""

import json
from types import SimpleNamespace

import pytest

from study import tables
from study.chapters import plan as plans
from study.chapters.chapter import read_chapter
from study.chapters.parameters import checked, defaults_of
from study.chapters.plan import plan_of
from study.pages.page import Page
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
    folder = tmp_path / "data" / "chapters"
    folder.mkdir(parents=True)
    (folder / "tiny.yaml").write_text(CHAPTER, encoding="utf-8")
    cell = 'scale = "mini"\ncompute = "missing"\ndataset = "all"\nontology = ""\nencoder = "minilm"\n'
    notebook = tmp_path / "tiny.ipynb"
    notebook.write_text(json.dumps({"cells": [{"metadata": {"tags": ["parameters"]}, "source": cell}]}))
    monkeypatch.setattr(plans, "local", lambda: Store(tmp_path / "records"))

    def made(**given) -> Page:
        parameters = checked(given, defaults_of(notebook))
        return Page("tiny", parameters, plan_of("tiny", parameters.values(), folder))

    return made


def test_a_chapter_names_two_systems_each_with_its_own_transforms(page):
    here = page()
    [job] = here.plan.measured("apart")
    assert dict(job.arguments) == {
        "linker": "exact", "other": "tfidf", "other_changes": ("add-names:train",),
    }  # fmt: skip
    assert job.changes == () and len(set(here.plan.jobs())) == 4
    assert tables.differences(here, "apart").to_dict("records") == [{"data": "mini", "right": "NOT RUN"}]
    here = page()
    here.runs("both")
    table = tables.differences(here, "apart")
    assert list(table.columns) == ["data", "right", "mention", "document", "gold", "Exact", "TF-IDF"]
    assert 0 < len(table) <= 12 and (table["mention"] != "").any()
    [found] = here.measured("apart").values()
    right = found.values["other"]
    assert f"TF-IDF alone ({right['mentions']} mentions)" in set(table["right"]) and right["examples"]
    # Of one system the data are as it has them: its record is that of the run set.
    [errors] = here.measured("errors").values()
    assert errors.inputs["transforms"] == ["add-names:train"]


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


def test_a_measurement_that_a_scale_drops_is_empty(page):
    assert tables.differences(page(scale="paper", encoder="someone/bert"), "apart").empty


def test_votes_stand_beside_the_answers_of_a_linker_that_votes():
    example = {
        "mention": "PTC", "document": "7", "start": 3, "end": 6,
        "gold": [["D1", "papillary carcinoma"], ["D2", "D2"]],
        "linker": ["D1", "papillary carcinoma", 9.4375], "other": ["", "", None],
    }  # fmt: skip
    of = {"linker": "biocom,neighbours=9", "other": "tfidf"}
    values = {"linker": {"mentions": 1234, "examples": [example]}, "other": {"mentions": 2, "examples": []}}
    found = {"toy": Record({"arguments": of}, {}, values=values), "gone": None}
    labels = {"a": SimpleNamespace(label="BioCoM"), "b": SimpleNamespace(label="TF-IDF")}
    chapter = SimpleNamespace(measured={"apart": SimpleNamespace(of=("a", "b"))})
    plan = SimpleNamespace(system=labels.get, chapter=chapter)
    table = tables.differences(SimpleNamespace(plan=plan, measured=lambda name: found), "apart")
    first, second, gone = table.to_dict("records")
    assert first == {
        "data": "toy", "right": "BioCoM alone (1,234 mentions)", "mention": "PTC", "document": "7",
        "gold": "papillary carcinoma (D1); D2",
        "BioCoM": "papillary carcinoma (D1), 9 of 9 votes", "TF-IDF": "(no answer)",
    }  # fmt: skip
    assert second["right"] == "TF-IDF alone (2 mentions)" and second["mention"] == second["BioCoM"] == ""
    assert gone["right"] == "NOT RUN"
