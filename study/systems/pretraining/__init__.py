"""Domain-adaptive pretraining: an encoder goes on learning to fill in masked words, on open abstracts."""

from benchlib.lazy import lazy

from .recipe import Recipe
from .windows import windows

__getattr__ = lazy(__name__, masked_lm="MaskedLM pretrain")
