"""Losses of pairs of texts of one concept: those of all the papers, to tune one encoder by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import torch
from torch import Tensor

from .. import losses

SCALE = 20.0  # of cosines in a softmax: the inverse of a temperature of 0.05
MARGIN = 0.5  # of the triplet loss, between vectors of length 1
MINERS = {"pairs": losses.mine_pairs, "triplets": losses.mine_triplets}


def _pairs(vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """All texts of a batch (concepts × 2 × width) as rows, their concepts, and their cosines."""
    rows = vectors.flatten(0, 1)
    concept = torch.arange(len(vectors), device=vectors.device).repeat_interleave(vectors.shape[1])
    return rows, concept, rows @ rows.T


def _info_nce(vectors: Tensor, share: float) -> Tensor:
    _, concept, cosine = _pairs(vectors)
    return losses.info_nce_loss(cosine, concept, temperature=1 / SCALE)


def _triplet(vectors: Tensor, share: float) -> Tensor:
    rows, concept, _ = _pairs(vectors)
    return losses.hybrid(losses.distances(rows, rows, "euclidean"), concept, MARGIN, share)


def _cross_entropy(vectors: Tensor, share: float) -> Tensor:
    cosine = vectors[:, 0] @ vectors[:, 1].T
    return losses.candidate_cross_entropy(SCALE * cosine, torch.arange(len(vectors), device=vectors.device))


def _proxy(vectors: Tensor, share: float) -> Tensor:
    itself = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    return losses.proxy_loss(vectors[:, 0] @ vectors[:, 1].T, itself, ~itself)


@dataclass(frozen=True)
class MultiSimilarity:
    """The Multi-Similarity loss with its constants and one of :data:`MINERS`.

    The defaults are those that BioCoM prints (Ujiie et al. 2021, section 3.2); its released script has
    ``base`` 0.5. SapBERT's released program has alpha 1, beta 60, base 0.5 and ``triplets``. ``watched`` has
    the :func:`mean_cosines` of the last batch and its :func:`chance_loss`.
    """

    alpha: float = 2.0
    beta: float = 50.0
    base: float = 1.0
    miner: str = "pairs"
    watched: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def __call__(self, vectors: Tensor, share: float) -> Tensor:
        _, concept, cosine = _pairs(vectors)

        def of(similarity: Tensor) -> Tensor:
            # Mined anew: pairs that are hard for this encoder are no measure of one that tells none apart.
            mined = MINERS[self.miner](similarity, concept)
            return losses.multi_similarity_loss(similarity, *mined, self.alpha, self.beta, self.base)

        self.watched.update(losses.mean_cosines(cosine, concept), chance_loss=losses.chance_loss(of, cosine))
        return of(cosine)


LOSSES: Mapping[str, Callable[[Tensor, float], Tensor]] = {
    "info-nce": _info_nce,
    "multi-similarity": MultiSimilarity(alpha=1.0, beta=60.0, base=0.5, miner="triplets"),
    "triplet": _triplet,
    "cross-entropy": _cross_entropy,
    "proxy": _proxy,
}
"""By name, on unit vectors of a batch (concepts × 2 × width) and the share of the training that is done.

``multi-similarity`` has SapBERT's constants. The last two take the first text of a concept for its mention,
the second for its entity, and the entities of the other concepts for the candidates (dual encoder, PEL).
"""
