"""The JSON files of ESAppMod, and what their reader refuses."""

import json

import pytest

from study.corpora.esappmod import Entity, EntityMentions, SingleMention, read_entries


def data(**entries) -> str:
    return json.dumps({"data": entries})


def test_ids_become_text_and_zero_is_nil(write):
    rows = {"0": {"mention": "db2 v9\n", "entity_id": 0}, "1": {"mention": " DB2 ", "entity_id": 7}}
    nil, db2 = read_entries(write("x.json", data(**rows)), SingleMention)
    assert nil.mention == "db2 v9" and nil.gold.nil and nil.gold.printed == "0"
    assert db2.mention == "DB2" and db2.gold.parts == (frozenset({"7"}),)
    rows = {"0": {"mentions": ["a", "a"], "entity_id": 3}, "1": {"mentions": ["b"], "entity_id": "007"}}
    found = [
        (of.mentions, of.gold.printed) for of in read_entries(write("x.json", data(**rows)), EntityMentions)
    ]
    assert found == [(["a", "a"], "3"), (["b"], "007")]


TWICE = '"0": {"entity_id": 1, "mention": "a"}'


@pytest.mark.parametrize(
    ("entry", "content", "message"),
    [
        (SingleMention, '{"data":\n{', "expected JSON in UTF-8, found .* line 2"),
        (SingleMention, b"\xff", "expected JSON in UTF-8"),
        (SingleMention, f'{{"data": {{{TWICE}, {TWICE}}}}}', "found the key '0' twice"),
        (SingleMention, "[]", "expected a mapping"),
        (SingleMention, '{"data": []}', "data: expected a mapping, found"),
        (SingleMention, data(e4={"mention": "a"}), "data.e4.entity_id: expected a value, found none"),
        (SingleMention, data(e4={"mention": " ", "entity_id": 1}), "data.e4.mention: .*found ' '"),
        (SingleMention, data(e4={"mention": "a", "entity_id": None}), "data.e4.entity_id.*found None"),
        (SingleMention, data(e4={"mention": "a", "entity_id": True}), "data.e4.entity_id.*found True"),
        (SingleMention, data(e4={"mention": "a", "entity_id": ""}), "data.e4.entity_id.*found ''"),
        (EntityMentions, data(e4={"mentions": [], "entity_id": 1}), "mentions: expected one or more"),
        (EntityMentions, data(e4={"mentions": ["a", 5], "entity_id": 1}), "expected text, found 5"),
        (Entity, data(e4={"entity_id": 1, "entity_name": "a"}), "entity_type_name: expected a value"),
    ],
)
def test_a_wrong_entry_is_named(write, entry, content, message):
    with pytest.raises(ValueError, match=rf"x\.json: .*{message}"):
        read_entries(write("x.json", content), entry)
