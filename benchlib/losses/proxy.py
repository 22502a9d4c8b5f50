"""The proxy-based loss: a mention's positive and its negatives in terms of their own (PEL)."""

from torch import Tensor

from .pairs import at_least_float32, check_masks, log1p_sum_exp


def proxy_loss(
    similarity: Tensor, positive: Tensor, negative: Tensor, alpha: float = 32.0, delta: float = 0.0
) -> Tensor:
    """log(1 + exp(-α(s⁺ - δ))) + log(1 + Σ exp(α(s⁻ + δ))), mean over mentions.

    PEL (Wiatrak et al. 2022), equation 3; its constants are the defaults. ``similarity`` mentions ×
    entities, the cosine; ``positive`` and ``negative`` boolean masks of that shape, which tell the gold
    and the sampled negatives of each mention: an entity in neither is not the mention's. Several golds
    of a mention are summed as the negatives are; a mention with an empty mask lacks that term.
    """
    check_masks(similarity, positive, negative)
    s = at_least_float32(similarity)
    pull = log1p_sum_exp(-alpha * (s - delta), positive)
    push = log1p_sum_exp(alpha * (s + delta), negative)
    return (pull + push).mean()
