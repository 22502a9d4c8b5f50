"""The parameters of a page: those of its notebook's parameters cell, with the types of the values there."""

import ast
import csv
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, create_model, field_validator

from ..records import COMPUTE
from ..yaml_file import validated
from .chapter import SCALES

_CHOICES = {"scale": Literal[SCALES], "compute": Literal[COMPUTE]}
_MAY_BE_ZERO = ("seed", "seeds", "errors")
_AT_MOST = {"precision": 1}


class Parameters(BaseModel):
    """The parameters of a page, an attribute each, by default as its notebook has them; a list is a tuple."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    _started: float = PrivateAttr(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        """How long ago the page began."""
        return time.perf_counter() - self._started

    def values(self) -> dict[str, Any]:
        """By name, in the order of the parameters cell."""
        return dict(self)

    @classmethod
    def defaults(cls) -> dict[str, Any]:
        """As the notebook has them."""
        return {name: field.default for name, field in cls.model_fields.items()}

    @field_validator("*", mode="before")
    @classmethod
    def _as_given(cls, value: Any, info: Any) -> Any:
        """What a command line gives: of a list its text (``[1, 2]``, ``a, b``), or its only element."""
        if isinstance(cls.model_fields[info.field_name].default, tuple):
            value = _items(value)
        if any(isinstance(one, bool) for one in (value if isinstance(value, list | tuple) else [value])):
            raise ValueError("no True or False")
        return value


def checked(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> Parameters:
    """The parameters of a page: those given, the others as they are by default.

    A default says of what type its parameter is: text, a whole number or a number, or a list of these.
    Numbers are above 0, seeds also 0, and a list that has elements by default has some. Raises ValueError
    for another value, and for a name that is no parameter.
    """
    fields = {name: _field(name, tuple(v) if isinstance(v, list) else v) for name, v in defaults.items()}
    return validated(create_model("PageParameters", __base__=Parameters, **fields), given, "parameters")


def defaults_of(notebook: Path, namespace: Mapping[str, Any] = {}) -> dict[str, Any]:  # noqa: B006
    """What the parameters cell of a notebook sets; where it computes a value, that of ``namespace``.

    Raises ValueError for a notebook without such a cell, and SyntaxError or ValueError, with the line, for
    what is no ``name = value`` there and for a value that is neither written out nor in ``namespace``.
    """
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if "parameters" in cell["metadata"].get("tags", []):
            found = {}
            for line in ast.parse("".join(cell["source"]), notebook.name).body:
                if not (default := _default(line, namespace)):
                    where = f"{notebook.name}: parameters, line {line.lineno}"
                    raise ValueError(
                        f"{where}: expected `name = value` written out, found {ast.unparse(line)}"
                    )
                found |= default
            return found
    raise ValueError(f"{notebook.name}: expected a cell tagged parameters, found none")


def _default(line: ast.stmt, namespace: Mapping[str, Any]) -> dict[str, Any]:
    """The parameter that a line sets, by name; empty where it sets none or its value cannot be told."""
    if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
        name = line.targets[0].id
        with suppress(ValueError):
            return {name: ast.literal_eval(line.value)}
        if name in namespace:
            return {name: namespace[name]}
    return {}


def _field(name: str, default: Any) -> tuple[Any, Any]:
    """The type of a parameter with its default, as pydantic takes them."""
    if name in _CHOICES:
        return _CHOICES[name], default
    several = isinstance(default, tuple)
    kind = type(default[0]) if several and default else str if several else type(default)
    if kind is not str:
        bounds = {"ge" if name in _MAY_BE_ZERO else "gt": 0, "le": _AT_MOST.get(name)}
        kind = Annotated[kind, Field(allow_inf_nan=False if kind is float else None, **bounds)]
    if several:
        return Annotated[tuple[kind, ...], Field(min_length=1 if default else 0)], default
    return kind, default


def _items(value: Any) -> list[Any] | tuple[Any, ...]:
    """The elements of a list, of a list as text, or of a single value; ``007`` in text keeps its digits."""
    if not isinstance(value, str):
        return value if isinstance(value, list | tuple) else [value]
    inner = value.strip().removeprefix("[").removesuffix("]")
    row = next(csv.reader([inner], skipinitialspace=True, doublequote=False, escapechar="\\"), [])
    return [item.strip().strip("'") for item in row if item.strip()]
