"""Linkers: one module per system, each a short composition of the shared parts."""

from collections.abc import Callable

from .exact import ExactLinker
from .linker import Linker
from .nearest import EncoderLinker, TfidfLinker
from .prior import PriorLinker

CATALOGUE: dict[str, Callable[[], Linker]] = {
    "exact": ExactLinker,
    "prior": PriorLinker,
    "tfidf-char-1-2": TfidfLinker,
    "tfidf-char_wb-2-4": lambda: TfidfLinker((2, 4), "char_wb"),
    "minilm-cls": lambda: EncoderLinker(pooling="cls"),
    "minilm-mean": EncoderLinker,
}
"""The linkers that pages, claims and the command line call by name; a linker prints as its key."""


def linker(name: str) -> Linker:
    """A linker of the catalogue; raises ValueError listing the names there are."""
    if name not in CATALOGUE:
        raise ValueError(f"no linker {name!r}; expected one of {', '.join(CATALOGUE)}")
    return CATALOGUE[name]()


__all__ = ["CATALOGUE", "linker", "EncoderLinker", "ExactLinker", "Linker", "PriorLinker", "TfidfLinker"]
