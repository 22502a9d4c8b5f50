"""Domain-adaptive pretraining: an encoder goes on learning to fill in masked words, on open abstracts."""

from dataclasses import dataclass

from benchlib.lazy import lazy

__getattr__ = lazy(__name__, masked_lm="MaskedLM pretrain windows")


@dataclass(frozen=True)
class Recipe:
    """How an encoder is adapted: everything that decides its weights.

    ``corpus`` names the text, for the record. The encoder reads ``tokens`` tokens in windows of ``window``,
    ``batch`` windows a step, each once. Before that its new head alone learns on ``head_tokens``, the encoder
    frozen: a sentence encoder has lost the head it was pretrained with, and a random one would say nothing
    about what the encoder knows. ``seed`` orders the texts and draws the masks.
    """

    corpus: str
    base: str = "minilm"
    tokens: int = 4_000_000
    head_tokens: int = 400_000
    window: int = 128
    batch: int = 32
    learning_rate: float = 2e-4
    head_learning_rate: float = 1e-3
    precision: str = "bf16"
    seed: int = 0
