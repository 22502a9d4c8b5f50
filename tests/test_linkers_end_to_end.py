"""Mentions found and linked, by a tiny encoder that learns a few sentences by heart."""

from dataclasses import replace

import numpy as np
import pytest

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.encoders import embed
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Query, spans
from benchlib.scoring import by_match, span_outcomes
from study.systems import EndToEndLinker, linker
from study.systems.dual_encoder.windows import text_windows

IDS = {"cold": "D2", "high fever": "D3", "chill": "D1"}
NAMES = ("Chills", "Common cold", "Fever", "Pain", "Neoplasms", "Deafness")
ONTOLOGY = Ontology("told", [Concept(f"D{i}", (name,)) for i, name in enumerate(NAMES, 1)])
SENTENCES = (
    "The man had a cold and then a high fever for two days.",
    "A chill came before the cold. His wife had no pain at all.",
    "After the high fever a chill was seen again; we saw no other effect.",
)


def told(id: str, text: str) -> Document:
    found = sorted((text.index(name), name) for name in IDS if name in text)
    return Document(
        id,
        text,
        tuple(
            Mention(at, at + len(name), name, gold=Gold((frozenset([IDS[name]]),), printed=IDS[name]))
            for at, name in found
        ),
    )


CORPUS = Corpus("told", tuple(told(str(i), text) for i, text in enumerate(SENTENCES)))
BENCHMARK = Benchmark("told", CORPUS, CORPUS, CORPUS, ONTOLOGY)


def small(encoder, **settings):
    # One window a step: golds of one batch are not told apart.
    fixed = {"shared": True, "fields": "title", "window": 32, "max_length": 8, "batch": 1, "n_negatives": 3}
    fixed |= {"steps": 100, "learning_rate": 3e-3, "head_rate": 1e-2, "precision": "fp32", "progress": False}
    return EndToEndLinker(encoder, **fixed | settings)


def values(predictions):
    rows = by_match(span_outcomes(predictions, CORPUS, ONTOLOGY))
    return {(row["match"], row["measure"]): row["value"] for row in rows}


@pytest.mark.parametrize("head", ["exhaustive", "bio"])
def test_both_heads_learn_a_few_sentences_by_heart(encoder, head, tmp_path):
    made = small(encoder, head=head, steps=200, learning_rate=1e-3, checkpoints=tmp_path)
    before = replace(made, steps=1, checkpoints=None).fit(BENCHMARK.visible())
    assert head == "exhaustive" or len(before.find(CORPUS.documents)) == 0
    fitted = made.fit(BENCHMARK.visible())
    bare = [replace(d, mentions=()) for d in CORPUS.documents]
    predictions = fitted.find(bare, k=2)
    found = values(predictions)
    assert found["strict", "f1"] == found["overlap", "f1"] == 1.0
    texts = {document.id: document.text for document in bare}
    assert [texts[q.document][q.start : q.end] for q in predictions.queries] == [
        "cold", "high fever", "chill", "cold", "high fever", "chill",
    ]  # fmt: skip
    assert predictions.index.shape == (6, 2), "with a runner-up"
    # The spans that it finds have the vectors that they have when they are given.
    given = fitted.link(CORPUS.hidden().documents, k=2)
    assert given.queries == predictions.queries and np.allclose(given.scores, predictions.scores, atol=1e-4)
    # What was trained is there again, with another rule after the training.
    again = replace(made, **({"least": 3} if head == "exhaustive" else {"score": "softmax"}))
    again = again.fit(BENCHMARK.visible())
    assert again.weights == fitted.weights != before.weights
    assert values(again.find(bare))["strict", "f1"] == 1.0
    # What was saved is read back from its folder, and links alike.
    fitted.save(tmp_path / "saved")
    read = replace(made, model=str(tmp_path / "saved"), steps=0, checkpoints=None).fit(BENCHMARK.visible())
    assert read.weights == fitted.weights and read.config["weights"]
    assert np.array_equal(read.find(bare, k=2).scores, predictions.scores)
    if head == "exhaustive":
        nothing = [Document("9", "We saw no other effect for two days.")]
        assert len(fitted.find(nothing)) == 0 and len(again.find(nothing)) == 3
        assert 0 < fitted.threshold < 1


def test_what_is_learned_from_windows_by_hand(encoder):
    fitted = small(encoder, window=12, steps=0).fit(BENCHMARK.visible())
    backbone = fitted.encoder.mention
    two = Gold((frozenset(["D1"]), frozenset(["D3"])), printed="D1+D3")
    text = SENTENCES[0]
    more = Mention(text.index("two"), text.index(" days"), "two", gold=two)
    first = replace(CORPUS.documents[0], mentions=(*CORPUS.documents[0].mentions, more))
    inputs, concepts = fitted._read_seen(
        [(first, mention, i) for i, mention in enumerate(first.mentions[:2])]
    )
    windows = list(text_windows(backbone, [text], 12))
    assert len(windows) == 2 and concepts.tolist() == [0, 1]
    read = [backbone.tokenizer.decode(one.ids[a : b + 1]) for one in inputs for a, b in one.spans]
    assert read == ["cold", "high fever"]
    # The composite mention is to be found, and not linked.
    to_find = [
        backbone.tokenizer.decode(one.ids[a + 1 : b + 2])
        for one in inputs
        for a, b in fitted._gold_spans[one]
    ]
    assert to_find == ["cold", "high fever", "two"]


def test_the_head_has_a_rate_of_its_own(encoder):
    slow, fast = (
        small(encoder, steps=2, learning_rate=1e-3, head_rate=rate).fit(BENCHMARK.visible())
        for rate in (1e-3, 1e-2)
    )
    # The first update is of rate 0, as the rate rises from there: the second alone moves the weights, and
    # AdamW moves each by about the rate whatever its gradient.
    moved = [(fitted.encoder.head.bias.item() + 4) for fitted in (slow, fast)]
    assert moved[1] == pytest.approx(10 * moved[0], rel=0.05)


def test_long_texts_and_empty_ones(encoder):
    fitted = small(encoder, steps=0, window=16).fit(BENCHMARK.visible())
    fitted.threshold = 0.0  # all spans
    long = Document("long", " ".join(SENTENCES * 3))
    found = fitted.find([Document("none", ""), long, Document("blank", " ")], k=1)
    assert {query.document for query in found.queries} == {"long"}
    pieces = [len(one.pieces.ids) for one in text_windows(fitted.encoder.mention, [long.text], 16)]
    assert len(pieces) > 4
    assert len(found) == sum(min(10, n - i) for n in pieces for i in range(n))
    query = found.queries[0]
    assert query == Query("long", 0, 3) and long.text[query.start : query.end] == "The"
    vector = fitted.mention_vectors([long], [query])
    (window, *_) = text_windows(fitted.encoder.mention, [long.text], 16)
    expected = embed(
        fitted.encoder.mention, [window.inputs(fitted.encoder.mention, [(0, 0)])], "mention", False
    )
    assert vector == pytest.approx(expected.detach().numpy(), abs=1e-4)


def test_settings_print_and_parse():
    name = "end-to-end,window=128,head=bio,head_rate=0.001"
    assert linker(name).name == name and linker("end-to-end") == EndToEndLinker()
    for setting, message in {
        "head=crf": "head is 'crf'; expected one of exhaustive, bio",
        "longest=0": "longest: expected spans of 1 word piece or more, found 0",
        "least=-1": "least: expected 0 or more, and 0 with bio, found -1",
        "head=bio,least=8": "least: expected 0 or more, and 0 with bio, found 8",
    }.items():
        with pytest.raises(ValueError, match=message):
            linker(f"end-to-end,{setting}")


def test_given_spans_are_not_looked_at(encoder):
    fitted = small(encoder, steps=0).fit(BENCHMARK.visible())
    fitted.threshold = 0.0
    bare = [replace(document, mentions=()) for document in CORPUS.documents]
    assert fitted.find(bare).queries == fitted.find(CORPUS.documents).queries
    assert set(spans(CORPUS.documents)) <= set(fitted.find(bare).queries)
