"""Linkers: one module per system, each a short composition of the shared parts."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from .cosines import CosinesLinker
from .exact import ExactLinker
from .in_context import InContextLinker
from .linker import Linker
from .nearest import EncoderLinker, TfidfLinker
from .prior import PriorLinker
from .tuned import TunedLinker
from .tuning import LOSSES

BASELINES: dict[str, Callable[[], Linker]] = {
    "exact": ExactLinker,
    "prior": PriorLinker,
    "prior-train+dev": lambda: PriorLinker(("train", "dev")),
    "tfidf-char-1-2": TfidfLinker,
    "tfidf-char_wb-2-4": lambda: TfidfLinker((2, 4), "char_wb"),
    "minilm-cls": lambda: EncoderLinker(pooling="cls"),
    "minilm-mean": EncoderLinker,
}
"""What every corpus is linked with: nothing here is trained."""

_SHORT = [
    TunedLinker(layers=1, loss=loss, steps=steps, learning_rate=5e-4, precision="fp32")
    for loss, steps in (("multi-similarity", 0), *((loss, 15) for loss in LOSSES))
]
CATALOGUE: dict[str, Callable[[], Linker]] = {
    **BASELINES,
    "minilm+pubmed-mean": lambda: EncoderLinker("minilm+pubmed"),
    "tuned-minilm": TunedLinker,
    "tuned-minilm+pubmed": lambda: TunedLinker("minilm+pubmed"),
    **{short.name: partial(replace, short) for short in _SHORT},
}
"""The linkers that pages, claims and the command line call by name; a linker prints as its key."""


def linker(name: str) -> Linker:
    """A linker of the catalogue, or ``MODEL-cls`` / ``MODEL-mean`` for any encoder by Hub id or folder.

    Raises ValueError listing the names there are.
    """
    if name in CATALOGUE:
        return CATALOGUE[name]()
    model, _, pooling = name.rpartition("-")
    if model and pooling in ("cls", "mean"):
        return EncoderLinker(model, pooling)
    raise ValueError(f"no linker {name!r}; expected one of {', '.join(CATALOGUE)}, MODEL-cls or MODEL-mean")


__all__ = [
    "BASELINES",
    "CATALOGUE",
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
