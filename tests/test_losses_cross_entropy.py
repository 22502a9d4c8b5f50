"""Cross-entropy over candidates against plain loops and other losses."""

import torch
from loss_checks import assert_equal, uniform
from pytorch_metric_learning.distances import DotProductSimilarity
from pytorch_metric_learning.losses import NTXentLoss

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
    theirs = NTXentLoss(temperature=1.0, distance=DotProductSimilarity(normalize_embeddings=False))
    u, v = uniform(4, 6, seed=1), uniform(5, 6, seed=2)

    def ours(u):
        return candidate_cross_entropy(u @ v.T, GOLD)

    assert_equal(ours, lambda u: theirs(u, GOLD, ref_emb=v, ref_labels=torch.arange(5)), u)
    assert_equal(ours, lambda u: info_nce_loss(u @ v.T, GOLD, torch.arange(5)), u)
