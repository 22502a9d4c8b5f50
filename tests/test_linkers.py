"""The linkers by strings on a benchmark worked out by hand, and the parts they are made of."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from linking import MINI, VISIBLE
from tiny import tiny_encoder
from toy import BENCHMARK, ONTOLOGY, document

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document
from benchlib.encoders import Backbone, NameEncoder, TfidfEncoder, model_folder
from benchlib.ontology import Ontology
from benchlib.scoring import CLASSES, STRATA, Scoring, outcomes, recall, strata
from study.corpora.transforms import apply
from study.measurements.answers import link_strings
from study.systems import (
    Bm25Linker,
    EncoderLinker,
    ExactLinker,
    NameMemoryLinker,
    PriorLinker,
    TfidfLinker,
    linker,
)
from study.systems.training_names import single_concept_mentions

TEST = BENCHMARK.test.hidden().documents


def hits(system, scoring: Scoring | None = None) -> list[float]:
    predictions = system.fit(BENCHMARK.visible()).link(TEST)
    return recall(outcomes(predictions, BENCHMARK.test, ONTOLOGY), 1, scoring).tolist()


def ranked(system, *strings: str, k: int = 64) -> list[list[tuple[str, tuple[str, ...], float]]]:
    """(name, concepts, score) of the answers to each string, of a linker that has seen no test split."""
    asked = [document(str(i), (string, "")) for i, string in enumerate(strings)]
    found = system.fit(BENCHMARK.visible()).link(asked, k)
    return [
        [(*found.candidates[i], score) for i, score in zip(row, scores, strict=True) if i >= 0]
        for row, scores in zip(found.index, found.scores, strict=True)
    ]


def test_exact_answers_with_the_equal_name_and_nothing_else():
    # Cold is a name of D1 and D2; FEVER of D3, whose alternative id is the gold; the others are no names.
    assert hits(ExactLinker()) == [0.5, 1, 0, 0, 0, 0]
    assert hits(ExactLinker(), Scoring("lenient", "names")) == [1, 1, 0, 0, 0, 0]


def test_prior_takes_the_concept_that_training_mentions_meant():
    # In train, cold meant D2 twice and D1 once; with dev it meant D1 three times. Fever is a name of D3.
    assert hits(PriorLinker()) == [0, 1, 0, 1, 0, 0]
    assert hits(PriorLinker("train+dev")) == [1, 1, 0, 1, 0, 0]
    for k, expected in {1: [["D2"], ["D3"]], 2: [["D2", "D1"], ["D3"]]}.items():
        found = ranked(PriorLinker(), "Cold", "fever", k=k)
        assert [[id for _, (id,), _ in answers] for answers in found] == expected


def test_prior_never_sees_the_test_split():
    for learns in ("test", "train+dev+test", "dev+train", ""):
        with pytest.raises(ValueError, match="'train' or 'train.dev'"):
            PriorLinker(learns)
    chosen_on_test = apply(BENCHMARK, ("dev:test",)).visible()
    with pytest.raises(ValueError, match="dev:test makes dev the test split"):
        PriorLinker("train+dev").fit(chosen_on_test)
    PriorLinker().fit(chosen_on_test)


def test_a_mention_of_which_a_part_is_unknown_stands_for_no_concept():
    mentions = [("cold fever", "D1+X9"), ("cold", "D1"), ("the cold", "D1+D1"), ("fever", "OMIM:3|X9")]
    train = Corpus("t", (document("1", *mentions, ("unheard of", "X9"), ("nothing", "")),))
    found = single_concept_mentions(replace(BENCHMARK, train=train))
    assert [(mention.text, concept) for _, mention, concept in found] == [
        ("cold", "D1"), ("the cold", "D1"), ("fever", "D3"),
    ]  # fmt: skip


def test_names_are_ranked_by_the_cosine_of_their_vectors():
    names, strings = list(ONTOLOGY.owners()), ["cold", "fever", "ague"]
    tfidf = TfidfEncoder().fit(names)
    cosines = (tfidf.encode(strings) @ tfidf.encode(names).T).toarray()
    for row, answers in zip(cosines, ranked(TfidfLinker(), *strings), strict=True):
        assert [score for *_, score in answers] == pytest.approx(np.sort(row)[::-1], abs=1e-6)
        assert answers[0][0] == names[int(row.argmax())]
    system = EncoderLinker(layers=1, pooling="cls", precision="fp32", progress=False)
    found = ranked(system, *strings, k=3)
    encoder = NameEncoder(Backbone.load(layers=1), "cls")
    cosines = encoder.encode(strings) @ encoder.encode(names).T
    assert [[one[2] for one in own] for own in found] == pytest.approx(
        -np.sort(-cosines, axis=1)[:, :3], abs=1e-5
    )
    assert system.weights == Backbone.load(layers=1).fingerprint()


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.9, 0.4), (2.0, 0.0)])
def test_bm25_by_a_plain_loop(k1, b):
    strings = ["common COLD", "cold cold fever", "a low cold temperature", "chills", "cold-fever"]
    names = [name.split() for name in ONTOLOGY.owners()]
    mean = sum(map(len, names)) / len(names)
    for string, answers in zip(strings, ranked(Bm25Linker(k1, b), *strings), strict=True):
        expected = {}
        for name in names:
            score = 0.0
            # Words end at what is no letter or digit.
            for word, times in Counter(string.lower().replace("-", " ").split()).items():
                having, f = sum(word in other for other in names), name.count(word)
                idf = math.log(1 + (len(names) - having + 0.5) / (having + 0.5))
                score += times * idf * f / (f + k1 * (1 - b + b * len(name) / mean))
            if score:
                expected[" ".join(name)] = score
        # A name without a word of the mention is no answer.
        assert {name: score for name, _, score in answers} == pytest.approx(expected, rel=1e-5)


def test_memory_means_what_a_string_most_often_meant_then_the_name_it_equals_then_the_nearest():
    # In train cold meant D2 twice and D1 once; with dev D1 three times and D2 twice.
    for learns, expected in {"train": ["D2", "D1"], "train+dev": ["D1", "D2"]}.items():
        [cold] = ranked(NameMemoryLinker(learns), "COLD")
        assert [id for _, (id,), _ in cold[:2]] == expected
    fever, common, shiver, low = ranked(
        NameMemoryLinker(), "fever", "Common  cold", "shiver", "low temperatures"
    )
    # The name itself follows as the nearest: nothing near comes before what is remembered.
    assert fever[0][1] == ("D3",) and common[0][1] == ("D1",)
    assert fever[1][:2] == ("fever", ("D3",)) and fever[1][2] == pytest.approx(1) and fever[0][2] > 1.5
    # shivers is no name of the dictionary: a training mention of D3 is.
    assert shiver[0][:2] == ("shivers", ("D3",)) and low[0][:2] == ("low temperature", ("D2",))
    assert all(score <= 1 + 1e-6 for _, _, score in (*shiver, *low))
    named = replace(ONTOLOGY.concepts["D3"], names=("Fever", "pyrexia", "shivers"))
    known = Ontology("with", [named if c.id == "D3" else c for c in ONTOLOGY.concepts.values()])
    near = TfidfLinker().fit(replace(BENCHMARK, ontology=known)).link([document("1", ("shiver", ""))])
    assert [name for name, _, _ in shiver] == [near.candidates[i].name for i in near.index[0]]
    for k in (1, 2, 3):
        [cold, chilly] = ranked(NameMemoryLinker(), "cold", "chilly", k=k)
        assert len(cold) == len(chilly) == k and cold[0][1] == ("D2",)


def test_owners_of_a_name_that_no_training_mention_has_are_a_tie():
    other = replace(BENCHMARK, train=Corpus("t", (document("1", ("chill", "D3")),)))
    found = NameMemoryLinker().fit(other).link([document("1", ("cold", ""))])
    answers = [found.candidates[i].ids for i in found.index[0, :2]]
    assert sorted(answers) == [("D1",), ("D2",)] and found.scores[0, 0] == found.scores[0, 1]


def test_what_is_near_can_be_told_by_an_encoder(tmp_path):
    folder = tiny_encoder(tmp_path / "tiny")
    made = linker(f"name-memory,nearest=encoder;model={folder};precision=fp32")
    [shiver] = ranked(made, "shiver")
    alone = EncoderLinker(folder, precision="fp32", progress=False).fit(BENCHMARK.visible())
    assert len(shiver) == 6 and made.weights == alone.weights
    assert made.config["nearest"]["config"] == alone.config and made.config["nearest"]["version"] == "2"
    with pytest.raises(ValueError, match="no linker 'exact'; expected one of tfidf, encoder, tuned"):
        linker("name-memory,nearest=exact")


@pytest.mark.parametrize("system", [ExactLinker(), PriorLinker(), TfidfLinker(), Bm25Linker()])
def test_nothing_to_link_or_to_link_to(system):
    assert not len(system.fit(BENCHMARK.visible()).link([Document("x", "cold")]))
    if not isinstance(system, PriorLinker):
        empty = Benchmark("x", BENCHMARK.train, BENCHMARK.dev, BENCHMARK.test, Ontology("empty", []))
        with pytest.raises(ValueError, match="no name to link to"):
            system.fit(empty)


def test_names_are_encoded_as_by_the_library_of_the_encoder_in_whatever_order():
    from sentence_transformers import SentenceTransformer

    texts = ["type 2 diabetes", "ataxia", "type 2 diabetes", "hereditary breast and ovarian cancer"]
    backbone = Backbone.load()
    ours = NameEncoder(backbone).encode(texts)
    library = SentenceTransformer(model_folder("minilm"), device="cpu")
    assert ours == pytest.approx(library.encode(texts, normalize_embeddings=True), abs=1e-5)
    assert (ours[0] == ours[2]).all()
    for precision in ("fp32", "bf16"):
        cls = NameEncoder(backbone, "cls", precision=precision)
        assert (cls.encode(texts[::-1])[::-1] == cls.encode(texts)).all()
        assert (cls.encode(texts) * ours).sum(1).max() < 0.99


@pytest.mark.parametrize("ngrams", ["2", "2-", "4-2", "0-2", "2-4-6", "a-b", "2 - 4"])
def test_lengths_that_cannot_be_are_refused(ngrams):
    with pytest.raises(ValueError, match=f"ngrams is '{ngrams}'; expected"):
        linker(f"tfidf,ngrams={ngrams}")


def test_answers_to_strings_are_the_first_names_of_the_concepts_ranked():
    owners = MINI.ontology.owners()
    concept, synonym = next(
        (one, name)
        for one in MINI.ontology.concepts.values()
        for name in one.names[1:]
        if len(owners[name.casefold()]) == 1
    )
    # The same linker on the mentions of the corpus gives the same to a string that is one of them.
    mention = next(m for _, m in MINI.test.mentions())
    found = link_strings(MINI, "tfidf", [synonym, "zzz", mention.text], k=3)
    assert list(found) == [synonym, "zzz", mention.text] and found[synonym][0] == concept.names[0]
    assert all(len(own) <= 3 for own in found.values())
    predicted = linker("tfidf").fit(VISIBLE).link(MINI.test.hidden().documents, 1)
    best = predicted.candidates[predicted.index[0, 0]]
    assert found[mention.text][0] == ", ".join(MINI.ontology.concepts[id].names[0] for id in best.ids)
    for mentions in (["a", "a"], ["a", ""]):
        with pytest.raises(ValueError, match="expected strings, each once"):
            link_strings(MINI, "tfidf", mentions)


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


def test_a_mention_of_several_concepts_is_as_frequent_as_the_most_frequent_of_them():
    seen = Corpus("t", (document("8", *[("cold", "D1")] * 10, ("fever", "D3")),))
    golds = ("D1+D3", "D3|D1", "D4+D1", "D3", "D4")
    found = strata(Corpus("e", (document("9", *(("heat", gold) for gold in golds)),)), ONTOLOGY, (seen,))
    # D1 is meant ten times, D3 once, D4 never.
    assert found["frequency"].tolist() == ["10-99", "10-99", "10-99", "1-9", "0"]
    assert found["seen concept"].tolist() == [True, True, True, True, False]
