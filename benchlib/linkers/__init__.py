"""Linkers: one module per system, each a short composition of the shared parts."""

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial

from .biosyn import BioSynLinker
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
    "cosines": CosinesLinker,
    "biosyn": BioSynLinker,
    **{short.name: partial(replace, short) for short in _SHORT},
}
"""The linkers that pages, claims and the command line call by name; a linker prints as its key."""

VARIED: dict[str, Callable[[], Linker]] = {"cosines": CosinesLinker, "biosyn": BioSynLinker}
"""The linkers of which settings may be said after the name."""

_READ = {"int": int, "float": float, "str": str, "int | None": int}


def linker(name: str) -> Linker:
    """A linker of the catalogue, or ``MODEL-cls`` / ``MODEL-mean`` for any encoder by Hub id or folder.

    Settings may follow the names of ``VARIED``: ``cosines,layers=2,learning_rate=0.0001``.
    Raises ValueError listing the names there are, or the settings.
    """
    base, *settings = name.split(",")
    if base in VARIED:
        return _varied(name, VARIED[base](), settings)
    if name in CATALOGUE:
        return CATALOGUE[name]()
    model, _, pooling = name.rpartition("-")
    if model and pooling in ("cls", "mean"):
        return EncoderLinker(model, pooling)
    raise ValueError(f"no linker {name!r}; expected one of {', '.join(CATALOGUE)}, MODEL-cls or MODEL-mean")


def _varied(name: str, base: Linker, settings: Sequence[str]) -> Linker:
    """``base`` with each ``SETTING=VALUE``; raises ValueError listing the settings and their types."""
    known = {one.name: one.type for one in fields(base) if one.repr}
    values: dict[str, object] = {}
    for setting in settings:
        key, sign, text = setting.partition("=")
        try:
            values[key] = _READ[known[key]](text)
        except (KeyError, ValueError):
            there = ", ".join(f"{key} ({kind})" for key, kind in known.items())
            raise ValueError(f"linker {name!r}: no setting {setting!r}; expected {there}") from None
    return replace(base, **values)


__all__ = [
    "BASELINES",
    "CATALOGUE",
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
