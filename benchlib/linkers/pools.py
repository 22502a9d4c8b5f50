"""What a bi-encoder sees in each step: some mentions, and one pool of entities for all of them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch

from ..sampling import epoch_batch, shared_negatives

HARD_PERCENT = {"random": 0, "mixed": 50}
Rank = Callable[[np.ndarray, int], np.ndarray]  # inputs and a depth -> their mentions × depth, best entities


class Pool(NamedTuple):
    """By their numbers: the ``inputs`` of a step, and the ``entities`` that their mentions are compared with,
    the golds, each once, then the negatives. ``gold`` and ``n_golds`` are as of :class:`Batch`."""

    inputs: np.ndarray
    entities: np.ndarray
    gold: torch.Tensor
    n_golds: int


@dataclass(frozen=True)
class Pools:
    """The pool of each step, ``pools.at(number)``, of negatives as :func:`shared_negatives` draws them.

    ``gold`` (mentions,) is the entity of each mention; ``text`` (entities,) is one number for entities of one
    text, which are no negatives of each other: no encoder could tell them apart. The mentions are those of
    inputs, in their order; ``sizes`` (inputs,) says how many each has, and ``batch`` how many inputs a step.
    With ``negatives`` ``mixed`` half of the ``n_negatives`` are hard: every ``mine_every`` steps
    ``rank(inputs, depth)`` gives the ``depth`` best entities of the mentions of some inputs by the encoder as
    it is. ``carried`` keeps that ranking, see :func:`train`.
    """

    gold: np.ndarray
    sizes: np.ndarray
    text: np.ndarray
    rank: Rank
    batch: int
    steps: int
    negatives: str
    n_negatives: int
    mine_every: int
    seed: int
    carried: dict[str, torch.Tensor] = field(default_factory=dict)

    def at(self, number: int) -> Pool:
        hard_percent = HARD_PERCENT[self.negatives]
        if hard_percent and number % self.mine_every == 0:
            self.carried["ranking"] = torch.from_numpy(self._mined(number, hard_percent))
        inputs = self._inputs(number)
        rows = self._rows(inputs)
        golds, column = np.unique(self.gold[rows], return_inverse=True)
        nearest = self.carried["ranking"].numpy()[rows] if hard_percent else None
        drawn = shared_negatives(
            self._right(golds), nearest, len(self.text), self.n_negatives, hard_percent, self.seed, number
        )
        return Pool(inputs, np.concatenate([golds, drawn]), torch.from_numpy(column), len(golds))

    def _right(self, golds: np.ndarray) -> np.ndarray:
        return np.flatnonzero(np.isin(self.text, self.text[golds]))

    def _inputs(self, number: int) -> np.ndarray:
        return epoch_batch(len(self.sizes), self.batch, self.seed, number)

    def _rows(self, inputs: np.ndarray) -> np.ndarray:
        """The numbers of the mentions of some inputs, in order."""
        starts = np.cumsum(self.sizes) - self.sizes
        return np.concatenate([np.arange(starts[i], starts[i] + self.sizes[i]) for i in inputs])

    def _mined(self, number: int, hard_percent: int) -> np.ndarray:
        # Only for the inputs that are visited before the next time.
        steps = range(number, min(number + self.mine_every, self.steps))
        ahead = np.unique(np.concatenate([self._inputs(step) for step in steps]))
        # Enough for a batch whose mentions all have the same ranking, what is right for them in front.
        right = max(len(self._right(self.gold[self._rows(self._inputs(step))])) for step in steps)
        in_front = max(right, self.batch * int(self.sizes.max()))
        nearest = self.rank(ahead, self.n_negatives * hard_percent // 100 + in_front)
        ranking = np.full((len(self.gold), nearest.shape[1]), -1, dtype=np.int32)
        ranking[self._rows(ahead)] = nearest
        return ranking
