"""Training: one loop for every system, with exact resume after a kill."""

from .config import Training
from .loop import train
from .state import Trained
