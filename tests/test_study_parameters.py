"""Parameters of a page as people and papermill give them: their default says what they are."""

import json
import shlex

import pytest
import yaml
from papermill.cli import _resolve_type

from study.chapters import run as runs
from study.chapters.parameters import ParameterError, checked, defaults_of
from study.pages.stamp import command

CELL = 'scale = "open"  # a comment\ncompute = "missing"\ndataset = "ncbi-disease"\nk = 10\nseeds = [1, 2]'
X = {"text": '"a"', "whole": "0", "number": "0.5", "flag": "False", "texts": "[]", "wholes": "[1]",
     "numbers": "[0.1]"}  # fmt: skip


def namespace(cell: str = CELL, injected: str = "", **later) -> dict:
    """What ``globals()`` holds in the second cell of a notebook."""
    sources = ["", cell] + ([f"# Parameters\n{injected}"] if injected else [])
    values: dict = {}
    for source in sources:
        exec(source, values)
    values.pop("__builtins__")
    return {"In": [*sources, "page = Page.of('x', globals())"], "Out": {}, **values, **later}


def test_defaults_come_back_with_lists_as_tuples():
    page = checked(namespace())
    assert page.values() == {
        "scale": "open", "compute": "missing", "dataset": "ncbi-disease", "k": 10, "seeds": (1, 2),
    }  # fmt: skip
    assert (page.k, page.seeds) == (10, (1, 2))
    with pytest.raises(AttributeError, match="no parameter 'other'"):
        _ = page.other


def test_a_cell_may_compute_a_value():
    page = checked(namespace(CELL.replace("[1, 2]", "list(range(3))").replace("k = 10", "k = 2 * 5")))
    assert (page.k, page.seeds) == (10, (0, 1, 2))


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("flag", "true", True),
        ("flag", "False", False),
        ("flag", True, True),
        ("whole", "12", 12),
        ("whole", "007", 7),
        ("whole", 3.0, 3),
        ("number", "1e-5", 1e-5),
        ("number", 2, 2.0),
        ("text", "007", "007"),
        ("wholes", "[1,2]", (1, 2)),
        ("wholes", [1, "2"], (1, 2)),
        ("wholes", 4, (4,)),
        ("wholes", "[]", ()),
        ("numbers", "[1e-5, 2]", (1e-5, 2.0)),
        ("texts", "[007, D003920]", ("007", "D003920")),
        ("texts", "['007','8']", ("007", "8")),
        ("texts", '["a, b", "c"]', ("a, b", "c")),
        ("texts", ["007"], ("007",)),
        ("texts", "007", ("007",)),
    ],
)
def test_what_papermill_makes_of_a_value_is_put_right(kind, given, expected):
    found = checked(namespace(f"{CELL}\nx = {X[kind]}", x=given)).x
    assert found == expected and type(found) is type(expected)


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        ("text", 7, "-r x 007"),
        ("text", True, "expected text"),
        ("text", None, "expected text"),
        ("texts", [7], "-r x 007"),
        ("texts", 7, "-r x 007"),
        ("flag", 1, "expected True or False"),
        ("flag", "yes", "expected True or False"),
        ("whole", 2.5, "expected a whole number"),
        ("whole", "2.5", "expected a whole number"),
        ("whole", True, "expected a whole number"),
        ("whole", "many", "expected a whole number"),
        ("number", "nan", "expected a number"),
        ("number", float("inf"), "expected a number"),
        ("number", None, "expected a number"),
        ("wholes", "[1, two]", "expected a whole number"),
        ("wholes", {"a": 1}, "expected a whole number"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(kind, given, told):
    with pytest.raises(ParameterError, match="'x' is ") as error:
        checked(namespace(f"{CELL}\nx = {X[kind]}", x=given))
    assert told in str(error.value)


def test_what_papermills_command_line_makes_of_a_list_and_of_leading_zeros():
    given = {"seeds": _resolve_type("[1,2]"), "k": _resolve_type("007")}
    page = checked(namespace(**given))
    assert (page.seeds, page.k) == ((1, 2), 7) and given["seeds"] == "[1,2]"
    with pytest.raises(ParameterError, match="'dataset' is 7 .*-r dataset 007"):
        checked(namespace(dataset=_resolve_type("007")))


def test_an_unknown_parameter_lists_the_known_ones_with_kind_and_default():
    with pytest.raises(ParameterError) as error:
        checked(namespace(injected='datset = "mini"'))
    text = str(error.value)
    assert text.endswith("\nthere is no parameter 'datset'; did you mean 'dataset'?")
    assert "scale: one of mini, open, paper (default 'open')" in text
    assert "seeds: list of whole numbers (default [1, 2])" in text


def test_every_problem_is_named_at_once():
    with pytest.raises(ParameterError) as error:
        checked(namespace(injected='scale = "huge"\nk = "x"\nzzz = 1'))
    assert all(part in str(error.value) for part in ("'scale' is 'huge'", "'k' is 'x'", "'zzz'"))


def test_a_default_is_the_notebooks_even_when_papermill_sets_scale_and_compute():
    with pytest.raises(ParameterError, match="default 'open'"):
        checked(namespace(injected='scale = "mini"\ncompute = "always"\nk = "x"'))


def test_a_cell_that_is_corrected_by_hand_is_read_as_it_is_now():
    run_again = namespace(k=3)
    run_again["In"] += [CELL.replace("k = 10", "k = 3"), "table = 1", "page = Page.of('x', globals())"]
    assert checked(run_again | {"table": [1], "total": 3}).k == 3
    # The typing error of a cell that papermill added, put right and run again, is a name of the past.
    corrected = namespace(injected='datset = "x"')
    corrected["In"] += ['# Parameters\ndataset = "bc2gn"']
    assert checked(corrected | {"dataset": "bc2gn"}).dataset == "bc2gn"


def test_outside_a_notebook_any_plain_value_counts_as_a_parameter():
    assert checked({"scale": "mini", "compute": "never", "k": 1}).values()["k"] == 1
    with pytest.raises(ParameterError, match="no parameter 'other'; did you|no parameter 'other'"):
        checked({"other": 2}, {"scale": "mini", "compute": "never"})
    with pytest.raises(ParameterError, match="'compute' has no value: the parameters cell has not been run"):
        checked({"scale": "mini"})


def test_the_parameters_cell_of_a_notebook_is_the_tagged_one(tmp_path):
    cells = [
        {"metadata": {}, "source": ["k = 1"]},
        {"metadata": {"tags": ["parameters"]}, "source": ["k = 2\n", "x = 'a'"]},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    assert defaults_of(tmp_path / "n.ipynb") == {"k": 2, "x": "a"}
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells[:1]}))
    with pytest.raises(ValueError, match=r"n\.ipynb: expected a cell tagged parameters, found none"):
        defaults_of(tmp_path / "n.ipynb")


MANY = CELL + '\nids = ["007", "a, b"]\nrate = 1e-05\nflag = True\nempty = ""'


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


def test_the_command_gives_the_same_page_again():
    page = checked(namespace(MANY))
    words = shlex.split(command(page, "protocols"))
    assert words[:2] == ["papermill", "notebooks/protocols.ipynb"]
    given = read_back(words[words.index("python3") + 1 :])
    assert checked(namespace(MANY, **given)).values() == page.values()
    shown = checked(namespace(MANY, injected='compute = "never"'))
    assert "-r compute missing" in command(shown, "protocols")


def test_the_command_for_records_gives_only_what_is_no_default_and_reads_back(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "ROOT", tmp_path)
    (tmp_path / "notebooks").mkdir()
    cell = {"metadata": {"tags": ["parameters"]}, "source": MANY}
    (tmp_path / "notebooks" / "tiny.ipynb").write_text(json.dumps({"cells": [cell]}))
    same = checked(namespace(MANY, injected='compute = "never"'))
    assert runs.command("tiny", same.values()) == "study run tiny"
    other = checked(namespace(MANY, seeds=[3], ids=["it's, so"], rate=0.5, flag=False, empty="a b"))
    words = shlex.split(runs.command("tiny", other.values()))
    assert words[:3] == ["study", "run", "tiny"]
    given = dict(zip(words[4::3], words[5::3], strict=True))
    assert set(words[3::3]) == {"-p"} and set(given) == {"seeds", "ids", "rate", "flag", "empty"}
    assert checked(given, defaults_of(tmp_path / "notebooks" / "tiny.ipynb")).values() == other.values()
