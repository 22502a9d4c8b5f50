"""The build of the book on tiny notebooks: what runs, what is kept, and every way to fail."""

import ast
import os
import subprocess
import sys
from base64 import b64encode
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from ranked import MADE

from study.book import build, check, explorer, light, pages
from study.book.generated import status
from study.book.layout import Layout, digest, snapshot
from study.records import Record, Store
from study.records.pack import pack

GOOD = pages.Outcome("page", "k", "2026-01-02T03:04:05+00:00", 1.5, 2, 2, "", {})


def write(folder: Path, name: str, *sources: str) -> Path:
    """A page in the folder's notebooks."""
    first = new_code_cell('scale = "mini"\ncompute = "missing"', metadata={"tags": ["parameters"]})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path = folder / "notebooks" / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=[first, *map(new_code_cell, sources)], metadata=kernel), path)
    return path


def inputs(name: str) -> dict[str, object]:
    return {"name": name, "dataset": "toy", "transforms": []}


def put(layout: Layout, name: str, value: int) -> None:
    Store(layout.records).write(Record(inputs(name), {}, values={"n": value}))


READS = f"""
import os, sys
from study.records import Store
store = Store("data/records")
store.find({inputs("a")}), store.has({inputs("gone")}), store.named(store.find({inputs("a")}).key)
[sys.executable, scale, compute, os.getcwd()]
"""
LISTS = """
from study.records import Store
len(list(Store("data/records")))
"""


@pytest.fixture(scope="module")
def layout(tmp_path_factory):
    """A build with a page that reads one record and looks for another, and one that goes through all."""
    layout = Layout(tmp_path_factory.mktemp("book"))
    put(layout, "b", 0)
    pack(Store(layout.records))
    put(layout, "a", 0)
    for name, source in (("reads", READS), ("lists", LISTS)):
        notebook = write(layout.root, name, source)
        assert pages.execute(notebook, layout, "key", snapshot(layout.records)).ok
    return layout


def kept(layout: Layout, name: str = "reads", key: str = "key") -> pages.Outcome | None:
    notebook = layout.root / "notebooks" / f"{name}.ipynb"
    return pages.cached_outcome(notebook, layout, key, snapshot(layout.records))


def again(layout: Layout) -> set[str]:
    """The pages that a build would run."""
    return {notebook.stem for notebook in layout.notebooks() if kept(layout, notebook.stem) is None}


def test_a_page_runs_on_this_python_from_the_records_in_the_repository(layout):
    page = nbformat.read(layout.build / "open" / "reads.ipynb", as_version=4)
    python, scale, compute, folder = ast.literal_eval(page.cells[-1].outputs[-1].data["text/plain"])
    assert (python, scale, compute) == (sys.executable, "open", "never")
    assert os.path.realpath(folder) == os.path.realpath(layout.root)
    # No path and no time of papermill, nor its cell, which would overrule the parameters of a download.
    assert "papermill" not in page.metadata and len(page.cells) == 2
    assert not any({"papermill", "execution"} & set(cell.metadata) for cell in page.cells)


def test_a_good_result_is_kept_for_its_key_alone(layout):
    outcome = kept(layout)
    assert (outcome.page, outcome.expected, outcome.got) == ("reads", 1, 1)
    assert sorted(outcome.records.values())[0] == "" and len(outcome.records) == 2
    assert kept(layout, key="another key") is None


@pytest.mark.parametrize("content", [None, "", "null", "[]", '{"page": "page"}', "half"])
def test_a_note_that_is_not_whole_is_no_note(layout, content):
    note = layout.build / "open" / "reads.json"
    whole = note.read_text(encoding="utf-8")
    note.write_text(whole[: len(whole) // 2] if content == "half" else content or "", encoding="utf-8")
    if content is None:
        note.unlink()
    try:
        assert kept(layout) is None
    finally:
        note.write_text(whole, encoding="utf-8")
    assert kept(layout) is not None


@pytest.mark.parametrize(
    ("name", "value", "runs"),
    [
        ("b", 1, {"lists"}),
        ("a", 1, {"reads", "lists"}),
        ("a", None, {"reads", "lists"}),
        ("gone", 1, {"reads", "lists"}),
        ("c", 1, {"lists"}),
    ],
)
def test_a_record_runs_the_pages_that_asked_for_it(layout, name, value, runs):
    before = 0 if name in "ab" else None
    for of, expected in ((value, runs), (before, set())):
        if of is None:
            Store(layout.records).path_of(inputs(name)).unlink()
        else:
            put(layout, name, of)
        assert again(layout) == expected


def test_a_record_that_comes_while_a_page_runs_runs_it_again_and_packing_runs_none(layout):
    before = snapshot(layout.records)
    put(layout, "gone", 1)
    try:
        pages.execute(layout.root / "notebooks" / "reads.ipynb", layout, "key", before)
        assert "reads" in again(layout)
    finally:
        Store(layout.records).path_of(inputs("gone")).unlink()
    assert again(layout) == set()
    assert pack(Store(layout.records)) == 1 and again(layout) == set()


def test_a_page_that_fails_says_why_and_is_not_kept(tmp_path, monkeypatch):
    layout, notebook = Layout(tmp_path), write(tmp_path, "broken", "1 + 1", "1 / 0", "2 + 2")
    outcome = pages.execute(notebook, layout, "key", {})
    assert not outcome.ok and outcome.error.startswith("ZeroDivisionError")
    assert (outcome.expected, outcome.got) == (3, 1)
    assert layout.executed(notebook).exists()
    assert pages.cached_outcome(notebook, layout, "key", {}) is None

    def killed(command, **_):
        return subprocess.CompletedProcess(command, -9, "", "Executing notebook with kernel: python3")

    monkeypatch.setattr(subprocess, "run", killed)
    assert pages.execute(notebook, layout, "key", {}).error == "papermill ended with -9"


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
    page.cells[1].outputs = [new_output("stream", text="not a table")]
    assert pages.count_outputs(page) == (expected, 0)
    page.cells[1].outputs = [new_output("display_data", {"text/plain": "x"})]
    assert pages.count_outputs(page) == (expected, expected)
    assert GOOD.ok and not replace(GOOD, got=1).ok


def test_all_pages_are_tried_before_the_build_fails(tmp_path, monkeypatch, capsys):
    for name in ("first", "second", "third"):
        write(tmp_path, name)

    def fake(notebook, layout, key, records):
        error = "KeyError: 'x'" if notebook.stem == "first" else ""
        return replace(GOOD, page=notebook.stem, error=error, got=1 if notebook.stem == "second" else 2)

    monkeypatch.setattr(pages, "execute", fake)
    with pytest.raises(build.BuildError) as error:
        build.build(Layout(tmp_path))
    _, *told = str(error.value).splitlines()
    assert [line.strip().partition(";")[0] for line in told] == [
        "first: KeyError: 'x'", "second: 2 cells should show something, 1 did",
    ]  # fmt: skip
    lines = {tuple(line.split()[:2]) for line in capsys.readouterr().out.splitlines()}
    assert lines == {("FAIL", "first"), ("FAIL", "second"), ("OK", "third")}


def test_no_page_at_all_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="no page to execute"):
        Layout(tmp_path).notebooks()


def test_a_page_depends_on_names_and_contents_of_code_and_data_but_not_on_records_or_caches(tmp_path):
    seen, now = [], lambda: digest(tmp_path, Layout(tmp_path).code)
    for name in ("benchlib/a.py", "study/a.py", "data/registry/a.yaml", "data/a.yaml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for text in ("before", "after"):
            path.write_text(text)
            seen.append(now())
    path.rename(path.with_stem("b"))
    seen.append(now())
    assert len(set(seen)) == len(seen) and digest(tmp_path, [], "more") != digest(tmp_path, [])
    for name in ("data/records/a.json", "study/__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x")
    assert now() == seen[-1]


def book(folder: Path, **bodies: str) -> list[str]:
    """Rendered pages; returns what is wrong with them."""
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text("<html></html>")
    for name, body in bodies.items():
        (folder / f"{name}.html").write_text(f"<html><head></head><body>{body}</body></html>")
    return check.problems(folder, SECTIONS)


SECTIONS = {"one": (), "two": ("What they say: more",)}


TEXT = f"<article>{'words of a page ' * 20}<h2>What <em>they</em> say: more<a>#</a></h2></article>"


def test_a_whole_book_has_no_problem(tmp_path):
    later = f"<template>{'<p>' * 9000}</template>"
    assert book(tmp_path, one=TEXT + later, two=TEXT + '<a href="https://example.org">elsewhere</a>') == []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (TEXT.replace("words of a page ", ""), "only 21 characters of text"),
        (TEXT.replace("article", "main"), "only 0 characters of text"),
        (TEXT.replace("say: more", "say"), "lacks the section 'What they say: more'"),
        (TEXT + "<p>" * 5994, "6,001 elements, expected at most 6,000"),
        (TEXT + "x" * 600_000, "bytes, expected at most 600,000"),
        (TEXT.replace("words", "Traceback (most recent call last):"), "shows a traceback"),
        (TEXT + '<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js"),
        (TEXT + '<img src="//cdn.example/x.png">', "loads //cdn.example/x.png"),
        (TEXT + '<iframe src="https://f.example/f.html"></iframe>', "loads https://f.example/f.html"),
        (TEXT + '<object data="https://f.example/f.swf"></object>', "loads https://f.example/f.swf"),
        (TEXT + '<video><source src="//f.example/f.mp4"></video>', "loads //f.example/f.mp4"),
        (TEXT + '<link rel="stylesheet" href="http://f.example/f.css">', "loads http://f.example/f.css"),
        (TEXT + "<style>@import 'https://f.example/f.css';</style>", "@import 'https://f.example/f.css"),
    ],
)
def test_a_page_that_is_not_whole_is_a_problem(tmp_path, body, told):
    problem = book(tmp_path, one=TEXT, two=body)[0]
    assert problem.startswith("two.html: ") and told in problem


def test_a_missing_a_left_over_and_a_remote_font_are_problems(tmp_path):
    book(tmp_path, one=TEXT, old=TEXT)
    (tmp_path / "x.css").write_text("@font-face { src: url('https://f.example/f.woff') }")
    told = check.problems(tmp_path, SECTIONS)
    assert len(told) == 3
    assert "two.html: missing" in told and "old.html: not in the table of contents" in told
    assert told[2].startswith("x.css: loads url('https://f.example/f.woff'")


def table(rows: int) -> str:
    lines = "".join(
        f'<tr class="row-odd"><td class="text-left"><p>{row}</p></td></tr>\n' for row in range(rows)
    )
    return f"<table><tbody>{lines}</tbody></table>"


def test_a_light_page_keeps_everything_and_builds_folds_and_further_rows_later(tmp_path):
    inner = "<details><summary>in</summary>deep</details>"
    shown = f"<details open><summary>o</summary>seen{inner}</details>"
    csv = b64encode(b"a,b\n").decode()
    body = (
        f'<article>{table(30)}{table(31)}<details class="x"><summary>s</summary>{table(40)}{inner}</details>'
        f"{shown}"
        f'<a class="csv" download="fig.csv" href="data:text/csv;base64,{csv}">CSV</a></article>'
        '<script>window.MathJax = {}</script><script defer src="../_static/mathjax/t.js?v=1"></script>'
    )
    (tmp_path / "_static").mkdir()
    (tmp_path / "book").mkdir()
    for name, text in (("one", body), ("two", body + '<span class="math notranslate">x</span>')):
        (tmp_path / "book" / f"{name}.html").write_text(text)
    light.lighten(tmp_path)
    one, two = ((tmp_path / "book" / f"{name}.html").read_text() for name in ("one", "two"))
    row = "<tr><td>{}</td></tr>".format
    assert "MathJax" not in one and "mathjax" not in one and two.count("<script") == 2
    assert f"{row(19)}\n<template>{row(20)}" in one and one.count("<template>") == 3  # not of 30 rows
    assert f"<summary>s</summary><template><table><tbody>{row(0)}" in one
    assert f"{inner}</template></details>" in one
    assert one.count("<tr>") == 30 + 31 + 40 and "<p>" not in one and "row-odd" not in one
    assert "seen<details><summary>in</summary><template>deep</template></details></details>" in one
    # The article, two tables, their rows of two elements, three templates, three folds with heads, a link.
    assert light.nodes(one) == 1 + 2 * 2 + 2 * (30 + 20) + 3 + 3 * 2 + 1
    assert 'href="../_static/csv/one-fig.csv"' in one
    assert (tmp_path / "_static" / "csv" / "one-fig.csv").read_bytes() == b"a,b\n"


def test_a_page_with_many_long_tables_shows_fewer_rows_of_each():
    made = light.light(f"<article>{table(300) * 80}</article>")
    assert light.nodes(made) <= 6000 and made.count("<td>") == 300 * 80
    assert made.count("<tbody>") == 80 == made.count("</template></tbody>")


def test_the_status_has_a_row_for_each_page_and_what_it_was_made_with():
    lines = status([GOOD, replace(GOOD, page="other", records={"k": "", "l": "x"})], MADE).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "ipynb" in line]
    assert [row[1:6] for row in rows] == [["1.5", "2", "2", n, "2026-01-02 03:04"] for n in ("0", "2")]
    assert "| Commit | 0123456789ab with uncommitted changes |" in lines
    assert r"| Machine | Fast \<CPU\>, 4 cores, 16 GB |" in lines


def test_a_folded_cell_is_named_by_what_it_shows():
    sources = ("import study", "show.table(tables.setup(page))", "figures.roc(table)", "x = 1", "page.end()")
    cells = [new_code_cell(source, metadata={"tags": ["hide-input"]}) for source in sources]
    page = pages.stripped(new_notebook(cells=[*cells, new_code_cell("tables.setup(page)")]))
    *folded, open_ = [cell.metadata.get("mystnb") for cell in page.cells]
    assert open_ is None and [of["code_prompt_show"].removeprefix("Show the ") for of in folded] == [
        "imports", "code of this table", "code of this figure", "code", "code of the page's foot",
    ]  # fmt: skip
    assert folded[0]["code_prompt_hide"] == "Hide the imports"


def test_what_the_explorer_keeps_is_written_anew_for_another_record_or_corpus(tmp_path, monkeypatch):
    record = SimpleNamespace(checksum="a", values={"here": 2, "unlike": []})
    runs = SimpleNamespace(data="mini", there=(record,), kinds=None)
    monkeypatch.setattr(explorer, "systems", lambda: [explorer.Shown("a", "A", "group", runs)])
    recounts = SimpleNamespace(measured=lambda name: {"mini": record})
    monkeypatch.setattr(explorer.Page, "published", lambda chapter: recounts)
    for text, checksum, corpora, expected in (
        ("one", "a", [], "one"),
        ("two", "a", [], "one"),
        ("three", "b", [], "three"),
        ("four", "b", ["corpus.txt"], "four"),
    ):
        monkeypatch.setattr(explorer, "script", lambda *_, text=text: text)
        record.checksum = checksum
        explorer.write(tmp_path / "shown", tmp_path / "kept", *corpora)
        assert (tmp_path / "shown" / "explorer-mini.js").read_text() == expected
    monkeypatch.setattr(explorer, "script", lambda *_: "\ud800")  # it fails while the text is written
    with pytest.raises(UnicodeEncodeError):
        explorer.write(tmp_path / "shown", tmp_path / "kept", "other")
    assert len([*(tmp_path / "kept").iterdir()]) == 3
