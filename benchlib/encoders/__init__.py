"""Texts to vectors."""

from .backbone import Backbone
from .batches import embed, encode, word_embeddings
from .chunk import chunk_inputs
from .document import document_inputs
from .dual import DualEncoder
from .entity import entity_text
from .frozen_layers import freeze_layers
from .graph import CharacterGraph
from .inputs import Batch, Encoded, pad
from .mention import mention_inputs
from .names import NameEncoder, text_inputs
from .pair import pair_inputs
from .pooling import FirstLast
from .pretrained import model_folder
from .tfidf import TfidfEncoder
