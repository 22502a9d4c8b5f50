"""The walk through CONTRIBUTING.md, done word for word in a copy of the repository."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from study.book.pages import ENVIRONMENT
from study.corpora import load
from study.places import ROOT
from study.records import Store

WALK = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## A linker, a data set")[2]
FENCE = re.compile(r"^```\w+\n(.*?)^```$", re.M | re.S)
NAMED = re.compile(r"`([\w/.]+)`:\n\n```\w+\n(.*?)^```$", re.M | re.S)
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
STUDY = "import sys; from study.command import main; sys.exit(main())"
COMMANDS = [line[2:] for block in FENCE.findall(WALK) for line in block.splitlines() if line[:2] == "$ "]


@pytest.fixture(scope="module")
def checkout(checkout):
    """The checkout of other tests, with what the walk adds."""
    assert len(NAMED.findall(WALK)) == len(COMMANDS) == 5
    for name, content in NAMED.findall(WALK):
        if name.endswith(".ipynb"):
            cells = FENCE.findall(WALK[WALK.index(f"`{name}`:") :])[:4]
            page = new_notebook(cells=[new_code_cell(cell.rstrip()) for cell in cells], metadata=KERNEL)
            page.cells[0].metadata["tags"] = ["parameters"]
            nbformat.write(page, checkout / name)
        else:
            (checkout / name).write_text(content, encoding="utf-8")
    systems = checkout / "study" / "systems" / "__init__.py"
    before, start, after = systems.read_text(encoding="utf-8").partition("FIRST_STAGE = Systems(\n    {\n")
    entry = '        "overlap": "baselines.overlap:OverlapLinker",\n'
    assert f"`{entry.strip()}`" in WALK and after
    systems.write_text(before + start + entry + after, encoding="utf-8")
    return checkout


@pytest.fixture(scope="module")
def said(checkout):
    """What each command of the walk says, in order."""
    paths = [str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, **ENVIRONMENT, "PATH": os.pathsep.join(paths)}
    found = []
    for command in COMMANDS:
        done = subprocess.run(
            command, shell=True, cwd=checkout, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        found.append(done.stdout + done.stderr)
    return found


def cells(path: Path) -> list[list[str]]:
    """The rows of the first table of an executed page, its head first."""
    page = nbformat.read(path, as_version=4)
    outputs = [output for cell in page.cells for output in cell.get("outputs", [])]
    shown = (output.get("data", {}).get("text/markdown", "") for output in outputs)
    table = next(text for text in shown if text.startswith(":::{table}"))
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows if "---" not in row[0]]


def test_what_is_missing_is_listed_and_made(said, checkout):
    """Four systems on the embedded corpus."""
    assert "4 to make" in said[0]
    for linker in ("exact", "overlap", "overlap,letters=2", "overlap,letters=3"):
        assert f"{linker} on mini, test, seed 0" in said[0]
    assert "4 of 4 records made" in said[1]
    made = [record.inputs for record in Store(checkout / "_build" / "records")]
    assert sum(of["name"].startswith("overlap") and of["dataset"] == "mini" for of in made) == 3
    assert not list((checkout / "data").glob("records/*"))


def test_the_page_shows_what_was_made(said, checkout):
    head, *rows = cells(checkout / "out.ipynb")
    assert head[:3] == ["system", "n", "@1"]
    assert [row[0] for row in rows] == ["exact", "shared words", "2 shared letters", "3 shared letters"]
    mentions = [mention for _, mention in load("mini").test.mentions() if mention.gold.parts]
    assert {row[1] for row in rows} == {f"{len(mentions):,}"}
    # A name equal to the mention shares all of its words, so nothing that exact match finds is lost.
    first, second = (float(row[2].split()[0]) for row in rows[:2])
    assert 0 < first < second


def test_an_own_corpus_takes_its_place(said, checkout):
    """ "fever" and "common cold" are names; "cold" is one of two words of a name, and of none as a whole."""
    _, *rows = cells(checkout / "own.ipynb")
    assert [(row[0], row[1]) for row in rows][:2] == [("exact", "3"), ("shared words", "3")]
    assert [row[2].split()[0] for row in rows[:2]] == ["66.7", "100.0"]


def test_a_misspelt_system_is_told_by_file_and_key(said, checkout):
    path = checkout / "data" / "chapters" / "overlap.yaml"
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole.replace("letters={letters}", "letter={letters}"), encoding="utf-8")
    try:
        done = subprocess.run(
            [sys.executable, "-c", STUDY, "run", "overlap", "-p", "scale", "mini", "--list"],
            cwd=checkout, capture_output=True, text=True,
        )  # fmt: skip
    finally:
        path.write_text(whole, encoding="utf-8")
    assert done.returncode == 2
    assert "overlap.yaml: systems: letters: " in done.stderr and "letters (int)" in done.stderr
