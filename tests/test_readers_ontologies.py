"""An ontology by its path: the ending says which reader."""

import gzip

import pytest

from benchlib.formats.ontologies import read_ontology

GENES = (
    "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tdescription\n"
    "9606\t1\tA1BG\t-\tA1B|ABG\t-\tglycoprotein\n9606\t2\tA2M\t-\t-\t-\tmacroglobulin\n"
)
DISEASES = (
    "# Report created: today\n#\n# Fields:\n"
    "# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers\tSynonyms\tSlimMappings\n#\n"
    "Ague\tMESH:D000001\tDO:DOID:5|OMIM:600007\tA fever.\tMESH:D000002\tC03.1\tShivers|Chill\tx\n"
    "Fever\tOMIM:100100\t\t\t\t\t\t\n"
)
MEDIC = "D000001|600007||Ague|Shivers\nC565588||Fever\n"
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
    ("name", "text", "expected", "unread"),
    [
        (
            "g.gene_info",
            GENES,
            {"1": ("A1BG", "A1B", "ABG"), "2": ("A2M",)},
            "tax_id, LocusTag, dbXrefs, description",
        ),
        (
            "CTD_diseases.tsv.gz",
            DISEASES,
            {"MESH:D000001": ("Ague", "Shivers", "Chill"), "OMIM:100100": ("Fever",)},
            "AltDiseaseIDs, Definition, ParentIDs, TreeNumbers, SlimMappings",
        ),
        ("m.txt", MEDIC, {"D000001": ("Ague", "Shivers"), "C565588": ("Fever",)}, ""),
    ],
)
def test_tables_of_others_are_dictionaries_whose_synonyms_are_separated(write, name, text, expected, unread):
    path = write(name, text)
    read = read_ontology(path, synonyms="|")
    assert {id: concept.names for id, concept in read.ontology.concepts.items()} == expected
    assert read.notes == ((f"Columns of {name} that are not read: {unread}.",) if unread else ())
    # Without the separator each cell is one name, which is noted.
    assert read_ontology(path).notes[-1].endswith("where it separates names, say so (synonyms).")


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
    with pytest.raises(
        ValueError, match=r"expected an ontology as \.tsv, \.txt, \.csv, .*\.obo, \.jsonl, \.rrf \("
    ):
        read_ontology(write(name, "1\ta\n"))


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.tsv: no such file"):
        read_ontology(tmp_path / "nowhere.tsv")


def test_mesh_in_ascii_is_refused_with_what_to_do(write):
    with pytest.raises(ValueError, match=r"d2024\.bin: MeSH in ASCII is not read\. Write it as TSV"):
        read_ontology(write("d2024.bin", "*NEWRECORD\nMH = Lead\nUI = D1\n"))
