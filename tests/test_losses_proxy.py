"""The proxy-based loss against a plain loop, the paper's gradient, and another library."""

import pytest
import torch
from loss_checks import assert_equal, uniform
from pytorch_metric_learning import losses

from benchlib.losses import proxy_loss

# Mentions × entities: one gold each, but two of mention 2 and none of mention 3 (NIL).
GOLD = [[1], [4], [0, 3], []]
# Mention 1 has no negative; entity 4 is nobody's negative, entity 2 that of two mentions.
SAMPLED = [[0, 2, 3], [], [1, 2], [0]]


def mask(rows, columns=5):
    return torch.tensor([[j in row for j in range(columns)] for row in rows])


POSITIVE, NEGATIVE = mask(GOLD), mask(SAMPLED)


def loop(s, alpha, delta, gold=GOLD, sampled=SAMPLED):
    total = 0.0
    for i in range(len(s)):
        pull = torch.ones((), dtype=s.dtype) + sum(torch.exp(-alpha * (s[i, j] - delta)) for j in gold[i])
        push = torch.ones((), dtype=s.dtype) + sum(torch.exp(alpha * (s[i, j] + delta)) for j in sampled[i])
        total = total + torch.log(pull) + torch.log(push)
    return total / len(s)


@pytest.mark.parametrize(("alpha", "delta"), [(32.0, 0.0), (32.0, 0.1), (1.0, 0.05)])
def test_the_loss_by_a_loop(alpha, delta):
    def loss(s):
        return proxy_loss(s, POSITIVE, NEGATIVE, alpha, delta)

    assert_equal(loss, lambda s: loop(s, alpha, delta), uniform(4, 5))
    assert torch.autograd.gradcheck(loss, uniform(4, 5).requires_grad_())


def test_without_a_margin_the_loss_is_that_of_another_library():
    # Multi-Similarity with one scale and no offset, but for the scale in front.
    theirs = losses.MultiSimilarityLoss(alpha=32, beta=32, base=0)
    m, e = uniform(4, 6, seed=1), uniform(5, 6, seed=2)
    labels, entities = torch.tensor([0, 3, 3, 1]), torch.arange(5)
    positive = labels.unsqueeze(1) == entities

    def ours(m):
        unit, proxies = torch.nn.functional.normalize(m), torch.nn.functional.normalize(e)
        return proxy_loss(unit @ proxies.T, positive, ~positive)

    assert_equal(ours, lambda m: 32 * theirs(m, labels, ref_emb=e, ref_labels=entities), m)
