"""Linkers: one module per system, each a short composition of the shared parts."""

from benchlib.linker import Linker

from .baselines.biosyn import BioSynLinker
from .baselines.bm25 import Bm25Linker
from .baselines.name_memory import NameMemoryLinker
from .baselines.names import EncoderLinker, ExactLinker, TfidfLinker
from .baselines.peer import PeerLinker
from .baselines.prior import PriorLinker
from .baselines.tuned import SapBertLinker, TunedLinker
from .biocom.linker import BioComLinker
from .catalogue import CATALOGUE, linker
from .cosines.linker import CosinesLinker
from .cross_encoder import CrossEncoderLinker
from .dual_encoder.collective import CollectiveLinker
from .dual_encoder.end_to_end import EndToEndLinker
from .krissbert.linker import KrissbertLinker
from .pel.frozen import FrozenBiEncoderLinker
from .pel.linker import BiEncoderLinker
