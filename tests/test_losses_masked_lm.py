"""Masked language modelling: who is corrupted how, and the loss by a loop."""

from math import sqrt

import torch
from loss_checks import assert_equal, assert_finite, assert_nothing_to_learn, uniform

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
    # Of logits as large as those of any model, in half precision too.
    extreme = 100 * torch.nn.functional.one_hot(torch.arange(12) % 11, 11).double().view(3, 4, 11)
    assert_finite(lambda x: masked_lm_loss(x, LABELS, lambda s: s), extreme)


def test_nothing_to_predict_is_nothing_to_learn():
    weights = uniform(5, 11)
    for labels, states in ((LABELS[2:], uniform(1, 4, 5)), (LABELS[:0], uniform(0, 4, 5))):
        assert_nothing_to_learn(lambda x, y=labels: masked_lm_loss(x, y, linear(weights)), states)
