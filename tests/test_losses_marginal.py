"""The marginal likelihood of synonyms against plain loops, and values by hand."""

import torch
from loss_checks import assert_equal, uniform

from benchlib.losses import candidate_cross_entropy
from benchlib.losses.marginal import marginal_nll

# Mention 1 has three synonyms among its candidates, mention 2 none, mention 3 nothing else.
SYNONYMS = [[2], [0, 3, 4], [], [0, 1, 2, 3, 4]]
MASK = torch.tensor([[j in row for j in range(5)] for row in SYNONYMS])


def loop(scores, synonyms=SYNONYMS):
    losses = []
    for i, own in enumerate(synonyms):
        if own:
            everything = sum(torch.exp(scores[i, j]) for j in range(5))
            losses.append(-torch.log(sum(torch.exp(scores[i, j]) / everything for j in own)))
    return sum(losses) / len(losses)


def test_the_loss_by_a_loop():
    x = 3 * uniform(4, 5)
    assert_equal(lambda s: marginal_nll(s, MASK), loop, x)
    assert torch.autograd.gradcheck(lambda s: marginal_nll(s, MASK), x.clone().requires_grad_())


def test_with_one_synonym_each_it_is_the_cross_entropy():
    gold = torch.tensor([2, 0, 3, 3])
    one = torch.nn.functional.one_hot(gold, 5).bool()
    assert_equal(lambda s: marginal_nll(s, one), lambda s: candidate_cross_entropy(s, gold), uniform(4, 5))
