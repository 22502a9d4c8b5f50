"""The proxy-based loss against a plain loop."""

import pytest
import torch
from loss_checks import assert_equal, uniform

from benchlib.losses import proxy_loss

# Mentions × entities: one gold each, but two of mention 2 and none of mention 3 (NIL).
GOLD = [[1], [4], [0, 3], []]
# Mention 1 has no negative; entity 4 is nobody's negative, entity 2 that of two mentions.
SAMPLED = [[0, 2, 3], [], [1, 2], [0]]


def mask(rows, columns=5):
    return torch.tensor([[j in row for j in range(columns)] for row in rows])


POSITIVE, NEGATIVE = mask(GOLD), mask(SAMPLED)


def loop(s, alpha, delta):
    total = 0.0
    for i in range(len(s)):
        pull = torch.ones((), dtype=s.dtype) + sum(torch.exp(-alpha * (s[i, j] - delta)) for j in GOLD[i])
        push = torch.ones((), dtype=s.dtype) + sum(torch.exp(alpha * (s[i, j] + delta)) for j in SAMPLED[i])
        total = total + torch.log(pull) + torch.log(push)
    return total / len(s)


@pytest.mark.parametrize(("alpha", "delta"), [(32.0, 0.0), (32.0, 0.1), (1.0, 0.05)])
def test_the_loss_by_a_loop(alpha, delta):
    assert_equal(
        lambda s: proxy_loss(s, POSITIVE, NEGATIVE, alpha, delta),
        lambda s: loop(s, alpha, delta),
        uniform(4, 5),
    )
