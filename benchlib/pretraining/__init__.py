"""Domain-adaptive pretraining: an encoder goes on learning to fill in masked words, on open abstracts."""

from .adapted import RECIPES, adapt, encoder_folder
from .masked_lm import MaskedLM, Recipe, pretrain
from .text import read_texts, windows
