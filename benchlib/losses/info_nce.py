"""InfoNCE between mentions, and between mentions and entity references (KRISSBERT)."""

import torch
from torch import Tensor
from torch.nn import functional

from .pairs import at_least_float32, label_masks, mean_over


def info_nce_loss(
    similarity: Tensor, labels: Tensor, reference_labels: Tensor | None = None, temperature: float = 1.0
) -> Tensor:
    """Minus the log share of a positive pair among itself and its row's negatives, mean over the pairs.

    KRISSBERT (Zhang et al. 2022), section 3.2, equations 1 and 2, where ``similarity`` is mentions ×
    mentions, c·cᵀ, and every positive pair counts from both its ends; with ``reference_labels``, section
    3.5, equations 4 and 5, where it is mentions × entity references, c·rᵀ. ``labels`` (mentions,) and
    ``reference_labels`` (references,) tell the entities. Further positives of a row are no negatives,
    and a mention without a reference has no pair. The paper's temperatures τ and π are 1, and its
    objective is half of one loss plus half of the other.
    """
    if temperature <= 0:
        raise ValueError(f"temperature: expected a number above 0, found {temperature}")
    positive, negative = label_masks(similarity, labels, reference_labels)
    s = at_least_float32(similarity) / temperature
    # Not -inf: the gradient of a row without negatives would be 0 · NaN.
    negatives = s.masked_fill(~negative, torch.finfo(s.dtype).min).logsumexp(1, keepdim=True)
    # exp(s) / (exp(s) + Σ) is the sigmoid of s - log Σ.
    return mean_over(-functional.logsigmoid(s - negatives), positive)
