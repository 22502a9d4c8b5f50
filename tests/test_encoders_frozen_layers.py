"""Frozen lower layers: the same vectors and the same training as without a cache, in less time."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from linking import VISIBLE, called, goes_on_after_a_kill
from tiny import tiny_encoder
from transformers import RobertaConfig, RobertaModel

from benchlib.encoders import Encoded, FirstLast, embed, encode
from study.systems import frozen_layers, linker
from study.systems.contrast import ContrastiveObjective
from study.systems.dual import DualEncoder
from study.systems.frozen_layers import freeze_layers

N_LAYERS, WIDTH = 3, 64
MENTIONS = [
    Encoded((101, 7, 8, 9, 10, 102), ((1, 2), (4, 4))),
    Encoded((101, 7, 0, 102), ((1, 1),)),  # 0, the padding, stands inside
    Encoded((101, 11, 12, 13, 14, 15, 16, 102), ((2, 6),)),
]
ENTITIES = [Encoded((101, 20, 21, 102)), Encoded((101, 22, 102)), Encoded((101, 7, 8, 9, 10, 102))]
SMALL = {"fields": "title", "window": 12, "max_length": 16, "batch": 8, "n_negatives": 16, "steps": 6}
SMALL |= {"learning_rate": 1e-3, "precision": "fp32", "progress": False, "layers": N_LAYERS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """An untrained encoder with dropout everywhere."""
    return tiny_encoder(tmp_path_factory.mktemp("tiny"), WIDTH, N_LAYERS, dropout=0.1)


def small(base: str, folder: str, **settings):
    chunks = {"batch": 3, "mentions": 3} if base == "collective" else {}
    return replace(linker(base), model=folder, **SMALL | chunks | settings)


def dual(folder: str, shared: bool = False) -> DualEncoder:
    model = DualEncoder.load(folder, shared=shared)
    model.mention_pooling = FirstLast(WIDTH)
    return model


def lower_part(model: DualEncoder, frozen: int) -> list[torch.nn.Module]:
    networks = [model.mention.network, model.entity.network]
    return [part for net in networks for part in (net.embeddings, *net.encoder.layer[:frozen])]


def bound(monkeypatch, tokens: int) -> None:
    """Let a network have room for so many tokens in float32, and the row of padding."""
    monkeypatch.setattr(frozen_layers, "BOUND", (tokens + 1) * WIDTH * 4)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("frozen", [1, 2])
@pytest.mark.parametrize("tokens", [0, 7, 1_000])
def test_the_vectors_are_those_of_the_whole_network(folder, monkeypatch, shared, frozen, tokens):
    bound(monkeypatch, tokens)
    whole = dual(folder, shared)
    upper = freeze_layers(whole, frozen, MENTIONS, ENTITIES, progress=False)
    assert (upper.mention is upper.entity) == shared
    for side, inputs in (("mention", MENTIONS), ("entity", ENTITIES), ("mention", MENTIONS[:1])):
        pooling, sides = getattr(whole, f"{side}_pooling"), [getattr(one, side) for one in (whole, upper)]
        one, other = (embed(of, inputs, pooling) for of in sides)
        torch.testing.assert_close(other, one, rtol=1e-5, atol=1e-5)
        one, other = (encode(of, inputs, pooling, progress=False) for of in sides)
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)


def test_a_network_of_the_type_of_roberta_is_split_too(folder):
    shape = {"hidden_size": WIDTH, "intermediate_size": WIDTH, "num_attention_heads": 2, "pad_token_id": 0}
    model = dual(folder)
    for side in (model.mention, model.entity):
        config = RobertaConfig(vocab_size=200, num_hidden_layers=2, max_position_embeddings=20, **shape)
        side.network = RobertaModel(config, add_pooling_layer=False).eval()
    upper = freeze_layers(model, 1, MENTIONS, ENTITIES, progress=False)
    # The padding in the second mention has no place of its own there.
    vectors = [embed(one.mention, [MENTIONS[0], MENTIONS[2]], FirstLast(WIDTH)) for one in (model, upper)]
    torch.testing.assert_close(vectors[1], vectors[0], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("tokens", "cached"), [(1_000, [4, 6, 8]), (17, [4, 6]), (9, [4]), (3, [])])
def test_states_are_cached_up_to_the_bound_the_shortest_first(folder, monkeypatch, tokens, cached):
    bound(monkeypatch, tokens)
    upper = freeze_layers(dual(folder), 1, [*MENTIONS, MENTIONS[0]], ENTITIES, progress=False)
    states, ran = upper.mention.network.embeddings, []
    states._lower[0].network.encoder.layer[0].register_forward_hook(lambda *of: ran.append(1))
    for one in MENTIONS:
        ran.clear()
        assert states(torch.tensor([[*one.ids, 0, 0]])).shape == (1, len(one.ids) + 2, WIDTH)
        assert bool(ran) == (len(one.ids) not in cached)


def test_states_of_half_precision_are_kept_in_half_the_room(folder):
    halves, full = (
        freeze_layers(
            dual(folder), 2, MENTIONS, ENTITIES, precision, progress=False
        ).mention.network.embeddings
        for precision in ("bf16", "fp32")
    )
    assert 2 * halves._states.nbytes == full._states.nbytes == (1 + 6 + 4 + 8) * WIDTH * 4
    ids = torch.tensor([MENTIONS[0].ids])
    assert halves(ids).dtype == torch.float32
    # Factors rounded to eight bits, sums of three layers.
    torch.testing.assert_close(halves(ids), full(ids), rtol=0, atol=0.05)
    assert not torch.equal(halves(ids), full(ids))


@pytest.mark.parametrize(
    ("base", "settings"),
    [
        ("bi-encoder", {"loss": "ce", "negatives": "mixed", "mine_every": 3}),
        ("bi-encoder", {"shared": True}),
        ("collective", {}),
    ],
)
def test_a_training_is_that_of_frozen_weights_without_a_cache(folder, monkeypatch, base, settings):
    before = small(base, folder, steps=0, **settings).fit(VISIBLE).encoder
    cached = small(base, folder, frozen=2, **settings).fit(VISIBLE)

    def uncached(model, frozen, *others):
        for part in lower_part(model, frozen):
            part.requires_grad_(False).eval()
            part.train = lambda mode=True, part=part: part  # stays without dropout
        return model

    with monkeypatch.context() as patched:
        patched.setattr("study.systems.frozen_layers.freeze_layers", uncached)
        plain = small(base, folder, frozen=2, **settings).fit(VISIBLE)
    losses = [[row["loss"] for row in fitted.trace] for fitted in (cached, plain)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4) and len(losses[0]) == 6
    weights, others = cached.encoder.state_dict(), plain.encoder.state_dict()
    assert weights.keys() == others.keys()
    if cached.loss == "ce":  # what all entities have in common changes no softmax: rounding alone moves it
        weights.pop("entity.network.encoder.layer.2.output.LayerNorm.bias")
    for name, weight in weights.items():
        torch.testing.assert_close(weight, others[name], rtol=1e-4, atol=2e-5)
    # Frozen weights stay, and all others are trained.
    for old, new in zip(lower_part(before, 2), lower_part(cached.encoder, 2), strict=True):
        assert all(torch.equal(of, new.state_dict()[name]) for name, of in old.state_dict().items())
    for side in ("mention", "entity"):
        tops = [getattr(of, side).network.encoder.layer[2].state_dict() for of in (before, cached.encoder)]
        # A bias of the keys moves all scores of a query alike, and has no gradient but by rounding.
        moved = [name for name in tops[0] if "key.bias" not in name]
        assert all(not torch.equal(tops[0][name], tops[1][name]) for name in moved)
    # With everything trained, or with dropout below, the losses are others.
    everything = small(base, folder, **settings).fit(VISIBLE)
    assert [row["loss"] for row in everything.trace] != pytest.approx(losses[1], rel=1e-4)


def test_a_step_runs_no_frozen_layer(folder, monkeypatch):
    ran, frozen = [], freeze_layers
    given = called(monkeypatch, ContrastiveObjective, "__call__")

    def watched(model, *others):
        upper = frozen(model, *others)
        for network in (model.mention.network, model.entity.network):
            network.encoder.layer[1].register_forward_hook(lambda *of: ran.append(len(given)))
        return upper

    monkeypatch.setattr("study.systems.frozen_layers.freeze_layers", watched)
    small("bi-encoder", folder, frozen=2, negatives="mixed", mine_every=2).fit(VISIBLE)
    assert len(given) == 6 and ran and set(ran) == {6}  # after the last: the whole ontology is encoded


@pytest.mark.parametrize("tokens", [200, 100_000])
def test_a_killed_training_goes_on_to_the_same_end(folder, tmp_path, monkeypatch, tokens):
    bound(monkeypatch, tokens)
    made = small("bi-encoder", folder, frozen=1, negatives="mixed", mine_every=3)
    goes_on_after_a_kill(monkeypatch, made, tmp_path, ContrastiveObjective, "__call__", 4)


def test_layers_that_cannot_be_frozen_are_refused(folder):
    for frozen in (3, 4):
        with pytest.raises(ValueError, match=f"frozen: expected 1 to 2 of 3 layers, found {frozen}"):
            small("bi-encoder", folder, frozen=frozen).fit(VISIBLE)
    model = dual(folder)
    model.mention.network.config.model_type = "deberta-v2"
    with pytest.raises(ValueError, match="expected an encoder of type bert or roberta, found deberta-v2"):
        freeze_layers(model, 1, MENTIONS, ENTITIES)
