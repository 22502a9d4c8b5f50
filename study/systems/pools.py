"""What a bi-encoder sees in each step: some mentions, and one pool of entities for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from benchlib.sampling import epoch_batch, shared_negatives

if TYPE_CHECKING:
    from torch import Tensor

Negatives = Literal["random", "mixed"]
Rank = Callable[[np.ndarray, int], np.ndarray]  # inputs and a depth -> their mentions × depth, best entities


class NegativePool(NamedTuple):
    """By their numbers: the ``inputs`` of a step, and the ``entities`` that their mentions are compared with,
    the golds, each once, then the negatives. ``gold``, ``n_golds`` and ``negative`` are as of
    :class:`ContrastiveBatch`."""

    inputs: np.ndarray
    entities: np.ndarray
    gold: Tensor
    n_golds: int
    negative: Tensor | None


@dataclass(frozen=True)
class NegativeSampler:
    """The pool of each step, ``pools.at(number)``, of negatives as :func:`shared_negatives` draws them.

    ``gold`` (mentions,) is the entity of each mention; ``text`` (entities,) is one number for entities of one
    text, which are no negatives of each other: no encoder could tell them apart. The mentions are those of
    inputs, in their order; ``sizes`` (inputs,) says how many each has, and ``batch`` how many inputs a step.
    With ``negatives`` ``mixed`` half of the ``n_negatives`` are hard: every ``mine_every`` steps
    ``rank(inputs, depth)`` gives the ``depth`` best entities, of the whole ontology, of the mentions of some
    inputs by the encoder as it is; it is None where no negative is hard. ``carried`` keeps that ranking, see
    :func:`train`.

    With ``own_hard`` each mention has besides so many hard negatives of its own, its best ranked of another
    text, which are negatives of no other mention (the dual encoder has ten, section 4.3). With ``in_batch``
    the golds of the batch are negatives of each mention whose gold has another text.
    """

    gold: np.ndarray
    sizes: np.ndarray
    text: np.ndarray
    rank: Rank | None
    batch: int
    steps: int
    negatives: Negatives
    n_negatives: int
    mine_every: int
    seed: int
    in_batch: bool = False
    own_hard: int = 0
    carried: dict[str, Tensor] = field(default_factory=dict)

    def at(self, number: int) -> NegativePool:
        import torch

        hard_percent = 50 if self.negatives == "mixed" else 0
        if (hard_percent or self.own_hard) and number % self.mine_every == 0:
            self.carried["ranking"] = torch.from_numpy(self._mined(number, hard_percent))
        inputs = self._inputs(number)
        rows = self._rows(inputs)
        golds, column = np.unique(self.gold[rows], return_inverse=True)
        nearest = self.carried["ranking"].numpy()[rows] if self.carried else None
        drawn = shared_negatives(
            self._right(golds), nearest, len(self.text), self.n_negatives, hard_percent, self.seed, number
        )
        gold, entities = torch.from_numpy(column), np.concatenate([golds, drawn])
        if not (self.in_batch or self.own_hard):
            return NegativePool(inputs, entities, gold, len(golds), None)
        negative = np.zeros((len(rows), len(entities)), dtype=bool)
        negative[:, len(golds) :] = True
        if self.in_batch:
            negative[:, : len(golds)] = self.text[self.gold[rows]][:, None] != self.text[golds]
        if self.own_hard:
            own = np.stack([self._own(gold, of) for gold, of in zip(self.gold[rows], nearest, strict=True)])
            # One that is in the pool, or the gold of another mention, is encoded once.
            entities = np.concatenate([entities, np.setdiff1d(own, entities)])
            negative = np.pad(negative, ((0, 0), (0, len(entities) - negative.shape[1])))
            negative |= (own[:, :, None] == entities).any(1)
        return NegativePool(inputs, entities, gold, len(golds), torch.from_numpy(negative))

    def _own(self, gold: int, nearest: np.ndarray) -> np.ndarray:
        """The hard negatives of one mention, (own_hard,): its ``nearest`` entities of another text; raises
        ValueError for a knowledge base with too few."""
        own = nearest[self.text[nearest] != self.text[gold]][: self.own_hard]
        if len(own) < self.own_hard:
            raise ValueError(
                f"own_hard: expected {self.own_hard} concepts of another text than a gold's, found {len(own)}"
            )
        return own

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
        depth = max(self.n_negatives * hard_percent // 100, self.own_hard)
        nearest = self.rank(ahead, depth + in_front)
        ranking = np.full((len(self.gold), nearest.shape[1]), -1, dtype=np.int32)
        ranking[self._rows(ahead)] = nearest
        return ranking
