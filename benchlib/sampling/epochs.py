"""Epochs without state: which items, or pairs of items, a step visits, and its random numbers."""

from collections.abc import Sequence
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
    rather than the last being a remainder: one concept alone has no negatives (``size`` 2 with an odd n still
    has such a batch).
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


def items_by_concept(labels: Sequence) -> list[np.ndarray]:
    """Indices of the items of each concept, int64, concepts in the order of their labels.

    ``labels`` (items,) is the concept of each item. Concepts with a single item have no positive pair and
    are left out. Raises ValueError when no concept is left.
    """
    distinct, concept = np.unique(np.asarray(labels), return_inverse=True)
    grouped = np.split(np.argsort(concept, kind="stable"), np.bincount(concept).cumsum()[:-1])
    kept = [items for items in grouped if len(items) > 1]
    if not kept:
        counts = f"{len(distinct)} concepts of {len(concept)} items"
        raise ValueError(f"expected a concept of two items or more, found {counts}")
    return kept


def pair_batch(items: Sequence[np.ndarray], seed: int, step: int, concepts: int = 16) -> np.ndarray:
    """Indices of items, int64 (at most concepts, 2): a row is two items of a concept, each row of another.

    ``items`` comes from :func:`items_by_concept`. The default is BioCoM's 16 concepts × 2 sentences
    (appendix C; KRISSBERT's section 3.2 has N × 2 as well). Where the papers draw concepts anew for each
    batch, here every concept is visited once an epoch. Raises ValueError for less than one concept.
    """
    rng = generator("pairs", seed, step)
    rows = [items[concept] for concept in epoch_batch(len(items), concepts, seed, step)]
    return np.stack([rng.choice(row, 2, replace=False) for row in rows])
