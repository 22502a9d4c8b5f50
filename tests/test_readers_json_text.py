"""JSON read strictly."""

import json

import pytest

from benchlib.formats.json_text import read_json
from study.corpora.esappmod import read_mentions


@pytest.mark.parametrize("text", ['{"a": [1, 2.5, null, {"a": ""}]}', '"\\ud83d\\ude00 \\u00e9"', "[]"])
def test_what_is_fine_is_read_as_json(text):
    assert read_json(text) == read_json(text.encode()) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"b": 0, "a": 1, "a": 1}', "the key 'a' twice in one object"),
        ('[{"x": {"a": 1, "b": 2, "a": 3}}]', "the key 'a' twice"),
        ("[" * 100_000, "nested too deep"),
        ('{"a": "\\ud800"}', "a lone surrogate"),
        ('{"\\udc00": 1}', "a lone surrogate"),
        ('{"a": ' + "9" * 5_000 + "}", "4300 digits"),
    ],
)
def test_what_is_not(text, message):
    for form in (text, text.encode()):
        with pytest.raises(ValueError, match=message):
            read_json(form)


def test_a_file_of_esappmod_with_a_key_twice_is_refused(tmp_path):
    path = tmp_path / "mentions.json"
    entry = '"0": {"entity_id": 1, "mention": "a"}'
    path.write_text(f'{{"data": {{{entry}, {entry}}}}}')
    with pytest.raises(ValueError, match=r"mentions\.json: expected JSON, found the key '0' twice"):
        read_mentions(path)
