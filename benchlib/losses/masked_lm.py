"""Masked language modelling (Devlin et al. 2019): the corruption of a batch, and its loss."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from .pairs import at_least_float32

IGNORED = -100  # the label that PyTorch and transformers leave out of a cross-entropy


def corrupt(
    tokens: Tensor, special_ids: Sequence[int], mask_id: int, vocabulary_size: int, generator: torch.Generator
) -> tuple[Tensor, Tensor]:
    """Corrupted token ids, and labels: the original id where a token is to be predicted, else IGNORED.

    Every token is chosen with probability 0.15; of the chosen, 80 % become ``mask_id``, 10 % a random
    token, and 10 % stay (Devlin et al. 2019, section 3.1). ``tokens`` are ids of any shape.
    ``special_ids``, such as a tokenizer's ``all_special_ids``, padding among them, are neither chosen
    nor drawn as a random token. The draws depend on the state of ``generator`` and the shape alone.
    """
    if tokens.is_floating_point():
        raise ValueError(f"tokens: expected integer ids, found {tokens.dtype}")
    vocabulary = torch.arange(vocabulary_size)
    special = torch.tensor(list(special_ids), dtype=torch.long)
    ordinary = vocabulary[~torch.isin(vocabulary, special)]
    if not len(ordinary):
        raise ValueError(f"expected ordinary tokens among {vocabulary_size}, found special ones only")
    # Drawn where the generator lives, so that a seed means the same on every device.
    here, there = tokens.device, generator.device
    choice, fate = torch.rand((2, *tokens.shape), generator=generator, device=there).to(here)
    drawn = torch.randint(len(ordinary), tokens.shape, generator=generator, device=there).to(here)
    chosen = (choice < 0.15) & ~torch.isin(tokens, special.to(here))
    corrupted = tokens.masked_fill(chosen & (fate < 0.8), mask_id)
    random = chosen & (fate >= 0.8) & (fate < 0.9)
    return torch.where(random, ordinary.to(tokens)[drawn], corrupted), tokens.masked_fill(~chosen, IGNORED)


def masked_lm_loss(states: Tensor, labels: Tensor, head: Callable[[Tensor], Tensor]) -> Tensor:
    """Cross-entropy of the tokens to be predicted, mean over them.

    ``states`` (... × width) are the encoder's last hidden states, ``labels`` (...) those of
    :func:`corrupt`. ``head`` turns states (n × width) into logits (n × vocabulary), and is applied only
    where there is a label: the same loss as that of all logits, for about a seventh of the products.
    """
    if states.shape[:-1] != labels.shape:
        shapes = f"{tuple(states.shape)} and {tuple(labels.shape)}"
        raise ValueError(f"expected states of labels' shape × width, found shapes {shapes}")
    chosen = labels != IGNORED
    logits = at_least_float32(head(states[chosen]))
    return functional.cross_entropy(logits, labels[chosen], reduction="sum") / chosen.sum().clamp(min=1)
