"""The proxy-based loss against a plain loop, the paper's gradient, and another library."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from loss_checks import EXTREMES, assert_equal, assert_finite, assert_nothing_to_learn, uniform

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


def test_the_gradient_is_equation_4_of_the_paper():
    alpha, delta, s = 8.0, 0.05, uniform(1, 4)
    s.requires_grad_()
    proxy_loss(s, mask([[0]], 4), mask([[1, 2]], 4), alpha, delta).backward()
    up, down = torch.exp(-alpha * (s[0, 0] - delta)), torch.exp(alpha * (s[0, 1:3] + delta))
    expected = torch.cat([(-alpha * up / (1 + up)).view(1), alpha * down / (1 + down.sum()), torch.zeros(1)])
    torch.testing.assert_close(s.grad[0], expected.detach(), rtol=1e-9, atol=1e-9)


def test_without_a_margin_the_loss_is_that_of_another_library():
    losses = pytest.importorskip("pytorch_metric_learning.losses")
    # Multi-Similarity with one scale and no offset, but for the scale in front.
    theirs = losses.MultiSimilarityLoss(alpha=32, beta=32, base=0)
    m, e = uniform(4, 6, seed=1), uniform(5, 6, seed=2)
    labels, entities = torch.tensor([0, 3, 3, 1]), torch.arange(5)
    positive = labels.unsqueeze(1) == entities

    def ours(m):
        unit, proxies = torch.nn.functional.normalize(m), torch.nn.functional.normalize(e)
        return proxy_loss(unit @ proxies.T, positive, ~positive)

    assert_equal(ours, lambda m: 32 * theirs(m, labels, ref_emb=e, ref_labels=entities), m)


def test_an_easy_negative_does_not_quiet_the_positive():
    # The two terms are decoupled: cross-entropy would leave a positive at 0 alone when negatives are far.
    s = torch.tensor([[0.0, -1.0, -1.0]], requires_grad=True)
    proxy_loss(s, mask([[0]], 3), mask([[1, 2]], 3)).backward()
    assert s.grad[0, 0] == -16 and s.grad[0, 1:].abs().max() < 1e-11


@pytest.mark.parametrize("s", EXTREMES)
@pytest.mark.parametrize("delta", [0.0, 0.125])
def test_extreme_similarities_stay_finite(s, delta):
    assert_finite(lambda s: proxy_loss(s[:4, :5], POSITIVE, NEGATIVE, delta=delta), s)


def test_without_a_pair_there_is_nothing_to_learn():
    none = torch.zeros_like(POSITIVE)
    assert_nothing_to_learn(lambda s: proxy_loss(s, none, none), uniform(4, 5))


@given(st.permutations(range(4)), st.permutations(range(5)))
def test_the_order_of_mentions_and_of_entities_changes_nothing(rows, columns):
    s = uniform(4, 5)
    after = proxy_loss(*(m[rows][:, columns] for m in (s, POSITIVE, NEGATIVE)), delta=0.1)
    torch.testing.assert_close(proxy_loss(s, POSITIVE, NEGATIVE, delta=0.1), after, rtol=1e-12, atol=1e-12)


def test_bad_input_is_an_error():
    s = uniform(4, 5)
    with pytest.raises(ValueError, match=r"positive: expected a boolean mask of \(4, 5\)"):
        proxy_loss(s, POSITIVE[:, :4], NEGATIVE)
    with pytest.raises(ValueError, match=r"negative: expected a boolean mask of \(4, 5\), found torch.int64"):
        proxy_loss(s, POSITIVE, NEGATIVE.long())
    with pytest.raises(ValueError, match="found 4 that are both"):
        proxy_loss(s, POSITIVE, NEGATIVE | POSITIVE)
    with pytest.raises(ValueError, match="not empty"):
        proxy_loss(s[0], POSITIVE[0], NEGATIVE[0])
