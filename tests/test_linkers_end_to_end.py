"""Mentions found and linked, by a tiny encoder that learns a few sentences by heart."""

from dataclasses import replace

import numpy as np
import pytest
from toy import annotated

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.encoders import embed
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Query, spans
from benchlib.scoring import by_match, span_outcomes
from study.systems import EndToEndLinker
from study.systems.by_entity import TrainingMention
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
    found = sorted(filter(text.count, IDS), key=text.index)
    return annotated(text, *((name, IDS[name]) for name in found), id=id)


CORPUS = Corpus("told", tuple(told(str(i), text) for i, text in enumerate(SENTENCES)))
BENCHMARK = Benchmark("told", CORPUS, CORPUS, CORPUS, ONTOLOGY)
BARE = [replace(document, mentions=()) for document in CORPUS.documents]


def small(encoder, **settings):
    # One window a step: golds of one batch are not told apart.
    fixed = {"shared": True, "fields": "title", "window": 32, "max_length": 8, "batch": 1, "n_negatives": 3}
    fixed |= {"steps": 100, "learning_rate": 3e-3, "head_rate": 1e-2, "precision": "fp32", "progress": False}
    return EndToEndLinker(encoder, **fixed | settings)


def f1(predictions) -> set[float]:
    rows = by_match(span_outcomes(predictions, CORPUS, ONTOLOGY))
    return {row["value"] for row in rows if row["measure"] == "f1"}


@pytest.mark.parametrize("head", ["exhaustive", "bio"])
def test_both_heads_learn_a_few_sentences_by_heart(encoder, head, tmp_path):
    made = small(encoder, head=head, steps=200, learning_rate=1e-3, checkpoints=tmp_path)
    before = replace(made, steps=1, checkpoints=None).fit(BENCHMARK.visible())
    assert head == "exhaustive" or len(before.find(CORPUS.documents)) == 0
    fitted = made.fit(BENCHMARK.visible())
    predictions = fitted.find(BARE, k=2)
    assert f1(predictions) == {1.0}
    texts = {document.id: document.text for document in BARE}
    found = [texts[q.document][q.start : q.end] for q in predictions.queries]
    assert found == ["cold", "high fever", "chill", "cold", "high fever", "chill"]
    assert predictions.index.shape == (6, 2), "with a runner-up"
    # The spans that it finds have the vectors that they have when they are given.
    given = fitted.link(CORPUS.hidden().documents, k=2)
    assert given.queries == predictions.queries and np.allclose(given.scores, predictions.scores, atol=1e-4)
    # What was trained is there again, with another rule after the training.
    again = replace(made, **({"least": 3} if head == "exhaustive" else {"score": "softmax"}))
    again = again.fit(BENCHMARK.visible())
    assert again.weights == fitted.weights != before.weights and f1(again.find(BARE)) == {1.0}
    # What was saved is read back from its folder, and links alike.
    fitted.save(tmp_path / "saved")
    read = replace(made, model=str(tmp_path / "saved"), steps=0, checkpoints=None).fit(BENCHMARK.visible())
    assert read.weights == fitted.weights and read.config["weights"]
    assert np.array_equal(read.find(BARE, k=2).scores, predictions.scores)
    if head == "exhaustive":
        nothing = [Document("9", "We saw no other effect for two days.")]
        assert len(fitted.find(nothing)) == 0 and len(again.find(nothing)) == 3
        assert 0 < fitted.threshold < 1


def test_what_is_learned_from_windows_by_hand(encoder):
    fitted = small(encoder, window=12, steps=0).fit(BENCHMARK.visible())
    two = Gold((frozenset(["D1"]), frozenset(["D3"])), printed="D1+D3")
    text = SENTENCES[0]
    more = Mention(text.index("two"), text.index(" days"), "two", gold=two)
    first = replace(CORPUS.documents[0], mentions=(*CORPUS.documents[0].mentions, more))
    seen = [TrainingMention(first, mention, i) for i, mention in enumerate(first.mentions[:2])]
    inputs, order = fitted._read_seen(seen)
    backbone = fitted.encoder.mention
    assert len(list(text_windows(backbone, [text], 12))) == 2 and order == [0, 1]
    decode = backbone.tokenizer.decode
    assert [decode(one.ids[a : b + 1]) for one in inputs for a, b in one.spans] == ["cold", "high fever"]
    # The composite mention is to be found, and not linked.
    to_find = [(one.ids, *span) for one in inputs for span in fitted._gold_spans[one]]
    assert [decode(ids[a + 1 : b + 2]) for ids, a, b in to_find] == ["cold", "high fever", "two"]


def test_the_head_has_a_rate_of_its_own(encoder):
    # The first update is of rate 0, as the rate rises from there: the second alone moves the weights, and
    # AdamW moves each by about the rate whatever its gradient.
    made = [small(encoder, steps=2, learning_rate=1e-3, head_rate=rate) for rate in (1e-3, 1e-2)]
    slow, fast = (one.fit(BENCHMARK.visible()).encoder.head.bias.item() + 4 for one in made)
    assert fast == pytest.approx(10 * slow, rel=0.05)


def test_long_texts_and_empty_ones(encoder):
    fitted = small(encoder, steps=0, window=16).fit(BENCHMARK.visible())
    fitted.threshold = 0.0  # all spans
    long = Document("long", " ".join(SENTENCES * 3))
    found = fitted.find([Document("none", ""), long, Document("blank", " ")], k=1)
    assert {query.document for query in found.queries} == {"long"}
    backbone = fitted.encoder.mention
    windows = list(text_windows(backbone, [long.text], 16))
    pieces = [len(one.pieces.ids) for one in windows]
    assert len(pieces) > 4 and len(found) == sum(min(10, n - i) for n in pieces for i in range(n))
    query = found.queries[0]
    assert query == Query("long", 0, 3) and long.text[query.start : query.end] == "The"
    expected = embed(backbone, [windows[0].inputs(backbone, [(0, 0)])], "mention", False)
    assert fitted.mention_vectors([long], [query]) == pytest.approx(expected.detach().numpy(), abs=1e-4)
    # Given spans are not looked at.
    every = fitted.find(BARE).queries
    assert every == fitted.find(CORPUS.documents).queries and set(spans(CORPUS.documents)) <= set(every)
