"""YAML read strictly: every mistake is one sentence with file, line or key, what was expected and found."""

from typing import Literal

import pytest
import yaml
from pydantic import field_validator

from study.yaml_file import YamlModel, read_yaml, validated


class Rule(YamlModel):
    side: Literal["above", "below"]
    threshold: float = 0.0
    corpora: tuple[str, ...] = ()

    @field_validator("corpora")
    @classmethod
    def _distinct(cls, corpora):
        if len(set(corpora)) < len(corpora):
            raise ValueError("each corpus once")
        return corpora


class Claim(YamlModel):
    id: str
    wording: str
    rule: Rule | None = None
    systems: dict[str, Rule] = {}
    shown: str | Rule = ""


def test_what_is_read_is_what_yaml_says(write):
    text = "base: &b {x: 1, y: [a, 2.5, null]}\nmore: {<<: *b, x: 2}\nsame: *b\n1: {1: a, '1': b}\n"
    assert read_yaml(write("claims.yaml", text)) == yaml.safe_load(text)
    assert read_yaml(write("claims.yaml", "")) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", ":3: .*'a' a second time .first in line 1"),
        ("a: {b: 1, b: 2}\n", ":1: .*'b' a second time"),
        ("a: 1\n'a': 2\n", ":2: .*'a' a second time"),
        ("list:\n- x: 1\n  y: 2\n  x: 3\n", ":4: .*'x' a second time .first in line 2"),
        ("a: [1\nb: 2\n", ":2: expected YAML"),
        ("a: !!python/object:os.system {}\n", ":1: expected YAML.*python"),
        ("a: 1\n---\nb: 2\n", ":2: expected YAML.*another document"),
        ("? [a]\n: 1\n", ":1: expected YAML.*unhashable"),
        (b"a: \xff\n", ": expected YAML"),
        ("a: 2024-13-01\n", ": expected YAML.*month"),
    ],
)
def test_what_is_no_yaml_names_file_and_line(write, content, message):
    path = write("claims.yaml", content)
    with pytest.raises(ValueError, match=message) as error:
        read_yaml(path)
    assert str(error.value).startswith(str(path)) and "\n" not in str(error.value)


def test_a_missing_file_is_no_broken_one(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.yaml"):
        read_yaml(tmp_path / "none.yaml")


WHOLE = {"wording": "A beats B.", "rule": {"side": "above", "corpora": ["ncbi"]}}


def test_a_whole_mapping_is_a_frozen_model():
    claim = validated(Claim, WHOLE, "claims.yaml: c1", id="c1")
    assert claim == Claim(id="c1", wording="A beats B.", rule=Rule(side="above", corpora=("ncbi",)))
    assert WHOLE["rule"]["corpora"] == ["ncbi"] and "id" not in WHOLE
    with pytest.raises(ValueError, match="frozen"):
        claim.wording = "B beats A."
    # A whole number is a number.
    assert validated(Rule, {"side": "below", "threshold": 1}, "x").threshold == 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wording": None}, "wording: expected text, found None"),
        ({"words": "x"}, "words: unknown key; expected one of rule, shown, systems, wording"),
        ({"id": "c2"}, "id: unknown key; expected one of rule, shown, systems, wording"),
        ({"rule": "above"}, "rule: expected a mapping, found 'above'"),
        ({"rule": {}}, "rule.side: expected a value, found none"),
        ({"rule": {"side": "beside"}}, "rule.side: expected 'above' or 'below', found 'beside'"),
        ({"rule": {"side": "above", "threshold": "0"}}, "rule.threshold: expected a number, found '0'"),
        ({"rule": {"side": "above", "threshold": True}}, "rule.threshold: expected a number, found True"),
        ({"rule": {"side": "above", "corpora": "ncbi"}}, "rule.corpora: expected a list, found 'ncbi'"),
        ({"rule": {"side": "above", "corpora": ["a", 1]}}, "rule.corpora[1]: expected text, found 1"),
        ({"rule": {"side": "above", "corpora": ["a", "a"]}}, "rule.corpora: expected each corpus once, fou"),
        # The misspelt key is what is wrong, not only the one that it leaves out.
        ({"rule": {"sied": "above"}}, "rule.sied: unknown key; expected one of corpora, side, threshold"),
        ({"systems": []}, "systems: expected a mapping, found []"),
        ({3: "x"}, "[3]: expected text as the key, found 3"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_key(change, message):
    with pytest.raises(ValueError) as error:
        validated(Claim, WHOLE | change, "claims.yaml: c1", id="c1")
    said = str(error.value)
    assert said.startswith(f"claims.yaml: c1: {message}")
    assert "\n" not in said and "pydantic" not in said and len(said) < 200


@pytest.mark.parametrize(
    ("model", "values", "message"),
    [
        *((Claim, values, "expected a mapping, found ") for values in (None, "text", ["a"], 3)),
        (Rule, {"side": "above", "threshold": "x" * 5000}, "threshold: expected a number, found 'xxx"),
        (Claim, WHOLE | {"id": "c1", "shown": {"side": 3}}, "shown"),  # a field of several shapes
    ],
)
def test_what_is_no_mapping_long_or_of_several_shapes_says_so_in_short(model, values, message):
    with pytest.raises(ValueError, match=f"^claims.yaml: {message}") as error:
        validated(model, values, "claims.yaml")
    assert len(str(error.value)) < 200
