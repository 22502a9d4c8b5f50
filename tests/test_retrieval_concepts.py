"""From vectors to concepts: the best vector, the majority of neighbours, and prototypes, by loops."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from study.systems.krissbert.prototypes import prototype_keys
from study.systems.linked_text import sample_prototypes
from study.systems.ranking import best_per_concept, by_votes

# Eight vectors of four concepts, hit lists over them with absent hits, few scores so that they tie.
CONCEPTS = np.array([3, 0, 0, 2, 3, 2, 2, 0])


@st.composite
def hits(draw) -> tuple[np.ndarray, np.ndarray]:
    n, width = draw(st.integers(1, 5)), draw(st.integers(1, 8))
    rows = [draw(st.permutations([0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1]))[:width] for _ in range(n)]
    score = st.lists(st.sampled_from([-0.5, 0.0, 0.25, 0.75]), min_size=width, max_size=width)
    return np.array(rows), np.array([draw(score) for _ in range(n)], dtype=np.float32)


@given(hits(), st.integers(1, 9))
def test_the_best_score_per_concept_by_a_loop(found, k):
    index, scores = found
    concept, best = best_per_concept(index, scores, CONCEPTS, k)
    assert concept.shape == best.shape == (len(index), min(k, index.shape[1]))
    for row in range(len(index)):
        maxima: dict[int, float] = {}
        place: dict[int, int] = {}
        order = sorted(range(index.shape[1]), key=lambda j: -scores[row, j])
        for rank, j in enumerate(j for j in order if index[row, j] >= 0):
            c = int(CONCEPTS[index[row, j]])
            maxima[c] = max(maxima.get(c, -9), float(scores[row, j]))
            place.setdefault(c, rank)
        expected = sorted(maxima, key=lambda c: (-maxima[c], place[c]))[:k]
        filled = len(expected)
        assert concept[row].tolist() == expected + [-1] * (concept.shape[1] - filled)
        assert best[row, :filled].tolist() == [maxima[c] for c in expected]
        assert np.isneginf(best[row, filled:]).all()


@given(hits(), st.integers(1, 9), st.integers(1, 9))
def test_the_vote_of_neighbours_by_a_loop(found, neighbours, k):
    index, scores = found
    scores = -np.sort(-scores, axis=1)
    concept, score = by_votes(index, scores, CONCEPTS, neighbours, k)
    assert concept.shape == score.shape == (len(index), min(k, index.shape[1]))
    for row in range(len(index)):
        labels = [int(CONCEPTS[i]) if i >= 0 else None for i in index[row]]
        # Counter keeps first-seen order, and most_common is stable: equal votes go to the nearer.
        votes = Counter(label for label in labels[:neighbours] if label is not None)
        expected = [label for label, _ in votes.most_common()]
        expected += [label for label in dict.fromkeys(labels) if label is not None and label not in votes]
        expected = expected[:k]
        filled = len(expected)
        assert concept[row].tolist() == expected + [-1] * (concept.shape[1] - filled)
        nearest = [float(scores[row, labels.index(label)]) for label in expected]
        assert score[row, :filled].tolist() == [
            votes[label] + (1 + cosine) / 4 for label, cosine in zip(expected, nearest, strict=True)
        ]
        assert np.isneginf(score[row, filled:]).all()


def test_no_query_and_no_vector_have_no_concepts():
    nothing, none = np.empty((0, 3), dtype=int), np.full((2, 3), -1)
    for index in (nothing, none):
        concept, best = best_per_concept(index, np.zeros(index.shape), CONCEPTS[: len(index)], 2)
        assert concept.shape == (len(index), 2) and (concept == -1).all() and np.isneginf(best).all()
        concept, score = by_votes(index, np.zeros(index.shape), CONCEPTS[: len(index)], 15, 2)
        assert concept.shape == (len(index), 2) and (concept == -1).all() and np.isneginf(score).all()


@given(st.lists(st.integers(0, 5), max_size=60), st.integers(1, 4), st.integers(0, 3))
def test_at_most_m_prototypes_of_each_concept(concepts, m, seed):
    concepts = np.array(concepts, dtype=int)
    chosen = sample_prototypes(concepts, m, seed)
    assert chosen.tolist() == sorted(set(chosen.tolist()))
    expected = {c: min(m, n) for c, n in Counter(concepts.tolist()).items()}
    assert Counter(concepts[chosen].tolist()) == expected
    assert (sample_prototypes(concepts, m, seed) == chosen).all()


def test_every_mention_is_as_likely_a_prototype():
    concepts = np.array([0] * 6 + [1] * 2)
    drawn = Counter(i for seed in range(3000) for i in sample_prototypes(concepts, 3, seed).tolist())
    # Half of six: 1,500 with a standard deviation of 27; both of two: always.
    assert all(abs(drawn[i] - 1500) < 150 for i in range(6)) and drawn[6] == drawn[7] == 3000


def test_a_key_scores_as_mention_and_reference_laid_end_to_end():
    rng = np.random.default_rng(1)
    prototypes, concepts = rng.normal(size=(40, 7)), rng.integers(0, 9, 40)
    references = rng.normal(size=(12, 7))
    references[[2, 9]] = 0  # concepts 9, 10 and 11 have no prototype; 9 has no reference either
    keys, owner = prototype_keys(prototypes, concepts, references)
    laid = [np.concatenate([references[c], p]) for c, p in zip(concepts, prototypes, strict=True)]
    laid += [np.concatenate([references[c], np.zeros(7)]) for c in (10, 11)]
    queries = rng.normal(size=(5, 7))
    twice = np.concatenate([queries, queries], axis=1)
    np.testing.assert_allclose(queries @ keys.T, twice @ np.stack(laid).T, atol=1e-5)
    assert owner.tolist() == [*concepts.tolist(), 10, 11] and keys.dtype == np.float32
    doubled, same = prototype_keys(prototypes, concepts, references, doubled=True)
    np.testing.assert_allclose(
        doubled, [*keys[:40], references[10] + references[10], 2 * references[11]], 1e-6
    )
    assert same.tolist() == owner.tolist()
    keys, owner = prototype_keys(np.ones((0, 7)), np.zeros(0, dtype=int), references[:2])
    assert keys.shape == (2, 7) and owner.tolist() == [0, 1]
