"""Predicted spans scored: by hand and by plain loops over characters."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import ONTOLOGY

from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.ontology import Concept, Ontology
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import MATCHES, SpanOutcomes, by_match, outcomes, span_outcomes, spans_against
from benchlib.scoring.statistics import resample_weights

TEXT = "x" * 30


def corpus(*documents: list[tuple], text: str = TEXT) -> Corpus:
    """Documents 0, 1, … of mentions (start, end, gold as printed: ``+`` between parts, ``""`` is NIL)."""
    made = []
    for number, mentions in enumerate(documents):
        parts = [tuple(frozenset(part.split("|")) for part in m[2].split("+") if part) for m in mentions]
        placed = [
            Mention(start, end, text[start:end], gold=Gold(gold, printed=printed))
            for (start, end, printed), gold in zip(mentions, parts, strict=True)
        ]
        made.append(Document(str(number), text, tuple(placed)))
    return Corpus("spans", tuple(made))


def predicted(*documents: list[tuple]) -> Predictions:
    """Claims (start, end, ids joined by a bar) of documents 0, 1, …: each the one candidate of a list."""
    queries, candidates = [], []
    for number, claims in enumerate(documents):
        for part, (start, end, ids) in enumerate(claims):
            queries.append(Query(str(number), start, end, part))
            candidates.append(Candidate("", tuple(ids.split("|")) if ids else ()))
    n = len(queries)
    return Predictions(tuple(queries), tuple(candidates), np.arange(n)[:, None], np.ones((n, 1)))


def values(claims: Predictions, gold: Corpus) -> dict[tuple[str, str], float]:
    rows = by_match(span_outcomes(claims, gold, ONTOLOGY))
    return {(row["match"], row["measure"]): row["value"] for row in rows}


def test_composites_alternatives_nil_and_repeats_by_hand():
    gold = corpus(
        # One mention of two parts, one of two alternatives, one NIL, and one that stands twice.
        [(0, 10, "D1+D2"), (12, 16, "D4|OMIM:3"), (18, 20, ""), (22, 24, "D1"), (22, 24, "D1")],
        [(0, 4, "X9")],
    )
    claims = predicted(
        # One part as it stands, the other too wide, an alternative by its concept, at NIL, NIL, repeated.
        [(0, 10, "D1"), (0, 12, "D2"), (12, 16, "D3"), (18, 20, "D1"), (26, 28, ""), (0, 10, "D1")],
        [],
    )
    outcomes = span_outcomes(claims, gold, ONTOLOGY)
    # Golds: D1, D2, D4|D3, D1, X9; claims: D1, D2, D3 and the one at NIL.
    assert outcomes.golds.tolist() == [4, 1] and outcomes.claims.tolist() == [4, 0]
    assert outcomes.right == pytest.approx(np.array([[2, 2 + 10 / 12, 3], [0, 0, 0]]))
    assert outcomes.found == pytest.approx(np.array([[2, 3, 3], [0, 0, 0]]))
    assert outcomes.counts == {
        "n_raw": 6, "dropped": {"nil": 1}, "n_scored": 5,
        "golds": {"n_raw": 6, "dropped": {"repeated": 1}, "n_scored": 5}, "golds_outside_ontology": 1,
        "claims": {"n_raw": 6, "dropped": {"nil": 1, "repeated": 1}, "n_scored": 4},
    }  # fmt: skip
    found = {(row["match"], row["measure"]): row for row in by_match(outcomes)}
    assert found["strict", "precision"]["value"] == pytest.approx(2 / 4)
    assert found["strict", "recall"]["value"] == pytest.approx(2 / 5)
    assert found["strict", "f1"]["value"] == pytest.approx(4 / 9, abs=1e-6)
    assert [found["partial", m]["n"] for m in ("precision", "recall", "f1")] == [4, 5, 9]


def test_only_the_best_candidate_is_claimed_and_a_tie_is_a_random_pick():
    gold = corpus([(0, 4, "D1")])
    candidates = (Candidate("", ("D1",)), Candidate("", ("D2",)), Candidate("", ("D1", "D2")))

    def precision_and_recall(index, scores):
        one = Predictions((Query("0", 0, 4),), candidates, np.array([index]), np.array([scores]))
        found = values(one, gold)
        return found["strict", "precision"], found["strict", "recall"]

    assert precision_and_recall([0, 1], [0.9, 0.8]) == (1, 1)
    assert precision_and_recall([0, 1], [0.8, 0.9]) == (0, 0)
    assert precision_and_recall([0, 1], [0.9, 0.9]) == (0.5, 0.5)
    assert precision_and_recall([2, -1], [0.9, 0.0]) == (0.5, 0.5)
    # Whichever of its alternatives is picked, it is right.
    both = values(predicted([(0, 4, "D1|D2")]), corpus([(0, 4, "D1|D2")]))
    assert both["strict", "precision"] == both["strict", "recall"] == 1


spans = st.tuples(st.integers(0, 8), st.integers(1, 4)).map(lambda one: (one[0], sum(one)))
some_ids = st.sets(st.sampled_from(["D1", "D2", "X8", "X9"]), min_size=1, max_size=2).map(
    lambda ids: "|".join(sorted(ids))
)


def annotations(ids, at_least=0):
    """Two documents of spans with ids."""
    one = st.lists(st.tuples(spans, ids).map(lambda pair: (*pair[0], pair[1])), min_size=at_least, max_size=5)
    return st.tuples(one, one)


def plainly(claims, golds) -> dict[tuple[str, str], Fraction | float]:
    """Precision and recall by a double loop over the claims and golds of each document, character by
    character and pick by pick."""

    def worth(span, other, match):
        mine, theirs = set(range(*span[:2])), set(range(*other[:2]))
        if match == "strict":
            return int(mine == theirs)
        return Fraction(len(mine & theirs), len(mine)) if match == "partial" else int(bool(mine & theirs))

    found = {}
    for match in MATCHES:
        precise, reached = [], []
        for made, asked in zip(map(set, claims), map(set, golds), strict=True):
            for claim in made:
                picks = claim[2].split("|")
                best = [
                    max((worth(claim, g, match) for g in asked if pick in g[2].split("|")), default=0)
                    for pick in picks
                ]
                precise.append(Fraction(sum(best)) / len(picks))
            for gold in asked:
                credit = [Fraction(0)]
                for claim in made:
                    picks = claim[2].split("|")
                    share = Fraction(sum(pick in gold[2].split("|") for pick in picks), len(picks))
                    credit.append(share * worth(gold, claim, match))
                reached.append(max(credit))
        precision = sum(precise) / max(len(precise), 1)
        recall = sum(reached) / len(reached)
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
        found |= {(match, "precision"): precision, (match, "recall"): recall, (match, "f1"): f1}
    return found


@settings(deadline=None, max_examples=60)
@given(annotations(some_ids), annotations(some_ids, at_least=1))
def test_a_plain_double_loop_says_the_same(claims, golds):
    found, expected = values(predicted(*claims), corpus(*golds)), plainly(claims, golds)
    assert found == pytest.approx({key: float(value) for key, value in expected.items()}, abs=1e-6)
    assert set(values(predicted(*golds), corpus(*golds)).values()) == {1.0}


def many(seed: int, n: int = 40) -> tuple[list, list]:
    """Claims and golds of ``n`` documents, some of them without claims."""
    rng = np.random.default_rng(seed)
    golds = [[(5 * i, 5 * i + 4, "D1") for i in range(rng.integers(1, 6))] for _ in range(n)]
    moved = [[(a + int(rng.integers(0, 2)), b, "D1" if rng.random() < 0.8 else "D2") for a, b, _ in one]
             for one in golds]  # fmt: skip
    return [one[: rng.integers(0, len(one) + 1)] for one in moved], golds


def test_intervals_resample_whole_documents():
    claims, golds = many(0)
    outcomes = span_outcomes(predicted(*claims), corpus(*golds), ONTOLOGY)
    rows = {(row["match"], row["measure"]): row for row in by_match(outcomes)}
    drawn = resample_weights(40).astype(int)
    right = np.array([sum(claim in gold for claim in made) for made, gold in zip(claims, golds, strict=True)])
    made, asked = np.array([len(one) for one in claims]), np.array([len(one) for one in golds])
    for measure, part, whole in (
        ("precision", right, made),
        ("recall", right, asked),
        ("f1", 2 * right, made + asked),
    ):
        shares = [(times * part).sum() / (times * whole).sum() for times in drawn]
        row = rows["strict", measure]
        assert (row["low"], row["high"]) == pytest.approx(np.percentile(shares, [2.5, 97.5]), abs=1e-5)
        assert row["low"] < row["value"] < row["high"]


def test_what_a_record_keeps_is_all_that_was_scored():
    thirds = corpus([(0, 3, "D1")], [(0, 3, "D1"), (5, 12, "D2")])
    outcomes = span_outcomes(predicted([(2, 3, "D1")], [(0, 2, "D1"), (6, 12, "D2")]), thirds, ONTOLOGY)
    kept = SpanOutcomes.of_values(outcomes.values)
    np.testing.assert_array_equal(kept.sums, outcomes.sums)
    assert kept.found[:, 1] == pytest.approx([1 / 3, 2 / 3 + 6 / 7], abs=1e-6)


def test_the_paired_p_is_that_of_every_swap_of_documents():
    (first, golds), (second, _) = many(1, 6), many(2, 6)
    truth = corpus(*golds)

    def f1(claims):
        n = sum(map(len, claims)) + sum(map(len, golds))
        return 2 * sum(c in gold for made, gold in zip(claims, golds, strict=True) for c in made) / n

    observed = f1(first) - f1(second)
    swaps = [
        f1([b if s else a for a, b, s in zip(first, second, swap, strict=True)])
        - f1([a if s else b for a, b, s in zip(first, second, swap, strict=True)])
        for swap in product((0, 1), repeat=6)
    ]
    outcomes = [span_outcomes(predicted(*one), truth, ONTOLOGY) for one in (first, second)]
    rows = {(row["match"], row["measure"]): row for row in spans_against(*outcomes)}
    row = rows["strict", "f1"]
    assert row["value"] == pytest.approx(observed, abs=1e-6) and observed != 0
    p = np.mean([abs(one) >= abs(observed) - 1e-9 for one in swaps])
    assert row["p"] == pytest.approx(p, abs=1e-6) and p <= row["p_holm"] <= 1
    alone = [values(predicted(*one), truth)["partial", "recall"] for one in (first, second)]
    assert rows["partial", "recall"]["value"] == pytest.approx(alone[0] - alone[1], abs=2e-6)
    back = spans_against(*outcomes[::-1])
    assert [one["value"] for one in back] == pytest.approx([-one["value"] for one in rows.values()])
    same = spans_against(outcomes[0], outcomes[0])
    assert {(one["value"], one["low"], one["high"], one["p"]) for one in same} == {(0, 0, 0, 1)}


def test_no_claim_is_no_precision_and_what_cannot_be_scored_is_refused():
    gold = corpus([(0, 4, "D1")])
    assert set(values(predicted([]), gold).values()) == {0.0}
    assert set(values(predicted([(0, 4, "")]), gold).values()) == {0.0}
    for query in (Query("9", 0, 4), Query("0", 0, 31), Query("0", 4, 4), Query("0", -1, 4)):
        claims = Predictions((query,), (Candidate("", ("D1",)),), np.array([[0]]), np.ones((1, 1)))
        with pytest.raises(ValueError, match="expected a stretch of a text of spans"):
            span_outcomes(claims, gold, ONTOLOGY)
    for empty in (corpus([(0, 4, "")]), corpus([]), corpus()):
        with pytest.raises(ValueError, match="nothing to find"):
            span_outcomes(predicted(), empty, ONTOLOGY)
    with pytest.raises(ValueError, match="without gold"):
        span_outcomes(predicted([]), gold.hidden(), ONTOLOGY)
    first, second = (span_outcomes(predicted([]), one, ONTOLOGY) for one in (gold, corpus([(0, 4, "D1+D2")])))
    with pytest.raises(ValueError, match="same golds, found 1 in 1 documents, 2 in 1 documents"):
        spans_against(first, second)


def test_a_name_that_no_concept_carries_is_a_wrong_claim_and_not_nil():
    ague = Corpus("toy", (Document("d", "ague", (Mention(0, 4, "ague", gold=Gold((frozenset("A"),))),)),))
    ontology = Ontology("toy", [Concept("A", ("ague",))])
    for candidate, claims, nil in ((Candidate("humours", ()), 1, 0), (Candidate("", ()), 0, 1)):
        index, scores = np.array([[0]]), np.array([[1.0]])
        predictions = Predictions((Query("d", 0, 4),), (candidate,), index, scores)
        found = span_outcomes(predictions, ague, ontology)
        assert (int(found.claims.sum()), found.counts["claims"]["dropped"]["nil"]) == (claims, nil)
        assert (outcomes(predictions, ague, ontology).top[0] == "") == bool(nil)
