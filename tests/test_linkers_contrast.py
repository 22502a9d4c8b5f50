"""The loss of a bi-encoder's batch: two mentions by hand, and the tensors that the losses are given."""

import numpy as np
import pytest
import torch
from tiny import tiny_encoder

from benchlib.encoders import Backbone, mention_inputs, text_inputs, word_embeddings
from benchlib.losses import adversarial_entities, candidate_cross_entropy, proxy_loss, random_signs
from study.systems import contrast as module
from study.systems.contrast import ContrastiveBatch, ContrastiveObjective
from study.systems.dual import DualEncoder

TEXT = "A cold and a low fever."
GOLDS, POOL = ["common cold", "fever"], ["renal disease", "cardiac disease [SEP] heart", "cough"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tiny_encoder(tmp_path_factory.mktemp("tiny"))
    return DualEncoder.load(folder, markers=("[ent]", "[/ent]")).eval()


@pytest.fixture
def batch(model):
    mentions = mention_inputs(model.mention, [(TEXT, 2, 6), (TEXT, 17, 22), (TEXT, 2, 6)], 16).inputs
    # The third mention has the gold of the first.
    return ContrastiveBatch(
        mentions, text_inputs(model.entity, GOLDS + POOL), torch.tensor([0, 1, 0]), len(GOLDS)
    )


def mean_vectors(backbone: Backbone, inputs, words=None) -> torch.Tensor:
    """One input at a time, without padding; ``words`` may stand in for the embeddings of its tokens."""
    rows = []
    for i, one in enumerate(inputs):
        given = {"input_ids": torch.tensor([one.ids])}
        if words is not None:
            given = {"inputs_embeds": words[i : i + 1, : len(one.ids)]}
        rows.append(backbone.network(**given).last_hidden_state[0].mean(0))
    return torch.stack(rows)


def by_hand(loss: ContrastiveObjective, mentions: torch.Tensor, entities: torch.Tensor, gold) -> torch.Tensor:
    """Each mention with its own gold and the pool as its candidates."""
    if loss.cosine:
        mentions, entities = (torch.nn.functional.normalize(v) for v in (mentions, entities))
    own = torch.stack([torch.stack([entities[g], *entities[2:]]) for g in gold])
    scores = (mentions[:, None] * own).sum(-1)
    if loss.loss != "proxy":
        return candidate_cross_entropy(loss.alpha * scores if loss.cosine else scores, 0)
    positive = torch.tensor([[True, False, False, False]] * len(gold))
    return proxy_loss(scores, positive, ~positive, loss.alpha, loss.delta)


@pytest.mark.parametrize(
    "loss",
    [
        ContrastiveObjective("ce"),
        ContrastiveObjective("proxy", delta=0.1),
        ContrastiveObjective("proxy", 8.0),
        ContrastiveObjective("ce-cosine", 8.0),
    ],
)
def test_each_mention_has_its_own_gold_and_the_pool(model, batch, loss):
    vectors = mean_vectors(model.mention, batch.mentions), mean_vectors(model.entity, batch.entities)
    torch.testing.assert_close(loss(model, batch), by_hand(loss, *vectors, batch.gold), rtol=1e-4, atol=1e-4)


def test_the_gold_of_another_mention_changes_nothing(model, batch):
    for loss in (
        ContrastiveObjective("ce"),
        ContrastiveObjective("proxy", 4.0),
        ContrastiveObjective("ce-cosine", 4.0),
    ):
        similarity = torch.tensor([[0.5, 0.1, 0.2, 0.3, 0.4]] * 3)
        other = similarity.clone()
        other[0, 1] = other[1, 0] = 0.9
        assert loss.of(similarity, batch) == loss.of(other, batch)
        for place in ((0, 0), (1, 1), (2, 4)):
            other = similarity.clone()
            other[place] += 0.1
            assert loss.of(similarity, batch) != loss.of(other, batch)


@pytest.mark.parametrize(
    "loss",
    [ContrastiveObjective("ce"), ContrastiveObjective("proxy", 8.0), ContrastiveObjective("ce-cosine", 8.0)],
)
def test_each_mention_may_have_negatives_of_its_own(model, batch, loss):
    # The second has the gold of the first among its negatives and lacks the last of the pool.
    negative = torch.tensor([[0, 0, 1, 1, 1], [1, 0, 1, 1, 0], [0, 1, 0, 0, 1]], dtype=torch.bool)
    mentions, entities = (
        mean_vectors(model.mention, batch.mentions),
        mean_vectors(model.entity, batch.entities),
    )
    if loss.cosine:
        mentions, entities = (torch.nn.functional.normalize(v) for v in (mentions, entities))
    total = 0.0
    for i, gold in enumerate(batch.gold.tolist()):
        scores = torch.stack([entities[gold], *entities[negative[i]]]) @ mentions[i]
        if loss.loss == "proxy":
            alone = torch.tensor([[True] + [False] * int(negative[i].sum())])
            total = total + proxy_loss(scores[None], alone, ~alone, loss.alpha) / 3
        else:
            total = total + candidate_cross_entropy((loss.alpha if loss.cosine else 1) * scores[None], 0) / 3
    found = loss(model, batch._replace(negative=negative))
    torch.testing.assert_close(found, total, rtol=1e-4, atol=1e-4)


def test_what_equal_similarities_cost_is_watched(model, batch):
    loss = ContrastiveObjective("ce")
    loss(model, batch)
    assert loss.watched == {"chance_loss": pytest.approx(np.log(4))}  # the gold and the pool of three
    both = ContrastiveObjective("ce", fgsm="fgsm", weight=0.5)
    both(model, batch)
    assert both.watched == {"chance_loss": pytest.approx(1.5 * np.log(4))}


@pytest.mark.parametrize("loss", ["ce", "proxy", "ce-cosine"])
def test_fgsm_moves_each_entity_for_its_hardest_mention(model, batch, loss, monkeypatch):
    given = []
    step = adversarial_entities

    def recorded(words, scores, positive, epsilon):
        given.append((scores.detach(), positive, step(words, scores, positive, epsilon)))
        return given[-1][-1]

    monkeypatch.setattr("benchlib.losses.adversarial_entities", recorded)
    plain, both = (
        ContrastiveObjective(loss, 8.0),
        ContrastiveObjective(loss, 8.0, fgsm="fgsm", epsilon=0.02, weight=0.5),
    )
    found = both(model, batch)
    ((scores, positive, moved),) = given
    mentions = mean_vectors(model.mention, batch.mentions)
    entities = mean_vectors(model.entity, batch.entities)
    similarity = mentions @ entities.T
    if both.cosine:
        similarity /= mentions.norm(dim=1, keepdim=True) * entities.norm(dim=1)
    assert positive.tolist() == [True, True, False, False, False]
    hardest = [min(similarity[0, 0], similarity[2, 0]), similarity[1, 1], *similarity[:, 2:].amax(0)]
    torch.testing.assert_close(scores, torch.stack(hardest).detach(), rtol=1e-4, atol=1e-4)
    # Each value of a token that is read moves by epsilon; padding stays.
    words = word_embeddings(model.entity, batch.entities)
    sizes = (moved - words).abs()
    for row, one in zip(sizes, batch.entities, strict=True):
        torch.testing.assert_close(row[: len(one.ids)], torch.full_like(row[: len(one.ids)], 0.02))
        assert not row[len(one.ids) :].any()
    adversarial = by_hand(both, mentions, mean_vectors(model.entity, batch.entities, moved), batch.gold)
    assert adversarial > plain(model, batch), "the moved entities are harder"
    torch.testing.assert_close(found, plain(model, batch) + 0.5 * adversarial, rtol=1e-4, atol=1e-4)


def test_the_control_moves_as_far_in_random_directions(model, batch, monkeypatch):
    words = word_embeddings(model.entity, batch.entities)
    torch.manual_seed(3)
    moved = random_signs(words, 0.02)
    steps = moved - words
    torch.testing.assert_close(steps.abs(), torch.full_like(steps, 0.02))
    assert abs((steps > 0).float().mean() - 0.5) < 0.05
    loss = ContrastiveObjective("proxy", 8.0, fgsm="random-sign", epsilon=0.02, weight=0.5)
    torch.manual_seed(3)
    found = loss(model, batch)
    mentions = mean_vectors(model.mention, batch.mentions)
    adversarial = by_hand(loss, mentions, mean_vectors(model.entity, batch.entities, moved), batch.gold)
    plain = ContrastiveObjective("proxy", 8.0)(model, batch)
    torch.testing.assert_close(found, plain + 0.5 * adversarial, rtol=1e-4, atol=1e-4)
    torch.manual_seed(3)
    assert torch.equal(loss(model, batch), found)


def test_every_encoder_gets_a_gradient_and_a_shared_one_that_of_both(model, batch):
    for fgsm in module.FGSM:
        model.zero_grad()
        ContrastiveObjective(fgsm=fgsm)(model, batch).backward()
        for side in (model.mention, model.entity):
            gradient = side.network.get_input_embeddings().weight.grad
            assert gradient is not None and gradient.isfinite().all() and gradient.any()
    model.zero_grad()


def test_what_is_no_loss_and_no_step_is_refused():
    with pytest.raises(ValueError, match="loss is 'triplet'; expected one of ce, proxy, ce-cosine"):
        ContrastiveObjective("triplet")
    with pytest.raises(ValueError, match="fgsm is 'random'; expected one of none, fgsm, random-sign"):
        ContrastiveObjective(fgsm="random")


@pytest.mark.parametrize("fgsm", module.FGSM)
def test_half_precision_is_for_the_encoders_alone(model, batch, fgsm, monkeypatch):
    types = []
    of = ContrastiveObjective.of
    monkeypatch.setattr(
        ContrastiveObjective,
        "of",
        lambda self, similarity, b: types.append(similarity.dtype) or of(self, similarity, b),
    )
    loss = ContrastiveObjective(fgsm=fgsm)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        half = loss(model, batch)
    half.backward()
    assert set(types) == {torch.float32}
    assert all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)
    model.zero_grad()
