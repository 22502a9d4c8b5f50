"""Plain dictionaries in every form, and an ontology by the ending of its path."""

import pytest

from benchlib.formats.dictionary import read_dictionary
from benchlib.formats.ontologies import read_ontology


def names(read) -> dict[str, tuple[str, ...]]:
    return {id: concept.names for id, concept in read.ontology.concepts.items()}


def test_ids_are_text_and_lines_of_one_id_add_up(write):
    text = "\ufeff007\tJames  Bond\tBond\n7\tseven\r\n\n007\tBond\tcommander\n1e5\t||\u2028x\n"
    concepts = read_dictionary(write("names.tsv", text)).ontology.concepts
    assert list(concepts) == ["007", "7", "1e5"]
    assert concepts["007"].names == ("James  Bond", "Bond", "commander")
    assert concepts["1e5"].names == ("||\u2028x",)


def test_biosyn_form_shares_names_and_keeps_alternatives(write):
    text = "D1|613097||deafness\nD1||hearing | loss\nD2|D1||shared\n"
    ontology = read_dictionary(write("names.tsv", text)).ontology
    assert list(ontology.concepts) == ["D1", "D2"]
    assert ontology.concepts["D1"].names == ("deafness", "hearing | loss", "shared")
    assert ontology.concepts["D1"].alternatives == ("613097",)
    assert ontology.resolve("613097") == ("D1",)
    assert ontology.owners()["shared"] == ("D1", "D2")


NAMES = {"007": ("flu", "influenza"), "X:2": ("cold, common",)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n.tsv", "007\tflu\tinfluenza\nX:2\tcold, common\n"),
        ("n.tsv", "# made by hand\n007\tflu\tinfluenza\n#X:3\tno\nX:2\tcold, common\n"),
        ("n.tsv", "007\tflu\rX:2\tcold, common\r007\tinfluenza\r"),
        ("n.tsv", '"007"\t"flu"\tinfluenza\n"X:2"\t"cold, common"\n'),
        ("n.tsv", "ID\tName\tSynonym\n007\tflu\tinfluenza\nX:2\tcold, common\n"),
        ("n.tsv", "#id\tname\n007\tflu\nX:2\tcold, common\n007\tinfluenza\n"),
        ("n.tsv", "alias\tkind\tprefLabel\tconcept_id\ninfluenza\ta\tflu\t007\n\tb\tcold, common\tX:2\n"),
        ("n.csv", '007,flu,influenza\nX:2,"cold, common"\n'),
        ("n.CSV", 'cui,string\n007,flu\n"X:2", "cold, common"\n\n007,influenza\n'),
        ("n.txt", "id||name\n007||flu\nX:2||cold, common\n007||influenza\n"),
    ],
)
def test_one_dictionary_in_many_forms(write, name, text):
    assert names(read_dictionary(write(name, text))) == NAMES


def test_only_the_first_line_is_a_head(write):
    assert names(read_dictionary(write("n.tsv", "1\tflu\nid\tname\n"))) == {"1": ("flu",), "id": ("name",)}
    found = names(read_dictionary(write("n.tsv", "1\tlong term\tfatty acid\nx_id\tflu\n")))
    assert found == {"1": ("long term", "fatty acid"), "x_id": ("flu",)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alternative name\tid\tname\ngrippe\t1\tflu\n", ("flu", "grippe")),
        ("id\tsynonyms\n1\tgrippe\n", ("grippe",)),
        ("mesh_id\tmesh_name\n1\tflu\n", ("flu",)),
        ("DiseaseName\tDiseaseID\tSynonyms\nflu\t1\tgrippe\n", ("flu", "grippe")),
        ("Concept Id\tPreferred Label\n1\tflu\n", ("flu",)),
    ],
)
def test_names_stand_before_synonyms(write, text, expected):
    assert names(read_dictionary(write("n.tsv", text))) == {"1": expected}


def test_a_csv_name_may_hold_quotes_and_line_ends(write):
    path = write("n.csv", '1,"a ""b""\nc"\n2,d"e\n')
    assert names(read_dictionary(path)) == {"1": ('a "b"\nc',), "2": ('d"e',)}
    with pytest.raises(ValueError, match=r"n\.csv:2: expected cells quoted as in CSV"):
        read_dictionary(write("n.csv", '1,a\n2,"b\n'))


def test_quotes_that_are_none_belong_to_a_tsv_name(write):
    path = write("names.tsv", '1\t"5\'-" end\t5"\n2\t"open\n')
    assert names(read_dictionary(path)) == {"1": ('"5\'-" end', '5"'), "2": ('"open',)}


def test_columns_that_are_not_read_are_noted(write):
    read = read_dictionary(write("names.tsv", "type\tid\tname\tsource\nT1\t1\ta\tX\n"))
    assert read.ontology.concepts["1"].names == ("a",)
    assert read.notes == ("Columns of names.tsv that are not read: type, source.",)


def test_bars_between_names_are_an_option_and_noted_without_it(write):
    path = write("names.tsv", "1\ta\tb|c| d\n2\te\n3\tf\tg\n")
    plain = read_dictionary(path)
    assert plain.ontology.concepts["1"].names == ("a", "b|c| d")
    [note] = plain.notes
    assert note.startswith("1 of 2 cells in column 3 of names.tsv hold `|`")
    parted = read_dictionary(path, synonyms="|")
    assert parted.ontology.concepts["1"].names == ("a", "b", "c", "d") and parted.notes == ()
    few = "".join(f"{i}\tname {i}\n" for i in range(9)) + "9\ta|b\n"
    assert read_dictionary(write("names.tsv", few)).notes == ()  # one in ten is not more than a tenth


GENES = (
    "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tdescription\n"
    "9606\t1\tA1BG\t-\tA1B|ABG\t-\tglycoprotein\n9606\t2\tA2M\t-\t-\t-\tmacroglobulin\n"
)
DISEASES = (
    "# Report created: today\n#\n# Fields:\n"
    "# DiseaseName\tDiseaseID\tAltDiseaseIDs\tDefinition\tParentIDs\tTreeNumbers\tSynonyms\tSlimMappings\n#\n"
    "Ague\tMESH:D1\tDO:DOID:5|OMIM:600007\tA fever.\tMESH:D000002\tC03.1\tShivers|Chill\tx\n"
    "Fever\tOMIM:1\t\t\t\t\t\t\n"
)
MEDIC = "D1|600007||Ague|Shivers\nC565588||Fever\n"
ATOM = "C01|ENG|P|L|PF|S|Y|A||||MSH|MH|D|flu|0|N||\n"


@pytest.mark.parametrize(
    ("name", "text", "expected", "unread"),
    [
        ("g.gene_info", GENES, {"1": ("A1BG", "A1B", "ABG"), "2": ("A2M",)},
         "tax_id, LocusTag, dbXrefs, description"),
        ("CTD_diseases.tsv.gz", DISEASES, {"MESH:D1": ("Ague", "Shivers", "Chill"), "OMIM:1": ("Fever",)},
         "AltDiseaseIDs, Definition, ParentIDs, TreeNumbers, SlimMappings"),
        ("m.txt", MEDIC, {"D1": ("Ague", "Shivers"), "C565588": ("Fever",)}, ""),
    ],
)  # fmt: skip
def test_tables_of_others_are_dictionaries_whose_synonyms_are_separated(write, name, text, expected, unread):
    path = write(name, text)
    read = read_ontology(path, synonyms="|")
    assert names(read) == expected
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
def test_the_ending_says_which_reader_whatever_its_case(write, tmp_path, name, text, path):
    write(name, text)
    assert read_ontology(tmp_path / path).ontology.concepts["C01"].names == ("flu",)


@pytest.mark.parametrize(
    ("name", "synonyms", "error", "message"),
    [
        ("x.obo", "|", ValueError, r"x\.obo: \.obo files are read without synonyms"),
        *((name, "", ValueError, r"expected an ontology as \.tsv, \.txt, .*\.obo, \.json, \.jsonl, \.rrf \(")
          for name in ("x.owl", "x.ttl.gz", "dictionary")),
        ("x.json.gz", "", ValueError, r"x\.json\.gz:1: expected OBO Graphs JSON"),
        ("d2024.bin", "", ValueError, r"d2024\.bin: MeSH in ASCII is not read\. Write it as TSV"),
        ("x.tsv#st21pv", "", ValueError, "#st21pv is for a release of UMLS"),
        ("nowhere.tsv", "", FileNotFoundError, r"nowhere\.tsv: no such file"),
    ],
)  # fmt: skip
def test_what_is_no_ontology_is_refused_by_name(write, tmp_path, name, synonyms, error, message):
    if name != "nowhere.tsv":
        write(name.removesuffix("#st21pv"), "[Term]\nid: X\nname: y\n")
    with pytest.raises(error, match=message):
        read_ontology(tmp_path / name, synonyms)
