"""AdamW as all five papers' systems use it, and the course of its learning rate."""

from __future__ import annotations

import torch

from .config import Training


def adamw(model: torch.nn.Module, config: Training) -> torch.optim.AdamW:
    """AdamW over the trainable parameters; raises ValueError when there is none.

    Weight decay is for matrices. Vectors and scalars, which are the biases, the weights of norms and
    temperatures, are spared.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("expected a model with trainable parameters, found none")
    groups = [
        {"params": [p for p in trained if p.ndim >= 2], "weight_decay": config.weight_decay},
        {"params": [p for p in trained if p.ndim < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=config.learning_rate, eps=config.epsilon)


def rate(share: float, warmup: float) -> float:
    """The learning rate as a part of its peak, 0 to 1, when ``share`` of the training is done.

    It rises from 0 to 1 over the first ``warmup``, then falls to 0 at the end, both linearly: the usual
    schedule of BERT fine-tuning. With warm-up the first update is of rate 0.
    """
    return share / warmup if share < warmup else (1.0 - share) / (1.0 - warmup)
