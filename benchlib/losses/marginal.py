"""The marginal likelihood of the synonyms among the candidates (BioSyn)."""

import torch
from torch import Tensor

from .pairs import at_least_float32, mean_over


def marginal_nll(scores: Tensor, synonym: Tensor) -> Tensor:
    """-log Σ softmax(scores) over the synonyms, mean over the mentions that have one among the candidates.

    The synonym marginalization of BioSyn (Sung et al. 2020). ``scores`` mentions × candidates;
    ``synonym`` a boolean mask of that shape, which tells the names of the gold. The softmax is over all
    candidates of a mention. A mention without a synonym adds nothing and does not count in the mean, as in
    the released code; that clamps the likelihood at 1e-9, which in logarithms is not needed.
    """
    if scores.ndim != 2 or synonym.dtype != torch.bool or synonym.shape != scores.shape:
        shapes = f"{tuple(scores.shape)} and {synonym.dtype} of {tuple(synonym.shape)}"
        raise ValueError(f"expected mentions × candidates and a boolean mask of that shape, found {shapes}")
    s = at_least_float32(scores)
    # Not -inf: the gradient of a row without synonyms would be 0 · NaN.
    synonyms = s.masked_fill(~synonym, torch.finfo(s.dtype).min)
    return mean_over(s.logsumexp(1) - synonyms.logsumexp(1), synonym.any(1))
