"""What a mention is compared with at each step: by plain loops over a made-up ranking."""

import numpy as np
import pytest

from study.systems.pools import NegativeSampler

GOLD = np.array([0, 1, 2, 0, 5, 7, 9, 3])  # of eight mentions, one an input
TEXT = np.array([0, 1, 0, 3, 4, 5, 6, 7, 8, 5, *range(20, 50)])  # entities 0 and 2, 5 and 9 have one text


def nearest(inputs, depth):
    """Each mention's gold first, then the entities from its own number on, in a circle."""
    return np.stack([np.roll(np.arange(len(TEXT)), -int(GOLD[i]))[:depth] for i in inputs])


def pools(**settings):
    fixed = {"batch": 4, "steps": 6, "negatives": "random", "n_negatives": 6, "mine_every": 3, "seed": 1}
    return NegativeSampler(GOLD, np.ones(len(GOLD), dtype=int), TEXT, nearest, **fixed | settings)


@pytest.mark.parametrize("negatives", ["random", "mixed"])
@pytest.mark.parametrize("settings", [{"in_batch": True}, {"own_hard": 3}])
def test_golds_of_the_batch_and_hard_negatives_of_ones_own_by_a_loop(negatives, settings):
    plain, sampler = pools(negatives=negatives), pools(negatives=negatives, **settings)
    for step in range(6):
        without, pool = plain.at(step), sampler.at(step)
        golds = GOLD[pool.inputs]
        assert pool.entities[pool.gold].tolist() == golds.tolist()
        assert len(set(pool.entities)) == len(pool.entities)
        # The pool that all share is the same with and without what a mention has of its own.
        assert without.negative is None and without.n_golds == pool.n_golds
        assert pool.entities[: len(without.entities)].tolist() == without.entities.tolist()
        shared = set(without.entities[without.n_golds :].tolist())
        for gold, row in zip(golds.tolist(), pool.negative.numpy(), strict=True):
            # Of another text: no encoder could tell them apart.
            own = [int(other) for other in golds if TEXT[other] != TEXT[gold]]
            if "own_hard" in settings:
                circle = [(gold + i) % len(TEXT) for i in range(len(TEXT))]
                own = [entity for entity in circle if TEXT[entity] != TEXT[gold]][:3]
            assert set(pool.entities[row].tolist()) == shared | set(own)


def test_the_ranking_is_made_where_it_is_needed():
    for settings, needed in (({}, False), ({"own_hard": 2}, True), ({"negatives": "mixed"}, True)):
        sampler = pools(**settings)
        assert sampler.at(0) and ("ranking" in sampler.carried) == needed
    with pytest.raises(ValueError, match="expected 40 concepts of another text than a gold's, found 3[89]"):
        pools(own_hard=40).at(0)
