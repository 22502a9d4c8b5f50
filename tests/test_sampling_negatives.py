"""Random, hard and mixed negatives: never gold, none twice, exactly as many hard ones as asked."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchlib.sampling import shared_negatives


def drawn(gold, ranking, n_concepts, n, percent, seed=0, step=0) -> np.ndarray:
    return shared_negatives(gold, np.array(ranking), n_concepts, n, percent, seed, step)


def test_hard_negatives_by_hand():
    for gold, ranking, expected in (
        ({3}, [3, 5, 5, 1, 0], [5, 1]),
        ({1, 2}, [1, 4, 2, 4, 6], [4, 6]),
        (set(), [7, 8, 9, 7, 1], [7, 8]),
        ([9], [0, 1, 2, 3, 4], [0, 1]),
    ):
        pool = drawn(gold, [ranking], 10, 2, 100)
        assert pool.tolist() == expected and pool.dtype == np.int64
        assert drawn(gold, [ranking], 10, 4, 50)[:2].tolist() == expected


@st.composite
def cases(draw):
    n_concepts = draw(st.integers(12, 60))
    mentions = draw(st.integers(0, 6))
    gold = draw(st.sets(st.integers(0, n_concepts - 1), max_size=9))
    ranking = [draw(st.permutations(range(n_concepts))) for _ in range(mentions)]
    n = draw(st.integers(1, n_concepts - 9))
    n_hard = draw(st.integers(0, n)) if mentions else 0
    return gold, np.array(ranking).reshape(mentions, n_concepts), n_concepts, n, n_hard


@given(cases(), st.integers(0, 2**40), st.integers(0, 10**6))
def test_no_gold_none_twice_and_exactly_the_hard_ones(case, seed, step):
    gold, ranking, n_concepts, n, n_hard = case
    percent = 100 * n_hard / n
    pool = shared_negatives(gold, ranking, n_concepts, n, percent, seed, step)
    assert pool.shape == (n,) and len(set(pool.tolist())) == n
    assert set(pool.tolist()) <= set(range(n_concepts)) - gold
    wrong = []
    for place in range(n_concepts):
        for ranked in ranking.tolist():
            if ranked[place] not in {*gold, *wrong}:
                wrong.append(ranked[place])
    assert pool[:n_hard].tolist() == wrong[:n_hard]
    np.random.seed(1)
    assert (shared_negatives(gold, ranking, n_concepts, n, percent, seed, step) == pool).all()


def test_random_negatives_are_uniform_over_what_is_left():
    rows = np.stack([drawn({0, 4, 9}, [[4, 2]], 10, 3, 100 / 3, 5, step) for step in range(2000)])
    assert (rows[:, 0] == 2).all()
    times = Counter(rows[:, 1:].ravel().tolist())
    # 4,000 draws over 6 concepts: 667 each, sd 22.
    assert set(times) == {1, 3, 5, 6, 7, 8}
    assert all(abs(count - 4000 / 6) < 110 for count in times.values())


def test_random_negatives_need_no_ranking_and_change_with_the_step():
    draws = {tuple(shared_negatives({1}, None, 1000, 8, 0, s, step)) for s in (1, 2) for step in range(5)}
    assert len(draws) == 10


@pytest.mark.parametrize(
    ("gold", "ranking", "n_concepts", "n", "percent", "message"),
    [
        ({0}, [[1, 2]], 9, 3, 50, "whole number of negatives, found 50 % of 3"),
        ({0}, [[1, 2]], 9, 2, 150, "found 150 %"),
        ({0}, [[1, 2]], 9, 2, -50, "found -50 %"),
        ({0}, [[1, 2]], 9, 0, 50, "% of 0"),
        ({0}, None, 9, 2, 50, "a ranking for 1 hard negatives, found none"),
        ({0}, [[0, 1, 1]], 9, 2, 100, "expected 2 ranked that are not gold, found 1"),
        ({0}, [[0, -1]], 9, 1, 100, "concepts 0 to 8"),
        ({0}, [[9, 1]], 9, 1, 100, "concepts 0 to 8"),
        ({9}, None, 9, 1, 0, "concepts 0 to 8"),
        ({0, 1}, None, 5, 4, 0, "expected 4 concepts that are not gold among 5"),
    ],
)
def test_negatives_that_cannot_be_drawn_are_an_error(gold, ranking, n_concepts, n, percent, message):
    ranking = None if ranking is None else np.array(ranking)
    with pytest.raises(ValueError, match=message):
        shared_negatives(gold, ranking, n_concepts, n, percent, 0, 0)
