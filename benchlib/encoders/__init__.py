"""Texts to vectors."""

from .backbone import Backbone
from .batches import embed, encode, word_embeddings
from .dual import DualEncoder
from .frozen_layers import freeze_layers
from .inputs import Batch, Encoded, pad
from .mention import mention_inputs
from .names import NameEncoder, text_inputs
from .pooling import FirstLast
from .pretrained import model_folder
from .tfidf import TfidfEncoder
