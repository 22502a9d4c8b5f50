"""The linkers that pages, claims and the command line call by name."""

from __future__ import annotations

from collections.abc import Mapping

from .bi_encoder import BiEncoderLinker
from .biosyn import BioSynLinker
from .cosines import CosinesLinker
from .exact import ExactLinker
from .in_context import InContextLinker
from .nearest import EncoderLinker, TfidfLinker
from .prior import PriorLinker
from .settings import Settings, parsed
from .tuned import TunedLinker

CATALOGUE: Mapping[str, type[Settings]] = {
    one.base: one
    for one in (
        ExactLinker,
        PriorLinker,
        TfidfLinker,
        EncoderLinker,
        TunedLinker,
        InContextLinker,
        CosinesLinker,
        BioSynLinker,
        BiEncoderLinker,
    )
}
"""By their base, the name that each has with its settings as they are by default."""


def linker(name: str) -> Settings:
    """The linker that prints as ``name``: a base of :data:`CATALOGUE` and settings, as in
    ``encoder,model=minilm+pubmed,pooling=cls``.

    Raises ValueError listing the bases there are, or the settings.
    """
    base, *settings = name.split(",")
    if base not in CATALOGUE:
        raise ValueError(
            f"no linker {name!r}; expected one of {', '.join(CATALOGUE)}, and settings as in "
            f"{TfidfLinker(ngrams='2-4').name}"
        )
    return parsed(CATALOGUE[base], settings)
