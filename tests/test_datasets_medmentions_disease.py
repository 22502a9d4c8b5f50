"""The diseases of MedMentions: the map by hand, and the counts by plain loops over the files."""

import gzip
from collections import defaultdict

import pytest
from toy import ONTOLOGY, document

from benchlib.corpus import Corpus
from study.corpora import load
from study.corpora.medmentions import read_edition
from study.corpora.medmentions_disease import NO_DISEASE, medic_of_umls, with_gold_of
from study.printed.reported import cell

HEADER = "subject_id\tsubject_label\tpredicate_id\tobject_id\n"
UMLS = """M:1	a cold	skos:exactMatch	UMLS:C1
M:2	a fever	skos:exactMatch	UMLS:C2
M:3	an ache	skos:broadMatch	UMLS:C3
M:4	a fever of old	skos:exactMatch	UMLS:C2
M:5	no disease	skos:exactMatch	UMLS:C5
"""
MESH = """M:1	a cold	skos:exactMatch	mesh:D1
M:2	a fever	skos:broadMatch	mesh:D7
M:3	an ache	skos:exactMatch	mesh:D8
"""
OMIM = """M:1	a cold	skos:exactMatch	OMIM:9
M:2	a fever	skos:exactMatch	OMIM:3
M:4	a fever of old	skos:exactMatch	OMIM:4
"""


def test_a_concept_of_umls_is_every_disease_that_matches_one_of_its_mondo_concepts(tmp_path):
    (tmp_path / "mondo").mkdir()
    for name, rows in (("umls", UMLS), ("mesh", MESH), ("omim", OMIM)):
        path = tmp_path / "mondo" / f"mondo_exactmatch_{name}.sssom.tsv.gz"
        path.write_bytes(gzip.compress((HEADER + rows).encode()))
    # C3 matches only broadly, D7 is a broad match, and C5 is no disease of MeSH or OMIM.
    assert medic_of_umls(lambda name: tmp_path / name) == {
        "C1": {"D1", "OMIM:9"},
        "C2": {"OMIM:3", "OMIM:4"},
    }


def test_mentions_of_a_disease_of_the_dictionary_stay_and_the_others_are_counted():
    given = Corpus(
        "c",
        (
            document("1", ("a cold", "C1"), ("an ache", "C3"), ("a fever", "C2")),
            document("2", ("a house", "C9")),
        ),
        {"duplicate row": 2},
    )
    ids = {"C1": frozenset({"D1", "D2", "X"}), "C2": frozenset({"OMIM:3"}), "C3": frozenset({"Y"})}
    found = with_gold_of(given, ids, ONTOLOGY)
    assert [(d.id, m.start, m.text, m.gold.parts, m.gold.printed) for d, m in found.mentions()] == [
        ("1", 0, "a cold", (frozenset({"D1", "D2"}),), "C1"),
        ("1", 15, "a fever", (frozenset({"OMIM:3"}),), "C2"),
    ]
    assert [(d.id, d.text) for d in found.documents] == [(d.id, d.text) for d in given.documents]
    assert found.dropped == {"duplicate row": 2, NO_DISEASE: 2} and found.n_raw == given.n_raw == 6


@pytest.fixture(scope="module")
def whole(data_folder):
    """All mentions of the edition, of whatever kind."""
    return read_edition(lambda name: data_folder / name, "whole")


@pytest.fixture(scope="module")
def mapped(data_folder):
    """CUI -> ids as MONDO prints them, by a plain loop."""
    pairs = {}
    for name in ("umls", "mesh", "omim"):
        pairs[name] = defaultdict(set)
        path = data_folder / "mondo" / f"mondo_exactmatch_{name}.sssom.tsv.gz"
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
        subject, object = rows[0].index("subject_id"), rows[0].index("object_id")
        for row in rows[1:]:
            pairs[name][row[subject]].add(row[object].removeprefix("UMLS:").removeprefix("mesh:"))
    found = defaultdict(set)
    for mondo, cuis in pairs["umls"].items():
        for cui in cuis:
            found[cui] |= pairs["mesh"].get(mondo, set()) | pairs["omim"].get(mondo, set())
    return found


def dictionary_ids(data_folder, name) -> set[str]:
    if name == "medmentions-disease-biocom":
        text = (data_folder / "biocom_resources" / "concept_map.json").read_text()
        ids = {part for part in text.split('"') if part.isalnum()}
        return {f"OMIM:{id}" if id.isdecimal() else id for id in ids}
    with gzip.open(data_folder / "medic" / "CTD_diseases.tsv.gz", "rt", encoding="utf-8") as file:
        rows = [line.split("\t") for line in file if not line.startswith("#")]
    return {id.removeprefix("MESH:") for row in rows for id in (row[1], *row[2].split("|"))}


@pytest.mark.parametrize(
    ("name", "counts"),
    [("medmentions-disease", (5_548, 787, 2_041)), ("medmentions-disease-biocom", (5_581, 787, 2_054))],
)
def test_counts_close_and_are_those_of_a_plain_loop(data_folder, whole, mapped, name, counts):
    benchmark = load(name)
    there = dictionary_ids(data_folder, name)
    for split, count in zip(("train", "dev", "test"), counts, strict=True):
        found, given = benchmark.split(split), whole[split]
        expected = [
            (d.id, m.start, m.end, frozenset(mapped[m.gold.printed] & there))
            for d, m in given.mentions()
            if mapped[m.gold.printed] & there
        ]
        assert [(d.id, m.start, m.end, m.gold.ids) for d, m in found.mentions()] == expected
        assert len(expected) == count and found.dropped == {NO_DISEASE: given.n_mentions - count}
        assert found.n_raw == given.n_raw and len(found.documents) == len(given.documents)
    printed = cell("biocom", "table3", dataset="MedMentions", variant="mentions")
    said = f"{printed:,} test mentions; this set has {100 * counts[-1] / printed:.0f} % as many"
    assert any(said in note for note in benchmark.notes)
