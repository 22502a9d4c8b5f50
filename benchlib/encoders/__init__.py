"""Texts to vectors."""

from ..lazy import lazy

PRECISIONS = ("fp32", "bf16")

__getattr__ = lazy(
    __name__,
    backbone="Backbone",
    batches="embed encode word_embeddings",
    folders="model_folder",
    inputs="Batch Encoded pad",
    mention="MARKERS mention_inputs",
    names="NameEncoder text_inputs",
    pooling="FirstLast",
    tfidf="TfidfEncoder",
)
