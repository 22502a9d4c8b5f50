"""The union of the open ontologies: its rules on concepts made by hand, and what it says of the corpora."""

import pytest
from toy import BENCHMARK

from benchlib.ontology import Concept
from study.corpora import load
from study.corpora import universal as module
from study.corpora.transforms import apply
from study.corpora.universal import Union, is_cui, normalized_id


@pytest.mark.parametrize(
    ("xref", "id"),
    [
        ("MSH:D003920", "D003920"), ("MeSH:C536789", "C536789"), ("MESH:603174", ""), ("SNOMEDCT_US:123", ""),
        ("OMIM:603174", "OMIM:603174"), ("OMIM:PS603174", ""), ("UMLS_CUI:C0011849", "C0011849"),
        ("UMLS:D003920", ""),
    ],
)  # fmt: skip
def test_ids_are_written_in_one_way(xref, id):
    assert normalized_id(xref) == id


def test_an_id_that_begins_with_c_is_of_umls_by_its_length():
    assert is_cui("C0011849") and not any(map(is_cui, ("C536789", "C000611421", "D0011849", "")))


def test_a_concept_joins_the_owner_of_its_id_then_of_the_ids_it_is_the_same_as():
    union = Union()
    union.add(Concept("D1", ("one",), types=("Neoplasms",), alternatives=("D9",)))
    union.add(Concept("D1", ("one", "eins"), types=("C04",), parents=("D2",), definition="first"))
    union.add(Concept("D9", ("nine",), alternatives=("OMIM:5", "D1")))  # D9 is D1
    union.add(Concept("HP:1", ("hp",), definition="second"), same=("OMIM:5",), also=("C0000001",))
    union.add(Concept("HP:2", ("alone",), parents=("HP:1",)), also=("C0000001", "C0000002"))
    union.add(Concept("MONDO:1", ("mondo",)), same=("OMIM:7", "HP:2"), also=("C0000003",))
    assert list(union.concepts.values()) == [
        Concept("D1", ("one", "eins", "nine", "hp"), ("Neoplasms",), ("D2",), "first",
                ("D9", "OMIM:5", "HP:1", "C0000001")),
        Concept("HP:2", ("alone", "mondo"), (), ("HP:1",), "", ("C0000002", "MONDO:1", "OMIM:7", "C0000003")),
    ]  # fmt: skip


def test_gold_of_every_corpus_is_in_the_one_ontology(data_folder):
    ontologies = []
    for dataset in ("ncbi-disease", "bc5cdr-chemical"):
        before = load(dataset)
        after = apply(before, ["universal"])
        assert before.test == after.test and after.transforms == ("universal",)
        for _, mention in before.test.mentions():
            here, there = ([one.ontology.resolve(id) for id in mention.gold.ids] for one in (after, before))
            assert any(here) or not any(there)
        ontologies.append(after.ontology)
    one, other = ontologies
    assert one is other
    # By hand from the files: Diabetes Mellitus in MeSH, the Disease Ontology, HPO, MONDO and UMLS.
    diabetes = ("D003920", "DOID:9351", "HP:0000819", "MONDO:0005015", "C0011849")
    assert {one.resolve(id) for id in diabetes} == {("D003920",)}


def test_it_is_pinned(monkeypatch):
    module._pinned.cache_clear()
    monkeypatch.setattr(module, "open_ontology", lambda locate: BENCHMARK.ontology)
    for _ in range(2):  # also when it is asked again
        with pytest.raises(module.WrongContent, match="universal ontology"):
            apply(BENCHMARK, ["universal"])
