"""Epochs without state: which of n items are visited at a step, and the random numbers of that step."""

from functools import lru_cache

import numpy as np


def generator(purpose: str, seed: int, *position: int) -> np.random.Generator:
    """The random numbers for one purpose at one position (step; or step and item) of a training.

    Raises ValueError for a negative seed or position.
    """
    # The purpose stands last because numpy takes [seed, step] and [seed, step, 0] for the same seed.
    return np.random.default_rng([seed, *position, *purpose.encode()])


def batches_per_epoch(n: int, size: int) -> int:
    """ceil(n / size): batches of at most ``size`` that visit each of ``n`` items once."""
    if n < 1 or size < 1:
        raise ValueError(f"expected at least 1 item and batches of at least 1, found {n} and {size}")
    return -(-n // size)


def epoch_batch(n: int, size: int, seed: int, step: int) -> np.ndarray:
    """The items, int64 (at most ``size``,) from 0 to n - 1, of the batch at ``step``.

    Every epoch shuffles anew and visits each item once. Its batches are of equal size or differ by one,
    rather than the last being a remainder: a remainder of one concept would have no negatives.
    Raises ValueError for no item, no room or a negative seed or step.
    """
    batches = batches_per_epoch(n, size)
    epoch, place = divmod(step, batches)
    return _order(n, seed, epoch)[place * n // batches : (place + 1) * n // batches]


@lru_cache(maxsize=4)  # a hundred thousand entities take longer to shuffle than a batch to draw
def _order(n: int, seed: int, epoch: int) -> np.ndarray:
    order = generator("order", seed, epoch).permutation(n)
    order.flags.writeable = False
    return order
