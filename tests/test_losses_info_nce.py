"""InfoNCE against plain loops and the equations of the paper."""

import pytest
import torch
from loss_checks import LABELS, assert_equal, uniform

from benchlib.losses import info_nce_loss

PAIRS = [(0, 2), (0, 5), (2, 0), (2, 5), (5, 0), (5, 2), (1, 4), (4, 1)]
NEGATIVES = {0: [1, 3, 4], 2: [1, 3, 4], 5: [1, 3, 4], 1: [0, 2, 3, 5], 4: [0, 2, 3, 5]}

# Entity 7 has two references, entity 5 none, and entity 9 no mention.
REFERENCES = torch.tensor([7, 0, 9, 7])
REFERENCE_PAIRS = [(0, 1), (2, 1), (5, 1), (1, 0), (1, 3), (4, 0), (4, 3)]
REFERENCE_NEGATIVES = {0: [0, 2, 3], 2: [0, 2, 3], 5: [0, 2, 3], 1: [1, 2], 4: [1, 2]}


def loop(s, pairs, negatives, temperature):
    total = 0.0
    for i, j in pairs:
        gold = torch.exp(s[i, j] / temperature)
        total = total - torch.log(gold / (gold + sum(torch.exp(s[i, k] / temperature) for k in negatives[i])))
    return total / len(pairs)


@pytest.mark.parametrize("temperature", [1.0, 0.07])
@pytest.mark.parametrize(
    ("references", "pairs", "negatives"),
    [(None, PAIRS, NEGATIVES), (REFERENCES, REFERENCE_PAIRS, REFERENCE_NEGATIVES)],
)
def test_the_loss_by_a_loop(references, pairs, negatives, temperature):
    def loss(s):
        return info_nce_loss(s, LABELS, references, temperature)

    s = uniform(6, 6 if references is None else 4)
    assert_equal(loss, lambda s: loop(s, pairs, negatives, temperature), s)


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
