"""Scoring against an oracle that enumerates every order of tied candidates by plain loops."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import (
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


def ranked_ids(names, scoring: Scoring) -> list[list[set[str]]]:
    """All orders of what fills the places under a protocol; each place as the ids it stands for."""
    if scoring.over == "names" and scoring.match == "lenient":
        return [[set(owners) for owners, _ in order] for order in orders(names, lambda n: n[1])]
    rows = [(owner, score) for owners, score in names for owner in owners]
    if scoring.over == "concepts":
        rows = [(id, max(s for other, s in rows if other == id)) for id in dict.fromkeys(r[0] for r in rows)]
    return [[{id} for id, _ in order] for order in orders(rows, lambda row: row[1])]


def oracle_recall(names, parts, k: int, scoring: Scoring) -> float:
    wanted = [set().union(*parts)] if scoring.gold == "any-of" else list(parts)
    hits = [
        all(any(part & place for place in order[:k]) for part in wanted)
        for order in ranked_ids(names, scoring)
    ]
    if scoring.match == "pessimistic":
        return float(all(hits))
    if scoring.match == "lenient" and scoring.over == "concepts":
        return float(any(hits))
    return sum(hits) / len(hits)


def oracle_mrr(names, parts, scoring: Scoring) -> float:
    gold = set().union(*parts)
    ranks = [
        next((1 / i for i, place in enumerate(order, start=1) if gold & place), 0.0)
        for order in ranked_ids(names, scoring)
    ]
    if scoring.match == "pessimistic":
        return min(ranks)
    return (
        max(ranks) if scoring.match == "lenient" and scoring.over == "concepts" else sum(ranks) / len(ranks)
    )


NAMES = st.lists(
    st.tuples(
        st.lists(st.sampled_from(IDS), min_size=1, max_size=2, unique=True).map(tuple),
        st.sampled_from([0.25, 0.5, 1.0]),
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=150, deadline=None)
@given(names=NAMES, gold=st.lists(st.sampled_from(IDS), min_size=1, max_size=2, unique=True))
def test_recall_and_mrr_equal_the_mean_over_all_orders_of_ties(names, gold):
    found = outcomes(predictions_of(names), corpus_of((set(gold),)), ONTOLOGY)
    for scoring in PROTOCOLS:
        if scoring.gold == "all-of":
            continue
        for k in (1, 2, 3):
            assert recall(found, k, scoring)[0] == pytest.approx(
                oracle_recall(names, [set(gold)], k, scoring)
            )
        assert mrr(found, scoring)[0] == pytest.approx(oracle_mrr(names, [set(gold)], scoring))


@settings(max_examples=200, deadline=None)
@given(
    names=st.lists(
        st.tuples(st.sampled_from(IDS).map(lambda id: (id,)), st.sampled_from([0.25, 0.5, 1.0])),
        min_size=1,
        max_size=4,
        unique_by=lambda name: name[0],
    )
)
def test_all_of_on_one_list_wants_every_part_among_the_k(names):
    parts = ({"A"}, {"B"})
    found = outcomes(predictions_of(names), corpus_of(parts), ONTOLOGY)
    for match in ("strict", "pessimistic", "lenient"):
        scoring = Scoring(match, "concepts", "all-of")
        for k in (1, 2, 3, 4):
            assert recall(found, k, scoring)[0] == pytest.approx(oracle_recall(names, parts, k, scoring))


def test_worked_example_of_an_ambiguous_name():
    # "er" is carried by two concepts, B the gold; a second name of A follows, then one of C.
    names = [(("A", "B"), 1.0), (("A",), 0.9), (("C",), 0.8)]
    found = outcomes(predictions_of(names), corpus_of(({"B"},)), ONTOLOGY)
    assert recall(found, 1, Scoring("strict"))[0] == 0.5
    assert recall(found, 1, Scoring("pessimistic"))[0] == 0.0
    assert recall(found, 1, Scoring("lenient", "names"))[0] == 1.0
    assert recall(found, 2, Scoring("pessimistic"))[0] == 1.0
    assert mrr(found, Scoring("strict"))[0] == pytest.approx((1 + 1 / 2) / 2)
    places = found.above[0].tolist(), found.ties[0].tolist(), found.golds[0].tolist()
    # The last column is by votes: the three concept sets have one vote each, so the nearer leads.
    assert places == ([0, 0, 0, 0], [1, 2, 2, 1], [1, 1, 1, 1])


def test_two_synonyms_take_two_places_over_names_and_one_over_concepts():
    names = [(("A",), 1.0), (("A",), 0.9), (("B",), 0.8)]
    found = outcomes(predictions_of(names), corpus_of(({"B"},)), ONTOLOGY)
    assert recall(found, 2, Scoring("strict", "names"))[0] == 0.0
    assert recall(found, 2, Scoring("strict", "concepts"))[0] == 1.0


def test_parts_that_mean_the_same_concept_are_found_together():
    found = outcomes(predictions_of([(("A",), 1.0)]), corpus_of(({"A"}, {"A"})), ONTOLOGY)
    for match in ("strict", "pessimistic", "lenient"):
        assert recall(found, 1, Scoring(match, gold="all-of")).tolist() == [1.0]


def test_one_name_of_all_the_concepts_of_a_composite_gold():
    # Either owner of the only name is a gold: the first place has one, and both take two.
    found = outcomes(predictions_of([(("A", "B"), 1.0)]), corpus_of(({"A"}, {"B"})), ONTOLOGY)
    for scoring in (Scoring(), Scoring("pessimistic"), Scoring("lenient", "names")):
        assert mrr(found, scoring).tolist() == recall(found, 1, scoring).tolist() == [1.0]
    both = [recall(found, k, Scoring(gold="all-of"))[0] for k in (1, 2)]
    assert both == [0.0, 1.0]
    assert by_protocol(found)


def test_a_concept_that_is_enough_for_every_part_is_enough_by_any_count():
    found = outcomes(predictions_of([(("A",), 1.0)]), corpus_of(({"A", "B"}, {"A"})), ONTOLOGY)
    for match in ("pessimistic", "strict", "lenient", "optimistic"):
        for over in ("concepts", "names"):
            assert recall(found, 1, Scoring(match, over, gold="all-of")).tolist() == [1.0], (match, over)


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


def test_parts_answered_by_their_own_lists_must_all_be_right():
    text = "breast and ovarian cancer"
    gold = Gold((frozenset("A"), frozenset("B")), ("breast", "ovarian cancer"), "A|B")
    corpus = Corpus("toy", (Document("d", text, (Mention(0, len(text), text, gold=gold),)),))
    queries = tuple(Query("d", 0, len(text), part) for part in (0, 1, 2))
    candidates = tuple(Candidate("", (id,)) for id in "ABC")
    right = Predictions(queries, candidates, np.array([[0], [0], [1]]), np.ones((3, 1)))
    half = Predictions(queries, candidates, np.array([[0], [0], [2]]), np.ones((3, 1)))
    swapped = Predictions(queries, candidates, np.array([[0], [1], [0]]), np.ones((3, 1)))
    scores = [
        recall(outcomes(p, corpus, ONTOLOGY), 1, Scoring(gold="all-of", composite="all-parts"))[0]
        for p in (right, half, swapped)
    ]
    assert scores == [1.0, 0.0, 0.0]


def test_alternative_ids_of_gold_and_of_prediction_meet_at_the_concept():
    ontology = Ontology("toy", [Concept("D1", ("x",), alternatives=("OMIM:7",)), Concept("D2", ("y",))])
    corpus = corpus_of(({"OMIM:7"},), ({"D1"},), ({"OMIM:7"},))
    found = outcomes(predictions_of([(("D1",), 1)], [(("OMIM:7",), 1)], [(("D2",), 1)]), corpus, ontology)
    assert recall(found).tolist() == [1.0, 1.0, 0.0]


def test_counts_close_and_unreachable_gold_stays_in_the_denominator():
    corpus = corpus_of(({"A"},), ({"UNKNOWN"},), (), ({"B"},))
    corpus = Corpus("toy", corpus.documents, {"duplicate document": 3})
    found = outcomes(predictions_of([(("A",), 1)], [(("A",), 1)], [(("A",), 1)]), corpus, ONTOLOGY)
    counts = found.counts
    assert counts["dropped"] == {"duplicate document": 3, "nil": 1}
    assert counts["n_raw"] == counts["n_scored"] + sum(counts["dropped"].values()) == 7
    assert counts["gold_outside_ontology"] == 1 and counts["unanswered"] == 1
    assert recall(found).tolist() == [1.0, 0.0, 0.0]


def test_several_mentions_at_one_span_are_served_by_one_prediction():
    mentions = tuple(Mention(0, 4, "word", gold=Gold((frozenset(id),))) for id in "AB")
    corpus = Corpus("toy", (Document("d0", "word", mentions),))
    found = outcomes(predictions_of([(("A",), 1)]), corpus, ONTOLOGY)
    assert recall(found).tolist() == [1.0, 0.0]


def test_an_empty_answer_is_wrong_under_every_protocol():
    empty = Predictions((Query("d0", 0, 4),), (), np.zeros((1, 0)), np.zeros((1, 0)))
    found = outcomes(empty, corpus_of(({"A"},)), ONTOLOGY)
    assert [recall(found, 1, scoring)[0] for scoring in PROTOCOLS] == [0.0] * len(PROTOCOLS)
    assert found.top.tolist() == [""]


@settings(max_examples=100, deadline=None)
@given(lists=st.lists(NAMES, min_size=2, max_size=5), seed=st.integers(0, 99))
def test_invariants(lists, seed):
    golds = [({IDS[i % 4]},) for i in range(len(lists))]
    corpus = corpus_of(*golds)
    found = outcomes(predictions_of(*lists), corpus, ONTOLOGY)
    for over in ("names", "concepts"):
        values = {
            match: [recall(found, k, Scoring(match, over)) for k in (1, 2, 3, 4)]
            for match in ("pessimistic", "strict", "lenient")
        }
        for match, by_k in values.items():
            assert all((a <= b + 1e-12).all() for a, b in zip(by_k, by_k[1:], strict=False)), match
        for low, mid, high in zip(*values.values(), strict=True):
            assert (low <= mid + 1e-12).all() and (mid <= high + 1e-12).all()
        first = Scoring("strict", over)
        assert (recall(found, 1, first) <= mrr(found, first) + 1e-12).all()
    # Listing the candidates in another order changes nothing.
    predictions = predictions_of(*lists)
    order = np.random.default_rng(seed).permutation(predictions.index.shape[1])
    shuffled = Predictions(
        predictions.queries, predictions.candidates, predictions.index[:, order], predictions.scores[:, order]
    )
    again = outcomes(shuffled, corpus, ONTOLOGY)
    for scoring in PROTOCOLS:
        assert (recall(found, 1, scoring) == recall(again, 1, scoring)).all()


def test_gold_against_itself_is_one():
    corpus = corpus_of(({"A"},), ({"B", "C"},), ({"D"},))
    answers = [[((sorted(part[0])[0],), 1.0)] for part in (({"A"},), ({"B", "C"},), ({"D"},))]
    found = outcomes(predictions_of(*answers), corpus, ONTOLOGY)
    for scoring in PROTOCOLS:
        assert recall(found, 1, scoring).tolist() == [1.0, 1.0, 1.0]


def test_protocols_print_and_parse_back():
    assert [Scoring.parse(str(scoring)) for scoring in PROTOCOLS] == list(PROTOCOLS)
    assert len(set(PROTOCOLS)) == 12


@pytest.mark.parametrize(
    "text", ["", "strict", "strict/names", "loose/names/any-of", "strict/names/any-of/x"]
)
def test_a_misspelt_protocol_is_an_error(text):
    with pytest.raises(ValueError, match="expected"):
        Scoring.parse(text)


def test_scoring_what_cannot_be_scored_is_an_error():
    nothing = Predictions((), (), np.zeros((0, 1)), np.zeros((0, 1)))
    with pytest.raises(ValueError, match="no mentions"):
        outcomes(nothing, Corpus("empty", (Document("d0", "word"),)), ONTOLOGY)
    with pytest.raises(ValueError, match="no mention of toy"):
        outcomes(predictions_of([(("A",), 1)]), Corpus("toy", (Document("d1", "word"),)), ONTOLOGY)
    with pytest.raises(ValueError, match="without gold"):
        outcomes(predictions_of([(("A",), 1)]), corpus_of(({"A"},)).hidden(), ONTOLOGY)
    with pytest.raises(ValueError, match="k >= 1"):
        recall(outcomes(predictions_of([(("A",), 1)]), corpus_of(({"A"},)), ONTOLOGY), 0)
    with pytest.raises(ValueError, match="any-of"):
        mrr(outcomes(predictions_of([(("A",), 1)]), corpus_of(({"A"},)), ONTOLOGY), Scoring(gold="all-of"))
    with pytest.raises(ValueError, match="cluster"):
        outcomes(predictions_of([(("A",), 1)]), corpus_of(({"A"},)), ONTOLOGY, cluster="sentence")


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
    class Constant:
        def __init__(self, *_, **__):
            pass

        def digest(self):
            return bytes(4)

    monkeypatch.setattr("benchlib.scoring.coding.blake2b", Constant)
    corpus = corpus_of(({"A"},), ({"B"},), ({"A"},))
    found = outcomes(predictions_of([(("A",), 1)]), corpus, ONTOLOGY, cluster="gold")
    assert canonical_clusters(found.cluster).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [([3, 1, 3, 7], [0, 5, 0, 2], True), ([3, 1, 3, 7], [0, 5, 2, 0], False), ([1, 2], [2, 1], True)],
)
def test_two_codings_that_part_mentions_alike_renumber_alike(one, other, alike):
    assert np.array_equal(canonical_clusters(np.array(one)), canonical_clusters(np.array(other))) == alike


def test_nothing_to_average_is_an_error():
    with pytest.raises(ValueError, match="no mention"):
        estimate(np.zeros(0), np.zeros(0))


@settings(max_examples=100, deadline=None)
@given(
    names=st.lists(
        st.tuples(st.sampled_from(IDS).map(lambda id: (id,)), st.integers(0, 10_000)),
        min_size=1,
        max_size=8,
        unique_by=lambda name: name[1],
    )
)
def test_without_ties_and_with_one_gold_the_first_place_is_one_number(names):
    found = outcomes(
        predictions_of([(owners, score / 16) for owners, score in names]), corpus_of(({"A"},)), ONTOLOGY
    )
    accuracies = {
        str(scoring): recall(found, 1, scoring)[0] for scoring in PROTOCOLS if scoring.gold == "any-of"
    }
    assert len(set(accuracies.values())) == 1
    for over in ("names", "concepts"):
        reciprocal = mrr(found, Scoring("strict", over))[0]
        assert (reciprocal == 1.0) == (accuracies["strict/names/any-of"] == 1.0)
    for k in range(1, 9):
        # Each concept once: a list without repeats can only be shorter.
        by_concept, by_name = (recall(found, k, Scoring("strict", over))[0] for over in ("concepts", "names"))
        assert by_concept >= by_name


def test_the_example_of_the_docstring():
    """One list, A 0.9, then B and C 0.8, then D 0.3, for the gold B, for A and B both, and for NIL."""
    answer = [(("A",), 0.9), (("B",), 0.8), (("C",), 0.8), (("D",), 0.3)]
    corpus = corpus_of(({"B"},), ({"A"}, {"B"}), ())
    found = outcomes(predictions_of(answer, answer, answer), corpus, ONTOLOGY)
    assert found.mention.tolist() == [0, 1, 1, 1, 1, 2]
    assert found.wants.tolist() == [ANY, ANY, EACH, EACH, ALL, NIL]
    # Four candidates of one concept each: all ways of counting them agree.
    places = [(found.above[line, 0], found.ties[line, 0], found.golds[line, 0]) for line in range(5)]
    first, second = (0, 1, 1), (1, 2, 1)
    assert places == [second, first, first, second, second]
    assert found.needed[:5].tolist() == [1] * 5
    assert (found.above[:, 1:] == found.above[:, :1]).all() and (found.ties[:, 1:] == found.ties[:, :1]).all()
    # Rank 2 or 3, each as likely.
    assert [recall(found, k)[0] for k in (1, 2, 3)] == [0, 1 / 2, 1]
    assert mrr(found)[0] == pytest.approx((1 / 2 + 1 / 3) / 2)
