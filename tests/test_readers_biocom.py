"""BioCoM's dictionary, row by row, and what its reader refuses."""

import json

import pytest

from study.corpora.biocom import read_biocom

MAP = {"D1": ["D1", "100"], "204750": ["204750"], "C5": ["600", "C5", "D9"]}
ROWS = [["cold, common", ["D1", "100"]], ["fever", ["600", "C5", "D9"]], ["coryza", ["D1", "100"]]]
ROWS.append(ROWS[1])  # a name twice is one


def lines(rows) -> str:
    return "\n".join(map(json.dumps, rows))


def test_concepts_stand_as_in_the_map_with_their_names_and_numbers_are_of_omim(write):
    ontology = read_biocom(write("names.tsv", lines(ROWS)), write("map.json", json.dumps(MAP)))
    assert [(c.id, c.names, c.alternatives) for c in ontology.concepts.values()] == [
        ("D1", ("cold, common", "coryza"), ("OMIM:100",)),
        ("OMIM:204750", (), ()),
        ("C5", ("fever",), ("OMIM:600", "D9")),
    ]
    assert ontology.resolve("OMIM:600") == ("C5",) and "600" not in ontology


ROW = r"names\.tsv:5: expected \[name, \[id, \.\.\.\]\] with ids of MeSH"
FORMS = [["x"], ["", ["D1"]], [1, ["D1"]], ["x", []], ["x", "D1"], ["x", [100]], ["x", ["UMLS:1"]], {"x": []}]
ONE = r"names\.tsv:5: expected ids of one concept of the map"
WHOLE = r"map\.json:1: expected one JSON object from the id of each concept"
MAPS = ([], {}, {"D1": "D1"}, {"D1": ["D2"]}, {"X": ["X"]}, {"D1": ["D1", "7"], "D2": ["D2", "OMIM:7"]})


@pytest.mark.parametrize(
    ("names", "concepts", "message"),
    [
        *((lines([*ROWS, row]), json.dumps(MAP), ROW) for row in FORMS),
        (lines(ROWS) + "\nx\tD1\n", json.dumps(MAP), ROW),
        *((lines([*ROWS, ["x", ids]]), json.dumps(MAP), ONE) for ids in (["D1", "C5"], ["D2"])),
        *((lines(ROWS), text, WHOLE) for text in ("", "D1\n", "{}\n{}\n", *map(json.dumps, MAPS))),
    ],
)
def test_a_row_or_map_of_another_form_is_named(write, names, concepts, message):
    with pytest.raises(ValueError, match=message):
        read_biocom(write("names.tsv", names), write("map.json", concepts))
