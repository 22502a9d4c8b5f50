"""What every loss is held to: a plain loop, finite numbers, and a zero that has a graph."""

from collections.abc import Callable

import torch
from torch import Tensor

DTYPES = (torch.float32, torch.bfloat16)
METRICS = ("cosine", "euclidean", "squared")
# Concept 0 has three mentions, concept 7 two, concept 5 one: no positive pair of its own.
LABELS = torch.tensor([0, 7, 0, 5, 7, 0])
# Equal vectors, unit vectors at both ends, and the largest dot products of untrained encoders.
EXTREMES = [torch.full((6, 6), value, dtype=torch.float64) for value in (0.0, 1.0, -1.0, 100.0, -100.0)] + [
    100.0 * torch.tensor([[(-1.0) ** (i * j) for j in range(6)] for i in range(6)], dtype=torch.float64)
]


def uniform(*shape: int, seed: int = 0) -> Tensor:
    """Float64 values from -1 to 1."""
    return 2 * torch.rand(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64) - 1


def value_and_gradient(loss: Callable[[Tensor], Tensor], x: Tensor) -> tuple[Tensor, Tensor]:
    x = x.detach().clone().requires_grad_()
    value = loss(x)
    assert value.shape == () and value.dtype == torch.promote_types(x.dtype, torch.float32)
    value.backward()
    return value.detach(), x.grad


def assert_equal(loss: Callable[[Tensor], Tensor], other: Callable[[Tensor], Tensor], x: Tensor) -> None:
    """Two losses have one value and one gradient at ``x``, in float64 to 1e-9."""
    assert x.dtype == torch.float64
    value, gradient = value_and_gradient(loss, x)
    other_value, other_gradient = value_and_gradient(other, x)
    torch.testing.assert_close(value, other_value, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(gradient, other_gradient, rtol=1e-9, atol=1e-9)
    assert gradient.abs().sum() > 0, "a case in which nothing moves shows nothing"


def assert_finite(loss: Callable[[Tensor], Tensor], x: Tensor) -> None:
    """Value and gradient at ``x`` are finite in single and half precision, and near those of float64."""
    exact, exact_gradient = value_and_gradient(loss, x)
    for dtype in DTYPES:
        value, gradient = value_and_gradient(loss, x.to(dtype))
        assert value.isfinite() and gradient.isfinite().all()
        torch.testing.assert_close(value.double(), exact, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(gradient.double(), exact_gradient, rtol=1e-2, atol=1e-2)


def assert_nothing_to_learn(loss: Callable[[Tensor], Tensor], x: Tensor) -> None:
    """A zero on which ``backward`` works and gives zeros."""
    for dtype in (torch.float64, *DTYPES):
        value, gradient = value_and_gradient(loss, x.to(dtype))
        assert value == 0 and not gradient.any() and gradient.shape == x.shape
