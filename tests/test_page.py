"""Parameters of a page as people and papermill give them, and the stamp."""

import shlex

import pytest
import yaml
from papermill.cli import _resolve_type

from benchlib.report.page import ParameterError, chosen, command, parameters, stamp

CELL = 'scale = "open"  # a comment\ncompute = "missing"\ndataset = "ncbi-disease"\nk = 10\nseeds = [1, 2]'
KINDS = {"dataset": str, "k": int, "seeds": list[int]}
MADE = {
    "commit": "0123456789ab+",
    "date": "2026-01-02T03:04:05+00:00",
    "hardware": {"machine": "x86_64", "cores": 2},
    "versions": {"python": "3.11.7", "benchlib": "0.1.0"},
}


def namespace(cell: str = CELL, injected: str = "", **later) -> dict:
    """What ``globals()`` holds in the second cell of a notebook."""
    sources = ["", cell] + ([f"# Parameters\n{injected}"] if injected else [])
    values: dict = {}
    for source in sources:
        exec(source, values)
    values.pop("__builtins__")
    return {"In": [*sources, "page = parameters(globals())"], "Out": {}, **values, **later}


def test_defaults_come_back_frozen_and_lists_as_tuples():
    page = parameters(namespace(), **KINDS)
    assert (page.scale, page.compute, page.dataset, page.k, page.seeds) == (
        "open", "missing", "ncbi-disease", 10, (1, 2),
    )  # fmt: skip
    with pytest.raises(AttributeError):
        page.k = 3


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        (bool, "true", True),
        (bool, "False", False),
        (bool, True, True),
        (int, "12", 12),
        (int, 3.0, 3),
        (float, "1e-5", 1e-5),
        (float, 2, 2.0),
        (str, "007", "007"),
        (list[int], "[1,2]", (1, 2)),
        (list[int], [1, "2"], (1, 2)),
        (list[int], 4, (4,)),
        (list[float], "[1e-5, 2]", (1e-5, 2.0)),
        (list[str], "[007, D003920]", ("007", "D003920")),
        (list[str], "['007','8']", ("007", "8")),
        (list[str], '["a, b", "c"]', ("a, b", "c")),
        (list[str], ["007"], ("007",)),
        (list[str], "007", ("007",)),
        (list[int], "[]", ()),
        (("a", "b"), "b", "b"),
    ],
)
def test_what_papermill_makes_of_a_value_is_put_right(kind, given, expected):
    assert parameters(namespace(CELL + "\nx = 0", x=given), **KINDS, x=kind).x == expected


@pytest.mark.parametrize(
    ("kind", "given", "told"),
    [
        (str, 7, "-r x 007"),
        (str, True, "expected text"),
        (str, None, "expected text"),
        (list[str], [7], "-r x 007"),
        (list[str], 7, "-r x 007"),
        (bool, 1, "expected True or False"),
        (bool, "yes", "expected True or False"),
        (int, 2.5, "expected a whole number"),
        (int, "2.5", "expected a whole number"),
        (int, True, "expected a whole number"),
        (int, "many", "expected a whole number"),
        (float, "nan", "expected a number"),
        (float, float("inf"), "expected a number"),
        (float, None, "expected a number"),
        (list[int], "[1, two]", "expected a whole number"),
        (list[int], {"a": 1}, "expected a whole number"),
        (("a", "b"), "c", "expected one of a, b"),
    ],
)
def test_a_value_that_cannot_be_meant_is_refused(kind, given, told):
    with pytest.raises(ParameterError, match="'x' is ") as error:
        parameters(namespace(CELL + "\nx = 0", x=given), **KINDS, x=kind)
    assert told in str(error.value)


def test_an_unknown_parameter_lists_the_known_ones_with_kind_and_default():
    with pytest.raises(ParameterError) as error:
        parameters(namespace(injected='datset = "mini"'), **KINDS)
    text = str(error.value)
    assert "no parameter 'datset'; did you mean 'dataset'?" in text
    assert "scale: one of mini, open, paper (default 'open')" in text
    assert "seeds: list of whole numbers (default [1, 2])" in text


def test_every_problem_is_named_at_once():
    with pytest.raises(ParameterError) as error:
        parameters(namespace(injected='scale = "huge"\nk = "x"\nzzz = 1'), **KINDS)
    assert all(part in str(error.value) for part in ("'scale' is 'huge'", "'k' is 'x'", "'zzz'"))


def test_a_default_is_the_notebooks_even_when_papermill_sets_scale_and_compute():
    with pytest.raises(ParameterError, match="default 'open'"):
        parameters(namespace(injected='scale = "mini"\ncompute = "always"\nk = "x"'), **KINDS)


def test_a_typing_error_in_the_parameters_cell_itself_is_found():
    with pytest.raises(ParameterError, match="no parameter 'seds'"):
        parameters(namespace(cell=CELL.replace("seeds", "seds"), seeds=[1]), **KINDS)


def test_names_of_later_cells_are_no_parameters_when_the_cell_is_run_again():
    assert parameters(namespace(table=[1], total=3), **KINDS).k == 10


def test_outside_a_notebook_any_plain_value_counts_as_a_parameter():
    plain = {"scale": "mini", "compute": "never", "k": 1}
    assert parameters(plain, k=int).scale == "mini"
    with pytest.raises(ParameterError, match="no parameter 'other'"):
        parameters({**plain, "other": 2}, k=int)


def test_a_parameter_without_a_value_is_told():
    with pytest.raises(ParameterError, match="'missing_one' has no value"):
        parameters(namespace(), **KINDS, missing_one=str)


def test_the_command_gives_the_same_page_again():
    cell = CELL + '\nids = ["007", "a, b"]\nrate = 1e-05\nflag = True\nempty = ""'
    kinds = {**KINDS, "ids": list[str], "rate": float, "flag": bool, "empty": str}
    page = parameters(namespace(cell), **kinds)
    words = shlex.split(command(page, "protocols"))
    assert words[:2] == ["papermill", "notebooks/protocols.ipynb"]
    read, i = {}, words.index("python3") + 1
    while i < len(words):
        if words[i] == "-y":
            read |= yaml.safe_load(words[i + 1])
            i += 2
        else:
            option, name, value = words[i : i + 3]
            read[name] = value if option == "-r" else _resolve_type(value)
            i += 3
    assert chosen(parameters(read, **kinds)) == chosen(page)


def test_a_page_that_only_shows_records_is_run_again_with_what_is_missing():
    page = parameters(namespace(injected='compute = "never"'), **KINDS)
    assert "-r compute missing" in command(page, "protocols")


def test_the_stamp_says_what_it_was_made_from_and_escapes_it():
    page = parameters(namespace(injected='dataset = "<b>x</b>"'), **KINDS)
    records = [{**MADE, "seconds": {"fit": 1.0, "link": 2.5}}, {**MADE, "date": "2026-02-01", "seconds": {}}]
    html = stamp(page, "protocols", MADE, {"ncbi-disease": "f" * 64}, records).data
    for part in (
        "0123456789ab with uncommitted changes",
        "x86_64, 2 cores",
        "ncbi-disease ffffffffffff<",
        "<th>Seeds</th><td>[1, 2]</td>",
        "2, computed 2026-01-02 to 2026-02-01 in 4 s",
        'id="rerun"',
    ):
        assert part in html
    assert "<b>x" not in html


def test_what_is_fixed_by_the_inputs_stands_apart_from_what_is_not():
    page = parameters(namespace(), **KINDS)
    other = {**MADE, "commit": "ffff", "date": "2027-01-01T00:00:00+00:00"}
    fixed = [
        stamp(page, "p", made, {}).data.split('<tbody class="fixed">')[1].split("</tbody>")[0]
        for made in (MADE, other)
    ]
    assert fixed[0] == fixed[1]
