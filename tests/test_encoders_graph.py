"""The character graph against explicit adjacency matrices, and what a chain of characters implies."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

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
    adjacency = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if abs(i - j) <= 1:
                adjacency[i, j] = 1
    degree = adjacency.sum(1)
    propagation = np.diag(degree**-0.5) @ adjacency @ np.diag(degree**-0.5)
    known = model.config["characters"]
    nodes = weights["embedding.weight"][[1 + known.index(c) if c in known else 0 for c in text]]
    for layer in range(model.config["layers"]):
        nodes = propagation @ nodes @ weights[f"layers.{layer}.weight"].T + weights[f"layers.{layer}.bias"]
        nodes = np.maximum(nodes, 0)
    return nodes.mean(0)


def test_vocabulary_is_the_distinct_characters():
    assert vocabulary(["ba", "", "ab c"]) == " abc"
    assert vocabulary([]) == ""


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_vectors_are_those_of_explicit_adjacency_matrices(layers):
    model = graph(layers)
    expected = np.stack([by_adjacency(model, text) for text in TEXTS])
    np.testing.assert_allclose(model(TEXTS).detach().numpy(), expected, rtol=0, atol=1e-12)
    assert not expected[3].any() and expected[[0, 1, 2, 4]].any(axis=1).all()


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(alphabet="aitx z", max_size=9), min_size=1, max_size=6), st.randoms())
def test_a_vector_depends_neither_on_padding_nor_on_the_batch(texts, random):
    model = graph()
    together = model(texts).detach()
    alone = torch.cat([model([text]) for text in texts]).detach()
    beside_a_long_one = model([*texts, "x" * 40])[:-1].detach()
    torch.testing.assert_close(together, alone, rtol=0, atol=1e-12)
    torch.testing.assert_close(together, beside_a_long_one, rtol=0, atol=1e-12)
    order = random.sample(range(len(texts)), len(texts))
    torch.testing.assert_close(model([texts[i] for i in order]), together[order], rtol=0, atol=1e-12)


def test_a_string_and_its_reverse_are_the_same_graph():
    # The chain has no direction: what the encoder cannot tell apart, not a virtue of it.
    model = graph()
    torch.testing.assert_close(model(["ataxia", "type 2"]), model(["aixata", "2 epyt"]), rtol=0, atol=1e-12)
    assert not torch.allclose(model(["ataxia"]), model(["aaatix"]))


def test_unknown_characters_share_one_embedding():
    model = graph()
    assert torch.equal(model(["aΩb"]), model(["a%b"]))
    assert not torch.allclose(model(["aΩ"]), model(["at"]))


def test_the_gradient_reaches_every_layer_and_the_characters_used():
    model = graph()
    # Weighted, so that no gradient cancels; biases above 0 keep every ReLU open.
    for layer in model.layers:
        torch.nn.init.constant_(layer.bias, 5.0)
    (model(["tax", ""]) * torch.arange(1.0, 6.0)).sum().backward()
    for layer in model.layers:
        assert layer.weight.grad.any() and layer.bias.grad.any()
    touched = model.embedding.weight.grad.any(1).nonzero().flatten().tolist()
    assert touched == sorted(1 + model.config["characters"].index(c) for c in "tax")


def test_the_gradient_is_that_of_finite_differences():
    model = graph(layers=2, width=3)
    parameters = dict(model.named_parameters())

    def total(*values):
        named = dict(zip(parameters, values, strict=True))
        return torch.func.functional_call(model, named, (["ataxia", "it", "Ω", ""],)).square().sum()

    assert torch.autograd.gradcheck(total, tuple(parameters.values()))


def test_encoding_is_the_vectors_at_length_one_in_the_given_order():
    model = graph().float()
    vectors = model.encode(TEXTS)
    expected = np.stack([by_adjacency(model, text) for text in TEXTS])
    norms = np.linalg.norm(expected, axis=1, keepdims=True)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected / np.where(norms > 0, norms, 1), atol=1e-6)
    assert model.encode([]).shape == (0, 5) == tuple(model([]).shape)
    assert model.encode([""]).tolist() == [[0] * 5]


def test_many_texts_are_encoded_as_one():
    model = graph().float()
    texts = [f"{i} ataxia"[: i % 9] for i in range(1500)]
    np.testing.assert_allclose(
        model.encode(texts), torch.nn.functional.normalize(model(texts), dim=1).detach(), atol=1e-6
    )


def test_no_graph_without_width_layers_or_distinct_characters():
    for bad in (("aa", 4, 1), ("ab", 0, 1), ("ab", 4, 0)):
        with pytest.raises(ValueError, match="distinct characters, width >= 1 and layers >= 1"):
            CharacterGraph(*bad)
