"""The parameters of a page, checked where papermill and people get them wrong."""

from __future__ import annotations

import ast
import csv
import difflib
import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, field, fields, make_dataclass
from typing import Any

SCALES = ("mini", "open", "paper")
COMPUTES = ("missing", "never", "always")
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


class ParameterError(ValueError):
    """A page was started with parameters it does not have or cannot use."""


def parameters(namespace: Mapping[str, Any], **kinds: Any) -> Any:
    """The parameters of a page, checked: called as ``parameters(globals(), ...)`` in its second cell.

    ``kinds`` maps a parameter to ``str``, ``int``, ``float``, ``bool``, ``list[str]``, ``list[int]``,
    ``list[float]`` or a tuple of the values allowed; ``scale`` and ``compute`` are always there. Returns
    a frozen object with one attribute per parameter (a list becomes a tuple).

    What papermill makes of a command line is put right where the meaning is certain (``true``,
    ``[1,2]`` and ``1e-5`` arrive as text) and refused where it is lost (``007`` arrives as 7). Raises
    ParameterError naming everything that is wrong, and the parameters there are.
    """
    kinds = {"scale": SCALES, "compute": COMPUTES, **kinds}
    assigned = _assigned(namespace)
    problems, values = [], {}
    for name in assigned:
        if name not in kinds:
            close = difflib.get_close_matches(name, kinds, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            problems.append(f"there is no parameter {name!r}{meant}")
    for name, kind in kinds.items():
        if name not in namespace:
            problems.append(f"{name!r} has no value: the parameters cell has not been run")
            continue
        try:
            values[name] = _convert(name, namespace[name], kind)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ParameterError(
            "\n".join([*problems, "The parameters of this page:", *_listing(kinds, assigned)])
        )
    specification = [(name, object) for name in values]
    started = ("started", float, field(default_factory=time.perf_counter, repr=False, compare=False))
    return make_dataclass("Parameters", [*specification, started], frozen=True)(**values)


def chosen(page: Any) -> dict[str, Any]:
    """The values of a checked set of parameters by name, in order."""
    values = asdict(page)
    return {f.name: values[f.name] for f in fields(page) if f.name != "started"}


def _assigned(namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The names that the parameters cells set, with the value written in the notebook.

    IPython keeps the source of every cell run so far in ``In``. Only the parameters cell and the one that
    papermill writes below it are read, so that the names of later cells are no unknown parameters when
    the second cell is run again by hand.
    """
    sources = [
        source for source in namespace.get("In", ()) if {"scale", "compute"} <= set(_assignments(source))
    ]
    written = [source for source in sources if not source.startswith(_INJECTED)] or sources
    if not written:
        plain = (str, int, float, list, tuple, dict, type(None))
        names = [name for name in namespace if not name.startswith("_") and name not in ("In", "Out")]
        return {name: namespace[name] for name in names if isinstance(namespace[name], plain)}
    injected = [_assignments(source) for source in namespace["In"] if source.startswith(_INJECTED)]
    return {**{name: None for names in injected for name in names}, **_assignments(written[-1])}


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
            found[statement.targets[0].id] = ast.unparse(statement.value)
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
