"""FGSM: the steps of the equations by finite differences."""

import pytest
import torch
from loss_checks import uniform
from transformers import BertConfig, BertModel

from benchlib.losses import adversarial_entities, proxy_loss

# Five entities of up to seven tokens; the first and the fourth are gold.
POSITIVE = torch.tensor([True, False, False, True, False])
TOKENS = torch.tensor([[1] * 7, [1] * 4 + [0] * 3, [1] * 5 + [0] * 2, [1] * 2 + [0] * 5, [1] * 7])


@pytest.fixture(scope="module")
def scorer():
    """Input embeddings (entities × tokens × width) to the cosine of each entity with one mention."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    # Weights ten times as large as usual: an encoder that bends.
    config = BertConfig(vocab_size=50, max_position_embeddings=16, initializer_range=0.2, **sizes)
    encoder = BertModel(config, add_pooling_layer=False).double().eval()
    mention = uniform(32, seed=9)

    def score(z, present=TOKENS):
        states = encoder(inputs_embeds=z, attention_mask=present).last_hidden_state
        pooled = (states * present.unsqueeze(-1)).sum(1) / present.sum(1, keepdim=True)
        return torch.cosine_similarity(pooled, mention, dim=-1)

    return score


def test_the_steps_by_finite_differences(scorer):
    z = uniform(5, 7, 32, seed=3).requires_grad_()
    moved = (adversarial_entities(z, scorer(z), POSITIVE, epsilon=0.01) - z).detach()
    sizes = moved[TOKENS.bool()].abs()
    torch.testing.assert_close(sizes, torch.full_like(sizes, 0.01))
    step = 1e-5
    for entity, token, place in [(0, 0, 0), (0, 6, 31), (1, 3, 5), (2, 4, 8), (3, 1, 30), (4, 2, 2)]:
        nudge = torch.zeros_like(z)
        nudge[entity, token, place] = step
        with torch.no_grad():
            slope = (scorer(z + nudge) - scorer(z - nudge))[entity] / (2 * step)
        expected = -0.01 * slope.sign() if POSITIVE[entity] else 0.01 * slope.sign()
        assert moved[entity, token, place] == pytest.approx(expected.item())


def test_padding_stays_and_each_entity_is_on_its_own(scorer):
    z = uniform(5, 7, 32, seed=3).requires_grad_()
    z_adv = adversarial_entities(z, scorer(z), POSITIVE)
    assert torch.equal(z_adv[TOKENS == 0], z[TOKENS == 0])
    for i in range(5):
        alone = adversarial_entities(z, scorer(z)[i : i + 1].expand(5), POSITIVE[i].expand(5))
        assert torch.equal(alone[i], z_adv[i])
    only = z.detach()[1:2].requires_grad_()
    torch.testing.assert_close(
        adversarial_entities(only, scorer(only, TOKENS[1:2]), POSITIVE[1:2]), z_adv[1:2]
    )


def test_candidates_of_several_mentions(scorer):
    z = uniform(2, 5, 7, 32, seed=4).requires_grad_()
    scores = torch.stack([scorer(one) for one in z])
    positive = torch.stack([POSITIVE, ~POSITIVE])
    z_adv = adversarial_entities(z, scores, positive)
    for i in range(2):
        one = z[i].detach().requires_grad_()
        assert torch.equal(adversarial_entities(one, scorer(one), positive[i]), z_adv[i])


def test_the_objective_of_both_losses_trains_through_both(scorer):
    z = uniform(5, 7, 32, seed=5).requires_grad_()
    one = torch.zeros(1, 5, dtype=torch.bool)
    one[0, 0] = True

    def loss(scores):
        return proxy_loss(scores.unsqueeze(0), one, ~one)

    scores = scorer(z)
    z_adv = adversarial_entities(z, scores, one[0])
    plain, adversarial = loss(scores), loss(scorer(z_adv))
    assert adversarial > plain, "the perturbed candidates are harder"
    (plain + 0.5 * adversarial).backward()
    # The perturbation is a constant: the slope at the moved point reaches the embeddings unchanged.
    there, here = z_adv.detach().requires_grad_(), z.detach().requires_grad_()
    loss(scorer(there)).backward()
    loss(scorer(here)).backward()
    torch.testing.assert_close(z.grad, here.grad + 0.5 * there.grad, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("size", [0.0, 1.0, 100.0])
def test_extreme_embeddings_stay_finite(dtype, size):
    z = torch.full((5, 7, 4), size, dtype=dtype, requires_grad=True)
    z_adv = adversarial_entities(z, z.sum((1, 2)), POSITIVE, epsilon=1.0)
    assert z_adv.dtype == dtype and z_adv.isfinite().all()
    assert torch.equal(z_adv - z, torch.where(POSITIVE, -1.0, 1.0).to(dtype).view(5, 1, 1).expand(5, 7, 4))
