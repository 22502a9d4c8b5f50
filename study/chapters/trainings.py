"""How trainings go, as numbers: how steady their dev scores are, and how much their gradient norms vary."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from benchlib.scoring import Estimate

from ..records import Record
from .results import SystemResult
from .training_states import at_the_end

WARM_UP = 0.25  # of the updates: there the learning rate rises (PEL, table 6)


def steadiness(runs: SystemResult) -> np.ndarray:
    """Seeds × folds: the standard deviation of the dev score in the second half of a training divided by that
    in the first."""

    def ratio(record: Record) -> float:
        scores = np.array([row["dev_score"] for row in record.trace if row["dev_score"] is not None])
        early, late = scores[: len(scores) // 2], scores[len(scores) // 2 :]
        return late.std(ddof=1) / early.std(ddof=1)

    return _each(runs, ratio)


def norms(record: Record, after: float = 0.0) -> pd.Series:
    """The l2 norms of the gradient before clipping, by update, of those after a share of the training.

    A trace has every update up to 500 of them, of longer trainings an even sample. Raises ValueError for a
    record without a training, or with fewer than two updates there.
    """
    found = pd.Series({row["step"]: row["gradient_norm"] for row in record.trace}, dtype=float)
    found = found[found.index > after * found.index.max()] if len(found) else found
    if len(found) < 2:
        raise ValueError(f"expected a training of several updates, found {len(found)} gradient norms")
    return found


def variation(runs: SystemResult, after: float = WARM_UP, clip: float = math.inf) -> np.ndarray:
    """Seeds × folds: the coefficient of variation of the gradient norms of a training, which is free of the
    scale of its loss: standard deviation divided by mean, of norms as they are after clipping at ``clip``.

    Taken after the warm-up unless ``after`` says otherwise: before, the weights hardly move and every loss
    falls from where the pretrained encoder happens to put it. What is left has the trend of a norm in it as
    well as its scatter.
    """

    def of(record: Record) -> float:
        clipped = norms(record, after).clip(upper=clip)
        return clipped.std() / clipped.mean()

    return _each(runs, of)


def log_deviation(runs: SystemResult, after: float = WARM_UP) -> np.ndarray:
    """Seeds × folds: the standard deviation of the natural logarithm of the gradient norms, which a few large
    norms move less than they do :func:`variation`."""
    return _each(runs, lambda record: np.log(norms(record, after)).std())


def clipped_share(runs: SystemResult, clip: float) -> float:
    """The share of updates after the warm-up whose gradient norm is above ``clip``, over all trainings."""
    return float(_each(runs, lambda record: (norms(record, WARM_UP) > clip).mean()).mean())


def final_loss(record: Record) -> float:
    """The loss of the last tenth of a training divided by its chance loss, that of the same batches with all
    similarities equal; both are means over updates. A ranker whose loss is half of that, ln(candidates), has
    learned.

    Raises ValueError for a trace without a chance loss, as those of older records.
    """
    loss, chance = at_the_end(record, "loss"), at_the_end(record, "chance_loss")
    if math.isnan(chance):
        raise ValueError(f"{record.inputs['name']}: expected a trace with the chance loss of each update")
    return loss / chance


class TooFew(ValueError):
    """A single value, which has no spread, as on dev, where states have one seed."""


def ratio(first: np.ndarray, second: np.ndarray) -> Estimate:
    """The geometric mean of ``first`` divided by ``second``, training by training or round by round (seeds ×
    folds or rounds, above 0); ``seeds`` are those of the seeds, ``n`` counts the ratios.

    The 95 % interval is Student's t of the logarithms: they are too few to resample. Raises TooFew for a
    single one, ValueError for other shapes on either side.
    """
    told = f"expected two or more values of each, found {first.shape} and {second.shape}"
    if first.shape != second.shape:
        raise ValueError(told)
    if first.size < 2:
        raise TooFew(told)
    logs = np.log(first / second)
    reach = stdtrit(logs.size - 1, 0.975) * logs.std(ddof=1) / math.sqrt(logs.size)
    value, low, high = (math.exp(logs.mean() + by) for by in (0, -reach, reach))
    return Estimate(value, low, high, logs.size, tuple(np.exp(logs.mean(axis=1)).tolist()))


def _each(runs: SystemResult, of: Callable[[Record], float]) -> np.ndarray:
    return np.array([[of(record) for record in of_seed] for of_seed in runs.records])
