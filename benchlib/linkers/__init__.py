"""Linkers: one module per system, each a short composition of the shared parts."""

from .exact import ExactLinker
from .linker import Linker
from .nearest import EncoderLinker, TfidfLinker
from .prior import PriorLinker

__all__ = ["EncoderLinker", "ExactLinker", "Linker", "PriorLinker", "TfidfLinker"]
