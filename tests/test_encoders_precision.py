"""Half precision on processors with and without it."""

import numpy as np
import pytest
import torch

from benchlib.encoders import Backbone, encode, model_folder, precision, text_inputs
from benchlib.encoders.precision import autocast

CPU = torch.device("cpu")
NAMES = ["torsade de pointes", "QT interval prolonged", "beta-blocker", "hypertension", "x"] * 3


@pytest.fixture
def without(monkeypatch):
    monkeypatch.setattr(precision, "has_bf16", lambda: False)


def random(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)))


def test_a_product_is_that_of_rounded_factors_rounded(without):
    a, b, bias = random(5, 7), random(3, 7), random(3)
    with autocast(CPU, "bf16"):
        found = torch.nn.functional.linear(a, b, bias), a @ b.T, torch.bmm(a[None], b.T[None])
    # Sums of bfloat16 factors are exact enough in float64 to be rounded once.
    exact = [x.to(torch.bfloat16).double().numpy() for x in (a, b, bias)]
    plain = exact[0] @ exact[1].T
    for one, wanted in zip(found, (plain + exact[2], plain, plain[None]), strict=True):
        assert one.dtype == torch.bfloat16
        np.testing.assert_allclose(one.double(), wanted, rtol=2**-8)


def test_the_gradient_is_that_of_the_processors_own(without, monkeypatch):
    found = []
    for has in (True, False):
        monkeypatch.setattr(precision, "has_bf16", lambda has=has: has)
        layer = torch.nn.Linear(16, 4)
        layer.load_state_dict({"weight": random(4, 16), "bias": random(4)})
        x = random(8, 16).requires_grad_()
        with autocast(CPU, "bf16"):
            layer(x).float().square().sum().backward()
        found.append((x.grad, layer.weight.grad, layer.bias.grad))
    for own, rounded in zip(*found, strict=True):
        assert own.dtype == rounded.dtype == torch.float32
        np.testing.assert_allclose(rounded, own, rtol=0.02, atol=0.02 * own.abs().max())


def test_what_autocast_leaves_alone_stays_float32(without):
    a, b = random(5, 7), random(3, 7)
    with autocast(CPU, "bf16"), torch.autocast("cpu", enabled=False):
        assert torch.equal(a @ b.T, torch.matmul(a, b.T)) and (a @ b.T).dtype == torch.float32
    with autocast(CPU, "fp32"):
        assert (a @ b.T).dtype == torch.float32


def test_names_are_encoded_alike_either_way(monkeypatch):
    backbone = Backbone.load(model_folder("minilm"), layers=2)
    vectors = {}
    for has in (True, False):
        monkeypatch.setattr(precision, "has_bf16", lambda has=has: has)
        vectors[has] = encode(
            backbone, text_inputs(backbone, NAMES), "mean", precision="bf16", progress=False
        )
    full = encode(backbone, text_inputs(backbone, NAMES), "mean", progress=False)
    assert not np.array_equal(vectors[False], full)
    # Half precision as the processor has it, or as it is made of float32, lies as far from float32.
    far = {has: np.abs(one - full).max() for has, one in vectors.items()}
    assert 0 < far[False] < 2 * far[True] < 0.05
