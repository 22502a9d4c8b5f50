"""BioCoM's dictionary, row by row, and what its reader refuses."""

import json

import pytest

from study.corpora.biocom import read_biocom

MAP = {"D1": ["D1", "100"], "204750": ["204750"], "C5": ["600", "C5", "D9"]}
ROWS = [["cold, common", ["D1", "100"]], ["fever", ["600", "C5", "D9"]], ["coryza", ["D1", "100"]]]


def written(tmp_path, rows=ROWS, concepts=MAP):
    (tmp_path / "names.tsv").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "map.json").write_text(json.dumps(concepts))
    return tmp_path / "names.tsv", tmp_path / "map.json"


def test_concepts_stand_as_in_the_map_with_their_names_and_numbers_are_of_omim(tmp_path):
    ontology = read_biocom(*written(tmp_path))
    assert [(c.id, c.names, c.alternatives) for c in ontology.concepts.values()] == [
        ("D1", ("cold, common", "coryza"), ("OMIM:100",)),
        ("OMIM:204750", (), ()),
        ("C5", ("fever",), ("OMIM:600", "D9")),
    ]
    assert ontology.resolve("OMIM:600") == ("C5",) and "600" not in ontology


def test_a_name_that_stands_twice_is_one(tmp_path):
    ontology = read_biocom(*written(tmp_path, [*ROWS, ROWS[1]]))
    assert ontology.concepts["C5"].names == ("fever",)


@pytest.mark.parametrize(
    "row",
    [
        ["x"],
        ["", ["D1"]],
        [1, ["D1"]],
        ["x", []],
        ["x", "D1"],
        ["x", [100]],
        ["x", ["UMLS:1"]],
        {"x": ["D1"]},
    ],
)
def test_a_row_of_another_form_is_named(tmp_path, row):
    with pytest.raises(ValueError, match=r"names\.tsv:4: expected \[name, \[id, \.\.\.\]\] with ids of MeSH"):
        read_biocom(*written(tmp_path, [*ROWS, row]))


@pytest.mark.parametrize("ids", [["D1", "C5"], ["D2"]], ids=["two concepts", "none"])
def test_a_row_is_of_one_concept_of_the_map(tmp_path, ids):
    with pytest.raises(ValueError, match=r"names\.tsv:4: expected ids of one concept of the map"):
        read_biocom(*written(tmp_path, [*ROWS, ["x", ids]]))


@pytest.mark.parametrize(
    "concepts",
    [[], {}, {"D1": "D1"}, {"D1": ["D2"]}, {"X": ["X"]}, {"D1": ["D1", "7"], "D2": ["D2", "OMIM:7"]}],
    ids=["list", "empty", "text", "without itself", "no id", "id of two"],
)
def test_a_map_of_another_form_is_named(tmp_path, concepts):
    with pytest.raises(
        ValueError, match=r"map\.json:1: expected one JSON object from the id of each concept"
    ):
        read_biocom(*written(tmp_path, ROWS, concepts))


def test_what_is_no_json_is_named(tmp_path):
    names, concepts = written(tmp_path)
    names.write_text('["x", ["D1"]]\nx\tD1\n')
    with pytest.raises(ValueError, match=r"names\.tsv:2: expected \[name"):
        read_biocom(names, concepts)
    for text in ("", "D1\n", "{}\n{}\n"):
        concepts.write_text(text)
        with pytest.raises(ValueError, match=r"map\.json:1: expected one JSON object"):
            read_biocom(names, concepts)
