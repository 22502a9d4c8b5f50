"""Domain-adaptive pretraining: an encoder goes on learning to fill in masked words, on open abstracts."""

from .masked_lm import MaskedLM, Recipe, pretrain
from .windows import windows
