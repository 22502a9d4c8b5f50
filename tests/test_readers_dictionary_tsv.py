"""Plain dictionaries in both forms."""

import pytest

from benchlib.readers.dictionary_tsv import read_dictionary


def write(tmp_path, text):
    path = tmp_path / "names.tsv"
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
    ],
)
def test_broken_files(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_dictionary(write(tmp_path, text))


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read_dictionary(tmp_path / "nowhere.tsv")
