"""The loss of a bi-encoder's batch, and the two encoders: two mentions by hand, and what losses are given."""

from typing import get_args

import numpy as np
import pytest
import torch
from linking import called

from benchlib import losses
from benchlib.encoders import FirstLast, embed, mention_inputs, text_inputs, word_embeddings
from benchlib.losses import candidate_cross_entropy, proxy_loss, random_signs
from study.systems.contrast import ContrastiveBatch, ContrastiveObjective, Fgsm
from study.systems.dual import DualEncoder

TEXT = "A cold and a low fever."
GOLDS, POOL = ["common cold", "fever"], ["renal disease", "cardiac disease [SEP] heart", "cough"]
KINDS = [
    ContrastiveObjective("ce"),
    ContrastiveObjective("proxy", 8.0),
    ContrastiveObjective("ce-cosine", 8.0),
]
POOLED = torch.tensor([[False, False, True, True, True]] * 3)  # each mention has the pool


@pytest.fixture(scope="module")
def model(encoder):
    return DualEncoder.load(encoder, markers=("[ent]", "[/ent]")).eval()


@pytest.fixture
def batch(model):
    mentions = mention_inputs(model.mention, [(TEXT, 2, 6), (TEXT, 17, 22), (TEXT, 2, 6)], 16).inputs
    # The third mention has the gold of the first.
    entities = text_inputs(model.entity, GOLDS + POOL)
    return ContrastiveBatch(mentions, entities, torch.tensor([0, 1, 0]), len(GOLDS))


def mean_vectors(backbone, inputs, words=None) -> torch.Tensor:
    """One input at a time, without padding; ``words`` may stand in for the embeddings of its tokens."""
    rows = []
    for i, one in enumerate(inputs):
        given = {"input_ids": torch.tensor([one.ids])}
        if words is not None:
            given = {"inputs_embeds": words[i : i + 1, : len(one.ids)]}
        rows.append(backbone.network(**given).last_hidden_state[0].mean(0))
    return torch.stack(rows)


def by_hand(loss, model, batch, words=None, negative=POOLED) -> torch.Tensor:
    """Each mention by itself, with its own gold and its negatives as its candidates."""
    mentions = mean_vectors(model.mention, batch.mentions)
    entities = mean_vectors(model.entity, batch.entities, words)
    if loss.cosine:
        mentions, entities = (torch.nn.functional.normalize(v) for v in (mentions, entities))
    total = 0.0
    for mention, gold, own in zip(mentions, batch.gold.tolist(), negative, strict=True):
        scores = (torch.stack([entities[gold], *entities[own]]) @ mention)[None]
        if loss.loss == "proxy":
            right = torch.arange(scores.shape[1])[None] == 0
            total = total + proxy_loss(scores, right, ~right, loss.alpha, loss.delta) / len(mentions)
        else:
            scale = loss.alpha if loss.cosine else 1
            total = total + candidate_cross_entropy(scale * scores, 0) / len(mentions)
    return total


@pytest.mark.parametrize("loss", [*KINDS, ContrastiveObjective("proxy", delta=0.1)])
def test_each_mention_has_its_own_gold_and_the_pool_or_negatives_of_its_own(model, batch, loss):
    torch.testing.assert_close(loss(model, batch), by_hand(loss, model, batch), rtol=1e-4, atol=1e-4)
    # The second has the gold of the first among its negatives and lacks the last of the pool.
    negative = torch.tensor([[0, 0, 1, 1, 1], [1, 0, 1, 1, 0], [0, 1, 0, 0, 1]], dtype=torch.bool)
    found = loss(model, batch._replace(negative=negative))
    expected = by_hand(loss, model, batch, negative=negative)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("loss", KINDS)
def test_the_gold_of_another_mention_changes_nothing(batch, loss):
    similarity = torch.tensor([[0.5, 0.1, 0.2, 0.3, 0.4]] * 3)
    other = similarity.clone()
    other[0, 1] = other[1, 0] = 0.9
    assert loss.of(similarity, batch) == loss.of(other, batch)
    for place in ((0, 0), (1, 1), (2, 4)):
        other = similarity.clone()
        other[place] += 0.1
        assert loss.of(similarity, batch) != loss.of(other, batch)


@pytest.mark.parametrize(("fgsm", "times"), [("none", 1), ("fgsm", 1.5)])
def test_what_equal_similarities_cost_is_watched(model, batch, fgsm, times):
    loss = ContrastiveObjective("ce", fgsm=fgsm, weight=0.5)
    loss(model, batch)
    assert loss.watched == {"chance_loss": pytest.approx(times * np.log(4))}  # the gold and the pool of three


@pytest.mark.parametrize("loss", ["ce", "proxy", "ce-cosine"])
def test_fgsm_moves_each_entity_for_its_hardest_mention(model, batch, loss, monkeypatch):
    steps = called(monkeypatch, losses, "adversarial_entities")
    plain = ContrastiveObjective(loss, 8.0)
    both = ContrastiveObjective(loss, 8.0, fgsm="fgsm", epsilon=0.02, weight=0.5)
    found = both(model, batch)
    [(words, scores, positive, _, moved)] = steps
    mentions, entities = (
        mean_vectors(model.mention, batch.mentions),
        mean_vectors(model.entity, batch.entities),
    )
    similarity = mentions @ entities.T
    if both.cosine:
        similarity /= mentions.norm(dim=1, keepdim=True) * entities.norm(dim=1)
    assert positive.tolist() == [True, True, False, False, False]
    hardest = [min(similarity[0, 0], similarity[2, 0]), similarity[1, 1], *similarity[:, 2:].amax(0)]
    torch.testing.assert_close(scores, torch.stack(hardest), rtol=1e-4, atol=1e-4)
    # Each value of a token that is read moves by epsilon; padding stays.
    for row, one in zip((moved - words).abs(), batch.entities, strict=True):
        torch.testing.assert_close(row[: len(one.ids)], torch.full_like(row[: len(one.ids)], 0.02))
        assert not row[len(one.ids) :].any()
    adversarial = by_hand(both, model, batch, moved)
    assert adversarial > plain(model, batch), "the moved entities are harder"
    torch.testing.assert_close(found, plain(model, batch) + 0.5 * adversarial, rtol=1e-4, atol=1e-4)


def test_the_control_moves_as_far_in_random_directions(model, batch):
    words = word_embeddings(model.entity, batch.entities)
    torch.manual_seed(3)
    moved = random_signs(words, 0.02)
    torch.testing.assert_close((moved - words).abs(), torch.full_like(words, 0.02))
    assert abs((moved > words).float().mean() - 0.5) < 0.05
    loss = ContrastiveObjective("proxy", 8.0, fgsm="random-sign", epsilon=0.02, weight=0.5)
    torch.manual_seed(3)
    found = loss(model, batch)
    expected = ContrastiveObjective("proxy", 8.0)(model, batch) + 0.5 * by_hand(loss, model, batch, moved)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)
    torch.manual_seed(3)
    assert torch.equal(loss(model, batch), found)


@pytest.mark.parametrize("fgsm", get_args(Fgsm))
@pytest.mark.parametrize("half", [False, True])
def test_every_encoder_gets_a_gradient_and_half_precision_is_for_encoders_alone(
    model, batch, fgsm, half, monkeypatch
):
    calls = called(monkeypatch, ContrastiveObjective, "of")
    model.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
        loss = ContrastiveObjective(fgsm=fgsm)(model, batch)
    loss.backward()
    assert {similarity.dtype for similarity, *_ in calls} == {torch.float32}
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)
    assert all(
        side.network.get_input_embeddings().weight.grad.any() for side in (model.mention, model.entity)
    )
    model.zero_grad()


def test_both_start_alike_and_are_two_unless_shared(encoder):
    apart, shared = DualEncoder.load(encoder), DualEncoder.load(encoder, shared=True)
    texts = text_inputs(apart.mention, ["fever", "low temperature"])
    one, other = (embed(side, texts, "mean") for side in (apart.mention, apart.entity))
    assert torch.equal(one, other)
    assert apart.mention is not apart.entity and shared.mention is shared.entity
    assert len(list(apart.parameters())) == 2 * len(list(shared.parameters()))


def test_the_fingerprint_follows_the_weights_of_both_and_of_a_pooling(encoder):
    model = DualEncoder.load(encoder)
    model.mention_pooling = FirstLast(64)
    weights = [side.network.get_input_embeddings().weight for side in (model.mention, model.entity)]
    seen = {DualEncoder.load(encoder).fingerprint(), model.fingerprint()}
    for weight in (*weights, model.mention_pooling.linear.bias):
        with torch.no_grad():
            weight[0] += 1
        seen.add(model.fingerprint())
    assert len(seen) == 5
