"""SSSOM mapping tables."""

import pytest

from benchlib.readers.sssom import Mapping, read_sssom

HEADER = "subject_id\tsubject_label\tpredicate_modifier\tpredicate_id\tobject_id\n"


def test_rows_keep_their_predicate_and_denial(tmp_path):
    path = tmp_path / "x.sssom.tsv"
    path.write_text(
        "# curie_map:\n"
        + HEADER
        + "M:007\tflu\t\tskos:exactMatch\tU:1\nM:2\tcold\tNot\tskos:exactMatch\tU:2\n"
    )
    assert read_sssom(path) == (
        Mapping("M:007", "skos:exactMatch", "U:1", "flu"),
        Mapping("M:2", "Not skos:exactMatch", "U:2", "cold"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# only\n", r"x\.tsv:1: expected a header"),
        ("# c\nsubject_id\tobject_id\n", r"x\.tsv:2: expected a header with predicate_id"),
        (HEADER + "M:1\tflu\n", r"x\.tsv:2: expected 5 tab-separated fields, found '2 in"),
        (HEADER + "M:1\tflu\t\tskos:exactMatch\t\n", r"x\.tsv:2: expected non-empty"),
    ],
)
def test_broken_files(tmp_path, text, message):
    path = tmp_path / "x.tsv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_sssom(path)


def test_mondo(data_folder):
    mappings = read_sssom(data_folder / "mondo" / "mondo_exactmatch_umls.sssom.tsv.gz")
    assert len({m.object for m in mappings}) == 21_660
    assert {m.predicate for m in mappings} == {"skos:exactMatch"}
    assert mappings[0] == Mapping("MONDO:0000001", "skos:exactMatch", "UMLS:C0012634", "disease")
