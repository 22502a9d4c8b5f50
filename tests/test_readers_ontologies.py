"""An ontology by its path: by suffix where that tells, else by what the file holds."""

import gzip

import pytest

from benchlib.formats.ontologies import read_ontology

GENE = "9606\t1\tA1BG\t-\tA1B|ABG\t-\t19\t-\tglycoprotein\tprotein-coding\tA1BG\t-\tO\tHEL|GP\t2021\t-\n"
CTD = "Ague\tMESH:D000001\tDO:DOID:5|OMIM:600007\tA fever.\tMESH:D000002\tC03.1\tC03\tShivers|Chill\tx\n"
MEDIC = "D000001|600007||Ague|Shivers\nC565588||Fever\n"
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
SUPPLEMENTARY = "*NEWRECORD\nRECTYPE = C\nNM = bevonium\nSY = CG 201|NLM\nUI = C000002\n"
ATOM = "C01|ENG|P|L|PF|S|Y|A||||MSH|MH|D|flu|0|N||\n"


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        gzipped = name.lower().endswith(".gz")
        path.write_bytes(gzip.compress(text.encode()) if gzipped else text.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("name", "text", "id", "names", "form"),
    [
        ("g.gene_info", "#tax_id\tGeneID\n" + GENE, "1", ("A1BG", "glycoprotein", "A1B"), "gene_info"),
        ("g.tsv", GENE, "1", ("A1BG", "glycoprotein", "A1B"), "gene_info"),
        ("c.tsv.gz", "# Fields:\n# DiseaseName\tDiseaseID\n#\n" + CTD, "D000001", ("Ague", "Shivers"), "CTD"),
        ("m.txt", MEDIC, "D000001", ("Ague", "Shivers"), "MEDIC"),
        ("d2024.bin", DESCRIPTOR, "D000001", ("Calcimycin", "Antibiotic A23187", "A-23187"), "MeSH"),
        ("c2024.BIN.GZ", SUPPLEMENTARY, "C000002", ("bevonium", "CG 201"), "MeSH"),
    ],
)
def test_what_the_project_reads_by_name_is_read_by_path(write, name, text, id, names, form):
    read = read_ontology(write(name, text))
    assert set(names) <= set(read.ontology.concepts[id].names)
    assert read.ontology.concepts[id].names[0] == names[0] and read.ontology.name == name
    assert read.notes[0].startswith(f"{name} is read as {form}")


def test_descriptors_have_branches_and_their_note(write):
    read = read_ontology(write("d.bin", DESCRIPTOR))
    [concept] = read.ontology.concepts.values()
    assert concept.types == ("D",) and concept.definition == "An ionophore | of calcium."
    assert read.dropped == {"record without a name": 1}


@pytest.mark.parametrize(
    "text",
    [
        "D000001||Ague\nD000001||Fever | heat\n",
        "D000001||Ague\n",
        "C0000001||Ague|x\n",
        "MESH:D000001||Ague|x\n",
    ],
    ids=["an id twice", "no bar", "a concept of UMLS", "a prefix"],
)
def test_what_may_be_a_plain_dictionary_is_read_as_one(write, text):
    read = read_ontology(write("m.txt", text))
    expected = dict.fromkeys(line.partition("||")[0] for line in text.splitlines())
    assert list(read.ontology.concepts) == list(expected)
    assert not any("is read as" in note for note in read.notes)


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("o.OBO", "[Term]\nid: C01\nname: flu\n", "o.OBO"),
        ("o.obo.GZ", "[Term]\nid: C01\nname: flu\n", "o.obo.GZ"),
        ("o.JSONL", '{"id": "C01", "names": ["flu"]}\n', "o.JSONL"),
        ("o.TSV", "C01\tflu\n", "o.TSV"),
        ("o.Csv.gz", "id,name\nC01,flu\n", "o.Csv.gz"),
        ("umls/MRCONSO.RRF", ATOM, "umls"),
        ("umls/mrconso.rrf.gz", ATOM, "umls"),
        ("umls/MRCONSO.RRF", ATOM, "umls/MRCONSO.RRF"),
    ],
)
def test_the_case_of_a_suffix_means_nothing(write, tmp_path, name, text, path):
    write(name, text)
    assert read_ontology(tmp_path / path).ontology.concepts["C01"].names == ("flu",)


def test_synonyms_are_separated_on_demand(write):
    read = read_ontology(write("m.txt", MEDIC), synonyms="|")
    assert read.ontology.concepts["D000001"].names == ("Ague", "Shivers")
    assert read.ontology.concepts["D000001"].alternatives == ("600007",)
    with pytest.raises(ValueError, match=r"x\.obo: a synonym separator is for dictionaries"):
        read_ontology(write("x.obo", "[Term]\nid: X\nname: y\n"), synonyms="|")


@pytest.mark.parametrize("name", ["x.owl", "x.json.gz", "dictionary"])
def test_another_suffix_is_an_error_that_lists_those_known(write, name):
    with pytest.raises(ValueError, match=r"expected an ontology as \.tsv, .*\.obo, \.jsonl or \.rrf"):
        read_ontology(write(name, "1\ta\n"))


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.tsv: no such file"):
        read_ontology(tmp_path / "nowhere.tsv")


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (DESCRIPTOR.replace("UI = D000001\n", ""), 1, "one UI of its own"),
        (SUPPLEMENTARY * 2, 6, "one UI of its own"),
        (SUPPLEMENTARY + "NM bevonium\n", 6, "KEY = value"),
        ("*NEWRECORD\nSH = x\nUI = Q1\n", 1, "at least one record with a name"),
    ],
)
def test_broken_records_of_mesh(write, text, line, expected):
    path = write("d.bin", text)
    with pytest.raises(ValueError, match=expected) as error:
        read_ontology(path)
    assert str(error.value).startswith(f"{path}:{line}:")
