"""Figures from records, all in one style (:mod:`.style`); each function returns a
:class:`Drawn`, which :func:`study.pages.show.figure` puts on a page."""

from .against_print import against_print
from .data import ambiguity
from .drawn import Drawn
from .forest import forest
from .hubs import hubs
from .nil_detection import nil, nil_curves, roc
from .protocols import gaps, presets
from .ranked import ranked, speeds
from .settings import by_setting, grid, recall_curve
from .steps import steps
from .toy_losses import losses
from .traces import cosines, gradients
from .training import learning, tradeoff
