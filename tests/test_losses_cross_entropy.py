"""Cross-entropy over candidates against plain loops, other losses, and extreme scores."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from loss_checks import EXTREMES, assert_equal, assert_finite, assert_nothing_to_learn, uniform

from benchlib.losses import candidate_cross_entropy, info_nce_loss

GOLD = torch.tensor([2, 0, 3, 3])
# Mention 0 has one candidate of padding, mention 1 only its gold left, mention 3 another gold.
LEFT_OUT = torch.tensor([[0, 0, 0, 0, 1], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 0, 0]]).bool()
STAYING = [[0, 1, 2, 3], [0], [0, 1, 2, 3, 4], [1, 2, 3, 4]]


def loop(scores, gold, staying):
    total = 0.0
    for i, candidates in enumerate(staying):
        share = torch.exp(scores[i, gold[i]]) / sum(torch.exp(scores[i, j]) for j in candidates)
        total = total - torch.log(share)
    return total / len(staying)


def test_the_loss_by_a_loop():
    everything = [list(range(5))] * 4
    x = 3 * uniform(4, 5)
    assert_equal(lambda s: candidate_cross_entropy(s, GOLD), lambda s: loop(s, GOLD, everything), x)
    assert_equal(lambda s: candidate_cross_entropy(s, 1), lambda s: loop(s, [1] * 4, everything), x)
    assert_equal(lambda s: candidate_cross_entropy(s, GOLD, LEFT_OUT), lambda s: loop(s, GOLD, STAYING), x)
    assert torch.autograd.gradcheck(
        lambda s: candidate_cross_entropy(s, GOLD, LEFT_OUT), x.clone().requires_grad_()
    )


def test_candidates_that_all_mentions_share_are_those_of_another_library():
    losses = pytest.importorskip("pytorch_metric_learning.losses")
    distance = pytest.importorskip("pytorch_metric_learning.distances").DotProductSimilarity(
        normalize_embeddings=False
    )
    theirs = losses.NTXentLoss(temperature=1.0, distance=distance)
    u, v = uniform(4, 6, seed=1), uniform(5, 6, seed=2)

    def ours(u):
        return candidate_cross_entropy(u @ v.T, GOLD)

    assert_equal(ours, lambda u: theirs(u, GOLD, ref_emb=v, ref_labels=torch.arange(5)), u)
    assert_equal(ours, lambda u: info_nce_loss(u @ v.T, GOLD, torch.arange(5)), u)


@pytest.mark.parametrize("scores", EXTREMES)
def test_extreme_scores_stay_finite(scores):
    assert_finite(lambda s: candidate_cross_entropy(s[:4, :5], GOLD), scores)
    assert_finite(lambda s: candidate_cross_entropy(s[:4, :5], GOLD, LEFT_OUT), scores)


def test_without_another_candidate_there_is_nothing_to_learn():
    only_gold = ~torch.nn.functional.one_hot(GOLD, 5).bool()
    assert_nothing_to_learn(lambda s: candidate_cross_entropy(s, GOLD, only_gold), uniform(4, 5))
    assert_nothing_to_learn(lambda s: candidate_cross_entropy(s, 0), uniform(4, 1))
    assert_nothing_to_learn(lambda s: candidate_cross_entropy(s, GOLD[:0]), uniform(0, 5))


@given(st.permutations(range(4)), st.permutations(range(5)))
def test_the_order_of_mentions_and_of_candidates_changes_nothing(order, columns):
    s = uniform(4, 5)
    before = candidate_cross_entropy(s, GOLD, LEFT_OUT)
    gold = torch.tensor([columns.index(g) for g in GOLD[order]])
    after = candidate_cross_entropy(s[order][:, columns], gold, LEFT_OUT[order][:, columns])
    torch.testing.assert_close(before, after, rtol=1e-12, atol=1e-12)


def test_bad_input_is_an_error():
    s = uniform(4, 5)
    for gold in (5, -1, GOLD[:3], GOLD - 1):
        with pytest.raises(ValueError, match="gold: expected a column from 0 to 4 for 4 mentions"):
            candidate_cross_entropy(s, gold)
    with pytest.raises(ValueError, match="mentions × candidates"):
        candidate_cross_entropy(s[0], 0)
    for left_out in (LEFT_OUT[:3], LEFT_OUT.long()):
        with pytest.raises(ValueError, match=r"left_out: expected a boolean mask of \(4, 5\)"):
            candidate_cross_entropy(s, GOLD, left_out)
    with pytest.raises(ValueError, match="found 1 left out"):
        candidate_cross_entropy(s, 0, LEFT_OUT)
