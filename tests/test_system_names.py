"""One name for one system in the whole book: the labels of the chapters, and the glossary's list of them."""

import re
from collections import defaultdict
from functools import cache

import pytest

from study.chapters.chapter import chapters
from study.chapters.run import plan_with
from study.places import ROOT

plan_of = cache(plan_with)


def rows(chapter: str):
    """The runs of a chapter that have a name of their own. A label that is only a parameter's value, such as
    a learning rate, says where on an axis a run stands, and its figure says on which."""
    plan = plan_of(chapter)
    for run_set in plan.chapter.runs:
        for row in plan.rows(run_set):
            words = (re.sub(r"\{.*?\}", "", plan.chapter.systems[key].label) for key in row.system.keys)
            if row.system.linker and any(re.search(r"[A-Za-z]", word) for word in words):
                yield run_set, row


def test_two_systems_with_the_same_linker_carry_the_same_name_in_every_chapter():
    # What one run set changes for all its systems is in its caption, and no part of their names.
    names = defaultdict(set)
    for chapter in chapters():
        for run_set, row in rows(chapter):
            of_set = plan_of(chapter).chapter.runs[run_set].changes
            own = row.system.changes[: len(row.system.changes) - len(of_set)]
            names[row.system.linker, own].add(row.system.label)
    assert {of: labels for of, labels in names.items() if len(labels) > 1} == {}


@pytest.mark.parametrize("chapter", chapters())
def test_one_name_stands_for_one_linker_of_a_data_set(chapter):
    linkers = defaultdict(set)
    for _, row in rows(chapter):
        linkers[row.data.name, row.system.label].add(row.system.linker)
    assert {of: found for of, found in linkers.items() if len(found) > 1} == {}


def test_every_name_is_explained_in_the_glossary():
    glossary = (ROOT / "book" / "glossary.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\| \*([^*]+)\* \|", glossary, re.MULTILINE)
    assert len(explained) == len(set(explained)) > 8
    # What is said of TF-IDF over runs of 1-2 characters serves for any other numbers.
    explained = [re.sub(r"\d+", "1", name) for name in explained]
    named = {re.sub(r"\d+", "1", row.system.label) for chapter in chapters() for _, row in rows(chapter)}
    for name in explained:
        assert any(label.startswith(name) for label in named), f"no row is called {name}"
    for label in named:
        assert any(label.startswith(name) for name in explained), f"{label} is not in the glossary"
