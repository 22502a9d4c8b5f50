"""The linkers on a benchmark worked out by hand, and the parts they are made of."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from toy import BENCHMARK, ONTOLOGY, document

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document
from benchlib.encoders import Backbone, NameEncoder, TfidfEncoder, model_folder
from benchlib.ontology import Ontology
from benchlib.retrieval import search
from benchlib.scoring import CLASSES, STRATA, Scoring, outcomes, recall, strata
from study.corpora.transforms import apply
from study.systems import EncoderLinker, ExactLinker, PriorLinker, TfidfLinker
from study.systems.training_names import single_concept_mentions


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
    assert hits(PriorLinker("train+dev")) == [1, 1, 0, 1, 0, 0]


def test_prior_lists_no_more_concepts_than_are_asked_for():
    fitted = PriorLinker().fit(BENCHMARK.visible())
    found = {k: fitted.link(BENCHMARK.test.hidden().documents, k).frame() for k in (1, 2)}
    ids = {k: list(frame["ids"][frame["document"] == "3"]) for k, frame in found.items()}
    # Cold meant D2 twice and D1 once; fever is a name of D3.
    assert ids == {1: [("D2",), ("D3",)], 2: [("D2",), ("D1",), ("D3",)]}


def test_documents_without_mentions_have_no_answers():
    for system in (ExactLinker(), PriorLinker(), TfidfLinker()):
        assert not len(system.fit(BENCHMARK.visible()).link([Document("x", "cold")]))


def test_a_mention_of_which_a_part_is_unknown_stands_for_no_concept():
    mentions = [("cold fever", "D1+X9"), ("cold", "D1"), ("the cold", "D1+D1"), ("fever", "OMIM:3|X9")]
    train = Corpus("t", (document("1", *mentions, ("unheard of", "X9"), ("nothing", "")),))
    found = single_concept_mentions(replace(BENCHMARK, train=train))
    assert [(mention.text, concept) for _, mention, concept in found] == [
        ("cold", "D1"), ("the cold", "D1"), ("fever", "D3"),
    ]  # fmt: skip


def test_prior_never_sees_the_test_split():
    for learns in ("test", "train+dev+test", "dev+train", ""):
        with pytest.raises(ValueError, match="expected one of train, train.dev"):
            PriorLinker(learns)
    chosen_on_test = apply(BENCHMARK, ("dev:test",)).visible()
    with pytest.raises(ValueError, match="dev:test makes dev the test split"):
        PriorLinker("train+dev").fit(chosen_on_test)
    PriorLinker().fit(chosen_on_test)
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


def test_names_are_encoded_as_by_the_library_of_the_encoder_in_whatever_order():
    from sentence_transformers import SentenceTransformer

    texts = ["type 2 diabetes", "ataxia", "type 2 diabetes", "hereditary breast and ovarian cancer"]
    backbone = Backbone.load()
    ours = NameEncoder(backbone).encode(texts)
    theirs = SentenceTransformer(model_folder("minilm"), device="cpu").encode(
        texts, normalize_embeddings=True
    )
    assert ours == pytest.approx(theirs, abs=1e-5)
    assert (ours[0] == ours[2]).all()
    for precision in ("fp32", "bf16"):
        cls = NameEncoder(backbone, "cls", precision=precision)
        assert (cls.encode(texts[::-1])[::-1] == cls.encode(texts)).all()
        assert (cls.encode(texts) * ours).sum(1).max() < 0.99


def test_an_untuned_encoder_ranks_names_by_its_cosine():
    system = EncoderLinker(layers=1, pooling="cls", precision="fp32", progress=False).fit(BENCHMARK.visible())
    found = system.link(BENCHMARK.test.hidden().documents[:1], k=3)
    encoder = NameEncoder(Backbone.load(layers=1), "cls")
    cosines = encoder.encode(["cold", "fever", "ague"]) @ encoder.encode(list(ONTOLOGY.owners())).T
    assert found.scores == pytest.approx(-np.sort(-cosines, axis=1)[:, :3], abs=1e-5)
    assert system.weights == Backbone.load(layers=1).fingerprint()


def test_settings_that_cannot_be_are_refused():
    for ngrams in ("2", "2-", "4-2", "0-2", "2-4-6", "a-b", "2 - 4"):
        with pytest.raises(ValueError, match="expected two lengths such as 2-4"):
            TfidfLinker(ngrams)
    with pytest.raises(ValueError, match="expected one of char, char_wb"):
        TfidfLinker(analyzer="word")
    with pytest.raises(ValueError, match="expected cls, mean"):
        EncoderLinker(layers=1, pooling="max", progress=False).fit(BENCHMARK.visible())
    with pytest.raises(ValueError, match="expected one of fp32, bf16"):
        EncoderLinker(layers=1, precision="fp8", progress=False).fit(BENCHMARK.visible())


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
