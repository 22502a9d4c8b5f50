"""MEDIC, MeSH, genes, mapping tables and the dictionary of BioCoM: what a line means."""

import json

import pytest

from study.corpora.bc2gn import read_gene_info
from study.corpora.biocom import read_biocom
from study.corpora.medic import medic_id, read_ctd, read_medic_2012
from study.corpora.mesh import read_labels, read_mappings, read_pairs, read_tree
from study.corpora.sssom import Mapping, read_sssom


@pytest.mark.parametrize(
    ("printed", "id"),
    [("D003693", "D003693"), ("MESH:D003693", "D003693"), ("C565588", "C565588"), ("613097", "OMIM:613097"),
     ("OMIM:613097", "OMIM:613097"), (" D003693 ", "D003693"), ("DO:DOID:1", None), ("", None), ("C", "C")],
)  # fmt: skip
def test_ids_have_one_form(printed, id):
    assert medic_id(printed) == id


def test_medic_2012_has_alternative_ids_and_names(write):
    ontology = read_medic_2012(write("table.tsv", "C567755|613097||Tooth Agenesis, Selective, 6|STHAG6\n"))
    [concept] = ontology.concepts.values()
    assert (concept.id, concept.alternatives) == ("C567755", ("OMIM:613097",))
    assert concept.names == ("Tooth Agenesis, Selective, 6", "STHAG6")
    assert ontology.resolve("OMIM:613097") == ("C567755",)


def test_ctd_has_parents_definition_and_no_ids_of_the_disease_ontology(write):
    line = "Ague\tMESH:D1\tDO:DOID:5|OMIM:7\tA fever.\tMESH:D2|MESH:D3\tC03.1|F01.2\tC03\tShivers|Ague\tx\n"
    [concept] = read_ctd(write("table.tsv", "# comment\n" + line)).concepts.values()
    assert concept.names == ("Ague", "Shivers") and concept.alternatives == ("OMIM:7",)
    assert (concept.parents, concept.definition, concept.types) == (("D2", "D3"), "A fever.", ("C03", "F01"))


def test_mesh_tables(write):
    labels = read_labels(write("table.tsv", "D1\tAspirin\tASA|Acetylsalicylic acid\nD2\tWater\nD3\tIron\t\n"))
    assert labels == {"D1": ("Aspirin", "ASA", "Acetylsalicylic acid"), "D2": ("Water",), "D3": ("Iron",)}
    tree = "id\tname\tnumber\nD1\tAspirin\tD02.4\nD1\tAspirin\tN01\n"
    assert read_tree(write("table.tsv", tree)) == {"D02.4": ("D1", "Aspirin"), "N01": ("D1", "Aspirin")}
    text = "MESH\tC1\ta\tCHEBI\tCHEBI:1\tb\nMESH\tC1\ta\tCHEBI\tCHEBI:2\tc\nMESH\tC2\td\tHGNC\t5\te\n"
    assert read_mappings(write("table.tsv", text), "CHEBI") == (
        {"C1": ("a", "b", "c")},
        {"C1": ("CHEBI:1", "CHEBI:2")},
    )
    assert read_pairs(write("table.tsv", "one\t1\nuno\t1\ntwo\t2\n")) == {"1": ("one", "uno"), "2": ("two",)}


def test_gene_info(write):
    columns = ["9606", "1", "A1BG", "-", "A1B|ABG", "-", "19", "-", "glycoprotein", "protein-coding", "A1BG",
               "-", "O", "HEL|GP", "2021", "-"]  # fmt: skip
    path = write("table.tsv", "#tax\n" + "\t".join(columns) + "\n")
    [gene] = read_gene_info(path, "genes").concepts.values()
    assert gene.id == "1" and gene.names == ("A1BG", "glycoprotein", "A1B", "ABG", "HEL", "GP")


MAPPED = "subject_id\tsubject_label\tpredicate_modifier\tpredicate_id\tobject_id\n"


def test_exact_matches_that_are_not_denied(write):
    rows = "M:007\tflu\t\tskos:exactMatch\tU:1\nM:2\tcold\tNot\tskos:exactMatch\tU:2\n"
    rows += "M:3\tache\t\tskos:broadMatch\tU:3\nM:4\t\t\tskos:exactMatch\tU:1\n"
    found = read_sssom(write("x.tsv", f"# curie_map:\n{MAPPED}{rows}"))
    assert found == (Mapping("M:007", "U:1", "flu"), Mapping("M:4", "U:1"))


def test_mondo(data_folder):
    mappings = read_sssom(data_folder / "mondo" / "mondo_exactmatch_umls.sssom.tsv.gz")
    assert len({m.object for m in mappings}) == 21_660
    assert mappings[0] == Mapping("MONDO:0000001", "UMLS:C0012634", "disease")


def test_concepts_of_biocom_stand_as_in_the_map_with_their_names_and_numbers_are_of_omim(write):
    of_map = {"D1": ["D1", "100"], "204750": ["204750"], "C5": ["600", "C5", "D9"]}
    rows = [["cold, common", ["D1", "100"]], ["fever", ["600", "C5", "D9"]], ["coryza", ["D1", "100"]]]
    rows.append(rows[1])  # a name twice is one
    names = write("names.tsv", "\n".join(map(json.dumps, rows)))
    ontology = read_biocom(names, write("map.json", json.dumps(of_map)))
    assert [(c.id, c.names, c.alternatives) for c in ontology.concepts.values()] == [
        ("D1", ("cold, common", "coryza"), ("OMIM:100",)),
        ("OMIM:204750", (), ()),
        ("C5", ("fever",), ("OMIM:600", "D9")),
    ]
    assert ontology.resolve("OMIM:600") == ("C5",) and "600" not in ontology
