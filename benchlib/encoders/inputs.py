"""What an encoder reads: word pieces, and where in them the spans of interest stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import torch


class Encoded(NamedTuple):
    """One input: token ids with the special ones, the (first, last) token of every span in it, and where
    the second text of a pair begins (0: there is none).

    An input with spans has a vector for each of them, one without has a single vector.
    """

    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...] = ()
    second: int = 0

    @property
    def n_vectors(self) -> int:
        return max(len(self.spans), 1)


@dataclass(frozen=True)
class PaddedBatch:
    """Inputs padded to one length. ``ids`` and ``mask`` are inputs × tokens; ``row``, ``first`` and ``last``
    say for every span, in the order of the inputs, which input it is in and which tokens it has;
    ``types`` (inputs × tokens) is 1 in the second text of a pair.
    """

    ids: torch.Tensor
    mask: torch.Tensor
    row: torch.Tensor | None = None
    first: torch.Tensor | None = None
    last: torch.Tensor | None = None
    types: torch.Tensor | None = None


def pad(inputs: Sequence[Encoded], padding: int, device: torch.device | str = "cpu") -> PaddedBatch:
    """The batch of some inputs, filled up with the token ``padding``; raises ValueError without any."""
    import torch

    if not inputs:
        raise ValueError("a batch has at least one input")
    lengths = np.array([len(item.ids) for item in inputs])
    real = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(real.shape, padding)
    ids[real] = np.concatenate([item.ids for item in inputs])
    spans = np.array([(row, *span) for row, item in enumerate(inputs) for span in item.spans], dtype=int)
    columns = torch.from_numpy(spans.reshape(-1, 3).T).to(device)
    types = None
    if any(item.second for item in inputs):
        second = np.array([item.second or len(item.ids) for item in inputs])
        types = torch.from_numpy(real & (np.arange(ids.shape[1]) >= second[:, None])).long().to(device)
    mask = torch.from_numpy(real.astype(int))
    return PaddedBatch(torch.from_numpy(ids).to(device), mask.to(device), *columns, types)
