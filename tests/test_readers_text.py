"""Text line by line, JSON read strictly, and a dictionary as JSON lines."""

import json

import pytest

from benchlib.formats.json_lines import read_json_lines
from benchlib.formats.json_text import json_or_none, read_json
from benchlib.formats.lines import numbered_lines
from benchlib.ontology import Concept


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []), (b"a", ["a"]), (b"a\nb\n", ["a", "b"]), (b"a\r\n\r\nb", ["a", "", "b"]),
        (b"a\r\rb\r", ["a", "", "b"]), (b"\xef\xbb\xbfa\rb", ["a", "b"]), (b"a\rb\nc\n", ["a\rb", "c"]),
        ("a\u2028\x85b\nc\x0bd".encode(), ["a\u2028\x85b", "c\x0bd"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", ["", ".gz", ".GZ"])
def test_lines_end_in_newlines_or_in_carriage_returns_alone(write, content, lines, suffix):
    assert list(numbered_lines(write(f"x.txt{suffix}", content))) == list(enumerate(lines, start=1))


@pytest.mark.parametrize("text", ['{"a": [1, 2.5, null, {"a": ""}]}', '"\\ud83d\\ude00 \\u00e9"', "[]"])
def test_json_is_read_as_python_reads_it(text):
    assert read_json(text) == read_json(text.encode()) == json_or_none(text) == json.loads(text)


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
def test_what_json_leaves_to_the_reader_is_refused(text, message):
    for form in (text, text.encode()):
        with pytest.raises(ValueError, match=message):
            read_json(form)
        assert json_or_none(form) is None


def test_a_line_holds_every_field_of_a_concept(write):
    whole = {"id": "D1", "names": ["Ague ", "shivers", "Ague"], "types": ["T047"], "parents": ["D2"],
             "definition": " A fever.", "alternatives": ["OMIM:1", "OMIM:2"]}  # fmt: skip
    others = '{"names": ["fièvre"], "id": "D2"}\n{"id": "D0", "name": "a", "aliases": ["b"]}\n'
    read = read_json_lines(write("names.jsonl", f"{json.dumps(whole)}\n\n{others}"))
    assert list(read.ontology.concepts.values()) == [
        Concept("D1", ("Ague", "shivers"), ("T047",), ("D2",), "A fever.", ("OMIM:1", "OMIM:2")),
        Concept("D2", ("fièvre",)),
        Concept("D0", ("a", "b")),
    ]
    assert read.ontology.name == "names.jsonl" and not read.notes and not read.dropped
