"""The pairs of a batch: what a training watches of them, and the sums over them that several losses share."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

_CONSTANTS = torch.linspace(-1, 1, 41)  # cosines; a cross-entropy of dot products is the same for all


def at_least_float32(values: Tensor) -> Tensor:
    """The same values in float32, or in float64 if they were."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


def label_masks(matrix: Tensor, labels: Tensor, column_labels: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Which entries of a matrix pair the same label (positive) and which different ones (negative).

    ``labels`` (rows,) and ``column_labels`` (columns,). Without ``column_labels`` the columns are the
    rows, and none is paired with itself. Two boolean masks of the matrix's shape.
    Raises ValueError when the shapes do not fit or the matrix is empty.
    """
    columns = labels if column_labels is None else column_labels
    if labels.ndim != 1 or columns.ndim != 1:
        actual = f"{tuple(labels.shape)} and {tuple(columns.shape)}"
        raise ValueError(f"expected one label per row and per column, found labels of shapes {actual}")
    expected = (len(labels), len(columns))
    if matrix.shape != expected or 0 in expected:
        actual = tuple(matrix.shape)
        raise ValueError(f"expected a matrix of labels × labels {expected}, not empty, found {actual}")
    same = labels.unsqueeze(1) == columns.unsqueeze(0)
    if column_labels is None:
        itself = torch.eye(len(labels), dtype=torch.bool, device=labels.device)
        return same & ~itself, ~same
    return same, ~same


def mean_cosines(cosine: Tensor, labels: Tensor) -> dict[str, float]:
    """The mean ``positive_cosine`` and ``negative_cosine`` of a batch, for a training to watch: ``cosine`` is
    rows × rows, ``labels`` (rows,); NaN without such a pair. Raises as :func:`label_masks`."""
    masks = zip(("positive", "negative"), label_masks(cosine, labels), strict=True)
    return {f"{pairs}_cosine": float(cosine.detach()[mask].mean()) for pairs, mask in masks}


def chance_loss(loss_of: Callable[[Tensor], Tensor], similarity: Tensor) -> float:
    """The least loss of a batch whose similarities are all equal, over constants from -1 to 1.

    ``loss_of`` gives the loss of a matrix like ``similarity``, of which shape, type and device alone are
    used; a loss of mined pairs mines them anew. A training that ends near this value has told no text from
    another: for a cross-entropy it is the logarithm of the number of candidates, for a loss with a threshold
    that of the best threshold.
    """
    with torch.no_grad():
        return min(float(loss_of(torch.full_like(similarity, value))) for value in _CONSTANTS.tolist())


def check_masks(matrix: Tensor, positive: Tensor, negative: Tensor) -> None:
    """Raises ValueError unless both masks are boolean, of the matrix's shape and without an overlap."""
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise ValueError(f"expected a matrix that is not empty, found shape {tuple(matrix.shape)}")
    for name, mask in (("positive", positive), ("negative", negative)):
        if mask.dtype != torch.bool or mask.shape != matrix.shape:
            actual = f"{mask.dtype} of {tuple(mask.shape)}"
            raise ValueError(f"{name}: expected a boolean mask of {tuple(matrix.shape)}, found {actual}")
    if both := int((positive & negative).sum()):
        raise ValueError(f"expected pairs that are positive or negative, found {both} that are both")


def log1p_sum_exp(values: Tensor, mask: Tensor) -> Tensor:
    """log(1 + Σ exp(values)) along the last dimension over the entries in ``mask``, 0 if there are none."""
    terms = values.masked_fill(~mask, -torch.inf)
    return functional.pad(terms, (1, 0)).logsumexp(-1)


def mean_over(values: Tensor, mask: Tensor) -> Tensor:
    """The mean of the values in ``mask``, 0 if there are none."""
    return values.where(mask, 0.0).sum() / mask.sum().clamp(min=1)
