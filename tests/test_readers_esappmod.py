"""The JSON files of ESAppMod, and what their reader refuses."""

import json

import pytest

from study.corpora.esappmod import read_entities, read_entity_mentions, read_mentions


def data(**entries) -> str:
    return json.dumps({"data": entries})


def test_ids_become_text_and_zero_is_nil(write):
    rows = {"0": {"mention": "db2 v9\n", "entity_id": 0}, "1": {"mention": " DB2 ", "entity_id": 7}}
    nil, db2 = read_mentions(write("x.json", data(**rows)))
    assert nil[0] == "db2 v9" and nil[1].nil and nil[1].printed == "0"
    assert db2[0] == "DB2" and db2[1].parts == (frozenset({"7"}),)
    rows = {"0": {"mentions": ["a", "a"], "entity_id": 3}, "1": {"mentions": ["b"], "entity_id": "007"}}
    found = [(text, gold.printed) for text, gold in read_entity_mentions(write("x.json", data(**rows)))]
    assert found == [("a", "3"), ("a", "3"), ("b", "007")]


TWICE = '"0": {"entity_id": 1, "mention": "a"}'


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        (read_mentions, '{"data":\n{', "expected JSON in UTF-8, found .* line 2"),
        (read_mentions, b"\xff", "expected JSON in UTF-8"),
        (read_mentions, f'{{"data": {{{TWICE}, {TWICE}}}}}', "found the key '0' twice"),
        (read_mentions, "[]", "expected a mapping"),
        (read_mentions, '{"data": []}', "data: expected a mapping, found"),
        (read_mentions, data(e4={"mention": "a"}), "data.e4.entity_id: expected a value, found none"),
        (read_mentions, data(e4={"mention": " ", "entity_id": 1}), "data.e4.mention: .*found ' '"),
        (read_mentions, data(e4={"mention": "a", "entity_id": None}), "data.e4.entity_id.*found None"),
        (read_mentions, data(e4={"mention": "a", "entity_id": True}), "data.e4.entity_id.*found True"),
        (read_mentions, data(e4={"mention": "a", "entity_id": ""}), "data.e4.entity_id.*found ''"),
        (read_entity_mentions, data(e4={"mentions": [], "entity_id": 1}), "mentions: expected one or more"),
        (read_entity_mentions, data(e4={"mentions": ["a", 5], "entity_id": 1}), "expected text, found 5"),
        (read_entities, data(e4={"entity_id": 1, "entity_name": "a"}), "entity_type_name: expected a value"),
    ],
)
def test_a_wrong_entry_is_named(write, read, content, message):
    with pytest.raises(ValueError, match=rf"x\.json: .*{message}"):
        read(write("x.json", content))
