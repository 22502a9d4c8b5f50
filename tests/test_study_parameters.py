"""Parameters of a page as people and papermill give them, and the parameters cell of every page."""

import ast
import json
import re
import shlex

import papermill
import pytest
import yaml
from papermill.cli import _resolve_type
from small_study import write_study

from study.chapters.parameters import checked, defaults_of
from study.pages import notebook as pages
from study.pages.stamp import command, run_command
from study.places import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
WIDEST = 80  # characters that a code cell of the book shows at 1280 px without scrolling
every_page = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
DEFAULTS = {
    "scale": "open", "compute": "missing", "dataset": "ncbi-disease", "k": 10, "seeds": [1, 2],
    "rate": 1e-05, "rates": [0.1], "ids": ["007", "a, b"], "types": [], "precision": 0.9,
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("k", "12", 12),
        ("k", "007", 7),
        ("k", 3.0, 3),
        ("rate", "1e-5", 1e-5),
        ("rate", 2, 2.0),
        ("dataset", "007", "007"),
        ("seeds", "[1,2]", (1, 2)),
        ("seeds", [0, "2"], (0, 2)),
        ("seeds", 4, (4,)),
        ("rates", "[1e-5, 2]", (1e-5, 2.0)),
        ("types", "[]", ()),
        ("types", "[007, D003920]", ("007", "D003920")),
        ("types", "['007','8']", ("007", "8")),
        ("types", '["a, b", "c\\"d"]', ("a, b", 'c"d')),
        ("types", ["007"], ("007",)),
        ("types", "MESH:, OMIM:", ("MESH:", "OMIM:")),
    ],
)
def test_what_papermill_makes_of_a_value_is_put_right(name, given, expected):
    found = getattr(checked({name: given}, DEFAULTS), name)
    assert found == expected and type(found) is type(expected)
    assert checked({}, DEFAULTS).values()["seeds"] == (1, 2)


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("dataset", 7, "expected text, found 7"),
        ("dataset", None, "expected text"),
        ("k", 2.5, "expected a whole number, found 2.5"),
        ("k", "many", "expected a whole number, found 'many'"),
        ("k", True, "expected no True or False"),
        ("k", 0, "expected greater than 0"),
        ("rate", "nan", "expected a number"),
        ("rate", -1e-4, "expected greater than 0"),
        ("precision", 1.1, "expected less than or equal to 1"),
        ("seeds", "[1, two]", "expected a whole number"),
        ("seeds", [-1], "expected greater than or equal to 0"),
        ("seeds", "[]", "expected one or more"),
        ("scale", "huge", "expected 'mini', 'open' or 'paper', found 'huge'"),
        ("compute", "now", "expected 'missing', 'never' or 'always'"),
        ("seed", 1, "unknown key; expected one of compute, .*; did you mean 'seeds'"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(name, given, told):
    with pytest.raises(ValueError, match=rf"^parameters: {name}(\[\d\])?: {told}") as error:
        checked({name: given}, DEFAULTS)
    assert "\n" not in str(error.value)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A notebook of one parameters cell; gives what ``globals()`` holds in its second cell."""
    source = "".join(f"{name} = {value!r}\n" for name, value in DEFAULTS.items())
    write_study(tmp_path, source, tiny="")
    monkeypatch.setattr(pages, "ROOT", tmp_path)

    def namespace(injected: str = "", **edited) -> dict:
        values = DEFAULTS | edited | {"page": 1, "total": 3}
        exec(injected, {}, values)
        return values | {"In": ["", source, *([f"# Parameters\n{injected}"] if injected else []), "x = 1"]}

    return namespace


def test_a_page_has_the_parameters_of_its_cell_and_of_the_one_that_papermill_adds(tiny):
    assert pages.parameters("tiny", tiny()).values() == checked({}, DEFAULTS).values()
    given = pages.parameters("tiny", tiny('seeds = "[3,4]"\nk = "007"'))
    assert (given.seeds, given.k) == ((3, 4), 7) and given.defaults()["seeds"] == (1, 2)
    assert pages.parameters("tiny", tiny(k=3)).k == 3  # edited by hand; names of later cells are no matter
    with pytest.raises(ValueError, match="datset: unknown key.*did you mean 'dataset'"):
        pages.parameters("tiny", tiny('datset = "mini"'))
    # The typing error of a cell that papermill added, put right and run again, is a name of the past.
    corrected = tiny('datset = "mini"')
    corrected["In"].append('# Parameters\ndataset = "bc2gn"')
    assert pages.parameters("tiny", corrected | {"dataset": "bc2gn"}).dataset == "bc2gn"


def test_the_parameters_cell_is_the_tagged_one_and_may_compute_a_value(tmp_path):
    cells = [
        {"metadata": {}, "source": ["k = 1"]},
        {"metadata": {"tags": ["parameters"]}, "source": ["k = 2\n", "x = list(range(3))"]},
    ]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert defaults_of(path, {"x": [0, 1, 2], "k": 7}) == {"k": 2, "x": [0, 1, 2]}
    for line in ("x = list(range(3))", "import os", "k: int = 3"):
        path.write_text(json.dumps({"cells": [cells[1] | {"source": ["k = 2\n", line]}]}))
        with pytest.raises(
            ValueError, match=r"n\.ipynb: parameters, line 2: expected `name = value` written"
        ):
            defaults_of(path)
    path.write_text(json.dumps({"cells": cells[:1]}))
    with pytest.raises(ValueError, match=r"n\.ipynb: expected a cell tagged parameters, found none"):
        defaults_of(path)


def read_back(words: list[str]) -> dict:
    """What papermill's command line makes of these options."""
    read, i = {}, 0
    while i < len(words):
        if words[i] == "-y":
            read |= yaml.safe_load(words[i + 1])
            i += 2
        else:
            option, name, value = words[i : i + 3]
            read[name] = value if option == "-r" else _resolve_type(value)
            i += 3
    return read


def test_the_commands_give_the_same_page_and_records_again():
    other = {"seeds": [3], "ids": ["it's, so", 'a "b"'], "rate": 0.5, "dataset": "a b"}
    for page in (checked({}, DEFAULTS), checked(other, DEFAULTS)):
        words = shlex.split(command(page, "protocols"))
        assert words[:2] == ["papermill", "notebooks/protocols.ipynb"]
        again = checked(read_back(words[words.index("python3") + 1 :]), DEFAULTS)
        assert again.values() == page.values()
        words = shlex.split(run_command(page, "tiny"))
        assert words[:3] == ["study", "run", "tiny"] and set(words[3::3]) <= {"-p"}
        again = checked(dict(zip(words[4::3], words[5::3], strict=True)), DEFAULTS)
        assert again.values() == page.values()
    assert set(words[4::3]) == other.keys()
    shown = checked({"compute": "never"}, DEFAULTS)
    assert "-r compute missing" in command(shown, "protocols")
    assert run_command(shown, "tiny") == "study run tiny"


def cell(notebook) -> str:
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
            assert above.startswith("# ") and not above.startswith("# ----"), f"{line}: has no meaning"
            assert "#" not in line, f"{line}: a comment behind the value"


@every_page
def test_papermill_and_we_read_the_same_parameters_and_the_imports_are_folded(notebook):
    ours, theirs = defaults_of(notebook), papermill.inspect_notebook(str(notebook))
    assert list(ours) == list(theirs) and {"scale", "compute"} <= set(ours)
    assert {name: ast.literal_eval(found["default"]) for name, found in theirs.items()} == ours
    for one in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if one["cell_type"] == "code" and re.search(r"^(from|import) ", "".join(one["source"]), re.MULTILINE):
            assert {"hide-input", "hide-cell", "remove-input"} & set(one["metadata"].get("tags", []))
