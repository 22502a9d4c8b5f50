"""SSSOM mapping tables."""

import pytest

from study.corpora.sssom import Mapping, read_sssom

HEADER = "subject_id\tsubject_label\tpredicate_modifier\tpredicate_id\tobject_id\n"


def test_exact_matches_that_are_not_denied(tmp_path):
    path = tmp_path / "x.sssom.tsv"
    path.write_text(
        "# curie_map:\n"
        + HEADER
        + "M:007\tflu\t\tskos:exactMatch\tU:1\nM:2\tcold\tNot\tskos:exactMatch\tU:2\n"
        + "M:3\tache\t\tskos:broadMatch\tU:3\nM:4\t\t\tskos:exactMatch\tU:1\n"
    )
    assert read_sssom(path) == (Mapping("M:007", "U:1", "flu"), Mapping("M:4", "U:1"))


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
    assert mappings[0] == Mapping("MONDO:0000001", "UMLS:C0012634", "disease")
