"""Masked language modelling: who is corrupted how, and a loss equal to that of the full head."""

from math import sqrt

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from loss_checks import assert_equal, assert_finite, assert_nothing_to_learn, uniform
from transformers import BertConfig, BertForMaskedLM

from benchlib.losses import IGNORED, corrupt, masked_lm_loss

PAD, UNKNOWN, START, END, MASK = SPECIAL = [0, 100, 101, 102, 103]
VOCABULARY = 200
LABELS = torch.tensor([[IGNORED, 3, IGNORED, 8], [2, IGNORED, 9, IGNORED], [IGNORED] * 4])


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def sentences(n: int) -> torch.Tensor:
    """Rows of [CLS], 12 to 30 ordinary tokens, an unknown and an already masked one, [SEP], padding."""
    rows = torch.full((n, 40), PAD)
    for row, length in zip(rows, torch.randint(12, 31, (n,), generator=seeded(7)).tolist(), strict=True):
        row[:length] = torch.randint(104, VOCABULARY, (length,), generator=seeded(length))
        row[[0, 3, 5, length]] = torch.tensor([START, UNKNOWN, MASK, END])
    return rows


def share_is(observed: int, n: int, share: float) -> bool:
    """Within five standard deviations of a binomial share."""
    return abs(observed - share * n) < 5 * sqrt(n * share * (1 - share))


def test_shares_of_the_corruption():
    tokens = sentences(4000)
    inputs, labels = corrupt(tokens, SPECIAL, MASK, VOCABULARY, seeded())
    chosen = labels != IGNORED
    ordinary = ~torch.isin(tokens, torch.tensor(SPECIAL))
    assert torch.equal(labels[chosen], tokens[chosen])
    assert torch.equal(inputs[~chosen], tokens[~chosen])
    assert not chosen[~ordinary].any(), "special tokens and padding are never to be predicted"
    n, k = int(ordinary.sum()), int(chosen.sum())
    assert share_is(k, n, 0.15)
    masked = inputs[chosen] == MASK
    same = inputs[chosen] == tokens[chosen]
    other = inputs[chosen][~masked & ~same]
    # One random token in 195 is the one that was there.
    drawn_same = 0.1 / (VOCABULARY - len(SPECIAL))
    assert share_is(int(masked.sum()), k, 0.8)
    assert share_is(int(same.sum()), k, 0.1 + drawn_same)
    assert share_is(len(other), k, 0.1 - drawn_same)
    assert not set(other.tolist()) & set(SPECIAL)
    assert set(other.tolist()) == set(range(VOCABULARY)) - set(SPECIAL), "every ordinary token is drawn"


def test_every_place_is_as_likely():
    tokens = torch.full((4000, 12), 150)
    _, labels = corrupt(tokens, SPECIAL, MASK, VOCABULARY, seeded())
    assert all(share_is(int(column.sum()), 4000, 0.15) for column in (labels != IGNORED).T)


def test_the_same_seed_the_same_corruption():
    tokens = sentences(50)
    draws = [corrupt(tokens, SPECIAL, MASK, VOCABULARY, seeded(seed)) for seed in (1, 1, 2)]
    assert all(torch.equal(a, b) for a, b in zip(draws[0], draws[1], strict=True))
    assert not torch.equal(draws[0][1], draws[2][1])
    generator = seeded(1)
    again = [corrupt(tokens, SPECIAL, MASK, VOCABULARY, generator) for _ in range(2)]
    assert torch.equal(again[0][1], draws[0][1]) and not torch.equal(again[0][1], again[1][1])
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    corrupt(tokens, SPECIAL, MASK, VOCABULARY, seeded(1))
    assert torch.equal(torch.random.get_rng_state(), before), "nothing is drawn from the global generator"


def test_what_others_hold_changes_no_choice():
    tokens, longer = sentences(50), sentences(50)
    longer[20:] = PAD
    chosen, fewer = (corrupt(t, SPECIAL, MASK, VOCABULARY, seeded(3))[1] for t in (tokens, longer))
    assert torch.equal(chosen[:20], fewer[:20]) and (fewer[20:] == IGNORED).all()


def test_what_is_given_stays_as_it_is():
    tokens = sentences(20)
    before = tokens.clone()
    inputs, labels = corrupt(tokens, SPECIAL, MASK, VOCABULARY, seeded())
    assert torch.equal(tokens, before) and inputs.dtype == labels.dtype == tokens.dtype


def linear(weights):
    return lambda states: states @ weights.to(states.dtype)


def test_the_loss_by_a_loop():
    weights, states = uniform(5, 11, seed=1), uniform(3, 4, 5, seed=2)

    def loop(states):
        total = 0.0
        for i, j, token in ((0, 1, 3), (0, 3, 8), (1, 0, 2), (1, 2, 9)):
            logits = states[i, j] @ weights
            total = total - torch.log(torch.exp(logits[token]) / torch.exp(logits).sum())
        return total / 4

    assert_equal(lambda x: masked_lm_loss(x, LABELS, linear(weights)), loop, states)
    assert_equal(lambda w: masked_lm_loss(states, LABELS, linear(w)), full_head(states), weights)
    assert torch.autograd.gradcheck(
        lambda x: masked_lm_loss(x, LABELS, linear(weights)), states.clone().requires_grad_()
    )


def full_head(states):
    return lambda w: torch.nn.functional.cross_entropy(
        (states @ w).flatten(0, 1), LABELS.flatten(), ignore_index=IGNORED
    )


def test_the_loss_is_that_of_the_model_with_its_full_head():
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    model = BertForMaskedLM(BertConfig(vocab_size=VOCABULARY, max_position_embeddings=64, **sizes))
    model = model.double().eval()
    inputs, labels = corrupt(sentences(6), SPECIAL, MASK, VOCABULARY, seeded())
    present = (inputs != PAD).long()
    states = model.bert(input_ids=inputs, attention_mask=present).last_hidden_state
    ours = masked_lm_loss(states, labels, model.cls)
    theirs = model(input_ids=inputs, attention_mask=present, labels=labels).loss
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-9)
    parameters = [p for name, p in model.named_parameters() if "pooler" not in name]
    for mine, other in zip(
        torch.autograd.grad(ours, parameters), torch.autograd.grad(theirs, parameters), strict=True
    ):
        torch.testing.assert_close(mine, other, rtol=1e-9, atol=1e-9)
    # A batch in which nothing was chosen works with the same head.
    nothing = masked_lm_loss(states.detach(), torch.full_like(labels, IGNORED), model.cls)
    head = list(model.cls.parameters())
    assert nothing == 0 and not any(g.any() for g in torch.autograd.grad(nothing, head))


def test_the_head_sees_the_tokens_to_predict_alone():
    seen = []

    def head(states):
        seen.append(tuple(states.shape))
        return states

    masked_lm_loss(uniform(3, 4, 11), LABELS, head)
    assert seen == [(4, 11)]


@pytest.mark.parametrize("size", [0.0, 1.0, -1.0, 100.0])
def test_extreme_logits_stay_finite(size):
    states = size * torch.nn.functional.one_hot(torch.arange(12) % 11, 11).double().view(3, 4, 11)
    assert_finite(lambda x: masked_lm_loss(x, LABELS, lambda s: s), states)


def test_nothing_to_predict_is_nothing_to_learn():
    weights = uniform(5, 11)
    for labels, states in ((LABELS[2:], uniform(1, 4, 5)), (LABELS[:0], uniform(0, 4, 5))):
        assert_nothing_to_learn(lambda x, y=labels: masked_lm_loss(x, y, linear(weights)), states)


@settings(max_examples=20)
@given(st.permutations(range(3)), st.permutations(range(4)))
def test_the_order_of_texts_and_tokens_changes_nothing(rows, columns):
    head, states = linear(uniform(5, 11, seed=1)), uniform(3, 4, 5)
    after = masked_lm_loss(states[rows][:, columns], LABELS[rows][:, columns], head)
    torch.testing.assert_close(masked_lm_loss(states, LABELS, head), after, rtol=1e-12, atol=1e-12)


def test_bad_input_is_an_error():
    tokens = sentences(2)
    with pytest.raises(ValueError, match="integer ids, found torch.float32"):
        corrupt(tokens.float(), SPECIAL, MASK, VOCABULARY, seeded())
    with pytest.raises(ValueError, match="special ones only"):
        corrupt(tokens, range(VOCABULARY), MASK, VOCABULARY, seeded())
    with pytest.raises(ValueError, match=r"found shapes \(3, 4, 5\) and \(2, 4\)"):
        masked_lm_loss(uniform(3, 4, 5), LABELS[:2], lambda s: s)
