"""What BioCoM scores with its released dictionary, against plain loops over the files."""

import json
import re

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from benchlib.scoring import Scoring, outcomes, recall, strata
from benchlib.scoring.measures import counted
from study.corpora import load
from study.corpora.medmentions import read_pmids
from study.printed.reported import read_reported, select
from study.systems import TfidfLinker

ROWS = {
    "ncbi-disease-biocom": ("ncbi_disease/NCBItestset_corpus.txt", None),
    "bc5cdr-disease-biocom": ("bc5cdr/CDR_TestSet.PubTator.txt", "Disease"),
}
NAMED = Scoring(among="reachable")


@pytest.fixture(scope="module")
def benchmarks(data_folder):
    return {name: load(name) for name in ROWS}


@pytest.fixture(scope="module")
def released(data_folder):
    """(name, ids) of each row, and the concept of each id, as they stand in the files."""
    folder = data_folder / "biocom_resources"
    rows = [json.loads(line) for line in (folder / "disease_down_half.tsv").read_text().splitlines()]
    concepts = json.loads((folder / "concept_map.json").read_text())
    return rows, {id: concept for concept, ids in concepts.items() for id in ids}


@pytest.fixture(scope="module")
def vectors(released):
    """scikit-learn's vectorizer and its vectors of the released names."""
    names = [name for name, _ in released[0]]
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 2)).fit(names)
    return vectorizer, vectorizer.transform(names)


def mentions_in_file(data_folder, file, type) -> list[tuple[str, list[str]]]:
    """String and ids as printed of each mention, MESH: taken off."""
    lines = (line.split("\t") for line in (data_folder / file).read_text().splitlines())
    rows = [row for row in lines if len(row) >= 6 and (type is None or row[4] == type)]
    return [(row[3], [id.strip().replace("MESH:", "") for id in re.split("[|+]", row[5])]) for row in rows]


def test_the_dictionary_has_the_released_names_each_with_one_concept(benchmarks, released):
    rows, concept = released
    assert len(rows) == len({name for name, _ in rows}) == 39_960 and len(concept) == 17_118
    named = {concept[id] for _, ids in rows for id in ids}
    assert len(set(concept.values())) == 13_063 and len(named) == 10_984
    for benchmark in benchmarks.values():
        owners = benchmark.ontology.owners()
        found = {name: id.removeprefix("OMIM:") for name, ids in owners.items() for id in ids}
        # 37 names have two blanks in a row somewhere.
        assert found == {" ".join(name.split()): concept[ids[0]] for name, ids in rows}
        assert sum(map(len, owners.values())) == 39_960 and len(benchmark.ontology) == 13_063
        assert sum(not c.names for c in benchmark.ontology.concepts.values()) == 13_063 - 10_984
        note = "39,960 lower-cased names, each of one concept. 2,079 of the 13,063 concepts of its map"
        assert any(note in text for text in benchmark.notes)


@pytest.mark.parametrize(
    ("name", "mentions", "nil", "in_map", "bare", "named"),
    [
        ("ncbi-disease-biocom", 960, 0, 960, 867, 955),
        ("bc5cdr-disease-biocom", 4_424, 61, 4_352, 4_352, 4_255),
    ],
)
def test_mentions_are_those_of_the_corpus_and_ids_of_omim_are_repaired(
    data_folder, benchmarks, released, name, mentions, nil, in_map, bare, named
):
    rows, concept = released
    with_name = {id for _, ids in rows for id in ids}
    printed = [ids for _, ids in mentions_in_file(data_folder, *ROWS[name])]
    repaired = [[id.replace("OMIM:", "") for id in ids] for ids in printed]
    assert len(printed) == mentions and sum(ids == ["-1"] for ids in printed) == nil
    assert sum(any(id in concept for id in ids) for ids in repaired) == in_map
    assert sum(any(id in concept for id in ids) for ids in printed) == bare
    assert sum(any(id in with_name for id in ids) for ids in repaired) == named
    benchmark = benchmarks[name]
    golds = [m.gold for _, m in benchmark.test.mentions()]
    assert len(golds) == benchmark.test.n_raw == mentions and sum(g.nil for g in golds) == nil
    assert sum(any(id in benchmark.ontology for id in g.ids) for g in golds) == in_map
    kinds = strata(benchmark.test, benchmark.ontology, ())
    assert kinds["reachable"].sum() == named
    plain = load(name.removesuffix("-biocom"))
    for split in ("train", "dev", "test"):
        assert benchmark.split(split).fingerprint() == plain.split(split).fingerprint()


@pytest.mark.parametrize(
    ("name", "dataset", "hits"),
    [("ncbi-disease-biocom", "NCBID", 433), ("bc5cdr-disease-biocom", "BC5CDR-d", 2_560)],
)
def test_tfidf_on_the_released_dictionary_is_as_in_print(
    data_folder, benchmarks, released, vectors, name, dataset, hits
):
    benchmark = benchmarks[name]
    predictions = TfidfLinker().fit(benchmark.visible()).link(benchmark.test.hidden().documents, 10)
    found = outcomes(predictions, benchmark.test, benchmark.ontology)
    right = recall(found, 1, NAMED)
    masked = right[counted(found, NAMED, strata(benchmark.test, benchmark.ontology, ()))]
    assert masked.sum() == right.sum() == hits
    printed = select(read_reported(), paper="biocom", item="table1", system="TF-IDF", dataset=dataset)
    assert 100 * masked.mean() == pytest.approx(float(printed["value"].item()), abs=0.5)
    # The same by scikit-learn alone, from the files.
    rows, concept = released
    vectorizer, names = vectors
    mentions = mentions_in_file(data_folder, *ROWS[name])
    strings = sorted({text.lower() for text, _ in mentions})
    queries = vectorizer.transform(strings).toarray()
    best = [row for at in range(0, len(strings), 200) for row in (names @ queries[at : at + 200].T).argmax(0)]
    nearest = {text: concept[rows[row][1][0]] for text, row in zip(strings, best, strict=True)}
    again = sum(
        nearest[text.lower()] in {concept.get(id.replace("OMIM:", "")) for id in ids}
        for text, ids in mentions
    )
    assert abs(again - hits) <= 1  # a tie in rounding


def test_the_documents_that_biocom_excludes_are_the_test_documents_of_the_three_corpora(
    data_folder, benchmarks
):
    excluded = set(read_pmids(data_folder / "biocom_resources" / "test_pmids.txt"))
    theirs = {document.id for b in benchmarks.values() for document in b.test.documents}
    lists = data_folder / "medmentions" / "official_pmids" / "corpus_pubtator_pmids_test.txt"
    assert excluded == theirs | set(lists.read_text().split()) and len(excluded) == 1_479
