"""Entity texts by hand."""

import pytest

from benchlib.ontology import Concept, Ontology
from study.systems.by_entity import entity_text, path

ONTOLOGY = Ontology(
    "toy",
    [
        Concept("D1", ("Disease",), alternatives=("OMIM:1",)),
        Concept("D2", ("Brain disease",), parents=("gone", "OMIM:1")),
        Concept(
            "D3", ("Ataxia", "dyssynergia", "lack of coordination"), ("Sign", "Symptom"), ("D2", "D1"), "x y"
        ),
        Concept("D4", ("Nameless parent",), parents=("D5",)),
        Concept("D5", parents=("D2",)),
        Concept("C1", ("one",), parents=("C2",)),
        Concept("C2", ("two",), parents=("C3",)),
        Concept("C3", ("three",), parents=("C2", "C3", "D1")),
        Concept("S", ("self",), parents=("S",)),
        Concept("E"),
    ],
)


def test_the_fields_of_an_entity_in_their_order():
    ataxia = ONTOLOGY.concepts["D3"]
    assert entity_text(ataxia, ONTOLOGY) == (
        "Ataxia [SEP] Sign, Symptom [SEP] Disease > Brain disease [SEP] "
        "dyssynergia; lack of coordination [SEP] x y"
    )
    assert entity_text(ataxia, ONTOLOGY, ("definition", "title"), "</s>") == "x y </s> Ataxia"


def test_what_is_not_said_leaves_no_separator():
    assert entity_text(ONTOLOGY.concepts["D1"], ONTOLOGY) == "Disease"
    assert entity_text(ONTOLOGY.concepts["E"], ONTOLOGY) == ""
    with pytest.raises(ValueError, match="unknown field 'stn'; expected some of title, types"):
        entity_text(ONTOLOGY.concepts["D1"], ONTOLOGY, ("title", "stn"))


def test_paths_follow_the_first_known_parent_and_end_in_a_cycle():
    paths = {id: path(concept, ONTOLOGY) for id, concept in ONTOLOGY.concepts.items()}
    assert paths["D1"] == paths["S"] == paths["E"] == []
    assert paths["D2"] == ["Disease"]  # by its alternative id, the unknown one passed over
    assert paths["D4"] == ["Disease", "Brain disease"]  # the parent between has no name
    assert paths["C1"] == ["Disease", "three", "two"]  # out of the cycle by the parent left
    assert paths["C2"] == ["Disease", "three"]
