"""The build of the book on tiny notebooks: what runs, what is kept, and every way to fail."""

import ast
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from toy import BENCHMARK

from study.book import build, check, pages
from study.book.layout import Layout, digest, snapshot
from study.book.status import status
from study.book.verified import verify_new
from study.records import BrokenRecord, Record, Store, linking_record
from study.records.pack import pack
from study.systems import ExactLinker

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
    layout = Layout(tmp_path_factory.mktemp("book"))
    shows = (
        "import os, sys\nprint('progress', file=sys.stderr)\n[sys.executable, scale, compute, os.getcwd()]"
    )
    notebook = write(layout.root / "notebooks", "page", shows)
    outcome = pages.execute(notebook, pages.CHECK, layout, "key", {})
    return outcome, nbformat.read(layout.build / "mini" / "page.ipynb", as_version=4), layout


def test_a_page_runs_on_this_python_with_the_modes_parameters_in_the_repository(ran):
    outcome, page, layout = ran
    assert outcome.ok and (outcome.expected, outcome.got) == (1, 1)
    shown = page.cells[-1].outputs[-1].data["text/plain"]
    python, scale, compute, folder = ast.literal_eval(shown)
    assert (python, scale, compute) == (sys.executable, "mini", "always")
    assert os.path.realpath(folder) == os.path.realpath(layout.root)


def test_an_executed_page_holds_no_path_and_no_time_of_papermill(ran):
    _, page, _ = ran
    assert "papermill" not in page.metadata
    assert not any("papermill" in cell.metadata or "execution" in cell.metadata for cell in page.cells)
    # Nor the cell that papermill adds, which would overrule the parameters of a page that is downloaded.
    assert not any("injected-parameters" in cell.metadata.get("tags", []) for cell in page.cells)


def test_a_good_result_is_kept_for_its_key_and_mode_alone(ran):
    outcome, _, layout = ran
    notebook = layout.root / "notebooks" / "page.ipynb"
    assert pages.cached_outcome(notebook, pages.CHECK, layout, "key", {}) == outcome
    assert pages.cached_outcome(notebook, pages.CHECK, layout, "another key", {}) is None
    assert pages.cached_outcome(notebook, pages.RENDER, layout, "key", {}) is None


@pytest.mark.parametrize("content", [None, "", "null", "[]", '{"page": "page"}', "half"])
def test_a_note_that_is_not_whole_is_no_note(ran, content):
    _, _, layout = ran
    notebook, note = layout.root / "notebooks" / "page.ipynb", layout.build / "mini" / "page.json"
    whole = note.read_text(encoding="utf-8")
    note.write_text(whole[: len(whole) // 2] if content == "half" else content or "", encoding="utf-8")
    if content is None:
        note.unlink()
    try:
        assert pages.cached_outcome(notebook, pages.CHECK, layout, "key", {}) is None
    finally:
        note.write_text(whole, encoding="utf-8")
    assert pages.cached_outcome(notebook, pages.CHECK, layout, "key", {}) is not None


def test_a_failing_cell_is_named_and_is_not_kept(tmp_path):
    notebook, layout = write(tmp_path, "broken", "1 + 1", "1 / 0", "2 + 2"), Layout(tmp_path)
    outcome = pages.execute(notebook, pages.CHECK, layout, "key", {})
    assert not outcome.ok and "ZeroDivisionError" in outcome.error and outcome.error.startswith("cell ")
    assert (outcome.expected, outcome.got) == (3, 1)
    assert (layout.build / "mini" / "broken.ipynb").exists()
    assert pages.cached_outcome(notebook, pages.CHECK, layout, "key", {}) is None


def test_a_page_that_is_killed_says_so(tmp_path, monkeypatch):
    def killed(command, **_):
        return subprocess.CompletedProcess(command, -9, "", "Executing notebook with kernel: python3")

    monkeypatch.setattr(subprocess, "run", killed)
    outcome = pages.execute(write(tmp_path, "page", "1"), pages.CHECK, Layout(tmp_path), "key", {})
    assert outcome.error == "papermill was killed by signal 9" and not outcome.ok


def inputs(name: str) -> dict[str, object]:
    return {"name": name, "dataset": "toy", "transforms": []}


def put(layout: Layout, name: str, value: int) -> None:
    Store(layout.records).write(Record(inputs(name), {}, values={"n": value}))


READS = f"""
from study.records import Store
store = Store("data/records")
store.find({inputs("a")}), store.has({inputs("gone")})
"""
LISTS = """
from study.records import Store
len(list(Store("data/records")))
"""


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """A rendered page that reads one record and looks for another, and one that goes through all of them."""
    layout = Layout(tmp_path_factory.mktemp("records"))
    put(layout, "b", 0)
    pack(Store(layout.records))
    put(layout, "a", 0)
    for name, source in (("reads", READS), ("lists", LISTS)):
        notebook = write(layout.root / "notebooks", name, source)
        for mode in (pages.CHECK, pages.RENDER):
            assert pages.execute(notebook, mode, layout, "key", snapshot(layout.records)).ok
    return layout


def again(layout: Layout) -> set[tuple[str, str]]:
    """The pages and modes that a build would run."""
    now = snapshot(layout.records)
    return {
        (notebook.stem, mode.name)
        for notebook in layout.notebooks()
        for mode in (pages.CHECK, pages.RENDER)
        if pages.cached_outcome(notebook, mode, layout, "key", now) is None
    }


ALL = {("reads", "open"), ("lists", "open")}


@pytest.mark.parametrize(
    ("name", "value", "runs"),
    [
        ("b", 1, {("lists", "open")}),
        ("a", 1, ALL),
        ("a", None, ALL),
        ("gone", 1, ALL),
        ("c", 1, {("lists", "open")}),
    ],
)
def test_a_record_runs_the_rendered_pages_that_asked_for_it_and_no_check(rendered, name, value, runs):
    store = Store(rendered.records)
    before = 0 if name in "ab" else None
    for of, expected in ((value, runs), (before, set())):
        if of is None:
            store.path_of(inputs(name)).unlink()
        else:
            put(rendered, name, of)
        assert again(rendered) == expected


def test_a_record_that_comes_while_a_page_runs_runs_it_again(rendered):
    before = snapshot(rendered.records)
    put(rendered, "gone", 1)
    try:
        notebook = rendered.root / "notebooks" / "reads.ipynb"
        pages.execute(notebook, pages.RENDER, rendered, "key", before)
        assert ("reads", "open") in again(rendered)
    finally:
        Store(rendered.records).path_of(inputs("gone")).unlink()
    assert ("reads", "open") not in again(rendered)


def test_packing_records_runs_no_page_again(rendered):
    assert pack(Store(rendered.records)) == 1 and again(rendered) == set()


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
    assert pages.count_outputs(page) == (expected, 0)
    page.cells[1].outputs = [new_output("stream", text="not a table")]
    assert pages.count_outputs(page) == (expected, 0)
    page.cells[1].outputs = [new_output("display_data", {"text/plain": "x"})]
    assert pages.count_outputs(page) == (expected, expected)


def test_a_page_that_shows_less_than_expected_is_not_ok():
    assert GOOD.ok
    assert not replace(GOOD, got=1).ok
    assert not replace(GOOD, error="cell 2: KeyError").ok


def test_all_pages_are_tried_before_the_build_fails(tmp_path, monkeypatch, capsys):
    for name in ("first", "second"):
        write(tmp_path / "notebooks", name)

    def fake(notebook, mode, layout, key, records):
        error = "cell 3: KeyError: 'x'" if notebook.stem == "first" else ""
        return replace(GOOD, page=notebook.stem, mode=mode.name, key=key, error=error)

    monkeypatch.setattr(pages, "execute", fake)
    with pytest.raises(build.BuildError, match=r"first \(mini\): cell 3: KeyError") as error:
        build.build(Layout(tmp_path))
    assert "second" not in str(error.value)
    first, *lines = capsys.readouterr().out.splitlines()
    told = {tuple(line.split()[:3]) for line in lines}
    assert first == "0 records verified"
    assert told == {
        (outcome, mode, page)
        for outcome, page in (("FAIL", "first"), ("OK", "second"))
        for mode in ("mini", "open")
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


def test_a_page_depends_on_code_and_data_but_not_on_records(tmp_path):
    files = [
        tmp_path / name
        for name in (
            "benchlib/a.py",
            "study/a.py",
            "data/registry/a.yaml",
            "data/a.yaml",
            "data/records/a.json",
        )
    ]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("before")
    seen = []
    for file in files:
        seen.append(digest(tmp_path, Layout(tmp_path).code))
        file.write_text("after")
    seen.append(digest(tmp_path, Layout(tmp_path).code))
    assert len(set(seen)) == len(seen) - 1 and seen[-1] == seen[-2]


@pytest.fixture
def recorded(tmp_path):
    """A build folder with two records of a linker worked out by hand, verified once."""
    layout = Layout(tmp_path)
    for part in ("scoring", "runs"):
        (tmp_path / "benchlib" / part).mkdir(parents=True)
    for split in ("test", "dev"):
        linking_record(ExactLinker(), BENCHMARK, Store(layout.records), split=split)
    assert verify_new(layout) == 2
    return layout


def test_a_record_is_verified_once_until_scoring_changes(recorded):
    assert verify_new(recorded) == 0
    linking_record(ExactLinker(), BENCHMARK, Store(recorded.records), split="train")
    assert verify_new(recorded) == 1
    (recorded.root / "benchlib" / "scoring" / "new.py").write_text("1")
    assert verify_new(recorded) == 3
    assert verify_new(recorded) == 0


def test_a_metric_that_does_not_follow_stops_the_build_each_time(recorded, monkeypatch):
    """Its checksums are right: it was written by something that counts otherwise."""
    store = Store(recorded.records)
    record = next(record for record in store if record.inputs["split"] == "test")
    wrong = tuple({**row, "value": row["value"] + 0.01} for row in record.metrics)
    monkeypatch.setattr("study.records.store.verify", lambda record: None)
    store.write(replace(record, metrics=wrong))
    for _ in range(2):
        with pytest.raises(BrokenRecord, match="does not follow from the outcomes"):
            verify_new(recorded)


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
        (TEXT + '<iframe src="https://f.example/f.html"></iframe>', "loads https://f.example/f.html"),
        ('<frameset><frame src="//f.example/f.html"></frameset>' + TEXT, "loads //f.example/f.html"),
        (TEXT + '<embed src="https://f.example/f.pdf">', "loads https://f.example/f.pdf"),
        (TEXT + '<object data="https://f.example/f.swf"></object>', "loads https://f.example/f.swf"),
        (TEXT + '<video><source src="//f.example/f.mp4"></video>', "loads //f.example/f.mp4"),
        (TEXT + '<audio src="http://f.example/f.mp3"></audio>', "loads http://f.example/f.mp3"),
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
        "hardware": {"machine": "x86_64", "cpu": "A CPU", "cores": 2, "threads": 1, "memory_gb": 8},
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
    assert "| Commit | 0123456789ab with uncommitted changes |" in lines
    assert "| Machine | A CPU, 2 cores, 8 GB |" in lines


def test_a_folded_cell_is_named_by_what_it_shows():
    def cell(source, *tags):
        return new_code_cell(source, metadata={"tags": list(tags)})

    page = new_notebook(
        cells=[
            cell("import study", "hide-input"),
            cell("show.table(tables.setup(page))", "hide-input"),
            cell("figures.roc(table)", "hide-input"),
            cell("x = 1", "hide-input"),
            cell("tables.setup(page)"),
            cell("scale = 'mini'", "injected-parameters"),
        ]
    )
    cells = pages.stripped(page).cells
    shown = [one.metadata.get("mystnb", {}).get("code_prompt_show", "") for one in cells]
    assert shown[:2] == ["Show the imports", "Show the code of this table"]
    assert shown[2:4] == ["Show the code of this figure", "Show the code"] and shown[4:] == [""]
    assert cells[0].metadata["mystnb"]["code_prompt_hide"] == "Hide the imports"
    assert len(cells) == 5
