"""Training: one loop for every system, with exact resume after a kill."""

from ..lazy import lazy

__getattr__ = lazy(__name__, config="Training", loop="train", state="Trained")
