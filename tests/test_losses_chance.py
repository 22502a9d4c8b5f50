"""The loss of equal similarities: by plain loops over constants, and the logarithm of the candidates."""

import math

import pytest
import torch
from loss_checks import uniform

from benchlib.losses import (
    candidate_cross_entropy,
    chance_loss,
    info_nce_loss,
    multi_similarity_loss,
    proxy_loss,
)

POSITIVE = torch.tensor([[True, False, False, False], [False, True, False, False]])


@pytest.mark.parametrize("similarity", [uniform(2, 4), torch.full((2, 4), 50.0)])
def test_of_a_cross_entropy_it_is_the_logarithm_of_the_candidates(similarity):
    left_out = torch.tensor([[False, False, True, False]] * 2)
    assert chance_loss(lambda s: candidate_cross_entropy(s, torch.tensor([0, 1])), similarity) == (
        pytest.approx(math.log(4))
    )
    found = chance_loss(lambda s: candidate_cross_entropy(s, torch.tensor([0, 1]), left_out), similarity)
    assert found == pytest.approx(math.log(3))


def test_of_info_nce_it_is_the_logarithm_of_the_others():
    labels = torch.tensor([0, 0, 1, 1, 2, 2])
    found = chance_loss(lambda s: info_nce_loss(s, labels, temperature=0.05), uniform(6, 6))
    assert found == pytest.approx(math.log(5), abs=1e-6)


def test_of_the_proxy_based_loss_it_is_that_of_the_best_threshold():
    # One positive and three negatives for each mention, alpha 8.
    by_hand = min(
        math.log(1 + math.exp(-8 * s)) + math.log(1 + 3 * math.exp(8 * s))
        for s in (place / 1000 - 1 for place in range(2001))
    )
    found = chance_loss(lambda s: proxy_loss(s, POSITIVE, ~POSITIVE, alpha=8.0), uniform(2, 4))
    assert by_hand <= found == pytest.approx(by_hand, abs=0.02)


@pytest.mark.parametrize("base", [0.5, 1.0])
def test_of_multi_similarity_it_is_that_of_the_best_threshold(base):
    by_hand = min(
        math.log(1 + math.exp(-2 * (s - base))) / 2 + math.log(1 + 3 * math.exp(50 * (s - base))) / 50
        for s in (place / 1000 - 1 for place in range(2001))
    )
    found = chance_loss(
        lambda s: multi_similarity_loss(s, POSITIVE, ~POSITIVE, 2.0, 50.0, base), uniform(2, 4)
    )
    assert by_hand <= found == pytest.approx(by_hand, abs=0.02)


def test_a_batch_that_is_told_apart_has_less():
    similarity = torch.where(POSITIVE, 1.0, -1.0).double()
    for loss in (
        lambda s: proxy_loss(s, POSITIVE, ~POSITIVE),
        lambda s: multi_similarity_loss(s, POSITIVE, ~POSITIVE, base=0.5),
        lambda s: candidate_cross_entropy(20 * s, torch.tensor([0, 1])),
    ):
        assert loss(similarity) < 0.5 * chance_loss(loss, similarity)
