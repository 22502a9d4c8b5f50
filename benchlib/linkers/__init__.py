"""Linkers: one module per system, each a short composition of the shared parts."""

from .bi_encoder import BiEncoderLinker
from .biocom import BioComLinker
from .biosyn import BioSynLinker
from .bm25 import Bm25Linker
from .catalogue import CATALOGUE, linker
from .collective import CollectiveLinker
from .cosines import CosinesLinker
from .cross_encoder import CrossEncoderLinker
from .end_to_end import EndToEndLinker
from .exact import ExactLinker
from .frozen import FrozenBiEncoderLinker
from .krissbert import KrissbertLinker
from .name_memory import NameMemoryLinker
from .nearest import EncoderLinker, TfidfLinker
from .peer import PeerLinker
from .prior import PriorLinker
from .protocol import Linker
from .tuned import SapBertLinker, TunedLinker
