"""NCBI Disease, BC5CDR and BC2GN as read from the real files, against counts made without this code
(the data READMEs, and plain loops over the lines here)."""

import gzip
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from benchlib.corpus import Corpus
from benchlib.formats.pubtator import read_pubtator
from study.corpora import BUILDERS, load
from study.corpora.bc5cdr import bc5cdr_gold
from study.corpora.hold_out import held_out
from study.corpora.ncbi import ncbi_gold
from study.measurements.card import card


@pytest.fixture(scope="module")
def benchmarks(data_folder):
    """A benchmark by its name, read once."""
    return cache(load)


def ends(corpus: Corpus) -> list[tuple]:
    """The first, the middle and the last mention."""
    pairs = list(corpus.mentions())
    picked = (pairs[0], pairs[len(pairs) // 2], pairs[-1])
    return [(d.id, m.start, m.end, m.text, m.gold.printed) for d, m in picked]


def annotation_rows(path) -> list[list[str]]:
    rows = (line.rstrip("\r\n").split("\t") for line in path.open(encoding="utf-8"))
    return [row for row in rows if len(row) >= 5]


def test_ncbi_counts(benchmarks):
    b = benchmarks("ncbi-disease")
    assert [(len(s.documents), s.n_mentions, s.n_raw) for s in (b.train, b.dev, b.test)] == [
        (592, 5134, 5145), (100, 787, 787), (100, 960, 960),
    ]  # fmt: skip
    assert b.train.dropped == {"duplicate document": 11}
    types = Counter(m.type for _, m in b.test.mentions())
    assert types == {"SpecificDisease": 555, "Modifier": 264, "DiseaseClass": 121, "CompositeMention": 20}
    ids = {id for s in (b.train, b.dev, b.test) for _, m in s.mentions() for id in m.gold.ids}
    assert len(ids) == 751 and all(id in b.ontology for id in ids)
    assert len({m.gold.printed for s in (b.train, b.dev, b.test) for _, m in s.mentions()}) == 787


def test_ncbi_mentions(benchmarks):
    # The one mention of train with blanks behind it stands where its text is.
    [document] = [d for d in benchmarks("ncbi-disease").train.documents if d.id == "10923035"]
    assert any(m.start == 711 and not m.text.endswith(" ") for m in document.mentions)


def test_ncbi_reading_of_composite_gold(data_folder, benchmarks):
    b = benchmarks("ncbi-disease")
    rows = annotation_rows(data_folder / "ncbi_disease" / "NCBItestset_corpus.txt")
    asked = sum(row[4] == "CompositeMention" and "|" in row[5] for row in rows)
    # One Modifier of test lists four cancers: an exception of the registry.
    assert sum(len(m.gold.parts) > 1 for _, m in b.test.mentions()) == asked + 1 == 13
    alternatives = [m for _, m in b.test.mentions() if any(len(part) > 1 for part in m.gold.parts)]
    assert {m.gold.printed for m in alternatives} == {"OMIM:201400|C535668"}
    both = ncbi_gold("D001943+D010051", "Modifier", ())
    assert both.parts == (frozenset({"D001943"}), frozenset({"D010051"}))
    assert ncbi_gold("D1|D2", "Modifier", ()).parts == (frozenset({"D1", "D2"}),)
    assert len(ncbi_gold("D1|D2", "CompositeMention", ()).parts) == 2
    assert len(ncbi_gold("D1|D2", "Modifier", (), all_of=frozenset({"D1|D2"})).parts) == 2


def test_medic_2012_counts(benchmarks):
    ontology = benchmarks("ncbi-disease").ontology
    ids = Counter(id for c in ontology.concepts.values() for id in (c.id, *c.alternatives))
    assert (len(ontology), len(ids)) == (11915, 14942)
    assert [id for id, n in ids.items() if n > 1] == ["OMIM:260350"]
    # A row of its own and an alternative of another: the row of its own is meant.
    assert ontology.resolve("OMIM:260350") == ("OMIM:260350",)
    lowered = {}
    for concept in ontology.concepts.values():
        for name in concept.names:
            lowered.setdefault(name.lower(), set()).add(concept.id)
    assert (len(lowered), sum(len(ids) > 1 for ids in lowered.values())) == (74979, 957)


@pytest.mark.parametrize(
    ("split", "file", "rows", "sevens", "nil", "multi"),
    [
        ("train", "Training", (5203, 4182), (14, 93), (44, 32), (3, 95)),
        ("dev", "Development", (5347, 4244), (2, 87), (43, 16), (2, 98)),
        ("test", "Test", (5385, 4424), (4, 53), (30, 61), (12, 63)),
    ],
)
def test_bc5cdr_counts(data_folder, benchmarks, split, file, rows, sevens, nil, multi):
    corpora = [benchmarks(f"bc5cdr-{kind}").split(split) for kind in ("chemical", "disease")]
    golds = [[m.gold for _, m in corpus.mentions()] for corpus in corpora]
    assert [len(c.documents) for c in corpora] == [500, 500]
    assert tuple(map(len, golds)) == rows and [c.n_raw for c in corpora] == list(rows)
    assert tuple(sum(g.nil for g in one) for one in golds) == nil
    assert tuple(sum("|" in g.printed for g in one) for one in golds) == multi
    lines = annotation_rows(data_folder / "bc5cdr" / f"CDR_{file}Set.PubTator.txt")
    found = Counter(row[4] for row in lines if len(row) == 7)
    assert (found["Chemical"], found["Disease"]) == sevens
    both = benchmarks("bc5cdr").split(split)
    assert both.n_mentions == sum(rows) and {m.type for _, m in both.mentions()} == {"Chemical", "Disease"}


def test_bc5cdr_composites_keep_their_submentions():
    gold = bc5cdr_gold("D001|D002", "Disease", ("visual hallucinations", "auditory hallucinations"))
    assert len(gold.parts) == len(gold.texts) == 2
    assert bc5cdr_gold("D001|D002", "Disease", ("one",)).texts == ()
    assert bc5cdr_gold("-1", "Disease", ()).nil


def test_bc5cdr_ceilings(benchmarks):
    disease, chemical = card(benchmarks("bc5cdr-disease")), card(benchmarks("bc5cdr-chemical"))
    assert disease["test.in_dictionary"] == disease["test.reachable"] == 4363
    assert disease["all.ids_per_document"] == 5817 and chemical["all.ids_per_document"] == 4408
    # Mapped ids are in the dictionary, with or without a name to be found by.
    both = benchmarks("bc5cdr")
    chemicals = [m for _, m in both.test.mentions() if m.type == "Chemical" and not m.gold.nil]
    known = sum(any(id in both.ontology for id in m.gold.ids) for m in chemicals)
    assert known / len(chemicals) == pytest.approx(0.936, abs=0.001)
    assert chemical["test.reachable_pct"] < 100 * known / len(chemicals)


def ends_in_file(path, types: set[str]) -> list[tuple]:
    """First, middle and last annotation line of a file."""
    rows = [row for row in annotation_rows(path) if row[4] in types]
    picked = (rows[0], rows[len(rows) // 2], rows[-1])
    return [(row[0], int(row[1]), int(row[2]), row[3], row[5].strip()) for row in picked]


def test_first_middle_and_last_mentions_stand_as_in_the_files(data_folder, benchmarks):
    ncbi = {"SpecificDisease", "Modifier", "DiseaseClass", "CompositeMention"}
    cases = [
        ("ncbi-disease", "ncbi_disease/NCBItestset_corpus.txt", ncbi),
        ("bc5cdr-disease", "bc5cdr/CDR_TestSet.PubTator.txt", {"Disease"}),
        ("bc5cdr-chemical", "bc5cdr/CDR_TestSet.PubTator.txt", {"Chemical"}),
        ("bc5cdr", "bc5cdr/CDR_TestSet.PubTator.txt", {"Disease", "Chemical"}),
    ]
    for name, file, types in cases:
        assert ends(benchmarks(name).test) == ends_in_file(data_folder / file, types), name


def test_bc2gn_counts_close(data_folder, benchmarks):
    whole, human = benchmarks("bc2gn"), benchmarks("bc2gn-human")
    rows = Counter(
        row[4] for row in annotation_rows(data_folder / "bc2gn_gnormplus" / "GNormPlus_Test.PubTator")
    )
    assert rows == {"Gene": 3288, "FamilyName": 1202, "DomainMotif": 359}
    assert whole.test.dropped == {"FamilyName": 1202, "DomainMotif": 359, "offset mismatch": 1}
    assert whole.test.n_raw == human.test.n_raw == sum(rows.values())
    assert human.test.n_mentions + human.test.dropped["no human gene"] == whole.test.n_mentions == 3287
    assert sum(m.gold.nil for _, m in whole.test.mentions()) == 46
    assert len(whole.train.documents) + len(whole.dev.documents) == 432 and len(whole.test.documents) == 262
    ids = {id for d in human.test.documents for m in d.mentions for id in m.gold.ids}
    assert ids <= set(whole.ontology.concepts) and len(whole.ontology) == 63354


def test_the_filter_of_the_refined_splits_on_raw_text(benchmarks):
    # The distributed splits (204 and 657) follow BioSyn's preprocessing; on raw text NCBI gives 220.
    assert card(benchmarks("ncbi-disease"))["test.refined"] == 220


def test_a_changed_reader_or_file_is_noticed(data_folder, benchmarks, monkeypatch):
    other = replace(benchmarks("ncbi-disease"), notes=("another",))
    assert other.fingerprint() == benchmarks("ncbi-disease").fingerprint()
    changed = replace(other, test=read_pubtator(data_folder / "ncbi_disease" / "NCBItestset_corpus.txt", "x"))
    monkeypatch.setitem(BUILDERS, "ncbi-disease", lambda locate: changed)
    with pytest.raises(ValueError, match="do not belong together"):
        load("ncbi-disease")


def tree_rows(data_folder) -> list[list[str]]:
    """(id, name, tree number) of each line."""
    with gzip.open(data_folder / "mesh" / "dhimmel_mesh2015_tree-numbers.tsv.gz", "rt") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]


def test_released_descriptors_have_types_and_parents_from_the_mesh_tree(data_folder, benchmarks):
    released = benchmarks("bc5cdr-released")
    concepts = released.ontology.concepts
    rows = tree_rows(data_folder)
    # Each pair once, whatever their order: "C04.557" is below "C04", whose name is a type.
    at, name = {place: id for id, _, place in rows}, {place: text for _, text, place in rows}
    types = {(id, name[place[:3]]) for id, _, place in rows}
    parents = {(id, at[place[: place.rindex(".")]]) for id, _, place in rows if "." in place}
    assert {(id, type) for id, c in concepts.items() for type in c.types} == {
        pair for pair in types if pair[0] in concepts
    }
    assert {(id, parent) for id, c in concepts.items() for parent in c.parents} == {
        pair for pair in parents if {*pair} <= concepts.keys()
    }
    assert all(len(set(c.types)) == len(c.types) for c in concepts.values())
    # C04.588.180 comes before C17.800.090.500, and the breast (A01) is no ancestor of its diseases.
    assert concepts["D001943"].types == ("Neoplasms", "Skin and Connective Tissue Diseases")
    assert concepts["D001943"].parents == ("D009371", "D001941")
    assert concepts["D009369"].types == ("Neoplasms",) and concepts["D009369"].parents == ()
    assert (len(concepts), len({id for id, _ in types} & concepts.keys())) == (29054, 26840)
    assert sum(bool(c.parents) for c in concepts.values()) == 26516
    golds = [m.gold.ids & concepts.keys() for _, m in released.test.mentions() if not m.gold.nil]
    assert (len(golds), sum(map(bool, golds))) == (9718, 8942)
    # Whatever can be reached has a type: 92 % of what is not NIL.
    assert sum(any(concepts[id].types for id in ids) for ids in golds) == 8942
    assert sum(any(concepts[id].parents for id in ids) for ids in golds) == 8813


def test_whole_trees_of_mesh_can_be_held_out_of_the_released_descriptors(data_folder, benchmarks):
    ontology = benchmarks("bc5cdr-released").ontology
    tops = {"C04": "Neoplasms", "D01": "Inorganic Chemicals"}
    for kept, number in (({"C04"}, 674), ({"C04", "D01"}, 1123)):
        gone = {id for id, _, place in tree_rows(data_folder) if place.partition(".")[0] in kept}
        gone &= ontology.concepts.keys()
        assert held_out(ontology, "types:" + "+".join(tops[top] for top in sorted(kept))) == gone
        assert len(gone) == number
