"""Two encoders: equal in the beginning, apart or the same, and known by their weights."""

import pytest
import torch
from tiny import tiny_encoder

from benchlib.encoders import FirstLast, embed, text_inputs, word_embeddings
from study.systems.dual import DualEncoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


def test_both_start_alike_and_are_two_unless_shared(folder):
    apart, shared = DualEncoder.load(folder), DualEncoder.load(folder, shared=True)
    texts = text_inputs(apart.mention, ["fever", "low temperature"])
    one, other = (embed(side, texts, "mean") for side in (apart.mention, apart.entity))
    assert torch.equal(one, other)
    assert apart.mention is not apart.entity and shared.mention is shared.entity
    assert len(list(apart.parameters())) == 2 * len(list(shared.parameters()))


def test_the_fingerprint_follows_the_weights_of_both_and_of_a_pooling(folder):
    model = DualEncoder.load(folder)
    first = model.fingerprint()
    assert DualEncoder.load(folder).fingerprint() == first
    for side in (model.mention, model.entity):
        with torch.no_grad():
            side.network.get_input_embeddings().weight[7] += 1
        assert model.fingerprint() != first
        first = model.fingerprint()
    pooled = DualEncoder(model.mention, model.entity, FirstLast(64), "cls")
    second = pooled.fingerprint()
    assert second != first and len(list(pooled.parameters())) == len(list(model.parameters())) + 2
    with torch.no_grad():
        pooled.mention_pooling.linear.bias[0] += 1
    assert pooled.fingerprint() != second


@pytest.mark.parametrize("budget", [1, 1_000])
def test_embeddings_of_tokens_can_stand_in_for_them(folder, monkeypatch, budget):
    monkeypatch.setattr("benchlib.encoders.batches._TRAINED", budget)
    backbone = DualEncoder.load(folder).entity
    inputs = text_inputs(backbone, ["a low temperature of the body", "fever"])
    words = word_embeddings(backbone, inputs)
    assert words.shape == (2, max(len(one.ids) for one in inputs), 64) and words.requires_grad
    torch.testing.assert_close(embed(backbone, inputs, "mean", words=words), embed(backbone, inputs, "mean"))
    other = embed(backbone, inputs, "mean", words=words.flip(2))
    assert not torch.allclose(other, embed(backbone, inputs, "mean"), atol=1e-2)
