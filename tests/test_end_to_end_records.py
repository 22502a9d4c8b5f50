"""Runs end to end: what a record keeps of them, and the tables and claims that read it."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from ranked import Given, runs
from toy import BENCHMARK

from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import SpanOutcomes
from study import tables
from study.claims.claim_tests import read_test
from study.records import BrokenRecord, Store, linking_record, verify
from study.systems import ExactLinker


@dataclass
class Finding(ExactLinker):
    """Finds the first four characters of each text, and says that they are D1; and D3 where it is greedy."""

    greedy: bool = False
    base = "finding"
    chosen = {"threshold": 0.25}

    def find(self, documents, k=64):
        queries = [Query(d.id, 0, 4) for d in documents] + [Query("3", 5, 10)] * self.greedy
        index = np.array([[0]] * len(documents) + [[1]] * self.greedy)
        candidates = (Candidate("cold", ("D1",)), Candidate("fever", ("D3",)))
        return Predictions(tuple(queries), candidates, index, np.ones(index.shape))


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("records"))
    return [linking_record(Finding(greedy=greedy), BENCHMARK, store) for greedy in (False, True)]


def test_a_run_end_to_end_is_scored_by_spans(records):
    # Test: "Cold FEVER ague" with D1, OMIM:3, which is D3, and D3; "shivers nothing cold fever cold" with D3,
    # NIL, D1 and D3 together, and D4. "Cold" is right, "shiv" is not.
    plain, greedy = (record.values for record in records)
    assert plain["threshold"] == 0.25 and plain["claims"] == [1, 1] and plain["golds"] == [3, 4]
    assert plain["strict precision"]["value"] == 1 / 2
    assert plain["strict recall"]["value"] == pytest.approx(1 / 7, abs=1e-6)
    assert greedy["strict f1"]["value"] == pytest.approx(2 * 2 / (3 + 7), abs=1e-6)
    assert plain["counts"]["dropped"] == {"nil": 1} and plain["counts"]["golds"]["n_scored"] == 7
    assert records[0].outcomes is None and records[0].counts == {}
    again = records[0].spans
    assert again.right.tolist() == [[1, 1, 1], [0, 0, 0]] and again.claims.tolist() == [1, 1]


def test_what_does_not_follow_from_the_outcomes_is_refused(records):
    verify(records[0])
    for name, value in {
        "strict f1": records[0].values["strict f1"] | {"value": 0.9},
        "counts": records[0].values["counts"] | {"n_raw": 9},
    }.items():
        with pytest.raises(BrokenRecord, match="9"):
            verify(replace(records[0], values=records[0].values | {name: value}))
    without = {name: value for name, value in records[0].values.items() if name != "strict f1"}
    with pytest.raises(BrokenRecord, match="strict f1 is {}, and .* by the outcomes"):
        verify(replace(records[0], values=without))


def test_seeds_together_are_their_sums(records):
    first, second = (record.spans for record in records)
    both = SpanOutcomes.together([first, second])
    assert both.claims.tolist() == [3, 2] and both.golds.tolist() == [6, 8]
    assert both.found[:, 0].tolist() == [3, 0]
    with pytest.raises(ValueError, match="the same golds"):
        SpanOutcomes.together([first, replace(first, golds=first.golds + 1)])


PRINTED = pd.DataFrame(
    [("A", "toys", f"{match} match", metric, value) for match, metric, value in (
        ("strict", "precision", "52.9"), ("strict", "recall", "53.8"), ("strict", "f1", "53.4"),
        ("partial", "f1", "56.4"),
    )],
    columns=["system", "dataset", "protocol", "metric", "value"],
)  # fmt: skip


def test_the_table_of_scores_has_the_printed_ones_of_its_match(records):
    found = [runs("a", records[1], printed="A"), runs("b", printed="B", reason="NOT RUN: none")]
    strict = tables.end_to_end(found, "strict", PRINTED, {"toy": "toys"})
    assert strict["F1"][0].startswith("40.0 [") and strict["precision"][0].startswith("66.7 [")
    assert strict["recall"][0].startswith("28.6 [")
    assert strict[["printed precision", "printed recall", "printed F1"]].iloc[0].tolist() == [
        "52.9", "53.8", "53.4",
    ]  # fmt: skip
    assert strict["claims"].tolist() == ["3", ""] and strict["golds"].tolist() == ["7", ""]
    assert strict["F1"][1] == "NOT RUN: none" and "data" not in strict
    overlap = tables.end_to_end(found, "overlap", PRINTED, {"toy": "toys"})
    assert overlap["printed F1"].tolist() == ["", ""]


def test_the_table_of_gaps(records):
    found = [runs("a", records[1]), runs("b", records[0]), runs("c", None)]
    gaps = tables.end_to_end_gaps(found, [("a", "b"), ("a", "c")])
    # 40.0 minus 2 / (2 + 7) of F1; precision 66.7 minus 50.
    strict = gaps[gaps["match"] == "strict"].iloc[0]
    assert strict["F1"].startswith("+17.8 [") and strict["precision"].startswith("+16.7 [")
    assert gaps["F1"].iloc[-1] == "NOT RUN" and len(gaps) == 4


def test_the_claims_tests_of_heads(records):
    block = {"name": "span_gap", "runs": "end-to-end", "of": "exhaustive", "over": ["bio"]}
    test = read_test(block, "dual_encoder", "here")
    plain, greedy = records
    one = test.effect(Given(runs("exhaustive", greedy), runs("bio", plain)), "toy")
    assert one.value == pytest.approx(100 * (2 / 5 - 2 / 9), abs=1e-3) and one.seeds == () and one.n == 7
    assert one.low <= one.value <= one.high and 0 < one.p <= 1 and one.systems == "exhaustive minus bio"
    # Two seeds of one and the same, and of two that differ: (1 + 2) right of (2 + 3) claims and 14 golds.
    two = test.effect(Given(runs("exhaustive", plain, greedy), runs("bio", plain, plain)), "toy")
    assert two.value == pytest.approx(100 * (2 * 3 / (5 + 14) - 2 / 9), abs=1e-3)
    assert two.seeds == pytest.approx((0, 100 * (2 / 5 - 2 / 9)), abs=1e-3)


def test_the_spans_found_in_a_text_are_marked_and_listed():
    text = "No <b> fever & chills."
    ids = {"id": "D3", "name": "Fever", "score": -0.5}
    ids |= {"next_id": "D1", "next_name": "Chill", "next_score": -2}
    found = [{"start": 7, "end": 12, **ids}, {"start": 7, "end": 9, **ids}, {"start": 15, "end": 21, **ids}]
    record = SimpleNamespace(values={"text": text, "spans": found})
    marked = '<mark title="Fever (D3)">{}</mark>'
    expected = f"<p>No &lt;b&gt; {marked.format('fever')} &amp; {marked.format('chills')}.</p>"
    assert tables.marked_text(record) == expected
    shown = tables.spans_in_text(record)
    assert shown.iloc[0].tolist() == ["fever", "Fever (D3)", "60.7", "Chill (D1)", "13.5"]
    assert shown["mention"].tolist() == ["fever", "fe", "chills"] and tables.marked_text(None) == ""
    assert tables.spans_in_text(None)["mention"].tolist() == ["NOT RUN"]
    none = SimpleNamespace(values={"text": "Nothing.", "spans": []})
    assert tables.spans_in_text(none)["mention"].tolist() == ["none found"]
