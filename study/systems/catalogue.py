"""The linkers that pages, claims and the command line call by name."""

from collections.abc import Mapping

from .baselines.peer import PeerLinker
from .cross_encoder import CrossEncoderLinker
from .dual_encoder.end_to_end import EndToEndLinker
from .first_stage import FIRST_STAGE
from .settings import Settings, named

CATALOGUE: Mapping[str, type[Settings]] = {
    **FIRST_STAGE,
    **{one.base: one for one in (CrossEncoderLinker, EndToEndLinker, PeerLinker)},
}
"""By their base, the name that each has with its settings as they are by default."""


def linker(name: str) -> Settings:
    """The linker that prints as ``name``: a base of :data:`CATALOGUE` and settings, as in
    ``encoder,model=minilm+pubmed,pooling=cls``.

    Raises ValueError listing the bases there are, or the settings.
    """
    return named(name, CATALOGUE)
