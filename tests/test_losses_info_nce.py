"""InfoNCE against plain loops, against another library, and where similarities are extreme."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from loss_checks import EXTREMES, assert_equal, assert_finite, assert_nothing_to_learn, uniform

from benchlib.losses import info_nce_loss

# Entity 0 has three mentions, entity 7 two, entity 5 one: no positive pair of its own.
LABELS = torch.tensor([0, 7, 0, 5, 7, 0])
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
def test_mention_pairs_by_a_loop(temperature):
    def loss(s):
        return info_nce_loss(s, LABELS, temperature=temperature)

    assert_equal(loss, lambda s: loop(s, PAIRS, NEGATIVES, temperature), uniform(6, 6))
    assert torch.autograd.gradcheck(loss, uniform(6, 6).requires_grad_())


@pytest.mark.parametrize("temperature", [1.0, 0.07])
def test_references_by_a_loop(temperature):
    def loss(s):
        return info_nce_loss(s, LABELS, REFERENCES, temperature)

    assert_equal(loss, lambda s: loop(s, REFERENCE_PAIRS, REFERENCE_NEGATIVES, temperature), uniform(6, 4))
    assert torch.autograd.gradcheck(loss, uniform(6, 4).requires_grad_())


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


@pytest.mark.parametrize("temperature", [1.0, 0.07])
def test_the_loss_is_that_of_another_library(temperature):
    losses = pytest.importorskip("pytorch_metric_learning.losses")
    distance = pytest.importorskip("pytorch_metric_learning.distances").DotProductSimilarity(
        normalize_embeddings=False
    )
    theirs = losses.NTXentLoss(temperature=temperature, distance=distance)
    c, r = uniform(6, 5, seed=1), uniform(4, 5, seed=2)
    assert_equal(lambda c: info_nce_loss(c @ c.T, LABELS, None, temperature), lambda c: theirs(c, LABELS), c)
    assert_equal(
        lambda c: info_nce_loss(c @ r.T, LABELS, REFERENCES, temperature),
        lambda c: theirs(c, LABELS, ref_emb=r, ref_labels=REFERENCES),
        c,
    )


def test_another_mention_of_the_entity_is_no_negative():
    s = uniform(6, 6)
    s.requires_grad_()
    # The pair (0, 2) alone has no term for (0, 5), and no pair has one for a mention with itself.
    one_pair = torch.tensor([0, 7, 0, 5, 8, 9])
    info_nce_loss(s, one_pair).backward()
    assert s.grad[0, 2] < 0 and (s.grad[0, [1, 3, 4, 5]] > 0).all()
    assert not s.grad.diagonal().any()
    s.grad = None
    info_nce_loss(s, LABELS).backward()
    # Each positive is pulled, each negative pushed; the lone mention 3 is a negative but no anchor.
    for i, row in enumerate(s.grad):
        for j, slope in enumerate(row):
            assert slope == 0 if i in (j, 3) else slope < 0 if LABELS[i] == LABELS[j] else slope > 0


@pytest.mark.parametrize("s", EXTREMES)
@pytest.mark.parametrize("temperature", [1.0, 0.01])
def test_extreme_similarities_stay_finite(s, temperature):
    assert_finite(lambda s: info_nce_loss(s, LABELS, temperature=temperature), s)
    assert_finite(lambda s: info_nce_loss(s[:, :4], LABELS, REFERENCES, temperature), s)


def test_without_a_valid_pair_there_is_nothing_to_learn():
    s = uniform(6, 6)
    assert_nothing_to_learn(lambda s: info_nce_loss(s, torch.arange(6)), s)
    assert_nothing_to_learn(lambda s: info_nce_loss(s, torch.zeros(6)), s)
    assert_nothing_to_learn(lambda s: info_nce_loss(s, torch.zeros(6), torch.ones(6)), s)
    assert_nothing_to_learn(lambda s: info_nce_loss(s[:1, :1], LABELS[:1]), s)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_mentions_changes_nothing(labels, random):
    n = len(labels)
    s, t, labels = uniform(n, n), uniform(n, 4, seed=1), torch.tensor(labels)
    order, columns = random.sample(range(n), n), random.sample(range(4), 4)
    torch.testing.assert_close(
        info_nce_loss(s, labels), info_nce_loss(s[order][:, order], labels[order]), rtol=1e-12, atol=1e-12
    )
    references = torch.arange(4)
    torch.testing.assert_close(
        info_nce_loss(t, labels, references),
        info_nce_loss(t[order][:, columns], labels[order], references[columns]),
        rtol=1e-12,
        atol=1e-12,
    )


def test_bad_input_is_an_error():
    with pytest.raises(ValueError, match=r"\(6, 6\), not empty, found \(6, 4\)"):
        info_nce_loss(uniform(6, 4), LABELS)
    with pytest.raises(ValueError, match=r"\(6, 4\), not empty, found \(4, 6\)"):
        info_nce_loss(uniform(4, 6), LABELS, REFERENCES)
    with pytest.raises(ValueError, match=r"not empty, found \(0, 0\)"):
        info_nce_loss(uniform(0, 0), LABELS[:0])
    with pytest.raises(ValueError, match="one label per row"):
        info_nce_loss(uniform(6, 6), LABELS.unsqueeze(1))
    for temperature in (0.0, -1.0):
        with pytest.raises(ValueError, match="temperature"):
            info_nce_loss(uniform(6, 6), LABELS, temperature=temperature)
