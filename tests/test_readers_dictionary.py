"""Plain dictionaries in both forms."""

import pytest

from benchlib.formats.dictionary import read_dictionary


def write(tmp_path, text, name="names.tsv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_ids_are_text_and_lines_of_one_id_add_up(tmp_path):
    text = "\ufeff007\tJames  Bond\tBond\n7\tseven\r\n\n007\tBond\tcommander\n1e5\t||\u2028x\n"
    concepts = read_dictionary(write(tmp_path, text)).ontology.concepts
    assert list(concepts) == ["007", "7", "1e5"]
    assert concepts["007"].names == ("James  Bond", "Bond", "commander")
    assert concepts["1e5"].names == ("||\u2028x",)


def test_biosyn_form_shares_names_and_keeps_alternatives(tmp_path):
    text = "D1|613097||deafness\nD1||hearing | loss\nD2|D1||shared\n"
    ontology = read_dictionary(write(tmp_path, text)).ontology
    assert list(ontology.concepts) == ["D1", "D2"]
    assert ontology.concepts["D1"].names == ("deafness", "hearing | loss", "shared")
    assert ontology.concepts["D1"].alternatives == ("613097",)
    assert ontology.resolve("613097") == ("D1",)
    assert ontology.owners()["shared"] == ("D1", "D2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"names\.tsv:1: expected .* found 'an empty file'"),
        ("1\ta\n2 b\n", r"names\.tsv:2: expected `id<TAB>name`, found '2 b'"),
        ("1||a\n2\tb\n", r"names\.tsv:2: expected `id\|\|name`"),
        ("neither\n", r"names\.tsv:1: expected `id\|\|name` or `id<TAB>name`, found 'neither'"),
        ("1\ta\n\tb\n", r"names\.tsv:2: expected a non-empty id and a name"),
        ("1\t \n", r"names\.tsv:1: expected a non-empty id and a name"),
        ("|1||a\n", r"names\.tsv:1: expected a non-empty id and a name"),
        ("name\tsynonym\nflu\tinfluenza\n", r"names\.tsv:1: expected a head line with a column of ids"),
        ("# x\nid\tbroader\n1\t2\n", r"names\.tsv:2: expected a head line with a column of names"),
        ("id\tname\n1\ta\tb\n", r"names\.tsv:2: expected no more than 2 cells"),
        ("name\tid\nflu\n", r"names\.tsv:2: expected `id<TAB>name`"),
        ("id\tname\tsynonyms\n1\t\t\n", r"names\.tsv:2: expected a non-empty id and a name"),
        ("1\ta\0\n", r"names\.tsv:1: expected text without NUL"),
    ],
)
def test_broken_files(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_dictionary(write(tmp_path, text))


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
def test_one_dictionary_in_many_forms(tmp_path, name, text):
    concepts = read_dictionary(write(tmp_path, text, name)).ontology.concepts
    assert {id: concept.names for id, concept in concepts.items()} == NAMES


def test_only_the_first_line_is_a_head(tmp_path):
    concepts = read_dictionary(write(tmp_path, "1\tflu\nid\tname\n")).ontology.concepts
    assert {id: concept.names for id, concept in concepts.items()} == {"1": ("flu",), "id": ("name",)}
    concepts = read_dictionary(write(tmp_path, "1\tlong term\tfatty acid\nx_id\tflu\n")).ontology.concepts
    assert list(concepts) == ["1", "x_id"] and concepts["1"].names == ("long term", "fatty acid")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("alternative name\tid\tname\ngrippe\t1\tflu\n", ("flu", "grippe")),
        ("id\tsynonyms\n1\tgrippe\n", ("grippe",)),
        ("mesh_id\tmesh_name\n1\tflu\n", ("flu",)),
        ("DiseaseName\tDiseaseID\tSynonyms\nflu\t1\tgrippe\n", ("flu", "grippe")),
        ("Concept Id\tPreferred Label\n1\tflu\n", ("flu",)),
    ],
)
def test_names_stand_before_synonyms(tmp_path, text, names):
    assert read_dictionary(write(tmp_path, text)).ontology.concepts["1"].names == names


def test_a_csv_name_may_hold_quotes_and_line_ends(tmp_path):
    path = write(tmp_path, '1,"a ""b""\nc"\n2,d"e\n', "n.csv")
    assert [c.names for c in read_dictionary(path).ontology.concepts.values()] == [('a "b"\nc',), ('d"e',)]
    with pytest.raises(ValueError, match=r"n\.csv:2: expected cells quoted as in CSV"):
        read_dictionary(write(tmp_path, '1,a\n2,"b\n', "n.csv"))


def test_quotes_that_are_none_belong_to_a_tsv_name(tmp_path):
    path = write(tmp_path, '1\t"5\'-" end\t5"\n2\t"open\n')
    assert [c.names for c in read_dictionary(path).ontology.concepts.values()] == [
        ('"5\'-" end', '5"'),
        ('"open',),
    ]


def test_columns_that_are_not_read_are_noted(tmp_path):
    read = read_dictionary(write(tmp_path, "type\tid\tname\tsource\nT1\t1\ta\tX\n"))
    assert read.ontology.concepts["1"].names == ("a",)
    assert read.notes == ("Columns of names.tsv that are not read: type, source.",)


def test_bars_between_names_are_an_option_and_noted_without_it(tmp_path):
    path = write(tmp_path, "1\ta\tb|c| d\n2\te\n3\tf\tg\n")
    plain = read_dictionary(path)
    assert plain.ontology.concepts["1"].names == ("a", "b|c| d")
    [note] = plain.notes
    assert note.startswith("1 of 2 cells in column 3 of names.tsv hold `|`")
    parted = read_dictionary(path, synonyms="|")
    assert parted.ontology.concepts["1"].names == ("a", "b", "c", "d") and parted.notes == ()
    few = "".join(f"{i}\tname {i}\n" for i in range(9)) + "9\ta|b\n"
    assert read_dictionary(write(tmp_path, few)).notes == ()  # one in ten is not more than a tenth


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_dictionary(tmp_path / "nowhere.tsv")
