"""Encoders small enough to be trained from nothing inside a test."""

from pathlib import Path

import torch
from transformers import BertConfig, BertModel

from benchlib.encoders import Backbone


def tiny_encoder(folder: Path, width: int = 64, layers: int = 1) -> str:
    """A folder with an untrained BERT and the default encoder's tokenizer."""
    torch.manual_seed(0)
    tokenizer = Backbone.load(layers=1).tokenizer
    shape = {"hidden_size": width, "intermediate_size": 2 * width, "num_hidden_layers": layers}
    config = BertConfig(vocab_size=len(tokenizer), num_attention_heads=2, hidden_dropout_prob=0.0, **shape)
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
