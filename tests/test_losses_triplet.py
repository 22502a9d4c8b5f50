"""Triplet losses and their distances against plain loops."""

import pytest
import torch
from loss_checks import DTYPES, LABELS, METRICS, assert_equal, uniform

from benchlib.losses import batch_all, batch_hard, distances, hybrid

VECTORS = uniform(6, 4, seed=3)


def loop_distance(x, y, metric):
    if metric == "cosine":
        return 1 - sum(a * b for a, b in zip(x, y, strict=True)) / (x.norm() * y.norm())
    squared = sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    return squared if metric == "squared" else squared**0.5


@pytest.mark.parametrize("metric", METRICS)
def test_distances_by_a_loop(metric):
    x, y, weights = VECTORS, uniform(3, 4, seed=4), uniform(6, 3, seed=5)

    def loop(x):
        return sum(
            weights[i, j] * loop_distance(x[i], y[j], metric) for i in range(len(x)) for j in range(len(y))
        )

    assert_equal(lambda x: (weights * distances(x, y, metric)).sum(), loop, x)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e4])
def test_equal_vectors_have_no_distance_and_no_gradient(metric, scale):
    for dtype in (torch.float64, *DTYPES):
        x = (scale * uniform(1, 8)).repeat(3, 1).to(dtype).requires_grad_()
        d = distances(x, x, metric)
        d.sum().backward()
        assert d.dtype == torch.promote_types(dtype, torch.float32)
        assert not d.any() and not x.grad.any()


def test_near_vectors_keep_their_distance():
    # A form by products, 2 - 2 cos, has nothing left of 1e-8 in single precision. Enough vectors for
    # torch to prefer that form where it may.
    x = torch.tensor([[100.0, 0.0]]).expand(30, 2)
    y = torch.tensor([[100.0, 0.01]]).expand(30, 2)
    for metric, expected in (("euclidean", 0.01), ("squared", 1e-4), ("cosine", 5e-9)):
        assert distances(x, y, metric).tolist() == [[pytest.approx(expected)] * 30] * 30


def test_hybrid_is_one_and_then_the_other():
    d = distances(VECTORS, VECTORS, "euclidean")
    every, hard = batch_all(d, LABELS, 0.5), batch_hard(d, LABELS, 0.5)
    assert every != hard
    assert [hybrid(d, LABELS, 0.5, p) == every for p in (0, 0.25, 0.4999)] == [True] * 3
    assert [hybrid(d, LABELS, 0.5, p) == hard for p in (0.5, 0.75, 1)] == [True] * 3
