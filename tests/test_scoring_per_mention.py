"""The table of mentions, worked by hand."""

import numpy as np
import pytest
import toy

from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import CLASSES, STRATA, by_stratum, outcomes, per_mention, strata

CANDIDATES = (
    Candidate("cold", ("D1", "D2")),
    Candidate("fever", ("D3",)),
    Candidate("", ("D4",)),
    Candidate("nowhere", ()),
)


@pytest.fixture
def parts():
    """Of the seven mentions: D1 tied with D2; D3 second; D3 not listed; no answer; NIL answered with D3;
    D1 and D3 both listed; D4 after the answer NIL."""
    corpus, ontology = toy.BENCHMARK.test, toy.ONTOLOGY
    queries = [Query(d.id, m.start, m.end) for d, m in corpus.mentions()]
    lists = [[0], [0, 1], [2, 0], None, [1], [1, 0], [3, 2]]
    rows = [(q, [*one, -1][:2]) for q, one in zip(queries, lists, strict=True) if one]
    index = np.array([row for _, row in rows])
    predictions = Predictions(tuple(q for q, _ in rows), CANDIDATES, index, np.tile([0.75, 0.5], (6, 1)))
    kinds = strata(corpus, ontology, (toy.BENCHMARK.train, toy.BENCHMARK.dev))
    return predictions, corpus, outcomes(predictions, corpus, ontology), kinds


def test_a_row_says_what_was_answered_and_what_it_is_worth(parts):
    table = per_mention(*parts)
    columns = ["text", "gold", "answer", "name", "rank", "tied", "strict", "lenient"]
    rows = table[columns].astype(object).where(table[columns].notna(), None).to_numpy().tolist()
    assert rows == [
        ["Cold", "D1", "D1|D2", "cold", 1, 2, 0.5, 1.0],
        ["FEVER", "OMIM:3", "D1|D2", "cold", 3, 1, 0.0, 0.0],
        ["ague", "D3", "D4", "", None, None, 0.0, 0.0],
        ["shivers", "D3", "", "", None, None, 0.0, 0.0],
        ["nothing", "", "D3", "fever", None, None, None, None],
        ["cold fever", "D1+D3", "D3", "fever", 1, 1, 1.0, 1.0],
        ["cold", "D4", "", "nowhere", 2, 1, 0.0, 0.0],
    ]
    assert table["score"].fillna(-1).tolist() == [0.75, 0.75, 0.75, -1, 0.75, 0.75, 0.75]
    assert list(zip(table["document"], table["start"], strict=True)) == [
        (d.id, m.start) for d, m in parts[1].mentions()
    ]
    assert table.columns[-len(STRATA) - len(CLASSES) + 1 :].tolist() == [*STRATA, "words", "frequency"]
    assert table["nil"].tolist() == [False] * 4 + [True] + [False] * 2


def test_the_mean_of_the_column_is_the_score(parts):
    table = per_mention(*parts)
    [everything, *_] = by_stratum(*parts[2:])
    assert table["strict"].mean() == pytest.approx(everything["value"], abs=1e-6)
