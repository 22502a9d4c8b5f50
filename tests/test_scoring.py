"""Scoring against an oracle that enumerates every order of tied candidates by plain loops."""

from dataclasses import replace
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import (
    PRESETS,
    PROTOCOLS,
    Scoring,
    by_protocol,
    canonical_clusters,
    estimate,
    mrr,
    outcomes,
    recall,
)
from benchlib.scoring.coding import ALL, ANY, EACH, NIL

IDS = ("A", "B", "C", "D")
MATCHES = ("strict", "pessimistic", "lenient", "optimistic")
ONTOLOGY = Ontology("toy", [Concept(id, (id.lower(),)) for id in IDS])


def corpus_of(*golds: tuple[set[str], ...]) -> Corpus:
    """One document a mention, each with the gold parts given."""
    documents = [
        Document(f"d{i}", "word", (Mention(0, 4, "word", gold=Gold(tuple(map(frozenset, parts)))),))
        for i, parts in enumerate(golds)
    ]
    return Corpus("toy", tuple(documents))


def predictions_of(*lists: list[tuple[tuple[str, ...], float]]) -> Predictions:
    """For document i the names given, as (owners, score)."""
    candidates, index, scores = [], [], []
    width = max(map(len, lists))
    for one in lists:
        index.append([*range(len(candidates), len(candidates) + len(one)), *[-1] * (width - len(one))])
        scores.append([*(score for _, score in one), *[0.0] * (width - len(one))])
        candidates += [Candidate(f"name{len(candidates) + j}", owners) for j, (owners, _) in enumerate(one)]
    queries = tuple(Query(f"d{i}", 0, 4) for i in range(len(lists)))
    return Predictions(queries, tuple(candidates), np.array(index), np.array(scores, dtype=np.float32))


def orders(items: list, score) -> list[list]:
    """Every order of items that descends by score."""
    ranked = [[]]
    for value in sorted({score(item) for item in items}, reverse=True):
        tied = [item for item in items if score(item) == value]
        ranked = [before + list(after) for before in ranked for after in permutations(tied)]
    return ranked


def ranked(names, scoring: Scoring) -> list[list[tuple[set[str], float]]]:
    """All orders of what fills the places under a protocol; each place as the ids it stands for, and its
    score."""
    if scoring.over == "names" and scoring.match == "lenient":
        return orders([(set(owners), score) for owners, score in names], lambda name: name[1])
    rows = [(owner, score) for owners, score in names for owner in owners]
    if scoring.over == "concepts":
        rows = [(id, max(s for other, s in rows if other == id)) for id in dict.fromkeys(r[0] for r in rows)]
    return orders([({id}, score) for id, score in rows], lambda row: row[1])


def oracle(names, parts, scoring: Scoring, k: int | None = None) -> float:
    """Recall@k, and without k the reciprocal rank, from all orders."""
    gold = set().union(*parts)
    wanted = [gold] if scoring.gold == "any-of" else list(parts)

    def value(order) -> float:
        if k:
            return all(any(part & place for place, _ in order[:k]) for part in wanted)
        return next((1 / i for i, (place, _) in enumerate(order, start=1) if gold & place), 0.0)

    every = ranked(names, scoring)
    values = [float(value(order)) for order in every]
    if scoring.match == "pessimistic":
        return min(values)
    if scoring.match == "optimistic" or (scoring.match == "lenient" and scoring.over == "concepts"):
        return max(values)
    if scoring.match == "unique":
        best = max((score for place, score in every[0] if gold & place), default=None)
        return values[0] * (sum(score == best for _, score in every[0]) == 1)
    return sum(values) / len(values)


def ids(most: int) -> st.SearchStrategy:
    return st.lists(st.sampled_from(IDS), min_size=1, max_size=most, unique=True).map(tuple)


def names_of(scores, most: int, owners: int = 2) -> st.SearchStrategy:
    """Lists of names as (owners, score)."""
    return st.lists(st.tuples(ids(owners), st.sampled_from(scores)), min_size=1, max_size=most)


@settings(max_examples=150, deadline=None)
@given(names=names_of([0.25, 0.5, 1.0], 3), gold=ids(2))
def test_recall_and_mrr_equal_the_mean_over_all_orders_of_ties(names, gold):
    found = outcomes(predictions_of(names), corpus_of((set(gold),)), ONTOLOGY)
    for match, over, k in product((*MATCHES, "unique"), ("names", "concepts"), (1, 2, 3)):
        scoring = Scoring(match, over)
        assert recall(found, k, scoring)[0] == pytest.approx(oracle(names, [set(gold)], scoring, k))
        assert mrr(found, scoring)[0] == pytest.approx(oracle(names, [set(gold)], scoring))
    # A name a concept: all parts are wanted among the k.
    parts = ({"A"}, {"B"})
    alone = list({owners[0]: ((owners[0],), score) for owners, score in names}.values())
    found = outcomes(predictions_of(alone), corpus_of(parts), ONTOLOGY)
    for match, k in product(("strict", "pessimistic", "lenient"), (1, 2, 3)):
        scoring = Scoring(match, "concepts", "all-of")
        assert recall(found, k, scoring)[0] == pytest.approx(oracle(alone, parts, scoring, k))


@pytest.mark.parametrize(("names", "top"), [
    ([((), 1.0), (("A",), 1.0)], "A"),
    ([(("A",), 1.0), ((), 1.0)], "A"),
    ([((), 1.0), (("A",), 0.5)], ""),
])  # fmt: skip
def test_the_order_of_a_tie_does_not_decide_whether_the_answer_is_nil(names, top):
    given = predictions_of(names)
    unnamed = tuple(Candidate(one.name if one.ids else "", one.ids) for one in given.candidates)
    nil = replace(given, candidates=unnamed)
    assert outcomes(nil, corpus_of(({"A"},)), ONTOLOGY).top[0] == top


AB, AA = ({"A"}, {"B"}), ({"A"}, {"A"})


@pytest.mark.parametrize(
    ("names", "parts", "k", "scorings", "value"),
    [
        # Two synonyms take two places over names, and one over concepts.
        ([("A", 3), ("A", 2), ("B", 1)], ({"B"},), 2, [Scoring("strict", "names")], 0.0),
        ([("A", 3), ("A", 2), ("B", 1)], ({"B"},), 2, [Scoring("strict", "concepts")], 1.0),
        # Parts that mean the same concept are found together, and so are those of which one says more.
        ([("A", 1)], AA, 1, [Scoring(match, gold="all-of") for match in MATCHES], 1.0),
        ([("A", 1)], ({"A", "B"}, {"A"}), 1, [Scoring(m, "names", "all-of") for m in MATCHES], 1.0),
        ([("A", 1)], ({"A", "B"}, {"A"}), 1, [Scoring(m, "concepts", "all-of") for m in MATCHES], 1.0),
        # Either owner of the only name is a gold: the first place has one, and both take two.
        ([("AB", 1)], AB, 1, [Scoring(), Scoring("pessimistic"), Scoring("lenient", "names")], 1.0),
        ([("AB", 1)], AB, 1, [Scoring(gold="all-of")], 0.0),
        ([("AB", 1)], AB, 2, [Scoring(gold="all-of")], 1.0),
        ([], ({"A"},), 1, PROTOCOLS, 0.0),
    ],
)
def test_recall_by_hand(names, parts, k, scorings, value):
    given = predictions_of([(tuple(ids), score) for ids, score in names])
    found = outcomes(given, corpus_of(parts), ONTOLOGY)
    assert [recall(found, k, scoring).tolist() for scoring in scorings] == [[value]] * len(scorings)
    assert by_protocol(found) and (found.top[0] == "") == (not names)


def test_alternative_ids_meet_at_the_concept_and_one_prediction_serves_all_mentions_of_a_span():
    ontology = Ontology("toy", [Concept("D1", ("x",), alternatives=("OMIM:7",)), Concept("D2", ("y",))])
    corpus = corpus_of(({"OMIM:7"},), ({"D1"},), ({"OMIM:7"},))
    found = outcomes(predictions_of([(("D1",), 1)], [(("OMIM:7",), 1)], [(("D2",), 1)]), corpus, ontology)
    assert recall(found).tolist() == [1.0, 1.0, 0.0]
    mentions = tuple(Mention(0, 4, "word", gold=Gold((frozenset(id),))) for id in "AB")
    corpus = Corpus("toy", (Document("d0", "word", mentions),))
    assert recall(outcomes(predictions_of([(("A",), 1)]), corpus, ONTOLOGY)).tolist() == [1.0, 0.0]


def test_counts_close_and_unreachable_gold_stays_in_the_denominator():
    corpus = corpus_of(({"A"},), ({"UNKNOWN"},), (), ({"B"},))
    corpus = Corpus("toy", corpus.documents, {"duplicate document": 3, "nil": 2})  # two while reading
    found = outcomes(predictions_of([(("A",), 1)], [(("A",), 1)], [(("A",), 1)]), corpus, ONTOLOGY)
    counts = found.counts
    assert counts["dropped"] == {"duplicate document": 3, "nil": 3}
    assert counts["n_raw"] == counts["n_scored"] + sum(counts["dropped"].values()) == 9
    assert counts["gold_outside_ontology"] == 1 and counts["unanswered"] == 1
    assert recall(found).tolist() == [1.0, 0.0, 0.0]


A = predictions_of([(("A",), 1)])
NO_PROTOCOLS = [
    "", "strict", "strict/names", "loose/names/any-of", "strict/names/any-of/loud",
    "strict/names/any-of/refined/unseen-names", "strict/votes/any-of", "lenient/votes/any-of/all-parts",
    "strict/names/all-of/any-part",
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: outcomes(A, Corpus("empty", ()), ONTOLOGY), "no mention of empty"),
        (
            lambda: outcomes(
                replace(A, queries=(), index=A.index[:0], scores=A.scores[:0]), Corpus("empty", ()), ONTOLOGY
            ),
            "no mentions",
        ),
        (lambda: outcomes(A, Corpus("toy", (Document("d1", "word"),)), ONTOLOGY), "no mention of toy"),
        (lambda: outcomes(A, corpus_of(({"A"},)).hidden(), ONTOLOGY), "without gold"),
        (lambda: recall(outcomes(A, corpus_of(({"A"},)), ONTOLOGY), 0), "k >= 1"),
        (lambda: mrr(outcomes(A, corpus_of(AB), ONTOLOGY), Scoring(gold="all-of")), "any-of"),
        (lambda: outcomes(A, corpus_of(({"A"},)), ONTOLOGY, cluster="sentence"), "cluster"),
        (lambda: estimate(np.zeros(0), np.zeros(0)), "no mention"),
        *[(lambda text=text: Scoring.parse(text), "expected|scoring") for text in NO_PROTOCOLS],
    ],
)
def test_what_cannot_be_scored_is_an_error(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_intervals_resample_clusters_not_mentions():
    # Ten clusters, each all right or all wrong: the mean of n mentions is as uncertain as that of ten.
    clusters = np.repeat(np.arange(10), 50)
    values = (clusters < 5).astype(float)
    [by_cluster] = estimate(values, clusters)
    [by_mention] = estimate(values, np.arange(500))
    rng = np.random.default_rng(1)
    draws = [rng.choice(np.arange(10) < 5, 10).mean() for _ in range(20_000)]
    low, high = np.percentile(draws, [2.5, 97.5])
    assert by_cluster.value == 0.5 and by_cluster.n == 500
    assert (by_cluster.low, by_cluster.high) == pytest.approx((low, high), abs=0.11)
    assert by_mention.high - by_mention.low < 0.4 * (by_cluster.high - by_cluster.low)


def test_unequal_clusters_weigh_by_their_mentions():
    # Resampling two clusters of 1 and 3 mentions: means 0, 3/4 or 1, by hand.
    [e] = estimate(np.array([0.0, 1, 1, 1]), np.array([0, 1, 1, 1]))
    assert (e.value, e.low, e.high) == (0.75, 0.0, 1.0)


def test_a_cluster_has_one_number_in_every_corpus():
    # The same documents in another order, one of them alone: a number is that of the name, not of the place.
    golds = [({"A"},), ({"B"},), ({"A"},)]
    answers = predictions_of([(("A",), 1)])
    both = outcomes(answers, corpus_of(*golds), ONTOLOGY, cluster="gold").cluster
    turned = outcomes(answers, corpus_of(*golds[1::-1]), ONTOLOGY, cluster="gold").cluster
    assert both[0] == both[2] != both[1] and turned.tolist() == [both[1], both[0]]
    assert canonical_clusters(both).tolist() == [0, 1, 0]


def test_clusters_are_numbered_apart_even_where_their_hashes_are_equal(monkeypatch):
    equal = SimpleNamespace(digest=lambda: bytes(4))
    monkeypatch.setattr("benchlib.scoring.coding.blake2b", lambda *_, **__: equal)
    corpus = corpus_of(({"A"},), ({"B"},), ({"A"},))
    found = outcomes(predictions_of([(("A",), 1)]), corpus, ONTOLOGY, cluster="gold")
    assert canonical_clusters(found.cluster).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [([3, 1, 3, 7], [0, 5, 0, 2], True), ([3, 1, 3, 7], [0, 5, 2, 0], False), ([1, 2], [2, 1], True)],
)
def test_two_codings_that_part_mentions_alike_renumber_alike(one, other, alike):
    assert np.array_equal(canonical_clusters(np.array(one)), canonical_clusters(np.array(other))) == alike


@pytest.mark.parametrize(
    ("names", "preset", "expected"),
    [
        # A name counts once for each of its concepts, in however many rows they stand.
        ([("flu", "A"), ("flu", "AB")], "sapbert-unmerged", 1 / 2),
        ([("flu", "AB"), ("flu", "B")], "sapbert-unmerged", 1 / 2),
        ([("flu", "A"), ("flu", "B"), ("cold", "B")], "sapbert-unmerged", 2 / 3),
        # Names that no concept has are as many answers, of one vote each.
        ([("w", ""), ("x", ""), ("y", ""), ("b", "B"), ("beta", "B")], "biocom", 1),
        ([("w", ""), ("w", ""), ("w", ""), ("b", "B"), ("beta", "B")], "biocom", 1),
    ],
)
def test_names_that_share_a_concept_or_have_none(names, preset, expected):
    candidates = tuple(Candidate(name, tuple(ids)) for name, ids in names)
    index = np.arange(len(candidates))[None]
    predictions = Predictions((Query("d0", 0, 4),), candidates, index, np.ones(index.shape, dtype=np.float32))
    found = outcomes(predictions, corpus_of(({"B"},)), ONTOLOGY)
    assert recall(found, 1, PRESETS[preset].scoring) == pytest.approx([expected])


def test_the_example_of_the_docstring():
    """One list, A 0.9, then B and C 0.8, then D 0.3, for the gold B, for A and B both, and for NIL."""
    answer = [(("A",), 0.9), (("B",), 0.8), (("C",), 0.8), (("D",), 0.3)]
    corpus = corpus_of(({"B"},), ({"A"}, {"B"}), ())
    found = outcomes(predictions_of(answer, answer, answer), corpus, ONTOLOGY)
    assert found.mention.tolist() == [0, 1, 1, 1, 1, 2]
    assert found.line_type.tolist() == [ANY, ANY, EACH, EACH, ALL, NIL]
    # Four candidates of one concept each: all ways of counting them agree.
    places = [
        (found.n_better[line, 0], found.n_tied[line, 0], found.n_tied_gold[line, 0]) for line in range(5)
    ]
    first, second = (0, 1, 1), (1, 2, 1)
    assert places == [second, first, first, second, second]
    assert found.n_required[:5].tolist() == [1] * 5
    assert (found.n_better[:, 1:] == found.n_better[:, :1]).all() and (
        found.n_tied[:, 1:] == found.n_tied[:, :1]
    ).all()
    # Rank 2 or 3, each as likely.
    assert [recall(found, k)[0] for k in (1, 2, 3)] == [0, 1 / 2, 1]
    assert mrr(found)[0] == pytest.approx((1 / 2 + 1 / 3) / 2)
