"""The cross-encoder on the embedded corpus, and its lists by hand."""

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from linking import DOCUMENTS, MINI, VISIBLE, WITH_TEXT, called, descending, goes_on_after_a_kill
from toy import BENCHMARK, document

from benchlib.corpus import Corpus, Document
from benchlib.encoders import Backbone, mention_inputs, text_inputs
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora.transforms import apply
from study.systems import CrossEncoderLinker, cross_encoder, linker, ranker
from study.systems.by_entity import names_to_concepts, pair_inputs, training_mentions
from study.systems.linked_text import matched_text, self_supervised
from study.systems.ranker import (
    WEIGHTS,
    Ranker,
    RankingBatch,
    append_first_stage,
    best_weight,
    chance_loss,
    insert_gold,
)
from study.systems.settings import print_nested

TEXT = "A cold and a low fever."
KRISSBERT = "krissbert;model={};window=12;steps=0;per_concept={};precision=fp32"


def small(encoder, first="tfidf", **settings):
    fixed = {"candidates": 4, "fields": "title", "window": 12, "max_length": 16, "batch": 4, "steps": 3}
    fixed |= {"learning_rate": 1e-3, "precision": "fp32", "progress": False}
    return CrossEncoderLinker(first, model=encoder, **fixed | settings)


def test_a_name_counts_for_each_of_its_owners_and_a_concept_once():
    named = {"a": ("X",), "b": ("Z", "Y"), "q": ("Q",), "": (), "c": ("X", "W")}
    candidates = tuple(Candidate(name, ids) for name, ids in named.items())
    given = np.array([[1, 0, 4], [2, 3, -1], [4, 1, 2]])
    scores = np.array([[3.0, 2.0, 1.0], [5.0, 4.0, 0.0], [7.0, 7.0, 6.0]])
    found = Predictions(tuple(Query("d", i, i + 1) for i in range(3)), candidates, given, scores)
    # Q has no place; an answer without ids is NIL.
    index, of = names_to_concepts(found, {"W": 0, "X": 1, "Y": 2, "Z": 3})
    assert index.tolist() == [[3, 2, 1, 0], [-1] * 4, [1, 0, 3, 2]]
    assert of.tolist() == [[3, 3, 2, 1], [-np.inf] * 4, [7, 7, 7, 7]]


def test_the_gold_is_put_in_where_it_is_missing():
    index = np.array([[5, 6, 7, 8], [5, 6, 7, 8], [5, 6, 7, 8], [5, 6, -1, -1], [-1] * 4, [7, -1, -1, -1]])
    gold = np.array([6, 8, 1, 1, 1, 7])
    expected = [[5, 6, 7], [5, 6, 8], [5, 6, 1], [5, 6, 1], [1, -1, -1], [7, -1, -1]]
    assert insert_gold(index, gold, 3).tolist() == expected
    # A list that is shorter than the candidates asked for.
    assert insert_gold(index[2:4, :2], gold[2:4], 4).tolist() == [[5, 6, 1, -1], [5, 6, 1, -1]]


def test_the_rest_follows_strictly_below_with_its_order_and_ties():
    given = np.array([[9, 8, 7, 7, 7.0, 2], [9, 9, 1, 0, -np.inf, -np.inf], [9, *[-np.inf] * 5]])
    scores, there = np.array([[0.5, -4.0], [2.0, 3.0], [-1.0, 0.0]]), np.array([[1, 1], [1, 1], [1, 0]]) > 0
    found = append_first_stage(scores, there, given)
    assert found[0].tolist() == [0.5, -4, -5, -5, -5, -6]
    assert found[1, :4].tolist() == [2, 3, 1, 0] and found[2, 0] == -1
    assert append_first_stage(scores, there, given[:, :2]).tolist() == scores.tolist()


def test_the_weight_is_the_least_of_those_with_the_most_golds_alone_at_the_top():
    scores = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 0.0], [1.0, 1.0, 9.0], [5.0, 0.0, 0.0]])
    first = np.array([[8.0, 9.5, 0.0], [40.0, 9.0, 1.0], [2.0, 1.0, -np.inf], [9.0, 8.0, 7.0]])
    gold = np.array([1, 0, 0, -1])  # of the last it is none of the candidates
    given = scores, first, np.isfinite(first), np.arange(3) == gold[:, None]
    # Of each mention by itself: 1 + 9.5 w > 2 + 8 w, 40 w > 3 + 9 w, and 1 + 2 w > 1 + w.
    right = [(1.5 * weight > 1) + (31 * weight > 3) + (weight > 0) for weight in WEIGHTS]
    assert right == [0, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3]
    # The ranker alone, where nothing is gained: a tie is no gain.
    for start, weight in enumerate((1.0, 0.1, 0.01, 0.0)):
        assert best_weight(*(of[start:] for of in given)) == weight
    tied = np.array([[0.0, 1.0]]), np.array([[1.0, 1.0]]), np.ones((1, 2), bool), np.array([[True, False]])
    assert best_weight(*tied) == 0.0


def by_hand(model: Ranker, pairs) -> torch.Tensor:
    """The scores of pairs one at a time, without padding."""
    rows = []
    for pair in pairs:
        types = torch.tensor([[int(place >= pair.second) for place in range(len(pair.ids))]])
        states = model.backbone.network(torch.tensor([pair.ids]), token_type_ids=types).last_hidden_state[0]
        rows.append((states.mean(0) * model.linear.weight[0]).sum())
    return torch.stack(rows)


@pytest.fixture(scope="module")
def model(encoder):
    return Ranker(Backbone.load(encoder, markers=cross_encoder.MARKERS), seed=3).eval()


@pytest.fixture
def batch(model):
    """Two mentions, one with three candidates and one with two."""
    mentions = mention_inputs(model.backbone, [(TEXT, 2, 6), (TEXT, 17, 22)], 16).inputs
    texts = ["common cold", "fever", "renal disease and more", "cough", "pain"]
    entities = text_inputs(model.backbone, texts)
    pairs = pair_inputs(model.backbone, [mentions[i] for i in (0, 0, 0, 1, 1)], entities)
    return RankingBatch(pairs, torch.tensor([[True] * 3, [True, True, False]]), torch.tensor([0, 1]))


def loss_by_hand(scores: torch.Tensor) -> torch.Tensor:
    one, other = scores[:3], scores[3:]
    return (one.logsumexp(0) - one[0] + other.logsumexp(0) - other[1]) / 2


def test_the_loss_is_the_cross_entropy_over_the_candidates_of_each_mention(model, batch):
    scores = by_hand(model, batch.pairs)
    torch.testing.assert_close(model(batch.pairs), scores, rtol=1e-4, atol=1e-5)
    assert model.score(batch.pairs, "fp32") == pytest.approx(scores.detach().numpy(), abs=1e-5)
    torch.testing.assert_close(model.loss(batch), loss_by_hand(scores), rtol=1e-4, atol=1e-5)


def test_the_chance_loss_is_that_of_a_ranker_that_gives_all_candidates_one_score(encoder, batch):
    blind = Ranker(Backbone.load(encoder, markers=cross_encoder.MARKERS))
    torch.nn.init.zeros_(blind.linear.weight)
    expected = (math.log(3) + math.log(2)) / 2
    assert chance_loss(batch) == pytest.approx(expected) == pytest.approx(blind.loss(batch).item(), abs=1e-6)


def test_the_candidates_are_ordered_by_the_ranker_and_the_rest_by_the_first_linker(encoder):
    fitted = small(encoder).fit(VISIBLE, seed=1)
    found = fitted.link(DOCUMENTS[:6], k=12)
    index, _ = names_to_concepts(linker("tfidf").fit(VISIBLE).link(DOCUMENTS[:6], 64), fitted._place)
    texts = {one.id: one.text for one in DOCUMENTS}
    assert found.index.shape[1] == 12 and (found.index >= 0).all()
    for row, query in enumerate(found.queries):
        chosen, place = index[row, :4], (texts[query.document], query.start, query.end)
        mention = mention_inputs(fitted.backbone, [place], 12).inputs
        pairs = pair_inputs(fitted.backbone, mention * 4, [fitted._entities[i] for i in chosen])
        scores = by_hand(fitted.ranker, pairs).detach().numpy()
        assert found.index[row].tolist() == [*chosen[np.argsort(-scores)], *index[row, 4:12]]
        assert found.scores[row, :4] == pytest.approx(-np.sort(-scores), abs=1e-5)
        assert found.scores[row, 3] > found.scores[row, 4]


@pytest.mark.parametrize("learns", ["train", "text"])
def test_training_takes_the_very_candidates_that_are_ranked_anew_with_the_gold_among_them(
    encoder, monkeypatch, learns
):
    calls = called(monkeypatch, CrossEncoderLinker, "_pairs")

    def read() -> dict:
        each = [zip(mentions, chosen.tolist(), strict=True) for mentions, chosen, _ in calls]
        calls.clear()
        return {mention: chosen for pairs in each for mention, chosen in pairs}

    text = WITH_TEXT.visible()
    fitted = small(encoder, KRISSBERT.format(encoder, 1), learns=learns, steps=30).fit(text, seed=2)
    trained = read()
    given = self_supervised(text, 30 * 4, 2, progress=False).train if learns == "text" else text.train
    fitted.link(given.hidden().documents)
    ranked, gold = read(), {}
    for one in training_mentions(replace(text, train=given), ["train"], fitted._place):
        gold[mention_inputs(fitted.backbone, [one.place], 12).inputs[0]] = one.concept
    missing = [gold[mention] not in ranked[mention] for mention in trained]
    assert 0.1 < np.mean(missing) < 0.9 and len(trained) > 50
    for mention, chosen in trained.items():
        kept = ranked[mention]
        if gold[mention] not in kept:
            n = min(len([i for i in kept if i >= 0]), 3)
            kept = [*kept[:n], gold[mention], *[-1] * (3 - n)]
        assert chosen == kept


def test_training_teaches_to_rank(encoder):
    first = f"frozen-bi-encoder;model={encoder};fields=title;window=12;max_length=16;steps=0;precision=fp32"
    fitted = small(encoder, first, steps=400, candidates=8, batch=8).fit(VISIBLE)
    predictions = [one.link(MINI.train.hidden().documents) for one in (fitted.retriever, fitted)]
    found = [outcomes(one, MINI.train, MINI.ontology, MINI.cluster) for one in predictions]
    before, after = (recall(one, 4, Scoring()).mean() for one in found)
    assert after > before + 0.05
    # What is behind the candidates stays there.
    ends = [recall(one, 8, Scoring()).tolist() for one in found]
    assert ends[0] == ends[1]
    losses = [row["loss"] for row in fitted.trace]
    assert len(losses) == 400 and np.mean(losses[-20:]) < 0.85 * np.mean(losses[:5])


def test_it_can_learn_from_mentions_that_names_find(encoder, monkeypatch):
    learned = called(monkeypatch, cross_encoder, "training_mentions")
    made = small(encoder, KRISSBERT.format(encoder, 2), learns="text", steps=5)
    fitted = made.fit(WITH_TEXT.visible(), seed=2)
    linked = matched_text(WITH_TEXT)
    found = {(*linked.span(i)[:2], linked.concepts[concept]) for i, concept in enumerate(linked.concept)}
    ids = list(fitted._place)
    [(*_, seen)] = learned
    assert {(d.text, m.start, ids[concept]) for d, m, concept in seen} <= found
    assert len({(d.id, m.start) for d, m, _ in seen}) == len(seen) == 5 * 4
    assert max(Counter(concept for *_, concept in seen).values()) <= 3
    # Another seed draws others; the labels of the training documents have no part in it.
    again = self_supervised(WITH_TEXT, 20, 3, progress=False).train
    assert [d.text for d in again.documents] != list(dict.fromkeys(d.text for d, *_ in seen))
    hidden = replace(WITH_TEXT, train=WITH_TEXT.train.hidden())
    assert self_supervised(hidden, 20, 3, progress=False).train == again
    assert len(fitted.link(DOCUMENTS[:2]).queries)


def test_mentions_without_candidates_and_documents_without_mentions(encoder):
    fitted = small(encoder, "exact").fit(BENCHMARK.visible())
    predictions = fitted.link(BENCHMARK.test.hidden().documents)
    # Cold is D1 or D2, cold (D4) as well, FEVER is D3; the others equal no name.
    lists = [sorted(row[row >= 0].tolist()) for row in predictions.index]
    assert lists == [[0, 1], [2], [], [], [], [], [0, 1]]
    assert len(fitted.link([document("9")])) == 0


def test_the_weight_of_the_first_score_is_chosen_on_dev_after_a_training_in_which_it_has_no_part(
    encoder, monkeypatch
):
    alone, both = (small(encoder, mix=mix).fit(VISIBLE, seed=1) for mix in ("none", "dev"))
    assert alone.weights == both.weights and alone.chosen == {}
    first = linker("tfidf").fit(VISIBLE)

    def scores(documents):
        """Of the best four concepts of each query: the ranker's scores, and those of TF-IDF."""
        found, ranked = first.link(documents, 64), alone.link(documents, 64)
        index, given = (of[:, :4] for of in names_to_concepts(found, both._place))
        rows = [dict(zip(*of, strict=True)) for of in zip(ranked.index, ranked.scores, strict=True)]
        own = [[row[concept] for concept in chosen] for row, chosen in zip(rows, index, strict=True)]
        return index, np.array(own), given, found.queries

    index, own, given, queries = scores(MINI.dev.hidden().documents)
    right = Counter()
    seen = training_mentions(MINI, ["dev"], both._place)
    for one, mention, concept in seen:
        i = queries.index(Query(one.id, mention.start, mention.end))
        for weight in WEIGHTS:
            mixed = dict(zip(index[i].tolist(), own[i] + weight * given[i], strict=True))
            score = mixed.pop(concept, -math.inf)
            right[weight] += score > max(mixed.values())
    expected = max(WEIGHTS, key=lambda weight: (right[weight], -weight))
    assert both.chosen == {"first_weight": expected} and expected > 0
    _, own, given, _ = scores(DOCUMENTS)
    linked = both.link(DOCUMENTS, 12)
    assert linked.scores[:, :4] == pytest.approx(descending(own + expected * given), abs=1e-3)
    np.testing.assert_array_equal(linked.index[:, 4:], alone.link(DOCUMENTS, 12).index[:, 4:])
    # At most so many mentions of dev, at equal distances.
    chosen = called(monkeypatch, ranker, "best_weight")
    monkeypatch.setattr(cross_encoder, "_DEV", 5)
    assert both.fit(VISIBLE, seed=1).chosen
    assert 1 < len(chosen[0][0]) <= 5 < len(seen)


NO_DEV = (Corpus("d", (document("1", ("nil", "")),)), Corpus("d", (Document("1", "Nothing."),)))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        *((replace(MINI, dev=dev), "expected a dev mention of one concept in mini") for dev in NO_DEV),
        (apply(MINI, ["dev:test"]), "dev:test makes dev the test split"),
    ],
)
def test_a_weight_needs_labelled_mentions_in_a_dev_that_is_not_test(encoder, given, told):
    with pytest.raises(ValueError, match=f"mix is 'dev'.*{told}"):
        small(encoder, mix="dev").fit(given.visible())


def test_the_linear_layer_has_its_own_learning_rate_and_the_encoder_keeps_its(encoder):
    # Two updates after a warm-up of a fifth: the first has a rate of 0, so that both trainings have the same
    # gradients, and what the second moves is as its rate.
    start = Ranker(Backbone.load(encoder, markers=cross_encoder.MARKERS), seed=1)
    own, none = (
        small(encoder, steps=2, learning_rate=1e-4, head_rate=rate).fit(VISIBLE, seed=1).ranker
        for rate in (1e-2, None)
    )
    moved = [(of.linear.weight - start.linear.weight).detach() for of in (own, none)]
    assert moved[1].abs().min() > 0
    torch.testing.assert_close(moved[0], 100 * moved[1], rtol=0.01, atol=1e-5)
    for one, other in zip(own.backbone.parameters(), none.backbone.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


def test_epochs_are_passes_over_the_mentions(encoder):
    fitted = small(encoder, epochs=2, batch=16).fit(VISIBLE)
    n = len(training_mentions(MINI, ["train"], fitted._place))
    assert fitted.trace[-1]["step"] == 2 * math.ceil(n / 16)
    assert all(row["chance_loss"] == pytest.approx(math.log(4), abs=1e-5) for row in fitted.trace)


def test_a_killed_training_goes_on_to_the_same_end_with_its_first_linker(encoder, tmp_path, monkeypatch):
    reads = "shared=True;fields=title;window=12;max_length=16;n_negatives=16;steps=2;precision=fp32"
    made = small(encoder, f"bi-encoder;model={encoder};{reads}", steps=5)
    other = replace(made, steps=4).fit(VISIBLE, seed=1)
    whole = goes_on_after_a_kill(monkeypatch, made, tmp_path, Ranker, "loss", 3)
    assert whole.weights != other.weights
    assert [path.name for path in (tmp_path / "first").glob("checkpoint-*")] == ["checkpoint-000000002"]


def test_the_first_linker_is_a_name_within_the_name():
    made = linker("cross-encoder,first=bi-encoder;loss=ce;steps=100,candidates=8")
    assert made.first_linker() == linker("bi-encoder,loss=ce,steps=100")
    assert linker("cross-encoder").config["fgsm"] == "none", "as in the keys of records"
    assert linker("cross-encoder").name == "cross-encoder" == linker("cross-encoder,first=bi-encoder").name
    # One system, one name.
    assert linker("cross-encoder,first=bi-encoder;steps=100;loss=ce,candidates=8") == made
    for odd in ("a;b", "a,b", "50%", "x=y;"):
        made = CrossEncoderLinker(print_nested(replace(linker("tuned"), model=odd)))
        assert made.first_linker().model == odd and linker(made.name) == made


def test_what_the_first_linker_is_counts_as_configuration(encoder, monkeypatch):
    made = linker("cross-encoder,first=tfidf;ngrams=2-4")
    config = {"ngrams": "2-4", "analyzer": "char"}
    assert made.config["first"] == {"name": "tfidf,ngrams=2-4", "version": "1", "config": config}
    before = json.dumps(made.config)
    monkeypatch.setattr(type(made.first_linker()), "version", "2")
    assert json.dumps(made.config) != before
    of_folder = CrossEncoderLinker(f"encoder;model={encoder}").config["first"]["config"]
    assert len(of_folder["weights"]) == 64


def test_what_cannot_be_trained_is_refused(encoder):
    with pytest.raises(ValueError, match="steps"):
        small(encoder, steps=0).fit(VISIBLE)
