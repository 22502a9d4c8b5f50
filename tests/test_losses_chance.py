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


@pytest.mark.parametrize(
    ("loss", "alpha", "beta", "base", "scales"),
    [
        (lambda s: proxy_loss(s, POSITIVE, ~POSITIVE, alpha=8.0), 8, 8, 0, (1, 1)),
        (lambda s: multi_similarity_loss(s, POSITIVE, ~POSITIVE, base=0.5), 2, 50, 0.5, (2, 50)),
        (lambda s: multi_similarity_loss(s, POSITIVE, ~POSITIVE), 2, 50, 1, (2, 50)),
    ],
)
def test_of_a_loss_with_a_threshold_it_is_that_of_the_best(loss, alpha, beta, base, scales):
    # One positive and three negatives for each mention.
    by_hand = min(
        math.log(1 + math.exp(-alpha * (s - base))) / scales[0]
        + math.log(1 + 3 * math.exp(beta * (s - base))) / scales[1]
        for s in (place / 1000 - 1 for place in range(2001))
    )
    assert by_hand <= chance_loss(loss, uniform(2, 4)) == pytest.approx(by_hand, abs=0.02)
