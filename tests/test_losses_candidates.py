"""Losses over the candidates of a mention against plain loops, and the loss of equal similarities."""

import math

import pytest
import torch
from loss_checks import assert_equal, uniform

from benchlib.losses import (
    candidate_cross_entropy,
    chance_loss,
    info_nce_loss,
    marginal_nll,
    multi_similarity_loss,
    proxy_loss,
)

GOLD = torch.tensor([2, 0, 3, 3])
# Mention 0 has one candidate of padding, mention 1 only its gold left, mention 3 another gold.
LEFT_OUT = torch.tensor([[0, 0, 0, 0, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]).bool()
STAYING, ALL = [[0, 1, 2, 3], [0], [0, 1, 2, 3, 4], [1, 2, 3, 4]], [[0, 1, 2, 3, 4]] * 4
# Mention 1 has three synonyms among its candidates, mention 2 none, mention 3 nothing else.
SYNONYMS = [[2], [0, 3, 4], [], [0, 1, 2, 3, 4]]
# For proxies, mentions × entities: one gold each, but two of mention 2 and none of mention 3 (NIL).
OWN = [[1], [4], [0, 3], []]
# Mention 1 has no negative; entity 4 is nobody's negative, entity 2 that of two mentions.
SAMPLED = [[0, 2, 3], [], [1, 2], [0]]
# For equal similarities: one positive and three negatives for each mention.
POSITIVE = torch.tensor([[True, False, False, False], [False, True, False, False]])


def mask(rows: list[list[int]]) -> torch.Tensor:
    return torch.tensor([[j in row for j in range(5)] for row in rows])


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
        (lambda s: marginal_nll(s, mask(SYNONYMS)), SYNONYMS, ALL),
    ],
)
def test_the_loss_by_a_loop(loss, golds, staying):
    assert_equal(loss, lambda s: loop(s, golds, staying), 3 * uniform(4, 5))


def proxy_loop(s, alpha=32.0, delta=0.0):
    total = 0.0
    for i in range(len(s)):
        pull = torch.ones((), dtype=s.dtype) + sum(torch.exp(-alpha * (s[i, j] - delta)) for j in OWN[i])
        push = torch.ones((), dtype=s.dtype) + sum(torch.exp(alpha * (s[i, j] + delta)) for j in SAMPLED[i])
        total = total + torch.log(pull) + torch.log(push)
    return total / len(s)


@pytest.mark.parametrize("settings", [(), (32.0, 0.1), (1.0, 0.05)])
def test_the_loss_of_proxies_by_a_loop(settings):
    assert_equal(
        lambda s: proxy_loss(s, mask(OWN), mask(SAMPLED), *settings),
        lambda s: proxy_loop(s, *settings),
        uniform(4, 5),
    )


@pytest.mark.parametrize("similarity", [uniform(2, 4), torch.full((2, 4), 50.0)])
def test_equal_similarities_cost_a_cross_entropy_the_logarithm_of_the_candidates(similarity):
    left_out = torch.tensor([[False, False, True, False]] * 2)
    assert chance_loss(lambda s: candidate_cross_entropy(s, torch.tensor([0, 1])), similarity) == (
        pytest.approx(math.log(4))
    )
    found = chance_loss(lambda s: candidate_cross_entropy(s, torch.tensor([0, 1]), left_out), similarity)
    assert found == pytest.approx(math.log(3))


def test_equal_similarities_cost_info_nce_the_logarithm_of_the_others():
    labels = torch.tensor([0, 0, 1, 1, 2, 2])
    found = chance_loss(lambda s: info_nce_loss(s, labels, temperature=0.05), uniform(6, 6))
    assert found == pytest.approx(math.log(5), abs=1e-6)


@pytest.mark.parametrize(
    ("loss", "alpha", "beta", "base", "scales"),
    [
        (lambda s: proxy_loss(s, POSITIVE, ~POSITIVE, alpha=8.0), 8, 8, 0, (1, 1)),
        (lambda s: multi_similarity_loss(s, POSITIVE, ~POSITIVE, base=0.5), 2, 50, 0.5, (2, 50)),
        (lambda s: multi_similarity_loss(s, POSITIVE, ~POSITIVE), 2, 50, 1, (2, 50)),
    ],
)
def test_equal_similarities_cost_a_loss_with_a_threshold_what_the_best_do(loss, alpha, beta, base, scales):
    by_hand = min(
        math.log(1 + math.exp(-alpha * (s - base))) / scales[0]
        + math.log(1 + 3 * math.exp(beta * (s - base))) / scales[1]
        for s in (place / 1000 - 1 for place in range(2001))
    )
    assert by_hand <= chance_loss(loss, uniform(2, 4)) == pytest.approx(by_hand, abs=0.02)
