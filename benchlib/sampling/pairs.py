"""Concept-balanced batches: a few concepts, two items of each (BioCoM, KRISSBERT, SapBERT)."""

from collections.abc import Sequence

import numpy as np

from .epochs import epoch_batch, generator


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
    """Indices of items, int64 (concepts, 2): a row is two items of a concept, rows are of different ones.

    ``items`` comes from :func:`items_by_concept`. The default is BioCoM's 16 concepts × 2 sentences
    (appendix C; KRISSBERT's section 3.2 has N × 2 as well). Where the papers draw concepts anew for each
    batch, here every concept is visited once an epoch. Raises ValueError for less than one concept.
    """
    rng = generator("pairs", seed, step)
    rows = [items[concept] for concept in epoch_batch(len(items), concepts, seed, step)]
    return np.stack([rng.choice(row, 2, replace=False) for row in rows])
