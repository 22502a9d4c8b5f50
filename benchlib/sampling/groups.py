"""Anchored contrastive groups (CoSiNES, section 3.3.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .epochs import epoch_batch, generator


def group_batch(
    anchors: Sequence[int],
    mentions: Sequence[Sequence[int]],
    seed: int,
    step: int,
    groups: int = 16,
    size: int = 10,
) -> np.ndarray:
    """Indices of items, int64 (groups, size): a row is the group of an entity, each row another entity.

    ``anchors`` (entities,) is the item of each entity's canonical name, the first of its group;
    ``mentions`` (entities, any number) are its further items, drawn without replacement. The defaults make
    the paper's batch of 160 strings (section 5). How it fills the group of an entity with fewer it does not
    say: here the members repeat in turn, anchor included, and an entity without further mentions is its
    anchor throughout, of use as a negative only. An epoch visits each entity once.
    Raises ValueError for lists of different lengths, no entity, no group, or groups of one.
    """
    if len(anchors) != len(mentions):
        raise ValueError(f"expected mentions for every anchor, found {len(mentions)} for {len(anchors)}")
    if size < 2:
        raise ValueError(f"size: expected an anchor and at least 1 mention, found {size}")
    rng = generator("groups", seed, step)
    rows = []
    for entity in epoch_batch(len(anchors), groups, seed, step):
        further = np.asarray(mentions[entity], dtype=np.int64)
        drawn = rng.choice(further, min(size - 1, len(further)), replace=False) if len(further) else further
        rows.append(np.resize(np.append(anchors[entity], drawn), size))
    return np.stack(rows)
