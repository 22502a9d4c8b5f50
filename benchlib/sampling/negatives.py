"""Random, hard and mixed-p % negatives (PEL, section 5.3.1; dual encoder, section 3.2)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from .epochs import generator


@dataclass(frozen=True)
class Mining:
    """When the candidates are ranked anew with the current encoder: before step 0 and ``every`` steps.

    Once an epoch is ``Mining(batches_per_epoch(n, size))``. Raises ValueError for less than every step.
    """

    every: int

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every: expected a number of steps from 1 on, found {self.every}")

    def due(self, step: int) -> bool:
        return step % self.every == 0


def negatives(
    gold: Sequence[Collection[int]],
    ranking: np.ndarray | None,
    n_concepts: int,
    n: int,
    hard_percent: float,
    seed: int,
    step: int,
) -> np.ndarray:
    """Negative concepts of each mention of a batch, int64 (mentions, n), hard ones first, none twice.

    ``gold`` (mentions,) are the concepts that are right, never drawn; empty for NIL. ``ranking``
    (mentions, k) are the concepts nearest to each mention, best first, repeats allowed; None will do for
    ``hard_percent`` 0. Of the ``n``, ``hard_percent`` % are the best ranked that are not gold, the others
    uniform among the remaining concepts 0 to n_concepts - 1. PEL's mixed-50% is ``n=32`` or ``64`` with
    ``hard_percent=50``; the dual encoder's 10 hard and 10 random are ``n=20`` with 50. There a hard
    negative must also outrank the gold, here not: each mention gets its full number.

    Raises ValueError when ``hard_percent`` of ``n`` is no whole number, a ranking is too short or names an
    unknown concept, or the concepts are too few.
    """
    n_hard = round(n * hard_percent / 100)
    if not 0 <= hard_percent <= 100 or n < 1 or abs(n_hard - n * hard_percent / 100) > 1e-9:
        raise ValueError(
            f"expected a share that is a whole number of negatives, found {hard_percent} % of {n}"
        )
    if n_hard and (ranking is None or len(ranking) != len(gold)):
        found = "none" if ranking is None else len(ranking)
        raise ValueError(f"expected a ranking for each of {len(gold)} mentions, found {found}")
    rng = generator("negatives", seed, step)
    drawn = np.empty((len(gold), n), dtype=np.int64)
    for row, right in enumerate(gold):
        own = {int(concept) for concept in right}
        hard = [c for c in dict.fromkeys(ranking[row].tolist()) if c not in own][:n_hard] if n_hard else []
        taken = np.array(sorted(own.union(hard)), dtype=np.int64)
        if len(hard) < n_hard:
            raise ValueError(f"mention {row}: expected {n_hard} ranked that are not gold, found {len(hard)}")
        if len(taken) and not 0 <= taken[0] <= taken[-1] < n_concepts:
            raise ValueError(
                f"mention {row}: expected concepts 0 to {n_concepts - 1}, found {taken.tolist()}"
            )
        if n_concepts - len(taken) < n - n_hard:
            raise ValueError(f"mention {row}: expected {n} concepts that are not gold among {n_concepts}")
        others = rng.choice(n_concepts - len(taken), n - n_hard, replace=False)
        for concept in taken:  # numbers among the concepts left over -> numbers among all
            others += others >= concept
        drawn[row] = [*hard, *others]
    return drawn


def shared_negatives(
    gold: Sequence[Collection[int]],
    ranking: np.ndarray | None,
    n_concepts: int,
    n: int,
    hard_percent: float,
    seed: int,
    step: int,
) -> np.ndarray:
    """One pool of negative concepts for all mentions of a batch, int64 (n,), hard ones first, none twice.

    As :func:`negatives`, but none is gold of any mention of the batch: each mention has all ``n``, and the
    random ones are random, which golds of other mentions, being frequent, are not. The hard ones are taken in
    turn, the best of each mention, then the second of each. The papers draw ``n`` for each mention; here one
    encoding of an entity serves the batch. A ranking of as many concepts as there are hard negatives and
    golds of the batch is long enough. Raises ValueError as :func:`negatives`, its mention 0 being the batch.
    """
    golds = {int(concept) for own in gold for concept in own}
    in_turn = None if ranking is None else ranking.T.reshape(1, -1)
    return negatives([golds], in_turn, n_concepts, n, hard_percent, seed, step)[0]
