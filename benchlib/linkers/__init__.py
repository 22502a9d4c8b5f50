"""Linkers: one module per system, each a short composition of the shared parts."""

from .bi_encoder import BiEncoderLinker
from .biosyn import BioSynLinker
from .catalogue import CATALOGUE, linker
from .cosines import CosinesLinker
from .exact import ExactLinker
from .in_context import InContextLinker
from .nearest import EncoderLinker, TfidfLinker
from .prior import PriorLinker
from .protocol import Linker
from .tuned import TunedLinker

__all__ = [
    "CATALOGUE",
    "BiEncoderLinker",
    "BioSynLinker",
    "CosinesLinker",
    "EncoderLinker",
    "ExactLinker",
    "InContextLinker",
    "Linker",
    "PriorLinker",
    "TfidfLinker",
    "TunedLinker",
    "linker",
]
