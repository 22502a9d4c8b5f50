"""The bi-encoder on the embedded corpus with an encoder trained from nothing."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from linking import DOCUMENTS, MINI, VISIBLE, called, descending, goes_on_after_a_kill, recalled, small_dual
from safetensors.torch import load_file
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.encoders import Backbone
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Query
from study.measurements.entity_lengths import entity_lengths
from study.systems import BiEncoderLinker, CollectiveLinker, linker, pools
from study.systems.by_entity import l2_normalize, rank_entities
from study.systems.contrast import ContrastiveObjective

small = partial(small_dual, BiEncoderLinker, shared=True)


@pytest.fixture
def drawn(monkeypatch):
    """The arguments of every pool drawn, and the pool."""
    return called(monkeypatch, pools, "shared_negatives")


def test_training_teaches_to_link(encoder):
    settings = {"loss": "ce", "batch": 16, "n_negatives": 32}
    before = recalled(small(encoder, steps=0, **settings).fit(VISIBLE))
    fitted = small(encoder, steps=90, **settings).fit(VISIBLE)
    assert recalled(fitted) > before + 0.05
    assert fitted.trace[-1]["step"] == 90 and fitted.trace[-1]["loss"] < fitted.trace[0]["loss"]


@pytest.mark.parametrize("base", ["bi-encoder", "frozen-bi-encoder", "collective,mentions=3"])
def test_epochs_are_passes_over_all_that_is_read(encoder, base, monkeypatch):
    visited = called(monkeypatch, pools.NegativeSampler, "at")
    short = {"window": 12, "max_length": 16, "fields": "title", "precision": "fp32", "progress": False}
    made = replace(linker(base), model=encoder, epochs=2, steps=0, batch=32, n_negatives=4, **short)
    fitted = made.fit(VISIBLE)
    counts = np.bincount(np.concatenate([pool.inputs for _, pool in visited]))
    assert (counts == 2).all() and fitted.trace[-1]["step"] == len(visited) == 2 * -(-len(counts) // 32)


@pytest.mark.parametrize("kind", [BiEncoderLinker, CollectiveLinker])
def test_candidates_are_the_concepts_with_a_name_by_their_title(encoder, kind):
    fitted = small_dual(kind, encoder, shared=True, steps=0).fit(BENCHMARK.visible())
    predictions = fitted.link(BENCHMARK.test.hidden().documents)
    # D4 has no name; "Cold" and "cold" are two concepts.
    expected = [("Cold", ("D1",)), ("cold", ("D2",)), ("Fever", ("D3",))]
    assert [tuple(candidate) for candidate in predictions.candidates] == expected
    assert [sorted(row) for row in predictions.index.tolist()] == 7 * [[0, 1, 2]]


@pytest.mark.parametrize("negatives", ["random", "mixed"])
def test_no_entity_with_the_text_of_a_gold_is_a_negative(encoder, drawn, negatives):
    """As in MedMentions, where "activation" is the title of thirteen concepts."""
    concepts = list(MINI.ontology.concepts.values())
    twins = [replace(one, id=f"{one.id}-{i}") for one in concepts[:40] for i in (1, 2)]
    many = replace(MINI, ontology=Ontology("twins", [*concepts, *twins]))
    fitted = small(encoder, negatives=negatives, batch=20).fit(many.visible())
    titles = [candidate.name for candidate in fitted.link(DOCUMENTS[:1]).candidates]
    assert len(titles) == 200
    for right, *_, pool in drawn:
        told = {titles[i] for i in right}
        assert len(right) == sum(title in told for title in titles) and not told & {titles[i] for i in pool}
    assert any(len(right) > 20 for right, *_ in drawn)


@pytest.mark.parametrize("loss", ["ce", "proxy"])
def test_the_ranking_is_that_of_all_concepts_by_the_encoder_as_it_is(encoder, drawn, monkeypatch, loss):
    monkeypatch.setattr(pools, "epoch_batch", lambda n, size, seed, step: np.arange(size))
    fitted = small(encoder, loss=loss, negatives="mixed", steps=12, mine_every=4).fit(VISIBLE)
    rankings = [ranking for _, ranking, *_ in drawn]
    assert all((rankings[i] == rankings[i + 1]).all() for i in (0, 1, 2, 4, 5, 6))
    assert (rankings[3] != rankings[4]).any()
    untrained = replace(fitted, steps=0).fit(VISIBLE)
    # The training mentions stand in the order of the corpus.
    seen = [(d.id, m.start, m.end) for d, m in MINI.train.mentions() if len(m.gold.ids) == 1][:8]
    mentions = untrained.mention_vectors(MINI.train.documents, [Query(*one) for one in seen])
    entities = untrained._entities
    if loss == "proxy":
        mentions, entities = l2_normalize(mentions), l2_normalize(entities)
    similarity = mentions @ entities.T
    # 8 of the 16 are hard, and as many golds may stand in front.
    ranked = np.take_along_axis(similarity, rankings[0], axis=1)
    assert ranked == pytest.approx(descending(similarity, 16), abs=1e-4)


def test_what_is_learned_from(encoder, monkeypatch):
    visited = called(monkeypatch, pools, "epoch_batch")
    for learns in ("train", "train+dev"):
        small(encoder, learns=learns, steps=1).fit(VISIBLE)
    train, dev = ([len(m.gold.ids) == 1 for _, m in split.mentions()] for split in (MINI.train, MINI.dev))
    assert {n for n, *_ in visited} == {sum(train), sum(train) + sum(dev)} and 0 < sum(train) < len(train)
    # The concept of a mention has no name, or is held out: nothing to bring it close to.
    mentions = ("cold", "D2"), ("nameless", "D4"), ("unknown", "D9"), ("nil", ""), ("both", "D1+D3")
    given = replace(BENCHMARK, train=Corpus("t", (document("1", *mentions),)))
    visited.clear()
    small(encoder, n_negatives=1, steps=1).fit(given)
    assert {n for n, *_ in visited} == {1}
    # "Cold" and "cold" are one to this encoder, so that "Fever" alone is left.
    with pytest.raises(ValueError, match="expected 2 concepts that are not gold among 3"):
        small(encoder, n_negatives=2, steps=1).fit(given)


FLU = Ontology(
    "flu",
    [
        Concept("F", ("influenza", "Flu", "FLU", "grippe")),
        Concept("C", ("chill",)),
        *(Concept(f"N{i}", (name,)) for i, name in enumerate(("gout", "rash", "cyst", "wart"))),
    ],
)


@pytest.mark.parametrize(
    ("strings", "gold"),
    [
        (["flu"], "influenza grippe"),  # either spelling of it
        (["grippe"], "influenza flu ; flu"),
        (["fever"], "influenza flu ; flu ; grippe"),  # no name of the dictionary
        (["flu", "influenza"], "grippe"),  # of both mentions of the batch
        (["flu", "influenza", "grippe"], "influenza flu ; flu ; grippe"),  # no other name is left
    ],
)
def test_a_mentions_own_string_is_left_out_of_the_text_of_its_gold(encoder, monkeypatch, strings, gold):
    batches = called(monkeypatch, ContrastiveObjective, "__call__")
    mentions = [*((string, "F") for string in strings), ("chill", "C")]
    given = replace(BENCHMARK, train=Corpus("t", (document("1", *mentions),)), ontology=FLU)
    settings = {"fields": "title+synonyms", "n_negatives": 4, "batch": len(mentions), "steps": 1}
    found, searched = {}, []
    for leave in (False, True):
        fitted = small(encoder, leave_own_out=leave, **settings).fit(given.visible())
        entities = batches.pop()[1].entities
        texts = [fitted.encoder.entity.tokenizer.decode(one.ids[1:-1]) for one in entities]
        assert len(texts) == 6 and set(texts[2:]) == {"gout", "rash", "cyst", "wart"}
        found[leave] = [text.replace(" [SEP] ", " ") for text in texts[:2]]
        searched.append(replace(fitted, steps=0).fit(given)._entities)
    # The only name of a concept stays, and the whole text is what is searched.
    assert found == {False: ["influenza flu ; flu ; grippe", "chill"], True: [gold, "chill"]}
    assert (searched[0] == searched[1]).all()


def test_how_many_texts_are_cut_by_hand(encoder):
    mentions = ("flu", "F"), ("chill", "C"), ("both", "F+C"), ("nil", ""), ("unknown", "X")
    given = replace(BENCHMARK, test=Corpus("t", (document("1", *mentions),)), ontology=FLU)
    # All but influenza have at most three pieces beside [CLS] and [SEP].
    pieces = len(Backbone.load(encoder).tokenizer("influenza [SEP] Flu; FLU; grippe")["input_ids"])
    for length, cut, mentions_cut in ((5, 1, 2), (pieces - 1, 1, 2), (pieces, 0, 0)):
        found = entity_lengths(given, encoder, "title+synonyms", length)
        assert found == {"concepts": 6, "cut": cut, "test.mentions": 3, "test.cut": mentions_cut}
    with pytest.raises(ValueError, match="expected a length of 3 to 511 tokens, found 512"):
        entity_lengths(given, encoder, "title", 512)


@pytest.mark.parametrize("loss", ["ce", "proxy"])
def test_scores_of_one_training_by_plain_computation(encoder, tmp_path, monkeypatch, loss):
    first = small(encoder, loss=loss, alpha=8.0, checkpoints=tmp_path).fit(VISIBLE)
    # The others find the training done.
    monkeypatch.setattr("benchlib.encoders.embed", None)
    found = {}
    for score in (None, "dot", "cosine", "softmax"):
        fitted = replace(first, score=score).fit(VISIBLE)
        assert fitted.weights == first.weights and fitted.trace == first.trace
        found[score] = fitted.link(DOCUMENTS[:5], k=200)
    mentions, entities = first.mention_vectors(DOCUMENTS[:5], found[None].queries), first._entities
    dot, cosine = mentions @ entities.T, l2_normalize(mentions) @ l2_normalize(entities).T
    own = dot if loss == "ce" else 8 * cosine
    softmax = own - np.log(np.exp(own - own.max()).sum(1, keepdims=True)) - own.max()
    for score, expected in {"dot": dot, "cosine": cosine, "softmax": softmax}.items():
        assert found[score].scores == pytest.approx(descending(expected), abs=1e-4)
    assert (found[None].scores == found["dot" if loss == "ce" else "cosine"].scores).all()
    # The softmax orders the candidates of a mention as the loss does, and the mentions in another way.
    assert (found["softmax"].index == found[None].index).all()
    assert np.exp(found["softmax"].scores).sum(1) == pytest.approx(1, abs=1e-4)
    tops = [found[score].scores[:, 0].argsort().tolist() for score in (None, "softmax")]
    assert tops[0] != tops[1]


def test_vectors_of_no_length_have_the_cosine_zero():
    vectors = np.array([[0, 0], [3, 4]], dtype=np.float32)
    assert l2_normalize(vectors).tolist() == [[0, 0], pytest.approx([0.6, 0.8])]
    _, scores = rank_entities(vectors, vectors, 2, ContrastiveObjective("proxy"))
    assert scores.tolist() == [[0, 0], [1, 0]]


def test_a_killed_training_goes_on_to_the_same_end(encoder, tmp_path, monkeypatch):
    # In step 5: its hard negatives are those of an encoder that is no more.
    settings = {"shared": False, "negatives": "mixed", "mine_every": 3, "steps": 7, "fgsm": "random-sign"}
    made = small(encoder, **settings)
    other = replace(made).fit(VISIBLE, seed=2)
    whole = goes_on_after_a_kill(monkeypatch, made, tmp_path, ContrastiveObjective, "__call__", 4)
    assert whole.weights != other.weights
    (written,) = tmp_path.glob("checkpoint-*/tensors.safetensors")
    assert load_file(written)["carried/ranking"].shape == (356, 16)


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"ontology": Ontology("empty", [Concept("D1")])}, "empty has no name to link to"),
        ({"train": Corpus("t", (document("1", ("nil", "")),))}, "toy: expected a mention of one concept to"),
    ],
)
def test_what_cannot_be_learned_from_is_refused(encoder, part, told):
    with pytest.raises(ValueError, match=told):
        small(encoder).fit(replace(BENCHMARK, **part))
