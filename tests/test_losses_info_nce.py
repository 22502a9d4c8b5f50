"""InfoNCE by the equations of the paper."""

import torch
from loss_checks import assert_equal, uniform

from benchlib.losses import info_nce_loss


def test_two_mentions_of_each_entity_are_the_equations_of_the_paper():
    n, c, r = 4, uniform(8, 5, seed=1), uniform(4, 5, seed=2)

    def equations_1_and_2(c):
        def ell(i, j):
            others = sum(torch.exp(c[i] @ c[k]) for k in range(2 * n) if k != i)
            return -torch.log(torch.exp(c[i] @ c[j]) / others)

        return sum(ell(2 * k, 2 * k + 1) + ell(2 * k + 1, 2 * k) for k in range(n)) / (2 * n)

    def equations_4_and_5(c):
        def ell(i, j):
            return -torch.log(torch.exp(c[i] @ r[j]) / sum(torch.exp(c[i] @ r[k]) for k in range(n)))

        return sum(ell(2 * k, k) + ell(2 * k + 1, k) for k in range(n)) / (2 * n)

    labels = torch.arange(n).repeat_interleave(2)
    assert_equal(lambda c: info_nce_loss(c @ c.T, labels), equations_1_and_2, c)
    assert_equal(lambda c: info_nce_loss(c @ r.T, labels, torch.arange(n)), equations_4_and_5, c)
