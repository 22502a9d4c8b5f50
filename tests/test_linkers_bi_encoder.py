"""The bi-encoder on the embedded corpus with an encoder trained from nothing."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from safetensors.torch import load_file
from toy import BENCHMARK, document

from benchlib.corpus import Corpus
from benchlib.encoders import Backbone
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Query
from benchlib.scoring import Scoring, outcomes, recall
from benchlib.training import Training
from study.corpora import load
from study.corpora.transforms import apply
from study.measurements.entity_lengths import entity_lengths
from study.systems import BiEncoderLinker, contrast, linker
from study.systems import pools as pools_module
from study.systems.by_entity import l2_normalize, rank_entities
from study.systems.contrast import ContrastiveObjective


@pytest.fixture(scope="module")
def mini():
    return load("mini")


def small(encoder, **settings):
    fixed = {"shared": True, "fields": "title", "window": 12, "max_length": 16, "batch": 8, "n_negatives": 16}
    fixed |= {"steps": 4, "learning_rate": 3e-3, "precision": "fp32", "progress": False}
    return BiEncoderLinker(encoder, **fixed | settings)


def top1(fitted, benchmark) -> float:
    predictions = fitted.link(benchmark.test.hidden().documents)
    found = outcomes(predictions, benchmark.test, benchmark.ontology, benchmark.cluster)
    return recall(found, 1, Scoring()).mean()


@pytest.fixture
def pools(monkeypatch):
    """The arguments of every pool drawn, and the pool."""
    drawn, draw = [], pools_module.shared_negatives

    def recorded(*arguments):
        drawn.append((*arguments, draw(*arguments)))
        return drawn[-1][-1]

    monkeypatch.setattr(pools_module, "shared_negatives", recorded)
    return drawn


@pytest.mark.parametrize("loss", ["ce", "proxy", "ce-cosine"])
def test_training_teaches_to_link(encoder, mini, loss):
    settings = {"loss": loss, "batch": 16, "n_negatives": 32}
    before = top1(small(encoder, steps=0, **settings).fit(mini.visible()), mini)
    fitted = small(encoder, steps=90, **settings).fit(mini.visible())
    assert top1(fitted, mini) > before + 0.05
    assert fitted.trace[-1]["step"] == 90 and fitted.trace[-1]["loss"] < fitted.trace[0]["loss"]


@pytest.mark.parametrize("base", ["bi-encoder", "frozen-bi-encoder", "collective,mentions=3"])
def test_epochs_are_passes_over_all_that_is_read(encoder, mini, base, monkeypatch):
    visited, at = [], pools_module.NegativeSampler.at
    monkeypatch.setattr(
        pools_module.NegativeSampler,
        "at",
        lambda self, number: visited.append(at(self, number)) or visited[-1],
    )
    short = {"window": 12, "max_length": 16, "fields": "title", "precision": "fp32", "progress": False}
    made = replace(linker(base), model=encoder, epochs=2, batch=32, n_negatives=4, **short)
    fitted = made.fit(mini.visible())
    counts = np.bincount(np.concatenate([pool.inputs for pool in visited]))
    assert (counts == 2).all() and fitted.trace[-1]["step"] == len(visited) == 2 * -(-len(counts) // 32)


def test_candidates_are_the_concepts_with_a_name_by_their_title(encoder):
    predictions = small(encoder, steps=0).fit(BENCHMARK.visible()).link(BENCHMARK.test.hidden().documents)
    # D4 has no name; "Cold" and "cold" are two concepts.
    assert [tuple(c) for c in predictions.candidates] == [
        ("Cold", ("D1",)), ("cold", ("D2",)), ("Fever", ("D3",)),
    ]  # fmt: skip
    assert predictions.index.shape == (7, 3)
    assert all(sorted(row) == [0, 1, 2] for row in predictions.index.tolist())


@pytest.mark.parametrize("negatives", ["random", "mixed"])
def test_a_mentions_gold_is_in_no_pool_and_hard_ones_are_the_best_ranked(encoder, mini, pools, negatives):
    fitted = small(encoder, negatives=negatives, steps=5, mine_every=3, batch=20).fit(mini.visible(), seed=2)
    assert len(fitted.trace) == len(pools) == 5
    for golds, ranking, n_concepts, n, hard_percent, _, _, pool in pools:
        assert n_concepts == 120 and len(set(pool)) == n == 16 and not set(golds) & set(pool)
        assert (ranking is not None) == (hard_percent == 50) == (negatives == "mixed")
        for place in range(8 if ranking is not None else 0):
            # Someone's best, but for golds and what was taken before.
            before = {*golds, *pool[:place]}
            assert pool[place] in {next(c for c in row if c not in before) for row in ranking.tolist()}


@pytest.mark.parametrize("negatives", ["random", "mixed"])
def test_no_entity_with_the_text_of_a_gold_is_a_negative(encoder, mini, pools, negatives):
    """As in MedMentions, where "activation" is the title of thirteen concepts."""
    concepts = list(mini.ontology.concepts.values())
    twins = [replace(one, id=f"{one.id}-{i}") for one in concepts[:40] for i in (1, 2)]
    many = replace(mini, ontology=Ontology("twins", [*concepts, *twins]))
    fitted = small(encoder, negatives=negatives, batch=20).fit(many.visible())
    titles = [candidate.name for candidate in fitted.link(mini.test.documents[:1]).candidates]
    assert len(titles) == 200
    for right, _, _, _, _, _, _, pool in pools:
        told = {titles[i] for i in right}
        assert len(right) == sum(title in told for title in titles) and not told & {titles[i] for i in pool}
    assert any(len(right) > 20 for right, *_ in pools)


def test_the_ranking_is_that_of_all_concepts_by_the_encoder_as_it_is(encoder, mini, pools, monkeypatch):
    monkeypatch.setattr(pools_module, "epoch_batch", lambda n, size, seed, step: np.arange(size))
    for loss in ("ce", "proxy"):
        settings = {"loss": loss, "negatives": "mixed", "steps": 12, "mine_every": 4}
        fitted = small(encoder, **settings).fit(mini.visible())
        rankings = [ranking for _, ranking, *_ in pools]
        pools.clear()
        assert all((rankings[i] == rankings[i + 1]).all() for i in (0, 1, 2, 4, 5, 6))
        assert (rankings[3] != rankings[4]).any()
        untrained = replace(fitted, steps=0).fit(mini.visible())
        # The training mentions stand in the order of the corpus.
        seen = [(d.id, m.start, m.end) for d, m in mini.train.mentions() if len(m.gold.ids) == 1][:8]
        mentions = untrained.mention_vectors(mini.train.documents, [Query(*one) for one in seen])
        entities = untrained._entities
        if loss == "proxy":
            mentions, entities = l2_normalize(mentions), l2_normalize(entities)
        similarity = mentions @ entities.T
        # 8 of the 16 are hard, and as many golds may stand in front.
        best = -np.sort(-similarity, axis=1)[:, :16]
        assert np.take_along_axis(similarity, rankings[0], axis=1) == pytest.approx(best, abs=1e-4)


def test_what_is_learned_from(encoder, mini, monkeypatch):
    sizes = []
    draw = pools_module.epoch_batch
    monkeypatch.setattr(pools_module, "epoch_batch", lambda n, *rest: sizes.append(n) or draw(n, *rest))
    for learns in ("train", "train+dev"):
        small(encoder, learns=learns, steps=1).fit(mini.visible())
    single = [[len(m.gold.ids) == 1 for _, m in split.mentions()] for split in (mini.train, mini.dev)]
    assert sizes == [sum(single[0]), sum(single[0]) + sum(single[1])]
    assert 0 < sum(single[0]) < len(single[0])
    # The concept of a mention has no name, or is held out: nothing to bring it close to.
    mentions = ("cold", "D2"), ("nameless", "D4"), ("unknown", "D9"), ("nil", ""), ("both", "D1+D3")
    given = replace(BENCHMARK, train=Corpus("t", (document("1", *mentions),)))
    small(encoder, n_negatives=1, steps=1).fit(given)
    assert sizes[2:] == [1]
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


def batches(monkeypatch) -> list[contrast.ContrastiveBatch]:
    """Every batch that a loss is computed of."""
    drawn, loss = [], contrast.ContrastiveObjective.__call__
    monkeypatch.setattr(
        contrast.ContrastiveObjective,
        "__call__",
        lambda self, model, of: drawn.append(of) or loss(self, model, of),
    )
    return drawn


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
    drawn = batches(monkeypatch)
    mentions = [*((string, "F") for string in strings), ("chill", "C")]
    given = replace(BENCHMARK, train=Corpus("t", (document("1", *mentions),)), ontology=FLU)
    settings = {"fields": "title+synonyms", "n_negatives": 4, "batch": len(mentions), "steps": 1}
    found = {}
    for leave in (False, True):
        fitted = small(encoder, leave_own_out=leave, **settings).fit(given.visible())
        texts = [fitted.encoder.entity.tokenizer.decode(one.ids[1:-1]) for one in drawn.pop().entities]
        assert len(texts) == 6 and set(texts[2:]) == {"gout", "rash", "cyst", "wart"}
        found[leave] = [text.replace(" [SEP] ", " ") for text in texts[:2]]
    # The only name of a concept stays, and the whole text is what is searched.
    assert found == {False: ["influenza flu ; flu ; grippe", "chill"], True: [gold, "chill"]}
    left, kept = (small(encoder, leave_own_out=leave, **settings | {"steps": 0}) for leave in (True, False))
    assert (left.fit(given)._entities == kept.fit(given)._entities).all()


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


def test_held_out_concepts_are_no_candidates(encoder, mini):
    given = apply(mini, ("hold-out:hash:0.2",))
    predictions = small(encoder, steps=1).fit(given.visible()).link(given.test.hidden().documents, k=200)
    assert {id for c in predictions.candidates for id in c.ids} == set(given.ontology.concepts)
    scored = outcomes(predictions, given.test, given.ontology)
    assert scored.is_nil.sum() > sum(m.gold.nil for _, m in mini.test.mentions())


@pytest.mark.parametrize("loss", ["ce", "proxy"])
def test_scores_of_one_training_by_plain_computation(encoder, mini, tmp_path, monkeypatch, loss):
    first = small(encoder, loss=loss, alpha=8.0, checkpoints=tmp_path).fit(mini.visible())
    # The others find the training done.
    monkeypatch.setattr("benchlib.encoders.embed", None)
    documents = mini.test.hidden().documents[:5]
    found = {}
    for score in (None, "dot", "cosine", "softmax"):
        fitted = replace(first, score=score).fit(mini.visible())
        assert fitted.weights == first.weights and fitted.trace == first.trace
        found[score] = fitted.link(documents, k=200)
    mentions, entities = first.mention_vectors(documents, found[None].queries), first._entities
    dot, cosine = mentions @ entities.T, l2_normalize(mentions) @ l2_normalize(entities).T
    own = dot if loss == "ce" else 8 * cosine
    softmax = own - np.log(np.exp(own - own.max()).sum(1, keepdims=True)) - own.max()
    for score, expected in {"dot": dot, "cosine": cosine, "softmax": softmax}.items():
        assert found[score].scores == pytest.approx(-np.sort(-expected, axis=1), abs=1e-4)
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


class Killed(Exception):
    pass


def test_a_killed_training_goes_on_to_the_same_end(encoder, mini, tmp_path, monkeypatch):
    monkeypatch.setattr("benchlib.training.Training", partial(Training, checkpoint_minutes=0))
    settings = {"shared": False, "negatives": "mixed", "mine_every": 3, "steps": 7, "fgsm": "random-sign"}
    whole = small(encoder, **settings).fit(mini.visible(), seed=1)
    weights, losses = whole.weights, [row["loss"] for row in whole.trace]
    assert weights != small(encoder, **settings).fit(mini.visible(), seed=2).weights
    # In step 5: its hard negatives are those of an encoder that is no more.
    steps = iter(range(100))
    loss = contrast.ContrastiveObjective.__call__

    def until(self, model, batch):
        if next(steps) == 4:
            raise Killed
        return loss(self, model, batch)

    monkeypatch.setattr(contrast.ContrastiveObjective, "__call__", until)
    killed = replace(whole, checkpoints=tmp_path)
    with pytest.raises(Killed):
        killed.fit(mini.visible(), seed=1)
    (written,) = tmp_path.glob("checkpoint-*/tensors.safetensors")
    assert load_file(written)["carried/ranking"].shape == (356, 16)
    resumed = replace(killed).fit(mini.visible(), seed=1)
    assert resumed.weights == weights and [row["loss"] for row in resumed.trace] == losses
    # Four steps before the kill, the killed one, and the three that were left.
    assert next(steps) == 8


def test_settings_print_and_parse():
    name = "bi-encoder,delta=0.05,negatives=mixed,n_negatives=32,fgsm=random-sign,steps=100,score=softmax"
    assert linker(name).name == name and linker(name) == linker(linker(name).name)
    assert linker("bi-encoder,score=None,loss=proxy") == BiEncoderLinker() == linker("bi-encoder")
    assert "contrast" not in linker(name).config
    assert "leave_own_out" not in linker(name).config  # records from before it keep their keys
    assert linker("collective,leave_own_out=True").config["leave_own_out"] is True


def test_what_cannot_be_is_refused(encoder, mini):
    for setting, message in {
        "loss=triplet": "loss is 'triplet'; expected one of ce, proxy, ce-cosine",
        "negatives=hard": "negatives is 'hard'; expected one of random, mixed",
        "fgsm=pgd": "fgsm is 'pgd'; expected one of none, fgsm, random-sign",
        "score=logit": "score is 'logit'; expected one of dot, cosine, softmax, or None",
        "pooling=start": "pooling is 'start'; expected one of mean, cls",
        "learns=test": "learns",
        "epochs=0": "epochs: expected 1 or more, or None, found 0",
        "mine_every=0": "mine_every: expected a number of steps from 1 on, found 0",
    }.items():
        with pytest.raises(ValueError, match=message):
            linker(f"bi-encoder,{setting}")
    with pytest.raises(ValueError, match="unknown field 'name'; expected some of title"):
        small(encoder, fields="title+name").fit(mini.visible())
    with pytest.raises(ValueError, match="expected 200 concepts that are not gold among 120"):
        small(encoder, n_negatives=200).fit(mini.visible())
    with pytest.raises(ValueError, match="empty has no name to link to"):
        small(encoder).fit(replace(BENCHMARK, ontology=Ontology("empty", [Concept("D1")])))
    with pytest.raises(ValueError, match="toy: expected a mention of one concept to train on"):
        small(encoder).fit(replace(BENCHMARK, train=Corpus("t", (document("1", ("nil", "")),))))
