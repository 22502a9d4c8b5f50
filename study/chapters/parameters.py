"""The parameters of a page, checked where papermill and people get them wrong."""

import ast
import csv
import difflib
import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCALES = ("mini", "open", "paper")
COMPUTES = ("missing", "never", "always")
_CHOICES = {"scale": SCALES, "compute": COMPUTES}
_INJECTED = "# Parameters\n"  # how papermill begins the cell it adds
_TYPES = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "True or False",
    list[str]: "list of text",
    list[int]: "list of whole numbers",
    list[float]: "list of numbers",
}


class _Code(str):
    """What a cell assigns where that is no literal."""


class ParameterError(ValueError):
    """A page was started with parameters it does not have or cannot use."""


class Parameters:
    """The checked parameters of a page, an attribute each; a list is a tuple. ``written`` are those of the
    parameters cell, where they are known."""

    def __init__(self, values: Mapping[str, Any], written: Mapping[str, Any] = {}):  # noqa: B006
        self._values, self.written, self.started = dict(values), dict(written), time.perf_counter()

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"this page has no parameter {name!r}") from None

    def values(self) -> dict[str, Any]:
        """By name, in the order of the parameters cell."""
        return dict(self._values)


def checked(namespace: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> Parameters:
    """The parameters of a page, checked: called with ``globals()`` in its second cell.

    What a parameter is, text, whole number, number, True or False, or a list of one of these, its default in
    the parameters cell says; ``defaults`` stand for that cell where there is none. ``scale`` and ``compute``
    have their own values.

    What papermill makes of a command line is put right where the meaning is certain (``true``, ``[1,2]`` and
    ``1e-5`` arrive as text) and refused where it is lost (``007`` arrives as 7). Raises ParameterError naming
    everything that is wrong, and the parameters there are. In a notebook, an error that a reader can mend is
    a sentence from here on.
    """
    written, given = _cells(namespace) if defaults is None else (dict(defaults), set(namespace))
    # What a cell computes, such as list(range(5)), says by its value of which kind it is.
    said = {name: namespace.get(name) if isinstance(of, _Code) else of for name, of in written.items()}
    kinds = {name: _CHOICES.get(name) or _kind(name, value) for name, value in said.items()}
    problems, values = [], {}
    for name in given - set(kinds):
        close = difflib.get_close_matches(name, kinds, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        problems.append(f"there is no parameter {name!r}{meant}")
    for name in _CHOICES.keys() - kinds.keys():
        problems.append(f"{name!r} has no value: the parameters cell has not been run")
    for name, kind in kinds.items():
        try:
            values[name] = _convert(name, namespace.get(name, written[name]), kind)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        listed = ["the parameters of this page:", *_listing(kinds, written)]
        raise ParameterError("\n".join([*listed, *sorted(problems)]))  # the last lines are seen first
    defaults = {name: tuple(of) if isinstance(of, list) else of for name, of in written.items()}
    return Parameters(values, defaults)


def defaults_of(notebook: Path) -> dict[str, Any]:
    """What the parameters cell of a notebook sets; raises ValueError for a notebook without one."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if "parameters" in cell["metadata"].get("tags", []):
            return _assignments("".join(cell["source"]))
    raise ValueError(f"{notebook.name}: expected a cell tagged parameters, found none")


def _cells(namespace: Mapping[str, Any]) -> tuple[dict[str, Any], set[str]]:
    """What the parameters cell writes, and the names that papermill set in the cell it adds.

    IPython keeps the source of every cell run so far in ``In``. Only these two cells are read, so that the
    names of later cells are no unknown parameters when the second cell is run again by hand.
    """
    sources = list(namespace.get("In", ()))
    written = [s for s in sources if not s.startswith(_INJECTED) and set(_CHOICES) <= set(_assignments(s))]
    injected = [s for s in sources if s.startswith(_INJECTED)]
    if not written:
        plain = (str, int, float, list, tuple)
        found = {name: value for name, value in namespace.items() if isinstance(value, plain)}
        return {name: v for name, v in found.items() if name[0] != "_" and name not in ("In", "Out")}, set()
    return _assignments(written[-1]), {name for source in injected[-1:] for name in _assignments(source)}


def _kind(name: str, default: Any) -> Any:
    """The type of a default: one of ``_TYPES``."""
    if isinstance(default, list | tuple):
        return list[type(default[0]) if default else str]
    if type(default) not in _TYPES:
        raise ParameterError(
            f"{name!r} is {default!r} in the parameters cell; expected text, a number or a list"
        )
    return type(default)


def _assignments(source: str) -> dict[str, Any]:
    """Names and literal values of a cell that is nothing but assignments; empty for any other cell."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return {}
    found = {}
    for statement in body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            return {}
        try:
            found[statement.targets[0].id] = ast.literal_eval(statement.value)
        except ValueError:
            found[statement.targets[0].id] = _Code(ast.unparse(statement.value))
    return found


def _convert(name: str, value: Any, kind: Any) -> Any:
    if isinstance(kind, tuple):
        if value in kind:
            return value
        raise ValueError(f"{name!r} is {value!r}; expected one of {', '.join(map(str, kind))}")
    if kind not in _TYPES:
        raise TypeError(f"parameter {name!r}: {kind!r} is no kind of parameter")
    if kind in (str, int, float, bool):
        return _scalar(name, value, kind)
    element = kind.__args__[0]
    return tuple(_scalar(name, item, element) for item in _items(value, element))


def _items(value: Any, element: type) -> list:
    """The elements of a list, of a list written as text, or of a single value."""
    if isinstance(value, list | tuple):
        return list(value)
    if not isinstance(value, str):
        return [value]
    inner = value.strip()
    try:
        items = json.loads(inner)
        # Text that JSON reads as numbers keeps its own digits: 7 is not 007.
        if isinstance(items, list) and (element is not str or all(isinstance(i, str) for i in items)):
            return items
    except json.JSONDecodeError:
        pass
    inner = inner.removeprefix("[").removesuffix("]")
    row = next(csv.reader([inner], skipinitialspace=True), [])
    return [item.strip().strip("'") for item in row if item.strip()]


def _scalar(name: str, value: Any, kind: type) -> Any:
    found = f"{name!r} is {value!r} ({type(value).__name__})"
    if kind is str:
        if isinstance(value, str):
            return value
        raise ValueError(
            f"{found}; expected text. `-p {name} 007` arrives as the number 7: "
            f"use `-r {name} 007`, or quotes inside -y"
        )
    if kind is bool:
        text = str(value).lower()
        if text in ("true", "false") and isinstance(value, bool | str):
            return text == "true"
        raise ValueError(f"{found}; expected True or False")
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"{found}; expected a {_TYPES[kind]}")
    try:
        number = kind(value)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{found}; expected a {_TYPES[kind]}") from error
    if not math.isfinite(number) or (isinstance(value, float) and number != value):
        raise ValueError(f"{found}; expected a {_TYPES[kind]}")
    return number


def _listing(kinds: Mapping[str, Any], defaults: Mapping[str, Any]) -> list[str]:
    lines = []
    for name, kind in kinds.items():
        what = "one of " + ", ".join(map(str, kind)) if isinstance(kind, tuple) else _TYPES[kind]
        default = f" (default {defaults[name]!r})" if name in defaults else ""
        lines.append(f"  {name}: {what}{default}")
    return lines
