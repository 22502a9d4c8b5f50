"""Figures from records, all in one style (:mod:`.style`); each function returns a figure to be shown."""

from .data import ambiguity
from .nil_detection import nil, roc
from .protocols import gaps, presets
from .settings import grid
from .toy_losses import losses
from .training import learning, tradeoff

__all__ = [
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
