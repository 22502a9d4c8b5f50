"""The marginal likelihood of synonyms against plain loops, values by hand, and extreme scores."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from loss_checks import EXTREMES, assert_equal, assert_finite, assert_nothing_to_learn, uniform

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


def test_the_loss_by_hand():
    # Odds 1 : 2 : 5. Of the first mention 1 + 5 of 8 are synonyms, of the second 2 of 8.
    s = torch.tensor([[1.0, 2.0, 5.0], [1.0, 2.0, 5.0]]).log()
    mask = torch.tensor([[True, False, True], [False, True, False]])
    assert marginal_nll(s[:1], mask[:1]) == pytest.approx(math.log(8 / 6))
    assert marginal_nll(s, mask) == pytest.approx((math.log(8 / 6) + math.log(8 / 2)) / 2)
    # A third mention without a synonym changes neither the sum nor the count.
    more = torch.cat([s, torch.tensor([[9.0, 0.0, 0.0]])])
    assert marginal_nll(more, torch.cat([mask, torch.zeros(1, 3).bool()])) == pytest.approx(
        marginal_nll(s, mask)
    )


def test_the_gradient_shares_out_among_the_synonyms():
    # Of a score: its share of all candidates, less its share of the synonyms.
    s = uniform(1, 5, seed=1).requires_grad_()
    marginal_nll(s, MASK[1:2]).backward()
    exponents = s.detach()[0].exp()
    own = exponents * MASK[1]
    torch.testing.assert_close(s.grad[0], exponents / exponents.sum() - own / own.sum())


def test_with_one_synonym_each_it_is_the_cross_entropy():
    gold = torch.tensor([2, 0, 3, 3])
    one = torch.nn.functional.one_hot(gold, 5).bool()
    assert_equal(lambda s: marginal_nll(s, one), lambda s: candidate_cross_entropy(s, gold), uniform(4, 5))


@pytest.mark.parametrize("scores", EXTREMES)
def test_extreme_scores_stay_finite(scores):
    assert_finite(lambda s: marginal_nll(s[:4, :5], MASK), scores)


def test_without_a_synonym_or_another_candidate_there_is_nothing_to_learn():
    none = torch.zeros_like(MASK)
    assert_nothing_to_learn(lambda s: marginal_nll(s, none), uniform(4, 5))
    assert_nothing_to_learn(lambda s: marginal_nll(s, MASK[:0]), uniform(0, 5))
    assert marginal_nll(uniform(4, 5), ~none) == 0


@given(st.permutations(range(4)), st.permutations(range(5)))
def test_the_order_of_mentions_and_of_candidates_changes_nothing(rows, columns):
    s = uniform(4, 5)
    after = marginal_nll(s[rows][:, columns], MASK[rows][:, columns])
    torch.testing.assert_close(marginal_nll(s, MASK), after, rtol=1e-12, atol=1e-12)


def test_bad_input_is_an_error():
    s = uniform(4, 5)
    for mask in (MASK[:, :4], MASK.long(), MASK.double()):
        with pytest.raises(ValueError, match="boolean mask of that shape, found .*torch"):
            marginal_nll(s, mask)
    with pytest.raises(ValueError, match="mentions × candidates"):
        marginal_nll(s[0], MASK[0])
