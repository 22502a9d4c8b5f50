"""The character graph against explicit adjacency matrices."""

import numpy as np
import pytest
import torch

from study.systems.cosines.graph import CharacterGraph, vocabulary

TEXTS = ["ataxia", "a", "it", "", "type 2 diabetes", "zzz", "Ω-3", "ataxia"]


def graph(layers: int = 3, width: int = 5) -> CharacterGraph:
    torch.manual_seed(0)
    return CharacterGraph(vocabulary(TEXTS[:5]), width, layers).double()


def by_adjacency(model: CharacterGraph, text: str) -> np.ndarray:
    """One string alone: D^-1/2 (A + I) D^-1/2 written out, layer by layer."""
    weights = {name: tensor.detach().numpy() for name, tensor in model.state_dict().items()}
    if not text:
        return np.zeros(weights["embedding.weight"].shape[1])
    n = len(text)
    adjacency = np.array([[float(abs(i - j) <= 1) for j in range(n)] for i in range(n)])
    scale = np.diag(adjacency.sum(1) ** -0.5)
    known = model.config["characters"]
    nodes = weights["embedding.weight"][[1 + known.index(c) if c in known else 0 for c in text]]
    for layer in range(model.config["layers"]):
        nodes = scale @ adjacency @ scale @ nodes @ weights[f"layers.{layer}.weight"].T
        nodes = np.maximum(nodes + weights[f"layers.{layer}.bias"], 0)
    return nodes.mean(0)


def test_vocabulary_is_the_distinct_characters():
    assert vocabulary(["ba", "", "ab c"]) == " abc" and vocabulary([]) == ""


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_vectors_are_those_of_explicit_adjacency_matrices(layers):
    model = graph(layers)
    expected = np.stack([by_adjacency(model, text) for text in TEXTS])
    np.testing.assert_allclose(model(TEXTS).detach().numpy(), expected, rtol=0, atol=1e-12)
    assert not expected[3].any() and expected[[0, 1, 2, 4]].any(axis=1).all()


def test_the_gradient_reaches_the_characters_used():
    model = graph()
    # Weighted, so that no gradient cancels; biases above 0 keep every ReLU open.
    for layer in model.layers:
        torch.nn.init.constant_(layer.bias, 5.0)
    (model(["tax", ""]) * torch.arange(1.0, 6.0)).sum().backward()
    assert all(layer.weight.grad.any() and layer.bias.grad.any() for layer in model.layers)
    touched = model.embedding.weight.grad.any(1).nonzero().flatten().tolist()
    assert touched == sorted(1 + model.config["characters"].index(c) for c in "tax")


def test_encoding_is_the_vectors_at_length_one_in_the_given_order():
    model = graph().float()
    vectors = model.encode(TEXTS)
    expected = np.stack([by_adjacency(model, text) for text in TEXTS])
    norms = np.linalg.norm(expected, axis=1, keepdims=True)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected / np.where(norms > 0, norms, 1), atol=1e-6)
    assert model.encode([]).shape == (0, 5) == tuple(model([]).shape)
    assert model.encode([""]).tolist() == [[0] * 5]
    many = [f"{i} ataxia"[: i % 9] for i in range(1500)]
    plain = torch.nn.functional.normalize(model(many), dim=1).detach()
    np.testing.assert_allclose(model.encode(many), plain, atol=1e-6)
