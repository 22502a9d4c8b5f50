"""A name split over rows, one for each of its concepts, scores as the one row it stands for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_scoring import ONTOLOGY, corpus_of, names_of

from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import PROTOCOLS, Scoring, by_preset, outcomes, recall, strata

QUERY = Query("d0", 0, 4)


def listed(*rows) -> Predictions:
    """One list of (name, ids, score)."""
    candidates = list(dict.fromkeys(Candidate(name, tuple(ids)) for name, ids, _ in rows))
    index = [[candidates.index(Candidate(name, tuple(ids))) for name, ids, _ in rows]]
    return Predictions((QUERY,), tuple(candidates), index, [[score for *_, score in rows]])


def test_the_presets_over_names_see_one_name():
    """The gold is one of two owners of the best name: half right as two rows, right as one name."""
    split = listed(("cold", "A", 2), ("cold", "B", 2), ("flu", "C", 1))
    whole = listed(("cold", "AB", 2), ("flu", "C", 1))
    corpus = corpus_of(({"B"},))
    kinds = strata(corpus, ONTOLOGY, ())
    tables = [by_preset(outcomes(one, corpus, ONTOLOGY), kinds) for one in (split, whole)]
    assert tables[0] == tables[1]
    found = {(row["protocol"], row["measure"]): row["value"] for row in tables[0]}
    assert found["biosyn-sapbert", "recall@1"] == found["cosines", "recall@1"] == 1.0
    assert found["sapbert-unmerged", "recall@1"] == found["krissbert", "recall@1"] == 0.5


@settings(max_examples=150, deadline=None)
@given(names=names_of([0.5, 1.0, 2.0], 20, owners=3), gold=st.sampled_from("ABCD"))
def test_split_or_whole_every_protocol_says_the_same(names, gold):
    whole = listed(*((f"name {i}", ids, score) for i, (ids, score) in enumerate(names)))
    split = listed(*((f"Name {i}", id, score) for i, (ids, score) in enumerate(names) for id in ids))
    one, other = (outcomes(p, corpus_of(({gold},)), ONTOLOGY) for p in (whole, split))
    assert np.array_equal(one.n_better, other.n_better) and np.array_equal(one.n_tied, other.n_tied)
    assert np.array_equal(one.n_tied_gold, other.n_tied_gold)


@pytest.mark.parametrize(
    ("rows", "at_1"),
    [
        ([("cold ", "BA", 2), ("Cold", "A", 2)], 1.0),
        ([("cold", "A", 2), ("cold", "B", 1)], 0.0),
        ([("", "A", 2), ("", "B", 2)], 0.5),
        ([("COLD", "A", 2), ("cold", "A", 2), ("flu", "B", 2)], 0.5),
    ],
    ids=["one name", "one name at two scores", "no name", "two names"],
)
def test_rows_are_one_where_they_have_one_name_and_one_score(rows, at_1):
    predictions = listed(*rows)
    before = predictions.frame()
    found = outcomes(predictions, corpus_of(({"B"},)), ONTOLOGY)
    assert predictions.frame().equals(before)
    assert [recall(found, k, Scoring("lenient", "names"))[0] for k in (1, 2)] == [at_1, 1.0]


def test_candidates_that_no_list_has_change_nothing():
    """A candidate that stands twice in a list is one row, whether or not other candidates share a name."""
    twice = (QUERY,), [[0, 0, 1]], [[2, 2, 1]]
    few = Candidate("b", ("B",)), Candidate("c", ("C",))
    more = (*few, Candidate("x", ("X",)), Candidate("X", ("Y",)))
    for candidates in (few, more):
        predictions = Predictions(twice[0], candidates, *twice[1:])
        found = outcomes(predictions, corpus_of(({"C"},)), ONTOLOGY)
        assert [recall(found, k, Scoring("lenient", "names"))[0] for k in (1, 2)] == [0.0, 1.0]


@pytest.mark.parametrize(("add", "times"), [(1.3e8, 1.0), (0.0, 1e-6), (-1e7, 1e3)])
def test_scores_moved_or_stretched_change_nothing(add, times):
    """Scores that differ in the third decimal: neither an offset that single precision rounds away nor a
    factor that four decimals do makes ties."""
    rng = np.random.default_rng(0)
    n, k = 50, 8
    golds = [({"ABCD"[i % 4]},) if i % 5 else () for i in range(n)]
    queries = tuple(Query(f"d{i}", 0, 4) for i in range(n))
    candidates = tuple(Candidate(f"n{j}", (id,)) for j, id in enumerate("ABCD"))
    scores = rng.permutation(n * k).reshape(n, k) / 1000
    index = rng.integers(0, 4, (n, k))
    plain, moved = (
        outcomes(Predictions(queries, candidates, index, one), corpus_of(*golds), ONTOLOGY)
        for one in (scores, scores * times + add)
    )
    for scoring in PROTOCOLS:
        assert np.array_equal(recall(plain, 1, scoring), recall(moved, 1, scoring))
    order = [np.argsort(one.top_scores).tolist() for one in (plain, moved)]
    assert order[0] == order[1] and len(set(moved.top_scores)) == len(set(plain.top_scores)) == n
