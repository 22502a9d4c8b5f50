"""Concept-balanced batches: a few concepts, the same number of items of each (BioCoM, KRISSBERT, SapBERT)."""

from collections.abc import Sequence

import numpy as np

from .epochs import epoch_batch, generator


def items_by_concept(labels: Sequence, lone: bool = False) -> list[np.ndarray]:
    """Indices of the items of each concept, int64, concepts in the order of their labels.

    ``labels`` (items,) is the concept of each item. Concepts with a single item have no positive pair and
    are left out unless ``lone``. Raises ValueError when no concept is left.
    """
    distinct, concept = np.unique(np.asarray(labels), return_inverse=True)
    grouped = np.split(np.argsort(concept, kind="stable"), np.bincount(concept).cumsum()[:-1])
    kept = [items for items in grouped if len(items) > (0 if lone else 1)] if len(distinct) else []
    if not kept:
        wanted = "an item" if lone else "a concept of two items or more"
        raise ValueError(f"expected {wanted}, found {len(distinct)} concepts of {len(concept)} items")
    return kept


def pair_batch(
    items: Sequence[np.ndarray], seed: int, step: int, concepts: int = 16, each: int = 2
) -> np.ndarray:
    """Indices of items, int64 (concepts, each): a row is a concept, all rows of a batch are different ones.

    ``items`` comes from :func:`items_by_concept`. A row draws without replacement; a concept of fewer
    items repeats them. The defaults are BioCoM's 16 concepts × 2 sentences (appendix C; KRISSBERT's
    section 3.2 has N × 2 as well). Where the papers draw concepts anew for each batch, here every concept
    is visited once an epoch. Raises ValueError for sizes below 1.
    """
    if each < 1:
        raise ValueError(f"each: expected at least 1 item of a concept, found {each}")
    rng = generator("pairs", seed, step)
    rows = [items[concept] for concept in epoch_batch(len(items), concepts, seed, step)]
    return np.stack([np.resize(rng.choice(row, min(each, len(row)), replace=False), each) for row in rows])
