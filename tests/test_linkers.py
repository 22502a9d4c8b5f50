"""The linkers on a benchmark worked out by hand, and the parts they are made of."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from toy import BENCHMARK, ONTOLOGY, document

from benchlib.corpus import Corpus
from benchlib.datasets.benchmark import Benchmark
from benchlib.encoders import TfidfEncoder, TransformerEncoder, model_folder
from benchlib.linkers import CATALOGUE, ExactLinker, PriorLinker, TfidfLinker, linker
from benchlib.ontology import Ontology
from benchlib.retrieval import search
from benchlib.scoring import CLASSES, STRATA, Scoring, outcomes, recall, strata


def hits(system, split: str = "test", scoring: Scoring | None = None) -> list[float]:
    corpus = BENCHMARK.split(split)
    predictions = system.fit(BENCHMARK.visible()).link(corpus.hidden().documents)
    return recall(outcomes(predictions, corpus, ONTOLOGY), 1, scoring).tolist()


def test_exact_answers_with_the_equal_name_and_nothing_else():
    # Cold is a name of D1 and D2; FEVER of D3, whose alternative id is the gold; the others are no names.
    assert hits(ExactLinker()) == [0.5, 1, 0, 0, 0, 0]
    assert hits(ExactLinker(), scoring=Scoring("lenient", "names")) == [1, 1, 0, 0, 0, 0]


def test_prior_takes_the_concept_that_training_mentions_meant():
    # In train, cold meant D2 twice and D1 once; with dev it meant D1 three times.
    assert hits(PriorLinker()) == [0, 1, 0, 1, 0, 0]
    assert hits(PriorLinker(("train", "dev"))) == [1, 1, 0, 1, 0, 0]


def test_prior_never_sees_the_test_split():
    with pytest.raises(ValueError, match="gold|split"):
        PriorLinker(("exam",)).fit(BENCHMARK)
    assert BENCHMARK.visible().test.n_mentions == 0


def test_tfidf_ranks_names_by_the_cosine_of_their_character_ngrams():
    predictions = TfidfLinker().fit(BENCHMARK).link(BENCHMARK.test.hidden().documents)
    names = [name for name in ONTOLOGY.owners()]
    vectors = TfidfEncoder().fit(names).encode(names).toarray()
    query = TfidfEncoder().fit(names).encode(["ague"]).toarray()
    cosines = (vectors @ query.T).ravel()
    frame = predictions.frame()
    row = frame[
        (frame["document"] == "3") & (frame["start"] == BENCHMARK.test.documents[0].mentions[2].start)
    ]
    assert row["score"].to_numpy() == pytest.approx(np.sort(cosines)[::-1], abs=1e-6)
    assert row["name"].iloc[0] == names[int(cosines.argmax())]


def test_an_ontology_without_names_is_an_error():
    empty = Benchmark("x", BENCHMARK.train, BENCHMARK.dev, BENCHMARK.test, Ontology("empty", []))
    for system in (ExactLinker(), TfidfLinker()):
        with pytest.raises(ValueError, match="no name to link to"):
            system.fit(empty)


def test_every_linker_of_the_catalogue_prints_as_its_key():
    assert [linker(name).name for name in CATALOGUE] == list(CATALOGUE)
    assert linker("some/model-cls").config["model"] == "some/model"
    with pytest.raises(ValueError, match="exact"):
        linker("exakt")


@pytest.mark.parametrize("sparse", [False, True])
def test_search_agrees_with_another_library(sparse):
    rng = np.random.default_rng(0)
    keys, queries = rng.normal(size=(700, 24)), rng.normal(size=(600, 24))
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    expected = NearestNeighbors(n_neighbors=5, metric="cosine", algorithm="brute").fit(keys)
    distance, index = expected.kneighbors(queries)
    if sparse:
        from scipy.sparse import csr_matrix

        found, scores = search(csr_matrix(queries.astype("f4")), csr_matrix(keys.astype("f4")), 5)
    else:
        found, scores = search(queries.astype("f4"), keys.astype("f4"), 5)
    assert (found == index).all()
    assert scores == pytest.approx(1 - distance, abs=1e-5)


def test_search_for_nothing_is_an_error():
    with pytest.raises(ValueError, match="at least one key"):
        search(np.ones((1, 2), dtype="f4"), np.ones((0, 2), dtype="f4"), 3)


def test_encoder_agrees_with_its_own_library_and_ignores_order():
    from sentence_transformers import SentenceTransformer

    texts = ["type 2 diabetes", "ataxia", "type 2 diabetes", "hereditary breast and ovarian cancer"]
    ours = TransformerEncoder(precision="fp32").encode(texts)
    theirs = SentenceTransformer(model_folder("minilm"), device="cpu").encode(
        texts, normalize_embeddings=True
    )
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert (ours[0] == ours[2]).all()
    assert (TransformerEncoder(precision="fp32").encode(texts[::-1])[::-1] == ours).all()
    cls = TransformerEncoder(pooling="cls", precision="bf16").encode(texts)
    assert np.linalg.norm(cls, axis=1) == pytest.approx(1.0, abs=1e-3)
    assert (cls * ours).sum(1).max() < 0.99


def test_an_encoder_that_is_not_there_says_what_would_be(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ValueError, match="a folder with safetensors weights"):
        TransformerEncoder(str(tmp_path / "nowhere")).encode(["x"])
    with pytest.raises(ValueError, match="cls or mean"):
        TransformerEncoder(pooling="max")
    with pytest.raises(ValueError, match="fp32 or bf16"):
        TransformerEncoder(precision="fp8")


def test_strata_of_the_toy_benchmark():
    found = strata(BENCHMARK.test, ONTOLOGY, (BENCHMARK.train, BENCHMARK.dev))
    assert {name: found[name].astype(int).tolist() for name in STRATA} == {
        "no name": [0, 0, 1, 1, 1, 1, 0],
        "several concepts": [1, 0, 0, 0, 0, 0, 1],
        "seen name": [1, 0, 0, 1, 0, 0, 1],
        "seen concept": [1, 1, 1, 1, 0, 1, 0],
        "refined": [0, 1, 1, 0, 0, 1, 0],
        "abbreviation": [0, 1, 0, 0, 0, 0, 0],
        "composite": [0, 0, 0, 0, 0, 1, 0],
        "reachable": [1, 1, 1, 1, 0, 1, 0],
        "nil": [0, 0, 0, 0, 1, 0, 0],
    }
    # D1 is meant three times in train and dev, D3 twice, D4 never; NIL is not counted.
    assert {name: found[name].tolist() for name in CLASSES} == {
        "words": ["1", "1", "1", "1", "1", "2", "1"],
        "frequency": ["1-9", "1-9", "1-9", "1-9", "0", "1-9", "0"],
        "type": ["Disease"] * 7,
    }


def test_the_refined_filter_keeps_one_of_each_name_and_id():
    repeated = Corpus("t", (document("9", ("ague", "D3"), ("Ague", "D3"), ("ague", "D1")),))
    assert strata(repeated, ONTOLOGY, (BENCHMARK.train,))["refined"].tolist() == [True, False, True]


def test_a_mention_of_several_concepts_is_as_frequent_as_the_most_frequent_of_them():
    seen = Corpus("t", (document("8", *[("cold", "D1")] * 10, ("fever", "D3")),))
    golds = ("D1+D3", "D3|D1", "D4+D1", "D3", "D4")
    found = strata(Corpus("e", (document("9", *(("heat", gold) for gold in golds)),)), ONTOLOGY, (seen,))
    # D1 is meant ten times, D3 once, D4 never.
    assert found["frequency"].tolist() == ["10-99", "10-99", "10-99", "1-9", "0"]
    assert found["seen concept"].tolist() == [True, True, True, True, False]
