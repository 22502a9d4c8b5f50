"""A checkpoint that is not whole is refused; heads and poolers, which an encoder has no use for, are left."""

import json
import pickle
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny import tiny_encoder
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertModel,
    ModernBertConfig,
    ModernBertForMaskedLM,
)

from benchlib.encoders import Backbone

WEIGHT = "encoder.layer.1.output.dense.weight"


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    return Path(tiny_encoder(tmp_path_factory.mktemp("whole"), width=32, layers=3))


@pytest.fixture
def folder(whole, tmp_path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "encoder"))


def change(folder: Path, function) -> str:
    """The folder after ``function`` changed its tensors."""
    tensors = load_file(folder / "model.safetensors")
    function(tensors)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    return str(folder)


def prefixed(tensors):
    for name in list(tensors):
        tensors[f"other.{name}"] = tensors.pop(name)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda tensors: tensors.pop(WEIGHT), f"lacks 1 of its weights: {WEIGHT}$"),
        (lambda tensors: tensors.update({WEIGHT + "s": tensors.pop(WEIGHT)}), "lacks 1 of its weights"),
        # 5 tensors of the embeddings, 16 a layer, of which a few are named.
        (prefixed, r"lacks 53 of its weights: (\S+, ){2}\S+$"),
        (lambda tensors: tensors.update({WEIGHT: torch.zeros(3, 3)}), f"has another shape of 1 .*: {WEIGHT}"),
        *[
            (
                lambda tensors, name=name: tensors.update({name: torch.zeros(3)}),
                f"has no place for 1 .*: {name}",
            )
            for name in ("encoder.layer.3.output.dense.weight", "encoder.layer.0.adapter.weight")
        ],
    ],
)
def test_a_weight_that_is_missing_or_wrong_is_named(folder, damage, words):
    model = change(folder, damage)
    with pytest.raises(ValueError, match=f"^encoder '{model}' {words}"):
        Backbone.load(model)


def test_a_weight_that_is_missing_matters_only_where_it_is_needed(folder):
    model = change(folder, lambda tensors: tensors.pop(WEIGHT))
    for layers in (2, 3):
        with pytest.raises(ValueError, match="lacks 1 of its weights"):
            Backbone.load(model, layers)
    assert Backbone.load(model, layers=1).network.config.num_hidden_layers == 1


@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForSequenceClassification, BertModel])
def test_heads_and_poolers_are_left_and_the_encoder_is_the_same(folder, kind):
    model = kind(BertConfig.from_pretrained(folder)).eval()
    model.save_pretrained(folder)
    loaded = Backbone.load(str(folder))
    ids = torch.tensor([[101, 5000, 6000, 102]])
    expected = getattr(model, "bert", model)(ids).last_hidden_state
    assert torch.allclose(loaded(ids, torch.ones_like(ids)), expected, atol=1e-6)
    assert Backbone.load(str(folder)).fingerprint() == loaded.fingerprint()
    assert Backbone.load(str(folder), layers=2).network.config.num_hidden_layers == 2


def test_a_head_may_have_any_name(folder):
    heads = (
        "crf.transitions",
        "head.dense.weight",
        "lm_loss.bias",
        "cls.predictions.bias",
    )
    damage = {name: torch.zeros(3) for name in heads}
    assert Backbone.load(change(folder, lambda tensors: tensors.update(damage))).width == 32


def test_an_encoder_of_another_family_is_loaded_without_its_head(folder):
    tokens = len(AutoTokenizer.from_pretrained(folder))
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2, "num_hidden_layers": 2}
    config = ModernBertConfig(vocab_size=tokens, pad_token_id=0, **sizes)
    ModernBertForMaskedLM(config).save_pretrained(folder)
    assert Backbone.load(str(folder)).width == 32


def test_a_tokenizer_that_does_not_fit_is_refused(folder, whole):
    backbone = Backbone.load(str(whole))
    rows = len(backbone.tokenizer)
    backbone.tokenizer.add_tokens(["newword"])
    backbone.tokenizer.save_pretrained(folder)
    with pytest.raises(ValueError, match=f"tokenizer has the id {rows}, its embeddings {rows} rows"):
        Backbone.load(str(folder))
    assert Backbone.load(str(whole), markers=("[E]", "[/E]")).marker_ids() == [rows, rows + 1]


def test_a_tokenizer_without_padding_is_refused(folder, whole):
    tokenizer = Backbone.load(str(whole)).tokenizer
    tokenizer.pad_token = None
    tokenizer.save_pretrained(folder)
    with pytest.raises(ValueError, match=r"without one of \[PAD\], \[CLS\] and \[SEP\]"):
        Backbone.load(str(folder))


def test_a_tokenizer_of_another_model_has_too_few_words(folder):
    content = json.loads((folder / "tokenizer.json").read_text())
    words = content["model"]["vocab"]
    rows = len(words)

    def keep(n):
        content["model"]["vocab"] = {word: id for word, id in words.items() if id < n}
        (folder / "tokenizer.json").write_text(json.dumps(content))

    keep(rows - 128)  # rounded up
    assert Backbone.load(str(folder)).tokenizer
    keep(rows // 2)
    with pytest.raises(ValueError, match=f"tokenizer has {rows // 2} tokens, its embeddings {rows} rows"):
        Backbone.load(str(folder))


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("config.json", "could not be loaded; .*config.json"),
        ("model.safetensors", "could not be loaded; .*model.safetensors"),
        ("tokenizer.json", ".*tokenizer"),
    ],
)
def test_a_file_that_is_missing_is_named_in_a_sentence(folder, gone, words):
    (folder / gone).unlink()
    with pytest.raises(ValueError, match=f"^encoder '{folder}' {words}[^\n]*$"):
        Backbone.load(str(folder))


def test_a_shard_that_is_missing_is_named(folder):
    weights = load_file(folder / "model.safetensors")
    there, gone = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    (folder / "model.safetensors").rename(folder / there)
    index = {"metadata": {}, "weight_map": {name: gone if name == WEIGHT else there for name in weights}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ValueError, match=f"encoder '{folder}' could not be loaded; .*{gone}"):
        Backbone.load(str(folder))


def test_pickled_weights_are_refused_with_advice_and_never_opened(folder):
    class Runs:
        def __reduce__(self):
            return open, (str(folder / "ran"), "w")

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Runs()))
    with pytest.raises(ValueError, match="model.safetensors .*save_pretrained"):
        Backbone.load(str(folder))
    assert not (folder / "ran").exists()


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"]
)
@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_a_file_that_is_not_whole_names_the_encoder(folder, name, content):
    (folder / name).write_text(content)
    with pytest.raises(ValueError, match=f"^encoder '{folder}' could not be loaded; [^\n]*$"):
        Backbone.load(str(folder))


@pytest.mark.parametrize("name", ["./nowhere", "~/nowhere", "/nowhere/at/all"])
def test_a_folder_that_is_not_there_is_not_asked_of_the_hub(name):
    with pytest.raises(ValueError, match=f"^encoder '{name}': there is no such folder; expected"):
        Backbone.load(name)


def test_code_that_comes_with_a_model_is_not_run(folder):
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Config", "AutoModel": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(folder / 'ran')!r}, 'w')")
    with pytest.raises(ValueError, match="own|code"):
        Backbone.load(str(folder))
    assert not (folder / "ran").exists()
