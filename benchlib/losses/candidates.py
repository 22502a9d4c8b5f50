"""Losses over the candidates of a mention: cross-entropy, marginal likelihood."""

import torch
from torch import Tensor
from torch.nn import functional

from .pairs import at_least_float32, mean_over


def candidate_cross_entropy(scores: Tensor, gold: Tensor | int, left_out: Tensor | None = None) -> Tensor:
    """Minus the log share of exp(score) that the gold has among its candidates, mean over mentions.

    PEL (Wiatrak et al. 2022), equation 1; dual encoder (Bhowmik et al. 2021), section 3.3. ``scores``
    mentions × candidates; ``gold`` the column of the gold, one for all or (mentions,); ``left_out``
    mentions × candidates, boolean, True where a candidate is padding or gold as well.
    Raises ValueError also for a gold that is no column or is left out.
    """
    if scores.ndim != 2:
        raise ValueError(f"scores: expected mentions × candidates, found shape {tuple(scores.shape)}")
    n, columns = scores.shape
    gold = torch.as_tensor(gold, device=scores.device)
    whole = not gold.is_floating_point() and gold.dtype != torch.bool
    if not whole or gold.shape not in ((), (n,)) or not ((gold >= 0) & (gold < columns)).all():
        raise ValueError(f"gold: expected a column from 0 to {columns - 1} for {n} mentions, found {gold}")
    gold = gold.long().expand(n)
    s = at_least_float32(scores)
    if left_out is not None:
        if left_out.dtype != torch.bool or left_out.shape != scores.shape:
            actual = f"{left_out.dtype} of {tuple(left_out.shape)}"
            raise ValueError(f"left_out: expected a boolean mask of {tuple(scores.shape)}, found {actual}")
        if hidden := int(left_out.gather(1, gold.unsqueeze(1)).sum()):
            raise ValueError(f"left_out: expected every gold to stay, found {hidden} left out")
        s = s.masked_fill(left_out, -torch.inf)
    return functional.cross_entropy(s, gold, reduction="sum") / max(n, 1)


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
