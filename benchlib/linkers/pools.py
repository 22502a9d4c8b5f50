"""What a bi-encoder sees in each step: some mentions, and one pool of entities for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch

from ..sampling import Mining, epoch_batch, shared_negatives

HARD_PERCENT = {"random": 0, "mixed": 50}
Rank = Callable[[np.ndarray, int], np.ndarray]  # mentions and a depth -> mentions × depth, the best entities


class Pool(NamedTuple):
    """By their numbers: the ``mentions`` of a step, and the ``entities`` that they are compared with, the
    golds, each once, then the negatives. ``gold`` and ``n_golds`` are as of :class:`Batch`."""

    mentions: np.ndarray
    entities: np.ndarray
    gold: torch.Tensor
    n_golds: int


@dataclass(frozen=True)
class Pools:
    """The pool of each step, ``pools.at(number)``, of negatives as :func:`shared_negatives` draws them.

    ``gold`` (mentions,) is the entity of each mention, of ``n_entities``. With ``negatives`` ``mixed`` half
    of the ``n_negatives`` are hard: every ``mine_every`` steps ``rank(mentions, depth)`` gives the ``depth``
    best entities of some mentions by the encoder as it is. ``carried`` keeps that ranking, see :func:`train`.
    """

    gold: np.ndarray
    n_entities: int
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
        if hard_percent and Mining(self.mine_every).due(number):
            self.carried["ranking"] = torch.from_numpy(self._mined(number, hard_percent))
        rows = self._rows(number)
        golds, column = np.unique(self.gold[rows], return_inverse=True)
        nearest = self.carried["ranking"].numpy()[rows] if hard_percent else None
        drawn = shared_negatives(
            [golds], nearest, self.n_entities, self.n_negatives, hard_percent, self.seed, number
        )
        return Pool(rows, np.concatenate([golds, drawn]), torch.from_numpy(column), len(golds))

    def _rows(self, number: int) -> np.ndarray:
        return epoch_batch(len(self.gold), self.batch, self.seed, number)

    def _mined(self, number: int, hard_percent: int) -> np.ndarray:
        # Only for the mentions that are visited before the next time.
        steps = range(number, min(number + self.mine_every, self.steps))
        ahead = np.unique(np.concatenate([self._rows(step) for step in steps]))
        # Enough for a batch whose mentions all have the same ranking, their golds in front.
        nearest = self.rank(ahead, self.n_negatives * hard_percent // 100 + self.batch)
        ranking = np.full((len(self.gold), nearest.shape[1]), -1, dtype=np.int32)
        ranking[ahead] = nearest
        return ranking
