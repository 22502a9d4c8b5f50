"""Figures from records, all in one style (:mod:`.style`); each function returns a
:class:`Drawn`, which :func:`study.show.figure` puts on a page."""

from .data import ambiguity
from .drawn import Drawn
from .nil_detection import nil, roc
from .protocols import gaps, presets
from .settings import grid
from .toy_losses import losses
from .training import learning, tradeoff

__all__ = [
    "Drawn",
    "ambiguity",
    "gaps",
    "grid",
    "learning",
    "losses",
    "nil",
    "presets",
    "roc",
    "tradeoff",
]
