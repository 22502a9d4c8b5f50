"""Losses over the candidates of a mention, cross-entropy and marginal likelihood, against a plain loop."""

import pytest
import torch
from loss_checks import assert_equal, uniform

from benchlib.losses import candidate_cross_entropy, marginal_nll

GOLD = torch.tensor([2, 0, 3, 3])
# Mention 0 has one candidate of padding, mention 1 only its gold left, mention 3 another gold.
LEFT_OUT = torch.tensor([[0, 0, 0, 0, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]).bool()
STAYING, ALL = [[0, 1, 2, 3], [0], [0, 1, 2, 3, 4], [1, 2, 3, 4]], [[0, 1, 2, 3, 4]] * 4
# Mention 1 has three synonyms among its candidates, mention 2 none, mention 3 nothing else.
SYNONYMS = [[2], [0, 3, 4], [], [0, 1, 2, 3, 4]]
MASK = torch.tensor([[j in row for j in range(5)] for row in SYNONYMS])


def loop(scores, golds, staying):
    losses = []
    for i, (own, candidates) in enumerate(zip(golds, staying, strict=True)):
        if own:
            everything = sum(torch.exp(scores[i, j]) for j in candidates)
            losses.append(-torch.log(sum(torch.exp(scores[i, j]) for j in own) / everything))
    return sum(losses) / len(losses)


@pytest.mark.parametrize(
    ("loss", "golds", "staying"),
    [
        (lambda s: candidate_cross_entropy(s, GOLD), [[2], [0], [3], [3]], ALL),
        (lambda s: candidate_cross_entropy(s, 1), [[1]] * 4, ALL),
        (lambda s: candidate_cross_entropy(s, GOLD, LEFT_OUT), [[2], [0], [3], [3]], STAYING),
        (lambda s: marginal_nll(s, MASK), SYNONYMS, ALL),
    ],
)
def test_the_loss_by_a_loop(loss, golds, staying):
    assert_equal(loss, lambda s: loop(s, golds, staying), 3 * uniform(4, 5))
