"""The parameters cell of every page: readable as it stands, read by papermill, and the same in the stamp."""

import ast
import json
import re
from html import unescape
from pathlib import Path

import papermill
import pytest

from study.chapters.parameters import checked, defaults_of
from study.pages.stamp import stamp

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
WIDEST = 80  # characters that a code cell of the book shows at 1280 px without scrolling
every_page = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)


def cell(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    [found] = [c for c in cells if "parameters" in c["metadata"].get("tags", [])]
    return "".join(found["source"])


@every_page
def test_each_parameter_has_its_meaning_above_it_and_belongs_to_a_group(notebook):
    lines = cell(notebook).splitlines()
    assert max(map(len, lines)) <= WIDEST
    heads = re.findall(r"^# ---- ([\w ]+)", cell(notebook), re.MULTILINE)
    groups = ["change freely", "starts training", "where dataset is a path"]
    assert heads == [group for group in groups if group in heads] and heads[0] == groups[0]
    assert lines[0].startswith("# ----")
    for above, line in zip(lines, lines[1:], strict=False):
        if line and not line.startswith("#"):
            assert above.startswith("# ") and not above.startswith("# ----"), (
                f"{line}: nothing says what it is"
            )
            assert "#" not in line, f"{line}: a comment behind the value"


@every_page
def test_papermill_and_we_read_the_same_parameters(notebook):
    ours = defaults_of(notebook)
    theirs = papermill.inspect_notebook(str(notebook))
    assert list(ours) == list(theirs) and {"scale", "compute"} <= set(ours)
    for name, found in theirs.items():
        assert ast.literal_eval(found["default"]) == ours[name], name


@every_page
@pytest.mark.parametrize("given", [{}, {"scale": "mini", "compute": "never"}])
def test_the_stamp_shows_the_parameters_of_the_cell(notebook, given):
    """As a page is run: the source of the cells that were run is in ``In``."""
    injected = "# Parameters\n" + "".join(f"{name} = {value!r}\n" for name, value in given.items())
    namespace = {"In": ["", cell(notebook), *([injected] if given else [])], **defaults_of(notebook), **given}
    html = stamp(checked(namespace), notebook.stem, {}).data
    [told] = re.findall("<th>Parameters</th><td>(.*?)</td>", html)
    expected = []
    for name, value in defaults_of(notebook).items():
        text = "[" + ", ".join(map(str, value)) + "]" if isinstance(value, list) else str(value) or "(none)"
        changed = f"{given.get(name)} (in the parameters cell: {text})"
        expected.append(f"{name} = {text if given.get(name, value) == value else changed}")
    assert unescape(told) == ", ".join(expected)


@every_page
def test_the_imports_are_folded(notebook):
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    for one in cells:
        if one["cell_type"] == "code" and re.search(r"^(from|import) ", "".join(one["source"]), re.MULTILINE):
            assert {"hide-input", "hide-cell", "remove-input"} & set(one["metadata"].get("tags", []))
