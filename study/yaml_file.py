"""YAML files of the project's own (registry, chapters, claims), read strictly.

A file's shape is a :class:`YamlModel`. A mistake in a file is a ValueError of one sentence, which names the
file, the line where the parser knows it, the key, what was expected and what was found.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from benchlib.formats.lines import SHOWN

_EXPECTED = {
    "missing": "a value",
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "invalid_key": "text as the key",
    "too_short": "one or more",
}
"""What a kind of pydantic error means to one who writes YAML; the others say it themselves."""


class YamlModel(BaseModel):
    """What a mapping of a YAML file must hold: no unknown key, no value of another type, frozen.

    Lists are fields of type ``tuple[...]``. A validator of a subclass raises ValueError of what it expected.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @field_validator("*", mode="before")
    @classmethod
    def _tuples(cls, value: object) -> object:
        return _frozen(value)


Model = TypeVar("Model", bound=BaseModel)


def read_yaml(path: Path | str) -> Any:
    """The content of a YAML file: mappings, lists and plain values, as :func:`yaml.safe_load` gives them.

    Raises FileNotFoundError, and ValueError (path:line) for what is no YAML and for a key given twice in one
    mapping, of which YAML would keep the last without a word.
    """
    try:
        return yaml.load(Path(path).read_bytes(), _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"{path}:{mark.line + 1}: expected YAML, found: {error.problem}") from None
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date such as 2024-13-01
        raise ValueError(f"{path}: expected YAML, found: {' '.join(str(error).split())}") from None


def validated(model: type[Model], values: object, where: str, /, **given: object) -> Model:
    """The values of a mapping as an instance of a model; ``where`` is the file, and the place in it.

    ``given`` are fields that the mapping itself must not have, such as the name it goes by. Raises ValueError
    with the first mistake found, unknown keys before all others: a misspelt key is missing as well.
    """
    if isinstance(values, Mapping):
        if wrong := sorted(given.keys() & values.keys()):
            raise ValueError(f"{where}: {wrong[0]}: unknown key; {_keys(model, wrong, given)}")
        values = {**given, **values}
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = min(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        raise ValueError(f"{where}: {_sentence(model, first, given)}") from None


def _sentence(model: type[BaseModel], error: Mapping[str, Any], given: Mapping[str, object]) -> str:
    key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error["loc"]).lstrip(".")
    start = f"{key}: " if key else ""
    if error["type"] == "extra_forbidden":
        return f"{start}unknown key; {_keys(model, error['loc'], given)}"
    if error["type"] == "value_error":
        expected = str(error["ctx"]["error"])
    else:
        expected = _EXPECTED.get(error["type"], error["msg"].removeprefix("Input should be "))
    found = error["input"]
    found = "none" if error["type"] == "missing" else repr(list(found) if isinstance(found, tuple) else found)
    return f"{start}expected {expected}, found {found if len(found) <= SHOWN else found[:SHOWN] + '...'}"


def _keys(model: type[BaseModel], location: Sequence[int | str], given: Mapping[str, object]) -> str:
    """The keys there may be in place of an unknown one; inside one of several models none is listed."""
    *path, wrong = location
    for step in path:
        if step in model.model_fields:
            inside = set(_models(model.model_fields[step].annotation))
            if len(inside) != 1:
                return "expected another"
            (model,), given = inside, {}
    there = sorted(model.model_fields.keys() - given.keys())
    close = get_close_matches(str(wrong), there, n=1)
    return f"expected one of {', '.join(there)}" + (f"; did you mean {close[0]!r}?" if close else "")


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _frozen(value: object) -> object:
    """The value with every list a tuple."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {key: _frozen(inner) for key, inner in value.items()}
    return value


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # ten times as fast where libyaml is
    """The safe loader, which takes no key twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
        seen: dict[tuple[str, str], yaml.Mark] = {}
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue
            first = seen.setdefault((key.tag, key.value), key.start_mark)
            if first is not key.start_mark:
                problem = f"the key {key.value!r} a second time (first in line {first.line + 1})"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
        return super().construct_mapping(node, deep)
