"""Fine-tuning an encoder by contrast: pairs of texts of one concept, under any of the papers' losses."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from ..encoders import Backbone, Encoded, embed
from ..encoders.pooling import Pooling
from ..losses import (
    candidate_cross_entropy,
    distances,
    hybrid,
    info_nce_loss,
    mine_pairs,
    multi_similarity_loss,
    proxy_loss,
)
from ..sampling import items_by_concept, pair_batch
from ..training import Trained, Training, train

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


def tune(
    backbone: Backbone,
    inputs: Sequence[Encoded],
    labels: Sequence,
    config: Training,
    *,
    loss: str = "multi-similarity",
    pooling: str | Pooling = "mean",
    concepts: int = 32,
    folder: Path | None = None,
    progress: bool = True,
) -> Trained:
    """Train an encoder in place so that texts of one concept come close.

    ``inputs`` are the texts, ``labels`` the concept of each; a batch has two texts of each of ``concepts``
    concepts, those with a single text left out. ``folder`` takes checkpoints. Raises ValueError for an
    unknown loss, and when no concept has two texts.
    """
    if loss not in LOSSES:
        raise ValueError(f"loss is {loss!r}; expected one of {', '.join(LOSSES)}")
    items = items_by_concept(labels)

    def batch_at(number: int) -> list[Encoded]:
        return [inputs[i] for i in pair_batch(items, config.seed, number, concepts).ravel()]

    def loss_of(model: Backbone, batch: list[Encoded], share: float) -> Tensor:
        vectors = embed(model, batch, pooling)
        # Cosines in half precision would lose the differences that hard pairs live by.
        with torch.autocast(model.device.type, enabled=False):
            return LOSSES[loss](vectors.view(-1, 2, vectors.shape[1]), share)

    return train(backbone, batch_at, loss_of, config, folder=folder, progress=progress)
