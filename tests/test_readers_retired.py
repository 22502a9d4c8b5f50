"""Ontologies with retired ids and synonyms of several scopes, as OBO, as its JSON and as NCBI's taxonomy; and
tables of others."""

import json

import pytest
from test_readers_dictionary import names

from benchlib.formats.obo import read_obo
from benchlib.formats.obo_graph import read_obo_graph
from benchlib.formats.ontologies import read_ontology
from benchlib.formats.own import ReadingOptions, load_paths

OBO = """[Term]
id: X:1
name: nasal cancer
def: "A growth." []
alt_id: X:9
synonym: "NPC" RELATED []
synonym: "cancer of the nose" EXACT []
synonym: "tumour" BROAD []
is_a: X:4

[Term]
id: X:2
name: obsolete cancer
is_obsolete: true
replaced_by: X:8

[Term]
id: X:8
name: obsolete as well
is_obsolete: true
replaced_by: X:9

[Term]
id: X:3
name: obsolete thing
is_obsolete: true
consider: X:1

[Term]
id: X:4
name: disease
"""
IRI = "http://purl.obolibrary.org/obo/X_"
GRAPH = {
    "graphs": [
        {
            "nodes": [
                {"id": f"{IRI}1", "type": "CLASS", "lbl": "nasal cancer", "meta": {
                    "definition": {"val": "A growth."},
                    "synonyms": [{"pred": "hasRelatedSynonym", "val": "NPC"},
                                 {"pred": "hasExactSynonym", "val": "cancer of the nose"},
                                 {"pred": "hasBroadSynonym", "val": "tumour"}],
                    "basicPropertyValues": [{"pred": "http://x/oboInOwl#hasAlternativeId", "val": "X:9"}]}},
                {"id": f"{IRI}2", "type": "CLASS", "meta": {"deprecated": True, "basicPropertyValues": [
                    {"pred": "http://purl.obolibrary.org/obo/IAO_0100001", "val": f"{IRI}8"}]}},
                {"id": f"{IRI}8", "type": "CLASS", "lbl": "obsolete", "meta": {"deprecated": True,
                    "basicPropertyValues": [{"pred": "http://x/obo/IAO_0100001", "val": "X:9"}]}},
                {"id": f"{IRI}3", "type": "CLASS", "lbl": "gone", "meta": {"deprecated": True}},
                {"id": f"{IRI}4", "type": "CLASS", "lbl": "disease"},
                {"id": f"{IRI}5", "type": "PROPERTY", "lbl": "part of"},
                *({"id": f"{IRI}{n}", "type": "CLASS"} | label for n, label in ((6, {}), (7, {"lbl": None}))),
            ],
            "edges": [{"sub": f"{IRI}1", "pred": "is_a", "obj": f"{IRI}4"},
                      {"sub": f"{IRI}1", "pred": f"{IRI}5", "obj": f"{IRI}4"}],
        }
    ]
}  # fmt: skip
DUMPS = {
    "names.dmp": "1\t|\troot\t|\t\t|\tsynonym\t|\n1\t|\tall\t|\t\t|\tscientific name\t|\n"
    "9\t|\tBuchnera # x\t|\tBuchnera <a>\t|\tscientific name\t|\n",
    "merged.dmp": "2\t|\t9\t|\n",
    "delnodes.dmp": "3\t|\n",
}
FORMS = [("x.obo", OBO), ("x.json", json.dumps(GRAPH))]
TEXT = "5|t|A.\n5|a|a b c d e.\n"


def corpus(*ids: str) -> str:
    return TEXT + "".join(f"5\t{3 + 2 * n}\t{4 + 2 * n}\t{'abcde'[n]}\tD\t{id}\n" for n, id in enumerate(ids))


@pytest.mark.parametrize(("name", "text"), FORMS)
@pytest.mark.parametrize(
    ("scopes", "expected"),
    [
        (("exact",), ("nasal cancer", "cancer of the nose")),
        (("exact", "RELATED"), ("nasal cancer", "NPC", "cancer of the nose")),
        (("broad",), ("nasal cancer", "tumour")),
    ],
)
def test_scopes_say_which_synonyms_are_names(write, name, text, scopes, expected):
    read = read_ontology(write(name, text), scopes=scopes)
    assert names(read) == {"X:1": expected, "X:4": ("disease",)}
    dropped = {"obsolete concept": 3, "synonym of another scope": 4 - len(expected)}
    assert read.dropped == dropped | ({"concept without a label": 2} if name == "x.json" else {})
    concept = read.ontology.concepts["X:1"]
    assert (concept.parents, concept.definition) == (("X:4",), "A growth.")
    if scopes == ("exact",):
        assert "1 related, 1 broad. --scopes exact,related,broad (in Python `scopes`)" in read.notes[0]
    with pytest.raises(ValueError, match="some of exact, narrow, broad, related, found 'EXAKT'"):
        read_ontology(write(name, text), scopes=["exakt"])


@pytest.mark.parametrize(("name", "text"), FORMS)
def test_retired_ids_are_their_successors_and_gold_is_counted(write, tmp_path, name, text):
    benchmark = load_paths(write("c.txt", corpus("X:1", "X:2", "X:9", "X:3", "X:7")), write(name, text))
    assert [benchmark.ontology.resolve(id) for id in ("X:1", "X:2", "X:8", "X:9")] == [("X:1",)] * 4
    assert benchmark.ontology.resolve("X:3") == ()
    counted = "Gold ids of c-test: 1 active, 2 merged (X:2 is X:1; X:9 is X:1), 1 deleted (X:3)."
    assert counted in benchmark.notes
    short = load_paths(tmp_path / "c.txt", tmp_path / name, ReadingOptions(strip_prefix=("X:",)))
    assert any("1 active, 2 merged (2 is 1; 9 is 1), 1 deleted (3)." in note for note in short.notes)
    # A registered ontology is read as it always was: its fingerprint is pinned.
    plain = {"x.obo": read_obo, "x.json": read_obo_graph}[name](write(name, text))
    assert plain.ontology.concepts["X:1"].alternatives == ("X:9",)


@pytest.mark.parametrize("zipped", ["", ".gz"])
def test_the_taxonomy_is_read_with_merged_and_deleted_taxa(write, zipped):
    names, *_ = [write(f"{name}{zipped}", text) for name, text in DUMPS.items()]
    benchmark = load_paths(write("c.txt", corpus("9", "2", "3")), names)
    assert {id: c.names for id, c in benchmark.ontology.concepts.items()} == {
        "1": ("all", "root"),
        "9": ("Buchnera # x",),
    }
    assert "Gold ids of c-test: 1 active, 1 merged (2 is 9), 1 deleted (3)." in benchmark.notes


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [("n.tsv", "{}\tname\n", "0 name\n"), ("n.jsonl", '{{"id": "{}", "names": ["name"]}}\n', '{"id": 1}\n')],
)
def test_one_bad_line_in_a_hundred_is_left_out_and_named(write, name, good, bad):
    text = "".join(map(good.format, range(99)))
    read = read_ontology(write(name, text + bad))
    assert len(read.ontology) == 99
    assert f"1 of 100 lines of {name} are left out (strict refuses them): line 100: expected" in read.notes[0]
    for content, strict in ((text + bad, True), (text + 2 * bad, False)):
        with pytest.raises(ValueError, match=rf"{name}:100: expected"):
            read_ontology(write(name, content), strict=strict)
