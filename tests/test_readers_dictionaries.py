"""MEDIC, MeSH and gene tables: what a line means, and what a broken one says."""

import pytest

from study.corpora.bc2gn import read_gene_info
from study.corpora.medic import medic_id, read_ctd, read_medic_2012
from study.corpora.mesh import read_labels, read_mappings, read_mesh_ascii, read_pairs, read_tree


def write(tmp_path, text: str):
    path = tmp_path / "table.tsv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("printed", "id"),
    [("D003693", "D003693"), ("MESH:D003693", "D003693"), ("C565588", "C565588"), ("613097", "OMIM:613097"),
     ("OMIM:613097", "OMIM:613097"), (" D003693 ", "D003693"), ("DO:DOID:1", None), ("", None), ("C", "C")],
)  # fmt: skip
def test_ids_have_one_form(printed, id):
    assert medic_id(printed) == id


def test_medic_2012_has_alternative_ids_and_names(tmp_path):
    ontology = read_medic_2012(write(tmp_path, "C567755|613097||Tooth Agenesis, Selective, 6|STHAG6\n"))
    [concept] = ontology.concepts.values()
    assert (concept.id, concept.alternatives) == ("C567755", ("OMIM:613097",))
    assert concept.names == ("Tooth Agenesis, Selective, 6", "STHAG6")
    assert ontology.resolve("OMIM:613097") == ("C567755",)


def test_ctd_has_parents_definition_and_no_ids_of_the_disease_ontology(tmp_path):
    line = "Ague\tMESH:D1\tDO:DOID:5|OMIM:7\tA fever.\tMESH:D2|MESH:D3\tC03.1|F01.2\tC03\tShivers|Ague\tx\n"
    [concept] = read_ctd(write(tmp_path, "# comment\n" + line)).concepts.values()
    assert concept.names == ("Ague", "Shivers") and concept.alternatives == ("OMIM:7",)
    assert (concept.parents, concept.definition, concept.types) == (("D2", "D3"), "A fever.", ("C03", "F01"))


def test_mesh_tables(tmp_path):
    labels = read_labels(write(tmp_path, "D1\tAspirin\tASA|Acetylsalicylic acid\nD2\tWater\nD3\tIron\t\n"))
    assert labels == {"D1": ("Aspirin", "ASA", "Acetylsalicylic acid"), "D2": ("Water",), "D3": ("Iron",)}
    tree = "id\tname\tnumber\nD1\tAspirin\tD02.4\nD1\tAspirin\tN01\n"
    assert read_tree(write(tmp_path, tree)) == {"D02.4": ("D1", "Aspirin"), "N01": ("D1", "Aspirin")}
    with pytest.raises(ValueError, match="table.tsv:4: expected each tree number once.*D02.4"):
        read_tree(write(tmp_path, tree + "D2\tOther\tD02.4\n"))
    text = "MESH\tC1\ta\tCHEBI\tCHEBI:1\tb\nMESH\tC1\ta\tCHEBI\tCHEBI:2\tc\nMESH\tC2\td\tHGNC\t5\te\n"
    assert read_mappings(write(tmp_path, text), "CHEBI") == (
        {"C1": ("a", "b", "c")},
        {"C1": ("CHEBI:1", "CHEBI:2")},
    )
    assert read_pairs(write(tmp_path, "one\t1\nuno\t1\ntwo\t2\n")) == {"1": ("one", "uno"), "2": ("two",)}


DESCRIPTOR = """*NEWRECORD
RECTYPE = D
MH = Calcimycin
ENTRY = A-23187|T109|T195|LAB|NRW|NLM (1991)|900308|abbcdef
PRINT ENTRY = Antibiotic A23187|T109
MN = D03.633.100
MN = D02.355
MS = An ionophore | of calcium.
UI = D000001

*NEWRECORD
RECTYPE = Q
SH = abnormalities
UI = Q000002
"""


def test_descriptors_have_branches_and_their_note(tmp_path):
    read = read_mesh_ascii(write(tmp_path, DESCRIPTOR))
    [concept] = read.ontology.concepts.values()
    assert concept.names[0] == "Calcimycin" and set(concept.names[1:]) == {"Antibiotic A23187", "A-23187"}
    assert concept.types == ("D",) and concept.definition == "An ionophore | of calcium."
    assert read.dropped == {"record without a name": 1}


RECORDS = """*NEWRECORD
RECTYPE = C
NM = bevonium
SY = bevonium methyl sulfate|T109|NLM (1971)|710101
SY = CG 201
UI = C000002

*NEWRECORD
NM = insulin B(20-30)
UI = C000006
"""


def test_supplementary_records(tmp_path):
    found = read_mesh_ascii(write(tmp_path, RECORDS)).ontology.concepts
    assert {id: concept.names for id, concept in found.items()} == {
        "C000002": ("bevonium", "bevonium methyl sulfate", "CG 201"),
        "C000006": ("insulin B(20-30)",),
    }


def test_gene_info(tmp_path):
    columns = ["9606", "1", "A1BG", "-", "A1B|ABG", "-", "19", "-", "glycoprotein", "protein-coding", "A1BG",
               "-", "O", "HEL|GP", "2021", "-"]  # fmt: skip
    [gene] = read_gene_info(write(tmp_path, "#tax\n" + "\t".join(columns) + "\n"), "genes").concepts.values()
    assert gene.id == "1" and gene.names == ("A1BG", "glycoprotein", "A1B", "ABG", "HEL", "GP")


@pytest.mark.parametrize(
    ("read", "text", "line", "expected"),
    [
        (read_medic_2012, "D1||a\nD2|b\n", 2, "ids || names"),
        (read_medic_2012, "D1||\n", 1, "ids || names"),
        (read_medic_2012, "DOID:1||a\n", 1, "MeSH or OMIM ids"),
        (read_medic_2012, "", 1, "at least one disease"),
        (read_medic_2012, "D1||a\nD2||b\nMESH:D1||c\n", 3, "each disease once"),
        (read_ctd, "#\n" + 2 * "Ague\tMESH:D1\t\t\t\t\t\t\t\n", 3, "each disease once"),
        (read_ctd, "Ague\tMESH:D1\n", 1, "9 columns"),
        (read_ctd, "Ague\tX1\t\t\t\t\t\t\t\n", 1, "a DiseaseID"),
        (read_labels, "D1\ta\nD1\tb\n", 2, "each descriptor once"),
        (read_labels, "D1\n", 1, "2 to 3 columns"),
        (read_pairs, "a\tb\tc\n", 1, "2 tab-separated columns"),
        (read_pairs, "", 1, "at least one line"),
        (lambda p: read_mappings(p, "CHEBI"), "DO\t1\ta\tCHEBI\t2\tb\n", 1, "MESH in the first column"),
        (read_mesh_ascii, RECORDS.replace("UI = C000006\n", ""), 8, "one UI of its own"),
        (read_mesh_ascii, RECORDS.replace("C000006", "C000002"), 8, "of its own"),
        (read_mesh_ascii, "NM = a\n", 1, "within a record"),
        (read_mesh_ascii, DESCRIPTOR.replace("UI = D000001\n", ""), 1, "one UI of its own"),
        (read_mesh_ascii, "*NEWRECORD\nSH = x\nUI = Q1\n", 1, "at least one record with a name"),
        (read_mesh_ascii, "*NEWRECORD\nNM bevonium\n", 2, "KEY = value"),
        (read_mesh_ascii, "", 1, "at least one record"),
        (lambda p: read_gene_info(p, "g"), "9606\t1\tA\n", 1, "16 columns"),
        (lambda p: read_gene_info(p, "g"), "#only a head\n", 1, "at least one gene"),
        (lambda p: read_gene_info(p, "g"), 2 * ("9606\t1" + 14 * "\tx" + "\n"), 2, "each gene once"),
    ],
)
def test_a_broken_table_is_an_error_with_file_and_line(tmp_path, read, text, line, expected):
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=expected.replace("|", r"\|")) as error:
        read(path)
    assert str(error.value).startswith(f"{path}:{line}:")
