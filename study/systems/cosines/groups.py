"""Anchored contrastive groups (CoSiNES, section 3.3.3)."""

from collections.abc import Sequence

import numpy as np

from benchlib.sampling.epochs import batches_per_epoch, epoch_batch, generator


class AnchoredGroups:
    """The groups that one epoch visits: of each entity, as many as its mentions fill beside its anchor.

    ``anchors`` (entities,) is the item of each entity's canonical name, the first of each of its groups;
    ``mentions`` (entities, any number) are its further items. An epoch deals these out anew, every one to
    one group, in parts as equal as may be; an entity with at most ``size`` - 1 of them has one group. With
    groups of 10 the distinct strings of ESAppMod's 4,525 training mentions make 852 groups, 54 batches of 16.

    The paper does not say what becomes of a group that is short. It is ``filled`` by its members in turn,
    anchor included; that of an entity without further mentions is its anchor ``size`` times, pairs without a
    distance between them. Without this it stays short as in the released script, where every group but the
    last of an entity has ``size`` - 1 mentions, and an entity without any has no group. ``size`` is at least
    2.
    """

    def __init__(
        self, anchors: Sequence[int], mentions: Sequence[Sequence[int]], size: int = 10, filled: bool = True
    ) -> None:
        self.anchors, self.mentions, self.size, self.filled = anchors, mentions, size, filled
        self._parts = [max(int(filled), -(-len(items) // (size - 1))) for items in mentions]
        self._groups = [(entity, part) for entity, n in enumerate(self._parts) for part in range(n)]

    def __len__(self) -> int:
        """Groups of an epoch."""
        return len(self._groups)

    def batches(self, groups: int = 16) -> int:
        """Batches of an epoch."""
        return batches_per_epoch(len(self), groups)

    def batch(self, seed: int, step: int, groups: int = 16) -> np.ndarray:
        """Indices of items, int64 (at most ``groups``, size): a row is a group, its anchor in front, -1 in
        the places that a short one leaves.

        The default makes the paper's batch of 160 strings (section 5). Two groups of one entity may meet
        in a batch. Raises ValueError for no group, a negative seed or step.
        """
        epoch = step // self.batches(groups)
        return np.stack(
            [self._group(*self._groups[i], seed, epoch) for i in epoch_batch(len(self), groups, seed, step)]
        )

    def _group(self, entity: int, part: int, seed: int, epoch: int) -> np.ndarray:
        items = np.asarray(self.mentions[entity], dtype=np.int64)
        order = generator("groups", seed, epoch, entity).permutation(items)
        if self.filled:
            drawn = np.array_split(order, self._parts[entity])[part]
            return np.resize(np.append(self.anchors[entity], drawn), self.size)
        group, own = np.full(self.size, -1), self.size - 1
        drawn = order[part * own :][:own]
        group[: 1 + len(drawn)] = [self.anchors[entity], *drawn]
        return group
