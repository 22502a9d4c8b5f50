"""Backbones against the transformers library run by hand: loading, layers, markers, saving, pooling."""

import importlib

import pytest
import torch
from tiny import tiny_encoder
from transformers import AutoModel, AutoTokenizer, RobertaConfig, RobertaModel

from benchlib.encoders import (
    Backbone,
    Encoded,
    FirstLast,
    NameEncoder,
    batches,
    embed,
    encode,
    pad,
    text_inputs,
)

TEXTS = ["ataxia", "", "type 2 diabetes mellitus", "cafe\u0301 \U0001f600", "Ataxia", "ataxia", "a " * 90]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> str:
    return tiny_encoder(
        tmp_path_factory.mktemp("tiny"), width=32, layers=3, initializer_range=0.5, dropout=0.1
    )


def encode_names(backbone: Backbone, texts, pooling="mean", max_length=32, precision="fp32"):
    return NameEncoder(backbone, pooling, max_length, precision).encode(texts)


def by_hand(folder: str, text: str, max_length: int) -> torch.Tensor:
    """States of one text alone, tokens × width."""
    tokens = AutoTokenizer.from_pretrained(folder)(
        text, truncation=True, max_length=max_length, return_tensors="pt"
    )
    with torch.no_grad():
        return AutoModel.from_pretrained(folder)(**tokens).last_hidden_state[0]


@pytest.mark.parametrize("package", ["encoders", "losses", "training"])
def test_a_package_has_every_name_that_it_offers(package):
    offered = importlib.import_module(f"benchlib.{package}")
    assert [name for name in offered.__all__ if not hasattr(offered, name)] == []


def test_positions_of_roberta_begin_behind_that_of_padding(tiny, tmp_path):
    config = RobertaConfig(vocab_size=30522, hidden_size=8, num_hidden_layers=1, num_attention_heads=1,
                           intermediate_size=8, max_position_embeddings=20, pad_token_id=1)  # fmt: skip
    RobertaModel(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny).save_pretrained(tmp_path)
    backbone = Backbone.load(str(tmp_path))
    assert backbone.max_length == 18  # 0 and 1 are never used
    ids = torch.full((1, 18), 7)
    assert backbone(ids, torch.ones_like(ids)).shape == (1, 18, 8)
    with pytest.raises((IndexError, RuntimeError), match="out of"):
        backbone(torch.full((1, 19), 7), torch.ones(1, 19))


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_batching_and_padding_do_not_change_a_vector(tiny, pooling):
    ours = encode_names(Backbone.load(tiny), TEXTS, pooling, max_length=12)
    for text, vector in zip(TEXTS, ours, strict=True):
        states = by_hand(tiny, text, 12)
        alone = states[0] if pooling == "cls" else sum(states) / len(states)
        assert vector == pytest.approx((alone / alone.norm()).numpy(), abs=1e-5)


@pytest.mark.parametrize("tokens", [1, 20, 10_000])
def test_neither_order_nor_budget_changes_what_comes_back(tiny, tokens, monkeypatch):
    backbone = Backbone.load(tiny)
    inputs = text_inputs(backbone, TEXTS, 16)
    expected = encode_names(backbone, TEXTS, max_length=16)
    monkeypatch.setattr(batches, "TOGETHER", tokens)
    usual = encode(backbone, inputs, "mean", progress=False)
    turned = encode(backbone, inputs[::-1], "mean", progress=False)
    assert (turned[::-1] == usual).all()
    assert usual == pytest.approx(expected, abs=1e-5)


def test_each_distinct_input_is_read_once_and_no_batch_passes_the_budget(tiny, monkeypatch):
    backbone, seen = Backbone.load(tiny), []
    monkeypatch.setattr(batches, "TOGETHER", 24)
    network = backbone.forward

    def counted(input_ids, attention_mask, **rest):
        seen.append(tuple(input_ids.shape))
        return network(input_ids, attention_mask, **rest)

    backbone.forward = counted
    # "Ataxia" and "ataxia" are one input to an uncased tokenizer.
    texts = ["ataxia", "Ataxia", "type 2 diabetes", "ataxia"] * 20 + [f"gene {i}" for i in range(30)]
    texts += ["a " * n for n in range(1, 30)]  # the longest is a batch of its own
    encode(backbone, text_inputs(backbone, texts), "cls", progress=False)
    assert sum(rows for rows, _ in seen) == 2 + 30 + 29
    assert all(rows * length <= 24 or rows == 1 for rows, length in seen)


def test_encoding_in_the_middle_of_training_leaves_dropout_as_it_was(tiny):
    backbone = Backbone.load(tiny).train()
    first, again = (encode_names(backbone, TEXTS) for _ in range(2))
    assert (first == again).all()
    assert backbone.training and backbone.network.encoder.training
    inputs = text_inputs(backbone, TEXTS)
    assert not torch.equal(embed(backbone, inputs, "mean"), embed(backbone, inputs, "mean"))
    assert encode_names(backbone, []).shape == (0, 32)


@pytest.mark.parametrize("budget", [1, 16, 1_000])
def test_a_batch_read_in_runs_of_like_length_has_the_vectors_and_gradients_of_one_pass(
    tiny, monkeypatch, budget
):
    monkeypatch.setattr("benchlib.encoders.batches.TOGETHER", budget)
    backbone = Backbone.load(tiny)
    inputs = [one._replace(spans=((0, 0), (1, len(one.ids) - 1))) for one in text_inputs(backbone, TEXTS)]
    passes = []
    backbone.network.register_forward_pre_hook(
        lambda _, given, words: passes.append(words["input_ids"].shape), with_kwargs=True
    )
    mine = embed(backbone, inputs, "mention", normalize=False)
    assert sum(n for n, _ in passes) == len(TEXTS) and (len(passes) > 1) == (budget < 1_000)
    assert all(n == 1 or n * length <= budget for n, length in passes)
    batch = pad(inputs, backbone.tokenizer.pad_token_id)
    states = backbone(batch.ids, batch.mask)
    plain = torch.stack([states[i, a : b + 1].mean(0) for i, one in enumerate(inputs) for a, b in one.spans])
    torch.testing.assert_close(mine, plain, atol=1e-5, rtol=1e-4)
    towards = torch.arange(mine.numel()).reshape(mine.shape) % 7 - 3.0
    parameters = tuple(p for p in backbone.parameters() if p.requires_grad)
    ours, theirs = (
        torch.autograd.grad((vectors * towards).sum(), parameters, allow_unused=True)
        for vectors in (mine, plain)
    )
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-3)
    means = embed(backbone, text_inputs(backbone, TEXTS), "mean").detach().numpy()
    assert means == pytest.approx(encode_names(backbone, TEXTS), abs=1e-5)


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_first_layers_are_those_of_the_whole(tiny, layers):
    backbone = Backbone.load(tiny, layers=layers)
    tokens = backbone.tokenizer(["ataxia", "type 2 diabetes"], padding=True, return_tensors="pt")
    whole = AutoModel.from_pretrained(tiny)(**tokens, output_hidden_states=True)
    states = backbone(tokens["input_ids"], tokens["attention_mask"])
    assert torch.allclose(states, whole.hidden_states[layers], atol=1e-6)
    assert len(whole.hidden_states) == 4


def test_markers_are_one_token_each_and_the_same_at_every_load(tiny):
    one, two = (Backbone.load(tiny, markers=("[E]", "[/E]")) for _ in range(2))
    assert one.fingerprint() == two.fingerprint() != Backbone.load(tiny).fingerprint()
    assert one.marker_ids() == [30522, 30523]
    assert one.tokenizer("x[E]y", add_special_tokens=False)["input_ids"][1] == 30522
    before = AutoModel.from_pretrained(tiny).get_input_embeddings().weight
    after = one.network.get_input_embeddings().weight
    assert torch.equal(after[:30522], before)
    for row in after[30522:]:
        assert row.tolist() == pytest.approx(before.double().mean(0).tolist(), abs=1e-6)


def test_a_marker_added_later_leaves_the_others_alone(tiny, tmp_path):
    first = Backbone.load(tiny, markers=("[E]", "[/E]"))
    with torch.no_grad():
        first.network.get_input_embeddings().weight[first.marker_ids()] += 1
    first.save(tmp_path)
    more = Backbone.load(str(tmp_path), markers=("[/E]", "[E]", "[SPAN]"))
    assert more.marker_ids() == [30523, 30522, 30524]
    kept = more.network.get_input_embeddings().weight[:30524]
    assert torch.equal(kept, first.network.get_input_embeddings().weight)


def test_what_was_saved_loads_as_the_same_and_with_the_library_alone(tiny, tmp_path):
    backbone = Backbone.load(tiny, layers=2, markers=("[E]", "[/E]"))
    with torch.no_grad():
        backbone.network.get_input_embeddings().weight[30522] += 1.0
    vectors = encode_names(backbone, [*TEXTS, "a [E] b [/E]"])
    backbone.save(tmp_path)
    again = Backbone.load(str(tmp_path))
    assert again.markers == ("[E]", "[/E]") and again.network.config.num_hidden_layers == 2
    assert again.fingerprint() == backbone.fingerprint()
    assert (encode_names(again, [*TEXTS, "a [E] b [/E]"]) == vectors).all()
    states = by_hand(str(tmp_path), "a [E] b [/E]", 32).mean(0)
    assert vectors[-1] == pytest.approx((states / states.norm()).numpy(), abs=1e-5)
    assert (tmp_path / "model.safetensors").is_file()
    assert not [file for file in tmp_path.iterdir() if file.suffix in (".bin", ".pt", ".pkl")]


def test_the_second_text_of_a_pair_has_a_type_of_its_own(tiny):
    backbone = Backbone.load(tiny)
    ids = (101, 5000, 102, 6000, 6001, 102)
    batch = pad([Encoded(ids, second=3), Encoded((*ids, 7000))], 0)
    assert batch.types.tolist() == [[0, 0, 0, 1, 1, 1, 0], [0] * 7]
    ours = embed(backbone, [Encoded(ids, second=3)], "cls", normalize=False)[0]
    types = torch.tensor([[0, 0, 0, 1, 1, 1]])
    theirs = backbone.network(torch.tensor([ids]), token_type_ids=types).last_hidden_state[0, 0]
    assert torch.allclose(ours, theirs, atol=1e-5)


def test_pooling_of_spans_takes_the_rows_it_says(tiny):
    backbone = Backbone.load(tiny)
    inputs = [
        Encoded((101, 5000, 5001, 5002, 102), ((1, 1), (2, 3))),
        Encoded((101, 6000, 6001, 6002, 6003, 6004, 102), ((3, 5),)),
    ]
    states = [backbone.network(torch.tensor([one.ids])).last_hidden_state[0] for one in inputs]
    start = embed(backbone, inputs, "start", normalize=False)
    assert torch.allclose(start, torch.stack([states[0][0], states[0][1], states[1][2]]), atol=1e-5)
    ends = FirstLast(32)
    pairs = [(states[0][1], states[0][1]), (states[0][2], states[0][3]), (states[1][3], states[1][5])]
    loop = [ends.linear.weight @ torch.cat(pair) + ends.linear.bias for pair in pairs]
    assert torch.allclose(embed(backbone, inputs, ends, normalize=False), torch.stack(loop), atol=1e-4)
    twice = [inputs[1], inputs[0], inputs[1]]
    vectors = encode(backbone, twice, ends, normalize=False, progress=False)
    assert vectors == pytest.approx(torch.stack(loop)[[2, 0, 1, 2]].detach().numpy(), abs=1e-4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda backbone, inputs: Backbone.load("nowhere/at/all"), "a folder with safetensors weights"),
        (lambda backbone, inputs: Backbone.load(layers=7), "has 6 layers, not 7"),
        (lambda backbone, inputs: Backbone.load(layers=0), "has 6 layers, not 0"),
        (lambda backbone, inputs: embed(backbone, inputs, "max"), "'max'; expected cls, mean, start"),
        (
            lambda backbone, inputs: embed(backbone, inputs, "start"),
            "gave 0 vectors, but the inputs ask for 1",
        ),
        (lambda backbone, inputs: embed(backbone, [], "mean"), "at least one input"),
        (lambda backbone, inputs: encode(backbone, inputs, "cls", precision="fp16"), "one of fp32, bf16"),
        (lambda backbone, inputs: text_inputs(backbone, TEXTS, 513), "3 to 512 tokens, found 513"),
    ],
)
def test_wrong_requests_say_what_was_expected(tiny, monkeypatch, call, words):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    backbone = Backbone.load(tiny)
    with pytest.raises(ValueError, match=words):
        call(backbone, text_inputs(backbone, ["ataxia"]))
