"""Domain-adaptive pretraining on made-up text: windows, perplexity, and encoders by name."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import tiny_encoder
from toy import BENCHMARK
from transformers import BertForMaskedLM

from benchlib.encoders.backbone import Backbone
from study.systems import encoders as adapted
from study.systems import linker
from study.systems.encoders import adapt, read_texts
from study.systems.pretraining import MaskedLM, Recipe, pretrain, windows

WORDS = ["the", "liver", "enzyme", "binds", "a", "small", "protein", "in", "mice", "with", "pain"]
TINY = Recipe("", "", tokens=2048 * 8, head_tokens=512 * 2, window=16, batch=8, learning_rate=3e-3,
              head_learning_rate=3e-3, precision="fp32")  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return Path(tiny_encoder(tmp_path_factory.mktemp("encoder"), width=32, layers=2))


@pytest.fixture(scope="module")
def texts():
    """Sentences in which each word is followed by one of two: there is something to learn."""
    rng, found = np.random.default_rng(0), []
    for _ in range(2_000):
        at, words = int(rng.integers(len(WORDS))), []
        for _ in range(20):
            words.append(WORDS[at])
            at = (at + int(rng.integers(1, 3))) % len(WORDS)
        found.append(" ".join(words))
    return found


def test_windows_hold_every_token_in_order_between_cls_and_sep(tiny):
    tokenizer = Backbone.load(str(tiny)).tokenizer
    texts = ["fever after therapy", "acute pain in mice", "liver"]
    expected = [id for text in texts for id in [*tokenizer.convert_tokens_to_ids(text.split()), 102]]
    found = windows(texts, tokenizer, 5)
    assert found.shape == (len(expected) // 3, 5)
    assert set(found[:, 0]) == {101} and set(found[:, -1]) == {102}
    assert found[:, 1:-1].ravel().tolist() == expected[: len(expected) // 3 * 3]
    with pytest.raises(ValueError, match="at least 98 tokens"):
        windows(texts, tokenizer, 100)
    with pytest.raises(ValueError, match="length 2"):
        windows(texts, tokenizer, 2)


def test_texts_are_read_in_order_and_a_wrong_line_is_named(tmp_path):
    (tmp_path / "b.jsonl").write_text('{"text": "last"}\n')
    with gzip.open(tmp_path / "a.jsonl.gz", "wt") as file:
        file.write('{"id": "1", "title": "Title.", "text": "Body."}\n{"text": "second"}\n')
    assert read_texts(tmp_path) == ["Title. Body.", "second", "last"]
    (tmp_path / "c.jsonl").write_text('{"text": "x"}\n{"txt": "y"}\n')
    with pytest.raises(ValueError, match=r"c\.jsonl:2: expected a JSON object with a text"):
        read_texts(tmp_path)
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match="found 0 files"):
        read_texts(tmp_path / "none")


def test_the_loss_is_that_of_another_library(tiny):
    model = MaskedLM(Backbone.load(str(tiny)))
    theirs = BertForMaskedLM(model.backbone.network.config).eval()
    theirs.bert.load_state_dict(model.backbone.network.state_dict())
    head = theirs.cls.predictions
    head.transform.dense.load_state_dict(model.layer[0].state_dict())
    head.transform.LayerNorm.load_state_dict(model.layer[2].state_dict())
    head.transform.LayerNorm.eps = model.layer[2].eps
    tokens = windows([" ".join(WORDS)] * 5, model.backbone.tokenizer, 12)
    from benchlib.losses import corrupt

    ids, labels = corrupt(torch.from_numpy(tokens.astype(np.int64)), model.backbone.tokenizer.all_special_ids,
                          103, len(model.bias), torch.Generator().manual_seed(5))  # fmt: skip
    expected = theirs(input_ids=ids, labels=labels).loss
    found = model.loss(tokens, torch.Generator().manual_seed(5)).item()
    assert found == pytest.approx(expected.item(), abs=1e-5)


def test_training_lowers_held_out_perplexity_and_a_killed_run_goes_on(tiny, texts, tmp_path):
    backbone = Backbone.load(str(tiny))
    values = pretrain(backbone, texts, TINY, progress=False)
    assert values["steps"] == 128 and values["tokens"] == TINY.tokens
    assert values["perplexity_after"] < 0.7 * values["perplexity_before"]
    # Interrupted in the second part and started again, the end is the same.
    again, calls = Backbone.load(str(tiny)), []
    forward = MaskedLM.loss

    def interrupted(model, *batch):
        calls.append(1)
        if len(calls) == 100:
            raise KeyboardInterrupt
        return forward(model, *batch)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(MaskedLM, "loss", interrupted)
        pretrain(again, texts, TINY, tmp_path, progress=False)
    again = Backbone.load(str(tiny))
    repeated = pretrain(again, texts, TINY, tmp_path, progress=False)
    assert repeated["perplexity_after"] == values["perplexity_after"]
    for name, weight in backbone.state_dict().items():
        assert torch.equal(weight, again.state_dict()[name]), name


def test_too_little_text_is_said(tiny, texts):
    with pytest.raises(ValueError, match="expected at least 17,408 tokens of text, found"):
        pretrain(Backbone.load(str(tiny)), texts[:50], TINY, progress=False)


def test_an_adapted_encoder_is_made_once_and_found_by_its_name(tiny, texts, tmp_path, monkeypatch):
    (tmp_path / "pool").mkdir()
    (tmp_path / "pool" / "a.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
    recipe = replace(TINY, base=str(tiny), corpus=str(tmp_path / "pool"), tokens=2048)
    monkeypatch.setattr(adapted, "ENCODERS", tmp_path / "encoders")
    monkeypatch.setattr(adapted, "RECIPES", {"tiny+pool": recipe})
    with ThreadPoolExecutor() as pool:  # whoever comes second waits
        made, same = pool.map(adapt, ["tiny+pool"] * 2)
    assert made == same
    assert made == json.loads((tmp_path / "encoders" / "tiny+pool" / "pretraining.json").read_text())
    monkeypatch.setattr("study.systems.pretraining.pretrain", None)  # a second training would fail
    assert adapt("tiny+pool") == made
    assert [path.name for path in (tmp_path / "encoders").iterdir()] == ["tiny+pool"]
    fitted = linker("encoder,model=tiny+pool").fit(BENCHMARK.visible())
    assert fitted.encoder.encode(["fever"]).shape == (1, 32)
    assert fitted.weights == Backbone.load(adapted.encoder_folder("tiny+pool")).fingerprint()
    monkeypatch.setattr(adapted, "RECIPES", {"tiny+pool": replace(recipe, seed=1)})
    with pytest.raises(ValueError, match="another recipe"):
        adapt("tiny+pool")
    with pytest.raises(ValueError, match="expected one of tiny"):
        adapt("huge+pool")
