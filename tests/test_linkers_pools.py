"""What a mention is compared with at each step: by plain loops over a made-up ranking."""

import numpy as np
import pytest

from study.systems.pools import NegativeSampler

GOLD = np.array([0, 1, 2, 0, 5, 7, 9, 3])  # of eight mentions, one an input
TEXT = np.array([0, 1, 0, 3, 4, 5, 6, 7, 8, 5, *range(20, 50)])  # entities 0 and 2, 5 and 9 have one text


def nearest(inputs, depth):
    """Each mention's gold first, then the entities from its own number on, in a circle."""
    rows = [np.roll(np.arange(len(TEXT)), -int(GOLD[i]))[:depth] for i in inputs]
    return np.stack(rows)


def pools(**settings):
    fixed = {"batch": 4, "steps": 6, "negatives": "random", "n_negatives": 6, "mine_every": 3, "seed": 1}
    return NegativeSampler(GOLD, np.ones(len(GOLD), dtype=int), TEXT, nearest, **fixed | settings)


def at(drawn, step):
    """The pool of a step, as in a training: the ranking of the last mining is there."""
    return [drawn.at(number) for number in range(step + 1)][-1]


def compared(pool):
    """For each mention of a step: its gold and the set of its negatives, and the pool that all share."""
    golds = GOLD[pool.inputs]
    assert pool.entities[pool.gold].tolist() == golds.tolist()
    assert len(set(pool.entities)) == len(pool.entities)
    rows = [set(pool.entities[row].tolist()) for row in pool.negative.numpy()]
    return golds, rows, set(pool.entities[pool.n_golds : pool.n_golds + 6].tolist())


@pytest.mark.parametrize("negatives", ["random", "mixed"])
@pytest.mark.parametrize("step", range(6))
def test_golds_of_the_batch_are_negatives_unless_they_read_alike(negatives, step):
    golds, rows, shared = compared(at(pools(in_batch=True, negatives=negatives), step))
    for gold, row in zip(golds, rows, strict=True):
        others = {int(other) for other in golds if TEXT[other] != TEXT[gold]}
        assert row == shared | others
        assert not any(TEXT[one] == TEXT[gold] for one in row)


def test_a_pool_is_the_same_with_and_without_the_golds_of_the_batch():
    for step in range(3):
        plain, both = (at(pools(negatives="mixed", in_batch=golds), step) for golds in (False, True))
        assert plain.negative is None
        assert plain.entities.tolist() == both.entities.tolist() and plain.n_golds == both.n_golds


def test_hard_negatives_of_ones_own_are_the_best_ranked_and_of_no_other_mention():
    for step in range(4):
        pool = at(pools(own_hard=3), step)
        golds, rows, shared = compared(pool)
        for gold, row in zip(golds, rows, strict=True):
            circle = [(int(gold) + i) % len(TEXT) for i in range(len(TEXT))]
            own = [entity for entity in circle if TEXT[entity] != TEXT[gold]][:3]
            assert row == shared | set(own)


def test_the_ranking_is_made_where_it_is_needed():
    assert "ranking" not in (drawn := pools()).carried and drawn.at(0) and not drawn.carried
    for settings in ({"own_hard": 2}, {"negatives": "mixed"}):
        drawn = pools(**settings)
        drawn.at(0)
        assert "ranking" in drawn.carried


def test_more_hard_negatives_than_there_are_concepts_are_refused():
    with pytest.raises(ValueError, match="expected 40 concepts of another text than a gold's, found 3[89]"):
        pools(own_hard=40).at(0)
