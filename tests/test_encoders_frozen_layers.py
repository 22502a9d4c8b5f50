"""Frozen lower layers: the same vectors and the same training as without a cache, in less time."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import tiny_encoder
from transformers import RobertaConfig, RobertaModel

from benchlib.encoders import Encoded, FirstLast, embed, encode
from benchlib.training import Training
from study.corpora import load
from study.systems import contrast, frozen_layers, linker
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
    made = tiny_encoder(tmp_path_factory.mktemp("tiny"), WIDTH, N_LAYERS)
    config = Path(made) / "config.json"
    settings = json.loads(config.read_text()) | {"hidden_dropout_prob": 0.1}
    assert settings["attention_probs_dropout_prob"] == 0.1
    config.write_text(json.dumps(settings))
    return made


@pytest.fixture(scope="module")
def mini():
    return load("mini").visible()


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
        pooling = getattr(whole, f"{side}_pooling")
        vectors = [embed(getattr(model, side), inputs, pooling) for model in (whole, upper)]
        torch.testing.assert_close(vectors[1], vectors[0], rtol=1e-5, atol=1e-5)
        vectors = [encode(getattr(one, side), inputs, pooling, progress=False) for one in (whole, upper)]
        np.testing.assert_allclose(vectors[1], vectors[0], rtol=1e-4, atol=1e-5)


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


def test_states_are_cached_up_to_the_bound_the_shortest_first(folder, monkeypatch):
    for tokens, cached in {1_000: [4, 6, 8], 17: [4, 6], 9: [4], 3: []}.items():
        bound(monkeypatch, tokens)
        upper = freeze_layers(dual(folder), 1, [*MENTIONS, MENTIONS[0]], ENTITIES, progress=False)
        states = upper.mention.network.embeddings
        ran = []
        states._lower[0].network.encoder.layer[0].register_forward_hook(lambda *of, ran=ran: ran.append(1))
        for one in MENTIONS:
            ran.clear()
            found = states(torch.tensor([[*one.ids, 0, 0]]))
            assert bool(ran) == (len(one.ids) not in cached)
            assert found.shape == (1, len(one.ids) + 2, WIDTH)


def test_states_of_half_precision_are_kept_in_half_the_room(folder):
    whole = dual(folder)
    inputs = (MENTIONS, ENTITIES)
    halves = freeze_layers(whole, 2, *inputs, "bf16", progress=False).mention.network.embeddings
    full = freeze_layers(whole, 2, *inputs, "fp32", progress=False).mention.network.embeddings
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
def test_a_training_is_that_of_frozen_weights_without_a_cache(folder, mini, monkeypatch, base, settings):
    cached = small(base, folder, frozen=2, **settings).fit(mini)

    def uncached(model, frozen, *others):
        for part in lower_part(model, frozen):
            part.requires_grad_(False).eval()
            part.train = lambda mode=True, part=part: part  # stays without dropout
        return model

    monkeypatch.setattr("study.systems.frozen_layers.freeze_layers", uncached)
    plain = small(base, folder, frozen=2, **settings).fit(mini)
    losses = [[row["loss"] for row in fitted.trace] for fitted in (cached, plain)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4) and len(losses[0]) == 6
    weights, others = cached.encoder.state_dict(), plain.encoder.state_dict()
    assert weights.keys() == others.keys()
    if (
        cached.loss == "ce"
    ):  # what all entities have in common changes no softmax: a gradient of rounding alone
        weights.pop("entity.network.encoder.layer.2.output.LayerNorm.bias")
    for name, weight in weights.items():
        torch.testing.assert_close(weight, others[name], rtol=1e-4, atol=2e-5)
    # With everything trained, or with dropout below, the losses are others.
    monkeypatch.undo()
    everything = small(base, folder, **settings).fit(mini)
    assert [row["loss"] for row in everything.trace] != pytest.approx(losses[1], rel=1e-4)


@pytest.mark.parametrize("base", ["bi-encoder", "collective"])
def test_frozen_weights_stay_and_all_others_are_trained(folder, mini, base):
    before = small(base, folder, steps=0).fit(mini).encoder
    after = small(base, folder, frozen=2).fit(mini).encoder
    stayed = [[part.state_dict() for part in lower_part(model, 2)] for model in (before, after)]
    for old, new in zip(*stayed, strict=True):
        assert all(torch.equal(old[name], new[name]) for name in old)
    for side in ("mention", "entity"):
        tops = [getattr(model, side).network.encoder.layer[2].state_dict() for model in (before, after)]
        # A bias of the keys moves all scores of a query alike, and has no gradient but by rounding.
        assert all(
            not torch.equal(tops[0][name], tops[1][name]) for name in tops[0] if "key.bias" not in name
        )


def test_a_step_runs_no_frozen_layer(folder, mini, monkeypatch):
    ran, given = [], []
    frozen = freeze_layers

    def watched(model, *others):
        upper = frozen(model, *others)
        for network in (model.mention.network, model.entity.network):
            network.encoder.layer[1].register_forward_hook(lambda *of: ran.append(len(given)))
        return upper

    loss = contrast.ContrastiveObjective.__call__
    monkeypatch.setattr("study.systems.frozen_layers.freeze_layers", watched)
    monkeypatch.setattr(
        contrast.ContrastiveObjective, "__call__", lambda self, *of: given.append(1) or loss(self, *of)
    )
    small("bi-encoder", folder, frozen=2, negatives="mixed", mine_every=2).fit(mini)
    assert len(given) == 6 and ran and set(ran) == {6}  # after the last: the whole ontology is encoded


class Killed(Exception):
    pass


@pytest.mark.parametrize("tokens", [200, 100_000])
def test_a_killed_training_goes_on_to_the_same_end(folder, mini, tmp_path, monkeypatch, tokens):
    bound(monkeypatch, tokens)
    monkeypatch.setattr("benchlib.training.Training", partial(Training, checkpoint_minutes=0))
    settings = {"frozen": 1, "negatives": "mixed", "mine_every": 3}
    whole = small("bi-encoder", folder, **settings).fit(mini, seed=1)
    weights, losses = whole.weights, [row["loss"] for row in whole.trace]
    steps, loss = iter(range(100)), contrast.ContrastiveObjective.__call__

    def until(self, *of):
        if next(steps) == 4:
            raise Killed
        return loss(self, *of)

    monkeypatch.setattr(contrast.ContrastiveObjective, "__call__", until)
    killed = replace(whole, checkpoints=tmp_path)
    with pytest.raises(Killed):
        killed.fit(mini, seed=1)
    resumed = replace(killed).fit(mini, seed=1)
    assert resumed.weights == weights and [row["loss"] for row in resumed.trace] == losses
    assert next(steps) == 7  # four steps, the killed one, and the two that were left


def test_no_frozen_layer_is_the_setting_of_old_records():
    for base in ("bi-encoder", "collective"):
        assert linker(f"{base},frozen=0").name == base and "frozen" not in linker(base).config
        assert linker(f"{base},frozen=3").config == {**linker(base).config, "frozen": 3}


def test_layers_that_cannot_be_frozen_are_refused(folder, mini):
    for name, told in {
        "bi-encoder,frozen=-1": "frozen: expected a number of layers from 0 on, found -1",
        "bi-encoder,frozen=1,fgsm=fgsm": "fgsm is 'fgsm'; expected none with frozen layers",
        "frozen-bi-encoder,frozen=1": "frozen: expected 0, where no encoder is trained, found 1",
        "end-to-end,frozen=1": "frozen: expected 0 for the joint training of a head, found 1",
    }.items():
        with pytest.raises(ValueError, match=told):
            linker(name)
    for frozen in (3, 4):
        with pytest.raises(ValueError, match=f"frozen: expected 1 to 2 of 3 layers, found {frozen}"):
            small("bi-encoder", folder, frozen=frozen).fit(mini)
    model = dual(folder)
    model.mention.network.config.model_type = "deberta-v2"
    with pytest.raises(ValueError, match="expected an encoder of type bert or roberta, found deberta-v2"):
        freeze_layers(model, 1, MENTIONS, ENTITIES)
