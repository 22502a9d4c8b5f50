"""Multi-Similarity loss and its miner against plain loops."""

import pytest
import torch
from loss_checks import LABELS, assert_equal, uniform

from benchlib.losses import mine_pairs, mine_triplets, multi_similarity_loss

N = len(LABELS)


def mined(s, labels=LABELS, epsilon=0.1, **constants):
    return multi_similarity_loss(s, *mine_pairs(s, labels, epsilon), **constants)


def loop_pairs(s, labels, epsilon):
    """The kept pairs, anchor by anchor: lists of (i, j)."""
    kept_positive, kept_negative = [], []
    for i in range(len(labels)):
        positive = [j for j in range(len(labels)) if labels[j] == labels[i] and j != i]
        negative = [j for j in range(len(labels)) if labels[j] != labels[i]]
        if positive and negative:
            least, most = min(s[i, j] for j in positive), max(s[i, j] for j in negative)
            kept_positive += [(i, j) for j in positive if s[i, j] - epsilon < most]
            kept_negative += [(i, j) for j in negative if s[i, j] + epsilon > least]
    return kept_positive, kept_negative


def loop_loss(s, positive, negative, alpha, beta, base):
    total = 0.0
    for i in range(len(s)):
        pull = 1 + sum(torch.exp(-alpha * (s[i, k] - base)) for j, k in positive if j == i)
        push = 1 + sum(torch.exp(beta * (s[i, k] - base)) for j, k in negative if j == i)
        for term, scale in ((pull, alpha), (push, beta)):
            total = total + torch.log(term * torch.ones((), dtype=s.dtype)) / scale
    return total / len(s)


def pairs(mask):
    return [tuple(pair) for pair in mask.nonzero().tolist()]


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(5))
def test_pairs_by_a_loop(epsilon, seed):
    s = uniform(N, N, seed=seed)
    positive, negative = mine_pairs(s, LABELS, epsilon)
    assert (pairs(positive), pairs(negative)) == loop_pairs(s, LABELS, epsilon)
    assert torch.equal(positive.any(1), negative.any(1))


@pytest.mark.parametrize(("alpha", "beta", "base"), [(2, 50, 1), (2, 50, 0.5), (1, 60, 0.2)])
@pytest.mark.parametrize("epsilon", [0.1, 5.0])
def test_the_loss_by_a_loop(alpha, beta, base, epsilon):
    def loss(s):
        return mined(s, epsilon=epsilon, alpha=alpha, beta=beta, base=base)

    def loop(s):
        return loop_loss(s, *loop_pairs(s.detach(), LABELS, epsilon), alpha, beta, base)

    assert_equal(loss, loop, uniform(N, N))


@pytest.mark.parametrize("margin", [0.0, 0.2, 5.0])
@pytest.mark.parametrize("seed", range(5))
def test_pairs_of_triplets_by_a_loop(margin, seed):
    x = torch.nn.functional.normalize(uniform(N, 4, seed=seed))
    kept_positive, kept_negative = set(), set()
    for a in range(N):
        for p in range(N):
            for n in range(N):
                triplet = a != p and LABELS[a] == LABELS[p] and LABELS[a] != LABELS[n]
                if triplet and (x[a] - x[n]).norm() - (x[a] - x[p]).norm() <= margin:
                    kept_positive.add((a, p))
                    kept_negative.add((a, n))
    positive, negative = mine_triplets(x @ x.T, LABELS, margin)
    assert set(pairs(positive)) == kept_positive
    assert set(pairs(negative)) == kept_negative
