"""The build of the book on tiny notebooks: what runs, what is kept, and every way to fail."""

import ast
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from benchlib.book import build, check, pages
from benchlib.book.layout import Layout, digest
from benchlib.book.status import status

PARAMETERS = 'scale = "open"\ncompute = "missing"'
GOOD = pages.Outcome("page", "mini", "k", "2026-01-02T03:04:05+00:00", 1.5, 2, 2, "")


def write(folder: Path, name: str, *sources: str, parameters: str = PARAMETERS) -> Path:
    first = new_code_cell(parameters, metadata={"tags": ["parameters"]})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    page = new_notebook(cells=[first, *map(new_code_cell, sources)], metadata=kernel)
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(page, folder / f"{name}.ipynb")
    return folder / f"{name}.ipynb"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A page that works, run once: its outcome, the executed notebook, and where all of it lies."""
    root = tmp_path_factory.mktemp("book")
    shows = (
        "import os, sys\nprint('progress', file=sys.stderr)\n[sys.executable, scale, compute, os.getcwd()]"
    )
    notebook = write(root / "notebooks", "page", shows)
    outcome = pages.run(notebook, pages.CHECK, root / "out", "key", root)
    return outcome, nbformat.read(root / "out" / "page.ipynb", as_version=4), root


def test_a_page_runs_on_this_python_with_the_modes_parameters_in_the_repository(ran):
    outcome, page, root = ran
    assert outcome.ok and (outcome.expected, outcome.got) == (1, 1)
    shown = page.cells[-1].outputs[-1].data["text/plain"]
    python, scale, compute, folder = ast.literal_eval(shown)
    assert (python, scale, compute) == (sys.executable, "mini", "always")
    assert os.path.realpath(folder) == os.path.realpath(root)


def test_an_executed_page_holds_no_path_and_no_time_of_papermill(ran):
    _, page, _ = ran
    assert "papermill" not in page.metadata
    assert not any("papermill" in cell.metadata or "execution" in cell.metadata for cell in page.cells)
    injected = [c for c in page.cells if "injected-parameters" in c.metadata.get("tags", [])]
    assert [c.metadata["tags"] for c in injected] == [["injected-parameters", "remove-cell"]]


def test_a_good_result_is_kept_for_its_key_alone(ran):
    outcome, _, root = ran
    notebook = root / "notebooks" / "page.ipynb"
    assert pages.kept(notebook, root / "out", "key") == outcome
    assert pages.kept(notebook, root / "out", "another key") is None
    assert pages.kept(notebook, root / "elsewhere", "key") is None


def test_a_failing_cell_is_named_and_is_not_kept(tmp_path):
    notebook = write(tmp_path, "broken", "1 + 1", "1 / 0", "2 + 2")
    outcome = pages.run(notebook, pages.CHECK, tmp_path / "out", "key", tmp_path)
    assert not outcome.ok and "ZeroDivisionError" in outcome.error and outcome.error.startswith("cell ")
    assert (outcome.expected, outcome.got) == (3, 1)
    assert (tmp_path / "out" / "broken.ipynb").exists()
    assert pages.kept(notebook, tmp_path / "out", "key") is None


def test_a_page_without_the_parameters_is_refused_before_it_runs(tmp_path):
    notebook = write(tmp_path, "other", "1", parameters='scale = "open"')
    outcome = pages.run(notebook, pages.CHECK, tmp_path / "out", "key", tmp_path)
    assert outcome.error == "the parameters cell has no compute; it has scale"
    assert not (tmp_path / "out" / "other.ipynb").exists()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("table", 1),
        ("show(table)", 1),
        ("for x in y:\n    show(x)", 1),
        ("with style():\n    draw()", 1),
        ("x = 1", 0),
        ("import os", 0),
        ("draw();", 0),
        ("# nothing", 0),
        ("this is no Python", 0),
    ],
)
def test_a_cell_that_ends_in_an_expression_must_show_something(source, expected):
    page = new_notebook(cells=[new_markdown_cell("# text"), new_code_cell(source)])
    assert pages.shown(page) == (expected, 0)
    page.cells[1].outputs = [new_output("stream", text="not a table")]
    assert pages.shown(page) == (expected, 0)
    page.cells[1].outputs = [new_output("display_data", {"text/plain": "x"})]
    assert pages.shown(page) == (expected, expected)


def test_a_page_that_shows_less_than_expected_is_not_ok():
    assert GOOD.ok
    assert not replace(GOOD, got=1).ok
    assert not replace(GOOD, error="cell 2: KeyError").ok


def test_all_pages_are_tried_before_the_build_fails_and_the_status_is_written(tmp_path, monkeypatch, capsys):
    for name in ("first", "second"):
        write(tmp_path / "notebooks", name)
    for folder in ("benchlib", "data", "book"):
        (tmp_path / folder).mkdir()

    def fake(notebook, mode, folder, key, root):
        error = "cell 3: KeyError: 'x'" if notebook.stem == "first" else ""
        return replace(GOOD, page=notebook.stem, mode=mode.name, key=key, error=error)

    monkeypatch.setattr(pages, "run", fake)
    with pytest.raises(build.BuildError, match=r"first \(mini\): cell 3: KeyError") as error:
        build.build(Layout(tmp_path))
    assert "second" not in str(error.value)
    written = json.loads((tmp_path / "_build" / "status.json").read_text())["pages"]
    came = {(p["page"], p["mode"]): p["outcome"] for p in written}
    assert came == {
        ("first", "mini"): "FAIL",
        ("second", "mini"): "OK",
        ("first", "open"): "FAIL",
        ("second", "open"): "OK",
    }


def test_no_page_at_all_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no page to execute"):
        Layout(tmp_path).notebooks()


def test_the_digest_sees_names_and_contents_but_no_caches(tmp_path):
    folder = tmp_path / "code"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "a.py").write_text("1")
    before = digest(tmp_path, [folder])
    (folder / "__pycache__" / "a.pyc").write_text("x")
    assert digest(tmp_path, [folder]) == before
    assert digest(tmp_path, [folder], "more") != before
    (folder / "a.py").write_text("2")
    changed = digest(tmp_path, [folder])
    (folder / "a.py").rename(folder / "b.py")
    assert len({before, changed, digest(tmp_path, [folder])}) == 3


def book(folder: Path, **bodies: str) -> list[str]:
    """Rendered pages; returns what is wrong with them."""
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text("<html></html>")
    for name, body in bodies.items():
        (folder / f"{name}.html").write_text(f"<html><head></head><body>{body}</body></html>")
    return check.problems(folder, ["one", "two"])


TEXT = f"<article>{'words of a page ' * 20}</article>"


def test_a_whole_book_has_no_problem(tmp_path):
    assert book(tmp_path, one=TEXT, two=TEXT + '<a href="https://example.org">elsewhere</a>') == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("<article>Title</article>", "only 5 characters of text"),
        ("<main>no article at all, however long the rest of it is</main>", "only 0 characters of text"),
        (TEXT.replace("words", "Traceback (most recent call last):"), "shows a traceback"),
        (TEXT + '<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js"),
        (TEXT + '<img src="//cdn.example/x.png">', "loads //cdn.example/x.png"),
        (TEXT + '<link rel="stylesheet" href="http://f.example/f.css">', "loads http://f.example/f.css"),
        (TEXT + "<style>@import 'https://f.example/f.css';</style>", "@import 'https://f.example/f.css"),
    ],
)
def test_a_page_that_is_not_whole_is_a_problem(tmp_path, body, told):
    (problem,) = book(tmp_path, one=TEXT, two=body)
    assert problem.startswith("two.html: ") and told in problem


def test_a_missing_a_left_over_and_a_remote_font_are_problems(tmp_path):
    book(tmp_path, one=TEXT, old=TEXT)
    (tmp_path / "x.css").write_text("@font-face { src: url('https://f.example/f.woff') }")
    told = check.problems(tmp_path, ["one", "two"])
    assert len(told) == 3
    assert "two.html: missing" in told and "old.html: not in the table of contents" in told
    assert told[2].startswith("x.css: loads url('https://f.example/f.woff'")


def test_the_status_shows_a_failure_as_one():
    made = {
        "commit": "0123456789ab+",
        "date": "2026-01-02T03:04:05+00:00",
        "hardware": {"machine": "x86_64", "cores": 2},
        "versions": {"python": "3.11.7"},
    }
    failed = replace(GOOD, page="other", got=1)
    renders = [replace(GOOD, mode="open"), replace(failed, mode="open", got=2)]
    lines = status([GOOD, failed], renders, made).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "ipynb" in line]
    assert [row[1:7] for row in rows] == [
        ["OK", "1.5", "2", "2", "2026-01-02 03:04", "OK"],
        ["FAIL", "1.5", "2", "1", "2026-01-02 03:04", "OK"],
    ]
    assert "| Commit | 0123456789ab, with uncommitted changes |" in lines
