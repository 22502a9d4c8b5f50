"""Triplet loss mined online: batch-all, batch-hard, and one after the other (CoSiNES)."""

import torch
from torch import Tensor
from torch.nn import functional

from .pairs import at_least_float32, label_masks, mean_over

METRICS = ("cosine", "euclidean", "squared")


def distances(x: Tensor, y: Tensor, metric: str) -> Tensor:
    """Distances n × m of the vectors ``x`` (n × width) and ``y`` (m × width), in float32 at least.

    ``metric`` is ``cosine`` (1 - cosine, 0 to 2), ``euclidean`` or ``squared`` (Euclidean squared): the
    three of CoSiNES, section 4.2. Between equal vectors the gradient is 0.
    """
    if metric not in METRICS:
        raise ValueError(f"metric: expected one of {', '.join(METRICS)}, found {metric!r}")
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1]:
        shapes = f"{tuple(x.shape)} and {tuple(y.shape)}"
        raise ValueError(f"expected two lists of vectors of one width, found shapes {shapes}")
    x, y = at_least_float32(x), at_least_float32(y)
    if metric == "cosine":
        # Half the squared distance of unit vectors is 1 - cosine, and keeps its digits near 0.
        return distances(functional.normalize(x), functional.normalize(y), "squared") / 2
    # The form by a matrix product loses near vectors to cancellation.
    euclidean = torch.cdist(x, y, compute_mode="donot_use_mm_for_euclid_dist")
    return euclidean if metric == "euclidean" else euclidean.square()


def batch_all(distance: Tensor, labels: Tensor, margin: float) -> Tensor:
    """max(d(x, x⁺) - d(x, x⁻) + margin, 0), mean over the triplets of the batch where it is not 0.

    ``distance`` mentions × mentions, ``labels`` (mentions,), ``margin`` in units of the distance. CoSiNES
    (Yuan et al. 2023), equation 3 and section 3.3.1; Hermans et al. 2017. Memory grows with positive pairs ×
    mentions.
    """
    positive, negative = label_masks(distance, labels)
    anchor, other = positive.nonzero(as_tuple=True)
    d = at_least_float32(distance).index_select(0, anchor)
    losses = functional.relu(d.gather(1, other.unsqueeze(1)) - d + margin)
    return mean_over(losses, negative[anchor] & (losses > 0))


def batch_hard(distance: Tensor, labels: Tensor, margin: float) -> Tensor:
    """The loss of each anchor's farthest positive and nearest negative, mean over anchors that have both.

    Arguments as of :func:`batch_all`. An anchor whose loss is 0 counts in the mean. CoSiNES (Yuan et al.
    2023), equation 3 and section 3.3.2; Hermans et al. 2017. Ties for the hardest share the gradient.
    """
    positive, negative = label_masks(distance, labels)
    d = at_least_float32(distance)
    farthest = d.masked_fill(~positive, -torch.inf).amax(1)
    nearest = d.masked_fill(~negative, torch.inf).amin(1)
    return mean_over(functional.relu(farthest - nearest + margin), positive.any(1) & negative.any(1))


def hybrid(distance: Tensor, labels: Tensor, margin: float, progress: float) -> Tensor:
    """:func:`batch_all` in the first half of training, :func:`batch_hard` from its middle on.

    ``progress`` is the share of training done, from 0 to 1. CoSiNES (Yuan et al. 2023), section 5.2.
    """
    if not 0 <= progress <= 1:
        raise ValueError(f"progress: expected a share from 0 to 1, found {progress}")
    return (batch_all if progress < 0.5 else batch_hard)(distance, labels, margin)
