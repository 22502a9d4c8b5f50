"""The name linker: memory, exact names, nearest names and abbreviations, each step by hand."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from toy import annotated

from benchlib import NameLinker
from benchlib.corpus import Corpus, Document, Mention
from benchlib.ontology import Concept, Ontology
from benchlib.retrieval.cache import cached_vectors
from study.corpora import load

ONTOLOGY = Ontology(
    "made",
    [
        Concept("D1", ("heart attack", "myocardial infarction")),
        Concept("D2", ("headache", "HA")),
        Concept("D3", ("cold", "common cold")),
        Concept("D4", ("cold", "low temperature")),
    ],
)
TEXT = "A cold, a heart attack (HA), then HA and grippe."


TRAIN = Corpus(
    "train",
    (
        annotated("grippe, grippe, grippe", ("grippe", "D3"), ("grippe", "D3"), ("grippe", "D4")),
        annotated("grippe and x", ("grippe and x", "D3+D1"), id="2"),
        annotated("a fast muscular attack (FMA) in FMA", ("FMA", "D1"), ("FMA", "D1"), id="3"),
    ),
)
TEST = annotated(TEXT, ("cold", "D3"), ("heart attack", "D1"), ("HA", "D1"), ("HA", "D1"), ("grippe", "D3"))


def best(linker: NameLinker, *documents: Document) -> list[list[tuple[tuple[str, ...], float]]]:
    """The best answers to each mention with their scores: those that no other exceeds."""
    linked = linker.link(documents, 10)
    rows = [
        [(linked.candidates[i].ids, score) for i, score in zip(index, scores, strict=True) if i >= 0]
        for index, scores in zip(linked.index, linked.scores, strict=True)
    ]
    return [[one for one in row if one[1] == row[0][1]] if row else [] for row in rows]


def test_each_step_alone_and_after_the_other():
    exact = NameLinker(ONTOLOGY, how="exact", abbreviations=False)
    tied, infarct, short = (("D3", "D4"), 2.0), (("D1",), 2.0), (("D2",), 2.0)
    assert best(exact, TEST) == [[tied], [infarct], [short], [short], []]
    written_out = NameLinker(ONTOLOGY, how="exact")
    assert best(written_out, TEST) == [[tied], [infarct], [infarct], [infarct], []]
    remembering = NameLinker(ONTOLOGY, TRAIN, how="exact")
    later = NameLinker(train=TRAIN, how="exact").fit(ONTOLOGY)
    assert best(later, TEST) == best(remembering, TEST) != best(written_out, TEST)
    # D3 was meant twice and D4 once, so cold is D3; the composite mention says nothing.
    assert best(remembering, TEST) == [
        [(("D3",), 2.0)],
        [infarct],
        [infarct],
        [infarct],
        [(("D3",), 3 + 2 / 3)],
    ]


def test_a_short_form_is_remembered_with_and_without_its_definition():
    remembering = NameLinker(ONTOLOGY, TRAIN, how="exact")
    undefined = annotated("FMA was seen.", ("FMA", "D1"))
    defined = annotated("A fast muscular attack (FMA), FMA.", ("fast muscular attack", "D1"), ("FMA", "D1"))
    assert (
        best(remembering, undefined, defined.__class__("2", defined.text, defined.mentions))
        == [[(("D1",), 4.0)]] * 3
    )


def test_what_is_remembered_less_often_follows_then_exact_names_then_near_ones():
    linked = NameLinker(ONTOLOGY, TRAIN, how="tfidf").link([annotated("grippe", ("grippe", ""))], 10)
    first, second, *others = (linked.candidates[i] for i in linked.index[0] if i >= 0)
    assert (first.ids, second.ids) == (("D3",), ("D4",)) and len({first, second, *others}) == 2 + len(others)
    np.testing.assert_allclose(linked.scores[0, :2], [3 + 2 / 3, 3 + 1 / 3])
    assert (linked.scores[0, 2 : len(others) + 2] <= 1).all()


def test_near_names_by_both_scores_are_the_weighted_mean_of_the_cosines():
    class Letters:
        """An encoder: how often each of three letters occurs, to length 1."""

        def encode(self, texts):
            counts = np.array([[text.count(letter) for letter in "aeo"] for text in texts], dtype=np.float32)
            return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)

    names = [
        *dict.fromkeys(name.casefold() for concept in ONTOLOGY.concepts.values() for name in concept.names)
    ]
    linked = NameLinker(ONTOLOGY, how="both", encoder=Letters()).link(
        [annotated("attacks", ("attacks", ""))], 10
    )
    sparse = TfidfVectorizer(analyzer="char", ngram_range=(1, 2)).fit(names)
    tfidf = (sparse.transform(["attacks"]) @ sparse.transform(names).T).toarray()[0]
    dense = Letters().encode(["attacks"]) @ Letters().encode(names).T
    expected = 0.75 * dense[0] + 0.25 * tfidf
    np.testing.assert_allclose(linked.scores[0, : len(names)], np.sort(expected)[::-1], atol=1e-6)
    assert linked.candidates[linked.index[0, 0]].name == names[expected.argmax()]


def test_mentions_are_found_in_texts_that_have_none():
    linker = NameLinker(ONTOLOGY, how="exact")
    found = linker.explain(["No cold but an HA.", "Nothing.", "Common cold", "A common cold (CC, here), CC."])
    assert found[["document", "start", "end", "text"]].to_numpy().tolist() == [
        ["0", 3, 7, "cold"],
        ["0", 15, 17, "HA"],
        ["2", 0, 11, "Common cold"],
        ["3", 2, 13, "common cold"],
        ["3", 15, 17, "CC"],
        ["3", 26, 28, "CC"],
    ]
    assert found["ids"].tolist() == [("D3", "D4"), ("D2",), *[("D3",)] * 4]
    assert not len(linker.link(["Nothing."]))


def test_a_dictionary_all_in_capitals_is_noted_where_names_are_to_be_found():
    linker = NameLinker(Ontology("shouted", [Concept("D1", ("FEVER", "HEART ATTACK"))]), how="exact")
    with pytest.warns(UserWarning, match="shouted: all names are in capitals"):
        [row] = linker.link(["A heart attack and FEVER."]).frame().to_dict("records")
    assert (row["start"], row["end"], row["ids"]) == (19, 24, ("D1",))


def test_a_corpus_is_linked_as_its_documents():
    corpus = Corpus("texts", [Document("7", "A cold", [Mention(2, 6, "cold")])])
    assert corpus == Corpus("texts", (Document("7", "A cold", (Mention(2, 6, "cold"),)),))
    assert best(NameLinker(ONTOLOGY, how="exact"), *corpus.documents) == [[(("D3", "D4"), 2.0)]]
    assert NameLinker(ONTOLOGY, how="exact").link(corpus).queries == (("7", 2, 6, 0),)


def test_each_answer_says_why():
    linker = NameLinker(ONTOLOGY, TRAIN, how="tfidf", threshold=0.5)
    last = annotated("A myocardial infarct zzz", ("myocardial infarct", ""), ("zzz", ""), id="2")
    assert linker.explain([TEST, last])["why"].tolist() == [
        "exact name",
        "exact name",
        "exact name, abbreviation of heart attack",
        "exact name, abbreviation of heart attack",
        "remembered 2 times",
        "nearest name: myocardial infarction",
        "NIL",
    ]


def test_the_threshold_of_nil_is_chosen_on_dev():
    gold = [("zzz", ""), ("attack", ""), ("colds", "D3"), ("cold", "D3"), ("heart attack", "D1")]
    dev = Corpus("dev", (annotated(" ".join(text for text, _ in gold), *gold),))
    linker = NameLinker(ONTOLOGY, how="tfidf")
    scores = linker.link(dev.documents, 1).scores[:, 0]
    assert scores[0] == 0 < scores[1] < scores[2] < 2 and (scores[3:] == 2).all()
    # At the score of "attack" both NIL mentions are called, and no other: F1 is 1.
    assert linker.calibrate(dev) is linker and linker.threshold == scores[1]
    assert [not ids for ids in linker.link(dev.documents, 1).frame()["ids"]] == [True, True, *[False] * 3]
    # Calibrated anew, the threshold from before plays no part.
    assert linker.calibrate(dev).threshold == scores[1]
    with pytest.raises(ValueError, match="dev: expected mentions with a concept and NIL ones"):
        linker.calibrate(Corpus("dev", (annotated("cold", ("cold", "D3")),)))


def test_full_lists_need_no_encoding_and_are_as_the_first_of_longer_ones():
    class Unit(Counting):
        def encode(self, texts):
            vectors = super().encode(texts)
            return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    few, many = Unit(), Unit()
    linkers = [NameLinker(ONTOLOGY, TRAIN, how="encoder", encoder=encoder) for encoder in (few, many)]
    names = few.encoded
    first, whole = (linker.link([TEST], k) for linker, k in zip(linkers, (1, 4), strict=True))
    np.testing.assert_array_equal(first.index, whole.index[:, :1])
    np.testing.assert_array_equal(first.scores, whole.scores[:, :1])
    # All strings of the text are names or remembered: cold, heart attack, HA for it, grippe.
    assert (few.encoded - names, many.encoded - names) == (0, 4)


def test_a_benchmark_is_linked_with_the_memory_of_its_train_split():
    benchmark = load("mini")
    documents = benchmark.test.hidden().documents
    whole, names = NameLinker(benchmark, how="exact"), NameLinker("mini", how="exact")
    remembered = whole.explain(documents)["why"].str.contains("remembered")
    assert remembered.any() and not remembered.all()
    assert not names.explain(documents)["why"].str.contains("remembered").any()
    assert len(names.explain(documents)) < len(remembered)


def test_a_dictionary_without_a_name_is_refused():
    with pytest.raises(ValueError, match="has no name to link to"):
        NameLinker(Ontology("empty", [Concept("D1")]), how="exact")


class Counting:
    """An encoder that counts the texts it encodes, and can be stopped after some."""

    def __init__(self, most=1_000_000):
        self.encoded, self.most = 0, most

    def encode(self, texts):
        self.encoded += len(texts)
        if self.encoded > self.most:
            raise KeyboardInterrupt
        return np.array([[len(text), text.count("a")] for text in texts], dtype=np.float32)

    def fingerprint(self):
        return "lengths"


def test_vectors_are_computed_once_and_go_on_after_a_stop(tmp_path, monkeypatch):
    monkeypatch.setattr("benchlib.retrieval.cache.PART", 3)
    names = [f"{'a' * i} {i}" for i in range(10)]
    stopped, going_on, again, other = Counting(most=7), Counting(), Counting(), Counting()
    with pytest.raises(KeyboardInterrupt):
        cached_vectors(stopped.encode, "lengths", names, tmp_path)
    found = cached_vectors(going_on.encode, "lengths", names, tmp_path)
    np.testing.assert_array_equal(found, Counting().encode(names))
    assert going_on.encoded == 10 - 6 and isinstance(found, np.memmap)
    np.testing.assert_array_equal(cached_vectors(again.encode, "lengths", names, tmp_path), found)
    assert again.encoded == 0
    for fingerprint, changed in (("others", names), ("lengths", names[::-1])):
        cached_vectors(other.encode, fingerprint, changed, tmp_path)
    assert other.encoded == 20 and len(list(tmp_path.glob("*.npy"))) == 3


def test_two_at_the_same_vectors_wait_for_each_other(tmp_path, monkeypatch):
    monkeypatch.setattr("benchlib.retrieval.cache.PART", 1)
    names, encoder = [f"{'a' * i} {i}" for i in range(20)], Counting()
    with ThreadPoolExecutor(4) as pool:
        made = [pool.submit(cached_vectors, encoder.encode, "x", names, tmp_path) for _ in range(4)]
    assert all((future.result() == Counting().encode(names)).all() for future in made)
    assert encoder.encoded == 20


def test_a_cached_linker_answers_as_one_without(tmp_path):
    encoders = Counting(), Counting(), Counting()
    answers = [
        best(NameLinker(ONTOLOGY, TRAIN, how="encoder", encoder=encoder, cache=folder), TEST)
        for encoder, folder in zip(encoders, (None, tmp_path, tmp_path), strict=True)
    ]
    assert answers[0] == answers[1] == answers[2]
    assert encoders[2].encoded < encoders[1].encoded == encoders[0].encoded
