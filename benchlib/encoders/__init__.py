"""Texts to vectors."""

from .backbone import Backbone, model_folder
from .batches import embed, encode
from .cache import cached
from .document import document_inputs
from .entity import entity_text
from .graph import CharacterGraph
from .inputs import Batch, Encoded, pad
from .mention import mention_inputs
from .names import NameEncoder, encode_names, text_inputs
from .pair import pair_inputs
from .pooling import FirstLast, first_last
from .tfidf import TfidfEncoder
from .transformer import TransformerEncoder

__all__ = [
    "Backbone",
    "Batch",
    "CharacterGraph",
    "Encoded",
    "FirstLast",
    "NameEncoder",
    "TfidfEncoder",
    "TransformerEncoder",
    "cached",
    "document_inputs",
    "embed",
    "encode",
    "encode_names",
    "entity_text",
    "first_last",
    "mention_inputs",
    "model_folder",
    "pad",
    "pair_inputs",
    "text_inputs",
]
