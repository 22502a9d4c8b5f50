"""The JSON files of ESAppMod, broken in every way that was thought of."""

import json

import pytest

from study.corpora.esappmod import read_entities, read_entity_mentions, read_mentions


def write(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_text(content if isinstance(content, str) else json.dumps({"data": content}))
    return path


def test_ids_become_text_and_zero_is_nil(tmp_path):
    rows = {"0": {"mention": "db2 v9\n", "entity_id": 0}, "1": {"mention": " DB2 ", "entity_id": 7}}
    nil, db2 = read_mentions(write(tmp_path, rows))
    assert nil[0] == "db2 v9" and nil[1].nil and nil[1].printed == "0"
    assert db2[0] == "DB2" and db2[1].parts == (frozenset({"7"}),)


def test_mentions_under_entities(tmp_path):
    rows = {"0": {"mentions": ["a", "a"], "entity_id": 3}, "1": {"mentions": ["b"], "entity_id": "007"}}
    assert [(text, gold.printed) for text, gold in read_entity_mentions(write(tmp_path, rows))] == [
        ("a", "3"),
        ("a", "3"),
        ("b", "007"),
    ]


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (read_mentions, '{"data":\n{', r"x\.json:2: expected JSON"),
        (read_mentions, "[]", r'x\.json: expected an object with the member "data"'),
        (read_mentions, {"4": {"mention": "a"}}, r"x\.json: entry 4: expected the fields entity_id"),
        (
            read_mentions,
            {"4": {"mention": " ", "entity_id": 1}},
            r"entry 4: expected text in mention, found ' '",
        ),
        (read_mentions, {"4": {"mention": "a", "entity_id": None}}, r"entry 4: expected a number or text"),
        (
            read_entity_mentions,
            {"4": {"mentions": [], "entity_id": 1}},
            r"entry 4: expected a list of mentions",
        ),
        (
            read_entity_mentions,
            {"4": {"mentions": ["a", 5], "entity_id": 1}},
            r"entry 4: expected text .* found 5",
        ),
        (read_entities, {"4": {"entity_id": 1, "entity_name": "a"}}, r"expected the fields entity_type_name"),
    ],
)
def test_broken_files(tmp_path, read, content, message):
    with pytest.raises(ValueError, match=message):
        read(write(tmp_path, content))
