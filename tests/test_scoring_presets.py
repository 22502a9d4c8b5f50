"""The published protocols against plain loops that count as each paper's own evaluation does."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from test_scoring import IDS, ONTOLOGY, corpus_of, ids, names_of, predictions_of

from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import (
    PRESETS,
    PROTOCOLS,
    Scoring,
    by_preset,
    by_stratum,
    counted,
    credits,
    estimate,
    mrr,
    outcomes,
    over_seeds,
    paired_by_preset,
    recall,
    strata,
)

# ---------------------------------------------------------------- BioCoM: votes


def voted(names, gold, neighbours: int = 15) -> float:
    """Majority of the concept sets of the nearest names and those tied with the last; ties to the nearer."""
    ranked = sorted(names, key=lambda name: -name[1])
    last = ranked[min(neighbours, len(ranked)) - 1][1]
    near = [(frozenset(owners), score) for owners, score in ranked if score >= last]
    votes = Counter(label for label, _ in near)
    best = max((votes[label], max(s for other, s in near if other == label)) for label in votes)
    winners = [
        label for label in votes if (votes[label], max(s for other, s in near if other == label)) == best
    ]
    return np.mean([bool(label & set(gold)) for label in winners])


@settings(max_examples=150, deadline=None)
@given(names=names_of([i / 20 for i in range(20)], 25), gold=ids(2))
def test_votes_are_those_of_the_nearest_names(names, gold):
    found = outcomes(predictions_of(names), corpus_of((set(gold),)), ONTOLOGY)
    assert recall(found, 1, Scoring("lenient", "votes"))[0] == pytest.approx(voted(names, gold))


# ---------------------------------------------------------------- composite mentions, as SapBERT counts them


def composite(*answers: dict[int, str]) -> tuple[Predictions, Corpus]:
    """For "breast and ovarian cancer" with gold A + B: the id answered for each part (0 = the whole)."""
    text, documents, queries = "breast and ovarian cancer", [], []
    gold = Gold((frozenset("A"), frozenset("B")), printed="A|B")
    for i, answer in enumerate(answers):
        documents.append(Document(f"d{i}", text, (Mention(0, len(text), text, gold=gold),)))
        queries += [Query(f"d{i}", 0, len(text), part) for part in answer]
    ids = [id for answer in answers for id in answer.values()]
    candidates = tuple(Candidate("", (id,)) for id in IDS)
    index = np.array([[IDS.index(id)] for id in ids])
    return Predictions(tuple(queries), candidates, index, np.ones(index.shape)), Corpus("t", tuple(documents))


def test_each_part_must_hit_something_of_the_whole_gold():
    answers = ({0: "A", 1: "A", 2: "B"}, {0: "A", 1: "A", 2: "A"}, {0: "A", 1: "A", 2: "C"}, {0: "A"})
    predictions, corpus = composite(*answers, {0: "C", 1: "A"}, {0: "A", 1: "B", 2: "A"})
    found = outcomes(predictions, corpus, ONTOLOGY)
    gold = {"A", "B"}
    # The script's rule by hand: a mention is a hit when every sub-mention has a hit in the whole gold.
    script = [all(id in gold for id in part) for part in ("AB", "AA", "AC", "A", "AD", "BA")]
    assert recall(found, 1, PRESETS["biosyn-sapbert"].scoring).tolist() == [float(hit) for hit in script]
    own = Scoring(gold="all-of", composite="all-parts")
    assert recall(found, 1, own).tolist() == [1, 0, 0, 0, 0, 0]
    assert recall(found, 1, Scoring(composite="any-part")).tolist() == [1] * 6
    assert recall(found, 1, Scoring()).tolist() == [1, 1, 1, 1, 0, 1]
    assert recall(found, 1, Scoring(gold="all-of")).tolist() == [0] * 6
    assert not counted(found, Scoring(composite="no-composites")).any()


# ---------------------------------------------------------------- which mentions count


def study() -> tuple[Predictions, Corpus, pd.DataFrame]:
    """Five mentions of which each filter leaves another set, and one NIL between them."""
    corpus = corpus_of(({"A"},), ({"B"},), (), ({"GONE"},), ({"A"}, {"B"}), ({"C"},))
    tops = (("A", 0.875), ("A", 0.75), ("A", 0.125), ("A", 0.625), ("B", 0.5), ("D", 0.25))
    predictions = predictions_of(*([((id,), score)] for id, score in tops))
    kinds = pd.DataFrame(
        {
            "reachable": [True, True, False, False, True, True],
            "seen name": [True, False, False, False, False, False],
            "refined": [False, True, False, False, True, False],
            "nil": [False, False, True, False, False, False],
        }
    )
    return predictions, corpus, kinds


@pytest.mark.parametrize(
    ("scoring", "hits", "kept"),
    [
        (Scoring(), 2, "ABGMC"),  # the mentions A, B, GONE, of A and B, and C
        (Scoring(composite="no-composites"), 1, "ABGC"),
        (Scoring(among="reachable"), 2, "ABMC"),
        (Scoring(among="normalized"), 2, "AM"),
        (Scoring(names="unseen-names"), 1, "BGMC"),
        (Scoring(names="refined"), 1, "BM"),
        (Scoring(composite="no-composites", among="normalized"), 1, "A"),
    ],
)
def test_filters_leave_the_denominator(scoring, hits, kept):
    predictions, corpus, kinds = study()
    found = outcomes(predictions, corpus, ONTOLOGY)
    values, _, among = credits(found, "recall@1", scoring, kinds)
    assert values[among].sum() == hits
    assert among.tolist() == [mention in kept for mention in "ABGMC"]


def test_nil_as_a_class_of_its_own():
    predictions, corpus, kinds = study()
    found = outcomes(predictions, corpus, ONTOLOGY)
    scoring = PRESETS["pel-with-nil"].scoring
    # At 0.125 the NIL mention alone is called NIL, at 0.25 one more that is wrong anyhow, then right ones.
    for threshold, hits in ((0.0625, 2), (0.125, 3), (0.25, 3), (0.5, 2), (0.75, 2), (1.0, 1)):
        values, clusters, among = credits(found, "recall@1", scoring, kinds, threshold)
        # The fourth has a concept that the dictionary lacks: neither NIL nor linkable.
        assert among.tolist() == [True, True, True, False, True, True] and len(values) == len(clusters) == 6
        assert values[among].sum() == hits, threshold
    with pytest.raises(ValueError, match="threshold"):
        credits(found, "recall@1", scoring, kinds)


def test_what_is_wanted_and_not_given_is_an_error():
    predictions, corpus, kinds = study()
    found = outcomes(predictions, corpus, ONTOLOGY)
    with pytest.raises(ValueError, match="wants the strata"):
        credits(found, "recall@1", Scoring(names="refined"))
    with pytest.raises(ValueError, match="no measure 'precision'; expected recall@k or mrr"):
        credits(found, "precision", Scoring(), kinds)
    with pytest.raises(ValueError, match="rank is that of one gold"):
        mrr(found, Scoring(composite="all-parts"))


# ---------------------------------------------------------------- presets as values


def test_protocols_print_and_parse_back():
    assert len(set(PROTOCOLS)) == 12
    for scoring in (*PROTOCOLS, *(preset.scoring for preset in PRESETS.values())):
        assert Scoring.parse(str(scoring)) == scoring
    for name, preset in PRESETS.items():
        assert str(preset) == name and preset.paper and preset.source and preset.measures


def test_rows_of_the_presets_are_those_of_their_measures():
    predictions, corpus, _ = study()
    found = outcomes(predictions, corpus, ONTOLOGY)
    kinds = strata(corpus, ONTOLOGY, ())
    rows = by_preset(found, kinds, 0.1)
    assert [(r["protocol"], r["measure"]) for r in rows if r["protocol"] != "pel-with-nil"] == [
        (str(p), m) for p in PRESETS.values() if str(p) != "pel-with-nil" for m in p.measures
    ]
    assert {r["protocol"]: r["n"] for r in rows if r["measure"] == "recall@1"} == {
        **dict.fromkeys(PRESETS, 5), "biocom": 4, "dual-encoder": 4, "dual-encoder-normalized": 1,
        "cosines-refined": 1, "pel-with-nil": 5,
    }  # fmt: skip
    for row in (r for r in rows if r["protocol"] == "sapbert-unmerged"):
        assert row["worst"] <= row["value"] <= row["best"]
    [all_of_them, *others] = by_stratum(found, kinds)
    assert all_of_them["n"] == 5
    for row in (all_of_them, *others):
        assert row["value"] + row["not_listed"] + row["misranked"] == pytest.approx(1, abs=2e-6)


# ---------------------------------------------------------------- two systems, several seeds


def test_pairs_are_compared_under_every_protocol():
    predictions, corpus, _ = study()
    kinds = strata(corpus, ONTOLOGY, ())
    first = outcomes(predictions, corpus, ONTOLOGY)
    tops = (("D", 0.875), ("B", 0.75), ("A", 0.125), ("A", 0.625), ("B", 0.5), ("D", 0.25))
    worse = predictions_of(*([((id,), score)] for id, score in tops))
    second = outcomes(worse, corpus, ONTOLOGY)
    rows = {row["protocol"]: row for row in paired_by_preset(first, second, (kinds, kinds))}
    expected = {"measure": "recall@1", "gained": 1, "lost": 1, "value": 0, "p": 1}
    assert expected.items() <= rows["krissbert"].items()
    wrong = outcomes(predictions_of(*[[(("D",), 1.0)]] * 6), corpus, ONTOLOGY)
    [row] = [row for row in paired_by_preset(first, wrong, (kinds, kinds)) if row["protocol"] == "krissbert"]
    assert (row["value"], row["p"]) == (2 / 5, 1 / 2)  # two of five
    # Normalized: there is no mention whose gold both list.
    assert rows["dual-encoder-normalized"]["n"] == 0 and rows["biocom"]["n"] == 4
    nowhere = rows["dual-encoder-normalized"]
    assert np.isnan([nowhere[name] for name in ("value", "low", "high", "p")]).all()
    with pytest.raises(ValueError, match="not the same"):
        paired_by_preset(
            first, outcomes(predictions_of([(("A",), 1)]), corpus_of(({"A"},)), ONTOLOGY), (kinds, kinds)
        )


def test_normalized_pairs_are_averaged_over_the_mentions_that_both_list():
    corpus = corpus_of(*([({"A"},)] * 4))
    # Listed by both: the first and the second. The first system has one of them first, the second both.
    found = [
        outcomes(predictions_of(*lists), corpus, ONTOLOGY)
        for lists in (
            [[(("A",), 2)], [(("B",), 2), (("A",), 1)], [(("A",), 2)], [(("B",), 2)]],
            [[(("A",), 2)], [(("A",), 2)], [(("B",), 2)], [(("B",), 2), (("A",), 1)]],
        )
    ]
    rows = {row["protocol"]: row for row in paired_by_preset(*found, (strata(corpus, ONTOLOGY, ()),) * 2)}
    normalized = {"value": 1 / 2 - 1, "n": 2, "gained": 0, "lost": 1}
    assert normalized.items() <= rows["dual-encoder-normalized"].items()
    assert {"value": 2 / 4 - 2 / 4, "n": 4}.items() <= rows["dual-encoder"].items()


def test_seeds_are_averaged_mention_by_mention_before_resampling():
    rng = np.random.default_rng(0)
    runs = [(rng.random(60) < 0.5).astype(float) for _ in range(3)]
    clusters = np.repeat(np.arange(20), 3)
    found = over_seeds(runs, clusters)
    [direct] = estimate(sum(runs) / 3, clusters)
    assert (found.value, found.low, found.high) == (direct.value, direct.low, direct.high)
    assert found.seeds == tuple(float(run.mean()) for run in runs)
    with pytest.raises(ValueError, match="same mentions"):
        over_seeds([runs[0], runs[1][:5]], clusters)
