"""The loss of a model that finds all texts equally similar."""

from collections.abc import Callable

import torch
from torch import Tensor

_CONSTANTS = torch.linspace(-1, 1, 41)  # cosines; a cross-entropy of dot products is the same for all


def chance_loss(loss_of: Callable[[Tensor], Tensor], similarity: Tensor) -> float:
    """The least loss of a batch whose similarities are all equal, over constants from -1 to 1.

    ``loss_of`` gives the loss of a matrix like ``similarity``, of which shape, type and device alone are
    used; a loss of mined pairs mines them anew. A training that ends near this value has told no text from
    another: for a cross-entropy it is the logarithm of the number of candidates, for a loss with a threshold
    that of the best threshold.
    """
    with torch.no_grad():
        return min(float(loss_of(torch.full_like(similarity, value))) for value in _CONSTANTS.tolist())
