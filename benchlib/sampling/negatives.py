"""Random, hard and mixed-p % negatives (PEL, section 5.3.1; dual encoder, section 3.2)."""

from collections.abc import Collection

import numpy as np

from .epochs import generator


def shared_negatives(
    gold: Collection[int],
    ranking: np.ndarray | None,
    n_concepts: int,
    n: int,
    hard_percent: float,
    seed: int,
    step: int,
) -> np.ndarray:
    """One pool of negative concepts for all mentions of a batch, int64 (n,), hard ones first, none twice.

    ``gold`` are the concepts that are right for any mention of the batch, never drawn: each mention has all
    ``n``, and the random ones are random, which golds of other mentions, being frequent, are not. ``ranking``
    (mentions, k) are the concepts nearest to each mention, best first, repeats allowed; None will do for
    ``hard_percent`` 0. Of the ``n``, ``hard_percent`` % are the best ranked that are not gold, taken in turn,
    the best of each mention, then the second of each; the others are uniform among the remaining concepts 0
    to n_concepts - 1. A ranking of as many concepts as there are hard negatives and golds is long enough.

    The papers draw ``n`` for each mention; here one encoding of an entity serves the batch. PEL's mixed-50%
    is ``n=32`` or ``64`` with ``hard_percent=50``; the dual encoder's 10 hard and 10 random are ``n=20`` with
    50. There a hard negative must also outrank the gold, here not: there are as many as asked for.

    Raises ValueError when ``hard_percent`` of ``n`` is no whole number, the ranking is missing or too short
    or names an unknown concept, or the concepts are too few.
    """
    n_hard = round(n * hard_percent / 100)
    if not 0 <= hard_percent <= 100 or n < 1 or abs(n_hard - n * hard_percent / 100) > 1e-9:
        raise ValueError(f"expected a whole number of negatives, found {hard_percent} % of {n}")
    if n_hard and ranking is None:
        raise ValueError(f"expected a ranking for {n_hard} hard negatives, found none")
    own = {int(concept) for concept in gold}
    in_turn = dict.fromkeys(ranking.T.ravel().tolist()) if n_hard else ()
    hard = [concept for concept in in_turn if concept not in own][:n_hard]
    if len(hard) < n_hard:
        raise ValueError(f"expected {n_hard} ranked that are not gold, found {len(hard)}")
    taken = np.array(sorted(own.union(hard)), dtype=np.int64)
    if len(taken) and not 0 <= taken[0] <= taken[-1] < n_concepts:
        raise ValueError(f"expected concepts 0 to {n_concepts - 1}, found {taken.tolist()}")
    if n_concepts - len(taken) < n - n_hard:
        raise ValueError(f"expected {n} concepts that are not gold among {n_concepts}")
    rng = generator("negatives", seed, step)
    others = rng.choice(n_concepts - len(taken), n - n_hard, replace=False)
    for concept in taken:  # numbers among the concepts left over -> numbers among all
        others += others >= concept
    return np.array([*hard, *others], dtype=np.int64)
