"""Texts to vectors."""

from ..lazy import lazy

__getattr__ = lazy(
    __name__,
    backbone="Backbone",
    batches="embed encode word_embeddings",
    folders="model_folder",
    inputs="Encoded PaddedBatch pad",
    mention="MARKERS mention_inputs",
    names="NameEncoder text_inputs",
    pooling="FirstLast",
    tfidf="TfidfEncoder",
)
