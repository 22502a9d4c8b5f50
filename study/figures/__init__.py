"""Figures from records, all in one style (:mod:`.style`); each function returns a
:class:`Drawn`, which :func:`study.pages.show.figure` puts on a page."""

from .by_setting import by_setting
from .cosines import cosines
from .data import ambiguity
from .drawn import Drawn
from .gradients import gradients
from .nil_detection import nil, nil_curves, roc
from .protocols import gaps, presets
from .recall import recall_curve
from .settings import grid
from .toy_losses import losses
from .training import learning, tradeoff
