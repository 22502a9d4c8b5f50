"""From the states of all tokens to vectors: each pooling takes states (inputs × tokens × width) and their
batch, and gives one row per input, or per span where it looks at spans."""

from collections.abc import Callable

import torch

from .inputs import PaddedBatch

Pooling = Callable[[torch.Tensor, PaddedBatch], torch.Tensor]


def cls(states: torch.Tensor, batch: PaddedBatch) -> torch.Tensor:
    """State of the first token (KRISSBERT, section 3.2; the candidates of the dual encoder, section 3.1)."""
    return states[:, 0]


def mean(states: torch.Tensor, batch: PaddedBatch) -> torch.Tensor:
    """Mean over the tokens that are not padding, special tokens included (PEL)."""
    weights = batch.mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1)


def start_marker(states: torch.Tensor, batch: PaddedBatch) -> torch.Tensor:
    """State of the marker before each marked mention (BioCoM, section 4)."""
    return states[batch.row, batch.first - 1]


def mention_mean(states: torch.Tensor, batch: PaddedBatch) -> torch.Tensor:
    """Mean over the tokens of each span, its markers left out."""
    token = torch.arange(states.shape[1], device=states.device)
    inside = (token >= batch.first[:, None]) & (token <= batch.last[:, None])
    weights = inside.unsqueeze(-1).to(states.dtype)
    return (states[batch.row] * weights).sum(1) / weights.sum(1)


class FirstLast(torch.nn.Module):
    """A linear layer over the states of the first and last token of each span, side by side, back to their
    width (dual encoder, equation 1).

    It starts as the mean of both states; the paper does not say how its own does.
    """

    def __init__(self, width: int):
        super().__init__()
        self.linear = torch.nn.Linear(2 * width, width)
        with torch.no_grad():
            self.linear.weight.copy_(torch.eye(width).repeat(1, 2) / 2)
            self.linear.bias.zero_()

    def forward(self, states: torch.Tensor, batch: PaddedBatch) -> torch.Tensor:
        both = torch.cat([states[batch.row, batch.first], states[batch.row, batch.last]], dim=1)
        return self.linear(both)


POOLINGS: dict[str, Pooling] = {"cls": cls, "mean": mean, "start": start_marker, "mention": mention_mean}
