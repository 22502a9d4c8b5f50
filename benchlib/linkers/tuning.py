"""Losses of pairs of texts of one concept: those of all the papers, to tune one encoder by."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from ..losses import (
    candidate_cross_entropy,
    distances,
    hybrid,
    info_nce_loss,
    mine_pairs,
    multi_similarity_loss,
    proxy_loss,
)

SCALE = 20.0  # of cosines in a softmax: the inverse of a temperature of 0.05
MARGIN = 0.5  # of the triplet loss, between vectors of length 1


def _pairs(vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """All texts of a batch (concepts × 2 × width) as rows, their concepts, and their cosines."""
    rows = vectors.flatten(0, 1)
    concept = torch.arange(len(vectors), device=vectors.device).repeat_interleave(vectors.shape[1])
    return rows, concept, rows @ rows.T


def _info_nce(vectors: Tensor, share: float) -> Tensor:
    _, concept, cosine = _pairs(vectors)
    return info_nce_loss(cosine, concept, temperature=1 / SCALE)


def _multi_similarity(vectors: Tensor, share: float) -> Tensor:
    _, concept, cosine = _pairs(vectors)
    return multi_similarity_loss(cosine, *mine_pairs(cosine, concept))


def _triplet(vectors: Tensor, share: float) -> Tensor:
    rows, concept, _ = _pairs(vectors)
    return hybrid(distances(rows, rows, "euclidean"), concept, MARGIN, share)


def _cross_entropy(vectors: Tensor, share: float) -> Tensor:
    cosine = vectors[:, 0] @ vectors[:, 1].T
    return candidate_cross_entropy(SCALE * cosine, torch.arange(len(vectors), device=vectors.device))


def _proxy(vectors: Tensor, share: float) -> Tensor:
    itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    return proxy_loss(vectors[:, 0] @ vectors[:, 1].T, itself, ~itself)


LOSSES: Mapping[str, Callable[[Tensor, float], Tensor]] = {
    "info-nce": _info_nce,
    "multi-similarity": _multi_similarity,
    "triplet": _triplet,
    "cross-entropy": _cross_entropy,
    "proxy": _proxy,
}
"""By name, on unit vectors of a batch (concepts × 2 × width) and the share of the training that is done.

The last two take the first text of a concept for its mention, the second for its entity, and the entities
of the other concepts for the candidates (dual encoder, PEL).
"""
