"""Figures from records, all in one style (:mod:`.style`); each function returns a
:class:`Drawn`, which :func:`study.pages.show.figure` puts on a page."""

from .data import ambiguity
from .drawn import Drawn
from .forest import against_print, forest
from .nil_detection import nil, nil_curves, roc
from .ranked import gaps, hubs, presets, ranked, speeds
from .settings import by_setting, grid, recall_curve, steps
from .toy_losses import losses
from .training import cosines, gradients, learning, tradeoff
