"""A dictionary as JSON lines: every field of a concept, and one error for a line that is none."""

import pytest

from benchlib.formats.json_lines import read_json_lines
from benchlib.ontology import Concept

WHOLE = """{"id": "D1", "names": ["Ague ", "shivers", "Ague"], "types": ["T047"], "parents": ["D2"],
 "definition": " A fever.", "alternatives": ["OMIM:1", "OMIM:2"]}""".replace("\n", "")
FEVER = '{"names": ["fièvre"], "id": "D2"}'


def test_every_field_of_a_concept(tmp_path):
    path = tmp_path / "names.jsonl"
    path.write_text(f'{WHOLE}\n\n{FEVER}\n{{"id": "D0", "names": []}}\n', encoding="utf-8")
    read = read_json_lines(path)
    assert list(read.ontology.concepts.values()) == [
        Concept("D1", ("Ague", "shivers"), ("T047",), ("D2",), "A fever.", ("OMIM:1", "OMIM:2")),
        Concept("D2", ("fièvre",)),
        Concept("D0"),
    ]
    assert read.ontology.name == "names.jsonl" and not read.notes and not read.dropped


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("D3\tague", "a JSON object with `id` and `names`, each key once, found 'D3"),
        ('["D3", "ague"]', "a JSON object with"),
        ('{"id": "D3", "name": "ague"}', "a JSON object with"),
        ('{"id": "D3", "id": "D4", "names": []}', "a JSON object with"),
        ('{"id": "D3", "names": [], "synonyms": []}', "no key but id, names, types, .*, found 'synonyms'"),
        ('{"id": 3, "names": []}', "id as text, found '3'"),
        ('{"id": "D3", "names": "ague"}', "names as a list of texts, found '\"ague\"'"),
        ('{"id": "D3", "names": ["ague", null]}', "names as a list of texts"),
        ('{"id": "D3", "names": [], "definition": ["x"]}', "definition as text"),
        ('{"id": " ", "names": ["ague"]}', "an id that is not empty"),
        (FEVER, "each id once, found 'D2 a second time'"),
    ],
)
def test_a_line_that_is_no_concept(tmp_path, line, message):
    path = tmp_path / "names.jsonl"
    path.write_text(f"{FEVER}\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"names\.jsonl:2: expected {message}"):
        read_json_lines(path)


def test_a_file_without_a_concept(tmp_path):
    (tmp_path / "names.jsonl").write_text("\n")
    with pytest.raises(ValueError, match=r"names\.jsonl:1: expected at least one concept"):
        read_json_lines(tmp_path / "names.jsonl")
