"""Documents in chunks, and the linker that reads them, with an encoder trained from nothing."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from linking import DOCUMENTS, MINI, VISIBLE, called, recalled, small_dual
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.encoders import Backbone, FirstLast, encode, text_inputs
from benchlib.encoders.inputs import PaddedBatch
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Query, spans
from study.systems import CollectiveLinker, pools
from study.systems.contrast import ContrastiveObjective
from study.systems.dual_encoder.passes import chunk_inputs

small = partial(small_dual, CollectiveLinker, shared=True, window=8, batch=2, mentions=3)


TEXT = "the old man had a fever and then a cold while his wife with cancer was in pain for a day or two"
WORDS = TEXT.split()
ILL = ["fever", "cold", "cancer", "pain", "day"]
SPANS = [(TEXT.index(word), TEXT.index(word) + len(word)) for word in ILL]


def words(backbone, inputs) -> list[str]:
    """What is read, and in brackets the spans."""
    read = []
    for one in inputs:
        tokens = backbone.tokenizer.convert_ids_to_tokens(list(one.ids))
        assert tokens[0] == "[CLS]" and tokens[-1] == "[SEP]"
        for first, last in one.spans:
            tokens[first] = "<" + tokens[first]
            tokens[last] += ">"
        read.append(" ".join(tokens[1:-1]))
    return read


CUT = {
    # With their context.
    (2, 2, 512): ["had a <fever> and then a <cold> while his", "wife with <cancer> was in <pain> for a",
                  "for a <day> or two"],
    # Five pieces beside the special ones, then four: no room for all of the context, then for the mention.
    (8, 2, 7): ["<fever> and then a <cold>", "<cancer> was in <pain>", "for a <day> or two"],
    (8, 2, 6): ["a <fever> and", "a <cold> while", "<cancer> was in <pain>", "a <day> or"],
    # Those of the authors end with their last mention.
    (2, None, 512): ["the old man had a <fever> and then a <cold>",
                     "while his wife with <cancer> was in <pain>", "for a <day> or two"],
    # Too long for 8 pieces: a chunk ends sooner, and what is too far before a mention is not read.
    (2, None, 8): ["the old man had a <fever>", "and then a <cold>", "while his wife with <cancer>",
                   "was in <pain> for a <day>"],
    (2, None, 5): ["had a <fever>", "then a <cold>", "wife with <cancer>", "was in <pain>", "for a <day>"],
}  # fmt: skip


@pytest.mark.parametrize("cut", CUT)
def test_chunks_by_hand(backbone, cut):
    assert all(len(one.ids) == 3 for one in text_inputs(backbone, WORDS)), "each word is one piece"
    found = chunk_inputs(backbone, [(TEXT, SPANS)], *cut)
    assert words(backbone, found.inputs) == CUT[cut] and found.order.tolist() == [0, 1, 2, 3, 4]


def test_a_mention_that_lies_in_another_is_not_masked_with_it(backbone):
    end = TEXT.index(" while")
    given = [(TEXT, [SPANS[0], (TEXT.index("a cold"), end), (TEXT.index("cold"), end)])]
    assert words(backbone, chunk_inputs(backbone, given, 3, 0, beside="masked").inputs) == [
        "<fever> and then [MASK] [MASK]", "[MASK] and then <a cold>", "[MASK] and then a <cold>",
    ]  # fmt: skip


def test_a_tokenizer_without_a_mask_token_masks_nothing(encoder):
    unable = Backbone.load(encoder)
    unable.tokenizer.mask_token = None
    with pytest.raises(ValueError, match="a tokenizer with a mask token"):
        chunk_inputs(unable, [], beside="masked")


def test_the_linear_layer_starts_as_the_mean_of_first_and_last():
    states = torch.randn(2, 5, 6)
    batch = PaddedBatch(None, None, torch.tensor([0, 1]), torch.tensor([1, 2]), torch.tensor([3, 2]))
    expected = torch.stack([(states[0, 1] + states[0, 3]) / 2, states[1, 2]])
    torch.testing.assert_close(FirstLast(6)(states, batch), expected)


def test_a_vector_is_that_of_its_chunk_encoded_by_hand(encoder):
    fitted = small(encoder, mentions=2, window=6, steps=2).fit(VISIBLE)
    given = Corpus("one", (document("1", ("cold fever", ""), ("cancer", ""), ("pain", "")),)).documents
    queries = spans(given)
    backbone, linear = fitted.encoder.mention, fitted.encoder.mention_pooling.linear
    ids = backbone.tokenizer("cold fever cancer pain", return_tensors="pt")
    assert not torch.allclose(linear.weight[:, :64], torch.eye(64) / 2, atol=1e-4), "it is trained"
    with torch.no_grad():
        states = backbone.network(**ids).last_hidden_state[0]
        # Half a window of 3 pieces on either side: [CLS] cold fever cancer pain [SEP], in both chunks.
        places = (1, 2), (3, 3), (4, 4)
        expected = torch.stack([linear(torch.cat([states[a], states[b]])) for a, b in places])
    assert fitted.mention_vectors(given, queries) == pytest.approx(expected.numpy(), abs=1e-4)
    # As they are asked for, and those of each document apart.
    more = (*given, *Corpus("two", (document("2", ("cold", "")),)).documents)
    asked = [*queries[::-1], Query("2", 0, 4)]
    assert fitted.mention_vectors(more, asked)[:3] == pytest.approx(expected.numpy()[::-1], abs=1e-4)


def test_training_teaches_to_link_and_masking_is_done_afterwards(encoder, tmp_path, monkeypatch):
    before = recalled(small(encoder, steps=0).fit(VISIBLE))
    made = small(encoder, steps=90, batch=6, n_negatives=32, checkpoints=tmp_path)
    fitted = made.fit(VISIBLE)
    assert recalled(fitted) > before + 0.05
    assert fitted.trace[-1]["step"] == 90 and fitted.trace[-1]["loss"] < fitted.trace[0]["loss"]
    # What differs in the masking alone finds the training done.
    monkeypatch.setattr("benchlib.encoders.embed", None)
    found = {}
    for beside in ("whole", "masked", "shuffled"):
        again = replace(made, beside=beside).fit(VISIBLE)
        assert again.weights == fitted.weights
        found[beside] = again.link(DOCUMENTS[:6], k=200).scores
    assert np.abs(found["whole"] - found["masked"]).max() > 1e-3
    assert np.abs(found["masked"] - found["shuffled"]).max() > 1e-3


def test_the_mentions_of_a_step_are_those_of_whole_chunks(encoder, monkeypatch):
    drawn = called(monkeypatch, pools, "shared_negatives")
    settings = {"negatives": "mixed", "steps": 5, "mine_every": 3, "batch": 4}
    fitted = small(encoder, **settings).fit(VISIBLE, seed=2)
    # By hand: mentions of one concept, document by document, three to a chunk.
    place = {id: i for i, id in enumerate(MINI.ontology.concepts)}
    chunks = []
    for d in MINI.train.documents:
        single = [list(MINI.ontology.resolve(*m.gold.ids)) for m in d.mentions if len(m.gold.ids) == 1]
        golds = [place[one[0]] for one in single if len(one) == 1]
        chunks += [golds[i : i + 3] for i in range(0, len(golds), 3)]
    for number, (golds, ranking, *_) in enumerate(drawn):
        step = [chunks[i] for i in pools.epoch_batch(len(chunks), 4, 2, number)]
        assert set(golds.tolist()) == {gold for own in step for gold in own}
        # A ranking for each mention: 8 hard ones, and as many golds as a step can have.
        assert ranking.shape == (sum(map(len, step)), 8 + 12) and ranking.min() >= 0
    assert len(fitted.trace) == len(drawn) == 5


def test_each_gold_of_a_chunk_is_read_without_the_string_of_its_own_mention(encoder, monkeypatch):
    batches = called(monkeypatch, ContrastiveObjective, "__call__")
    strings = "cold", "pain", "fever", "cyst", "rash"
    ontology = Ontology("o", [Concept(word, (word.title(), f"bad {word}")) for word in strings])
    first = document("1", *((word, word) for word in strings[:3]))
    # The mentions of a document stand in another order than in its text.
    train = Corpus("t", (replace(first, mentions=first.mentions[::-1]), document("2", ("a cyst", "cyst"))))
    given = replace(BENCHMARK, train=train, ontology=ontology)
    settings = {"fields": "title+synonyms", "mentions": 2, "batch": 3, "n_negatives": 1, "steps": 1}
    fitted = small(encoder, leave_own_out=True, **settings).fit(given)
    [(_, batch, _)] = batches
    read = [fitted.encoder.entity.tokenizer.decode(one.ids[1:-1]) for one in batch.entities]
    assert read == ["bad cold", "bad pain", "bad fever", "cyst [SEP] bad cyst", "rash [SEP] bad rash"]
    assert [len(one.spans) for one in batch.mentions] in ([2, 1, 1], [1, 2, 1], [1, 1, 2])


def test_documents_share_their_pass_and_a_chunk_of_one_is_a_mention_alone(encoder):
    documents, queries = DOCUMENTS[:4], spans(DOCUMENTS[:4])
    one, eight = (small(encoder, mentions=most, steps=0).fit(VISIBLE) for most in (1, 8))
    assert one.weights == eight.weights
    vectors, by_hand = one.mention_vectors(documents, queries), []
    for q in queries:
        text = next(d.text for d in documents if d.id == q.document)
        alone = chunk_inputs(one.encoder.mention, [(text, [(q.start, q.end)])], 8, 4).inputs
        by_hand += [*encode(one.encoder.mention, alone, one.encoder.mention_pooling, False, progress=False)]
    assert vectors == pytest.approx(np.stack(by_hand), abs=1e-4)
    assert np.abs(eight.mention_vectors(documents, queries) - vectors).max() > 1e-2
