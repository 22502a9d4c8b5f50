"""BioCoM's dictionary, row by row."""

import json

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
