"""A cross-encoder: the parts of a linker that ranks anew the candidates of another."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from benchlib.encoders import Backbone, Encoded, embed, encode
from benchlib.encoders.backbone import state_digest
from benchlib.losses import candidate_cross_entropy

WEIGHTS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""Of a first linker's score beside a ranker's: from the ranker alone to nearly the first linker alone, for
scores that differ by hundredths, as cosines, or by tens, as dot products and BM25."""


class RankingBatch(NamedTuple):
    """``pairs`` of mentions with their candidates, mention by mention; ``there`` (mentions × candidates) is
    False where a mention has fewer, ``gold`` (mentions,) the column of the right one."""

    pairs: list[Encoded]
    there: Tensor
    gold: Tensor


class Ranker(torch.nn.Module):
    """A transformer that reads a mention and an entity together, and a linear layer over its pooled states
    (Logeswaran et al. 2019; PEL, appendix B; KRISSBERT, section 3.6). The layer starts as those of BERT do.
    """

    def __init__(self, backbone: Backbone, pooling: str = "mean", seed: int = 0):
        super().__init__()
        self.backbone, self.pooling = backbone, pooling
        self.linear = torch.nn.Linear(backbone.width, 1, bias=False)  # a softmax takes no notice of a bias
        torch.nn.init.normal_(self.linear.weight, std=0.02, generator=torch.Generator().manual_seed(seed))
        self.linear.to(backbone.device)

    def forward(self, pairs: Sequence[Encoded]) -> Tensor:
        """The scores of a batch of pairs, (pairs,), with gradient."""
        vectors = embed(self.backbone, pairs, self.pooling, normalize=False)
        with torch.autocast(vectors.device.type, enabled=False):
            return self.linear(vectors).squeeze(1)

    def loss(self, batch: RankingBatch) -> Tensor:
        """The cross-entropy of the gold among the candidates of each mention (PEL, equation 1)."""
        scores = self(batch.pairs)
        there, gold = batch.there.to(scores.device), batch.gold.to(scores.device)
        matrix = torch.zeros(there.shape, dtype=scores.dtype, device=scores.device)
        return candidate_cross_entropy(matrix.masked_scatter(there, scores), gold, left_out=~there)

    def score(self, pairs: Sequence[Encoded], precision: str, progress: bool = False) -> np.ndarray:
        """The scores of any number of pairs, float32 (pairs,), without gradient; as :func:`encode`."""
        vectors = encode(self.backbone, pairs, self.pooling, False, precision, progress=progress)
        return vectors @ self.linear.weight.detach().cpu().numpy()[0]

    def fingerprint(self) -> str:
        """SHA-256 over all weights and the vocabulary."""
        return state_digest(self.backbone.fingerprint(), [("", self.linear.weight)])


def chance_loss(batch: RankingBatch) -> float:
    """The loss (:meth:`Ranker.loss`) of a batch whose candidates all have the same score: the logarithm of
    their number, mean over mentions."""
    return batch.there.sum(1).double().log().mean().item()


def mixed(scores: np.ndarray, first: np.ndarray, there: np.ndarray, weight: float) -> np.ndarray:
    """The ranker's ``scores`` plus ``weight`` times those of the ``first`` linker, mentions × candidates; as
    they are where no candidate is ``there``."""
    return scores + np.float32(weight) * np.where(there, first, 0)


def best_weight(scores: np.ndarray, first: np.ndarray, there: np.ndarray, is_gold: np.ndarray) -> float:
    """The weight of :data:`WEIGHTS` by which :func:`mixed` has the most golds at rank 1, the least of equals.

    All are mentions × candidates; ``is_gold`` is True at most once a mention. A gold that ties with another
    candidate is not at rank 1.
    """
    right = []
    for weight in WEIGHTS:
        of = np.where(there, mixed(scores, first, there, weight), -np.inf)
        gold = of.max(axis=1, initial=-np.inf, where=is_gold)
        others = of.max(axis=1, initial=-np.inf, where=~is_gold)
        right.append((gold > others).sum())
    return WEIGHTS[int(np.argmax(right))]


def insert_gold(index: np.ndarray, gold: np.ndarray, n: int) -> np.ndarray:
    """The first ``n`` of each ranking (mentions × any number, -1 behind its end), mentions × n.

    Where ``gold`` (mentions,) is none of them, it takes the last place, or the first that is free.
    """
    chosen = np.full((len(index), n), -1, dtype=np.int64)
    chosen[:, : index.shape[1]] = index[:, :n]
    missing = np.flatnonzero((chosen != gold[:, None]).all(1))
    chosen[missing, np.minimum((chosen[missing] >= 0).sum(1), n - 1)] = gold[missing]
    return chosen


def append_first_stage(scores: np.ndarray, there: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The ranker's ``scores`` (mentions × candidates), then those of the rest of each first ranking.

    ``given`` (mentions × any number) are the first linker's, in descending order, of all. The rest are below
    what the ranker gives to any candidate that is ``there``, one step for each different score: they keep
    their order and their ties.
    """
    rest = given[:, scores.shape[1] :]
    lower = np.ones(rest.shape, dtype=int)
    lower[:, 1:] = rest[:, 1:] != rest[:, :-1]
    lowest = scores.min(axis=1, keepdims=True, initial=np.inf, where=there)
    return np.concatenate([scores, lowest - lower.cumsum(axis=1)], axis=1)
