"""Multi-Similarity loss and the mining of its pairs (Wang et al. 2019), as in BioCoM."""

import torch
from torch import Tensor

from .pairs import at_least_float32, check_masks, label_masks, log1p_sum_exp


def mine_pairs(similarity: Tensor, labels: Tensor, epsilon: float = 0.1) -> tuple[Tensor, Tensor]:
    """The pairs within ``epsilon`` of being ranked wrongly by their anchor, the row.

    A negative is kept when it is more similar than the anchor's least similar positive less epsilon, a
    positive when it is less similar than the most similar negative plus epsilon: so an anchor keeps
    either some of both or none at all. ``similarity`` mentions × mentions, ``labels`` (mentions,); two
    boolean masks, positive and negative, of the shape of ``similarity``. The pair mining of Wang et al.
    2019, which BioCoM takes as it is (section 3.2).
    """
    positive, negative = label_masks(similarity, labels)
    s = at_least_float32(similarity)
    least_positive = s.masked_fill(~positive, torch.inf).amin(1, keepdim=True)
    most_negative = s.masked_fill(~negative, -torch.inf).amax(1, keepdim=True)
    return positive & (s - most_negative < epsilon), negative & (least_positive - s < epsilon)


def mine_triplets(similarity: Tensor, labels: Tensor, margin: float = 0.2) -> tuple[Tensor, Tensor]:
    """The pairs of all triplets whose negative is at most ``margin`` farther from the anchor than the
    positive, by the Euclidean distance of vectors of length 1.

    The miner of SapBERT's released program (Liu et al. 2021, section 2), which gives its pairs to the
    Multi-Similarity loss. ``similarity`` mentions × mentions, the cosine, and ``labels`` (mentions,); two
    boolean masks, positive and negative, of the shape of ``similarity``.
    """
    positive, negative = label_masks(similarity, labels)
    distance = (2 - 2 * at_least_float32(similarity)).clamp(min=0).sqrt()
    nearest_negative = distance.masked_fill(~negative, torch.inf).amin(1, keepdim=True)
    farthest_positive = distance.masked_fill(~positive, -torch.inf).amax(1, keepdim=True)
    return (
        positive & (nearest_negative - distance <= margin),
        negative & (distance - farthest_positive <= margin),
    )


def multi_similarity_loss(
    similarity: Tensor,
    positive: Tensor,
    negative: Tensor,
    alpha: float = 2.0,
    beta: float = 50.0,
    base: float = 1.0,
) -> Tensor:
    """Positives pulled over ``base`` and negatives pushed under it, mean over all anchors.

    BioCoM (Ujiie et al. 2021), section 3.2, the equation of L_MS, λ being ``base``; its printed constants are
    the defaults, where the released script leaves ``base`` at the 0.5 of the library that it calls.
    ``similarity`` anchors × mentions, the cosine; ``positive`` and ``negative`` boolean masks of that shape,
    those of :func:`mine_pairs` or of another miner. An anchor without pairs adds 0.
    """
    check_masks(similarity, positive, negative)
    s = at_least_float32(similarity)
    pull = log1p_sum_exp(-alpha * (s - base), positive) / alpha
    push = log1p_sum_exp(beta * (s - base), negative) / beta
    return (pull + push).mean()
