"""Encoders small enough to be trained from nothing inside a test."""

from pathlib import Path

import torch
from transformers import BertConfig, BertModel

from benchlib.encoders import Backbone


def tiny_encoder(folder: Path, width: int = 64, layers: int = 1, dropout: float = 0.0, **config) -> str:
    """A folder with an untrained BERT and the default encoder's tokenizer."""
    torch.manual_seed(0)
    tokenizer = Backbone.load(layers=1).tokenizer
    config |= {"hidden_size": width, "intermediate_size": 2 * width, "num_hidden_layers": layers}
    config |= {"vocab_size": len(tokenizer), "num_attention_heads": 2, "hidden_dropout_prob": dropout}
    BertModel(BertConfig(**config), add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
