"""Printed numbers: the verdict on each from credits written down, and every one of the book once."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import ranked
from ranked import runs

from benchlib.scoring import Estimate, SpanOutcomes, difference, estimate
from study.book.front import all_printed
from study.chapters.chapter import HeadlineEntry, ItemEntry, chapters, read_chapter
from study.chapters.training_states import NO_BETTER, NOT_KNOWN, PLATEAU, RISING, UNKNOWN, State
from study.claims.printed_numbers import (
    NO_CONTROL,
    NO_SPAN_CONTROL,
    judge,
    over_all_seeds,
    printed_numbers,
)
from study.claims.verdicts import FAILS, HOLDS, NOT_COMPARABLE, NOT_RUN, TOO_SMALL
from study.records import Record


def mentions(share, n=100, documents=20):
    """Documents that are alike, so that the interval has no width: ``share`` percent of each are right."""
    one = np.arange(n) < round(share * n / 100)
    return np.tile(one, documents).astype(float), np.repeat(np.arange(documents), n)


def verdict(printed, *seeds, zero=None, trained=True, state=PLATEAU):
    credits, clusters = np.stack([mentions(share)[0] for share in seeds]), mentions(0)[1]
    ours, control, gap = over_all_seeds(credits, clusters), None, None
    if zero is not None:
        control = estimate(mentions(zero)[0], clusters)[0]
        gap = difference(credits.mean(axis=0), mentions(zero)[0], clusters)
    return judge(printed, ours, trained, state, control, gap)


@pytest.mark.parametrize(
    ("printed", "asked", "expected"),
    [
        (71.0, {"zero": 60}, (HOLDS, "")),
        (72.0, {"zero": 60}, (HOLDS, "")),  # two points are near
        (68.0, {"zero": 75}, (HOLDS, "")),  # from above
        (70.0, {"zero": 66}, (HOLDS, "")),
        (71.0, {}, (TOO_SMALL, NO_CONTROL)),
        (71.0, {"zero": 69}, (TOO_SMALL, "zero updates come as near")),
        (71.0, {"zero": 73}, (TOO_SMALL, "zero updates come as near")),
        (71.0, {"zero": 60, "state": RISING}, (TOO_SMALL, "near print, but the training is rising")),
        (71.0, {"zero": 60, "state": UNKNOWN}, (TOO_SMALL, f"near print, but {NOT_KNOWN}")),
        (75.0, {}, (FAILS, "")),
        (60.0, {}, (FAILS, "")),
        (72.5, {}, (FAILS, "")),  # more than two points beyond an interval without width
        (75.0, {"state": RISING}, (TOO_SMALL, "the training is rising")),
        (75.0, {"state": NO_BETTER}, (TOO_SMALL, f"the training is {NO_BETTER}")),
        (75.0, {"state": UNKNOWN}, (TOO_SMALL, NOT_KNOWN)),
        (71.0, {"trained": False}, (HOLDS, "")),  # without training no control is needed
        (75.0, {"trained": False, "state": UNKNOWN}, (FAILS, "")),
    ],
)
def test_the_verdict_on_70_percent(printed, asked, expected):
    assert verdict(printed, 70, **asked) == expected


def test_a_number_must_be_further_from_zero_updates_than_chance_towards_print():
    assert verdict(71.0, 72, zero=74)[0] == HOLDS  # from 74 to 72 is towards 71
    assert verdict(59.0, 60, zero=57)[1] == "zero updates come as near"  # 100 * 0.57 is a little below 57
    # The interval of ours minus the control, 2.5 points, reaches 0.
    ours, control = Estimate(0.70, 0.69, 0.71, 100), Estimate(0.675, 0.66, 0.69, 100)
    by_chance, above = Estimate(0.025, 0.0, 0.05, 100), Estimate(0.025, 0.01, 0.04, 100)
    found = judge(71.0, ours, True, PLATEAU, control, by_chance)
    assert found == (TOO_SMALL, "no significant gain over zero updates")
    assert judge(71.0, ours, True, PLATEAU, control, above) == (HOLDS, "")


def test_the_interval_reaches_from_the_lowest_seed_to_the_highest():
    credits = np.stack([mentions(share)[0] for share in (66, 70, 74)])
    ours = over_all_seeds(credits, mentions(0)[1])
    assert (ours.value, ours.low, ours.high) == pytest.approx((0.70, 0.66, 0.74), abs=1e-6)
    assert ours.seeds == pytest.approx((0.66, 0.70, 0.74))
    # Half of its width is 4 points: too wide to hold. With 3 it is not.
    assert verdict(70.0, 66, 70, 74, zero=50)[1].startswith("our interval is wider than")
    assert verdict(70.0, 67, 70, 73, zero=50) == (HOLDS, "")
    # Its end reaches within two points of print, its mean does not.
    assert verdict(75.5, 66, 70, 74) == (TOO_SMALL, "our interval reaches print ± 2")


# ---------------------------------------------------------------- end to end


def found_spans(claims, golds, right, found):
    """A record of twenty documents that are alike, with their claims and golds and what these are worth."""
    sizes = (np.full(20, n) for n in (claims, golds))
    worth = (np.tile(np.array(of, dtype=float), (20, 1)) for of in (right, found))
    counts = {"n_raw": 20, "n_scored": 20, "dropped": {}}
    outcomes = SpanOutcomes(*sizes, *worth, counts | {"golds": counts, "claims": counts})
    return Record.of_spans({"name": "by hand", "dataset": "toy", "split": "test"}, {}, outcomes)


# Strict F1 7 of 10 = 0.7, partial 0.8; and 2 × 9 / (20 + 10) = 0.6, partial of 12 / 20 and 9 / 10 = 0.72.
FEW = found_spans(10, 10, right=[7, 8, 9], found=[7, 8, 9])
MANY = found_spans(20, 10, right=[9, 12, 12], found=[9, 9, 9])


def end_to_end(*seeds, state=PLATEAU, other=()):
    """The strict and the partial F1 of records beside two printed ones."""
    printed = [("strict", "f1", "80.0"), ("partial", "f1", "80.0"), ("strict", "recall", "9")]
    rows = [
        {"system": "Ours", "dataset": "Toy", "protocol": f"{match} match", "metric": metric, "value": value}
        for match, metric, value in printed
    ]
    states = SimpleNamespace(control=(), state=State(state))
    of = replace(runs("ours", *seeds, printed="Ours", linker="end-to-end"), states=states)
    page = ranked.page(rows, of, other=other)
    headline = HeadlineEntry(runs="all", system="ours", metrics=("strict f1", "partial f1"))
    return [*printed_numbers(page, ItemEntry(reported="table1", headlines=(headline,)))]


def test_end_to_end_the_f1_of_all_seeds_has_an_interval_from_the_lowest_seed_to_the_highest():
    strict, partial = end_to_end(FEW, MANY)
    # 16 of 30 claims and 16 of 20 golds, not the mean of 0.7 and 0.6.
    assert (strict.ours.value, strict.ours.low, strict.ours.high) == pytest.approx((0.64, 0.6, 0.7), abs=1e-6)
    assert strict.ours.seeds == pytest.approx((0.7, 0.6))
    precision, recall = 20 / 30, 17 / 20
    together = 2 * precision * recall / (precision + recall)
    values = (partial.ours.value, partial.ours.low, partial.ours.high)
    assert values == pytest.approx((together, 0.72, 0.8), abs=1e-6)
    assert "protocol=partial match" in partial.cell and "metric=f1" in partial.cell


def test_end_to_end_a_number_may_fail_at_a_plateau_and_cannot_hold_without_a_control():
    strict, partial = end_to_end(FEW)
    assert (strict.verdict, strict.reason) == (FAILS, "")  # 70 and 80
    assert (partial.verdict, partial.reason) == (TOO_SMALL, NO_SPAN_CONTROL)  # 80 and 80
    strict, _ = end_to_end(FEW, state=UNKNOWN)
    assert (strict.verdict, strict.reason) == (TOO_SMALL, NOT_KNOWN)
    for number in end_to_end(FEW, other=("toy",)):
        assert number.verdict == NOT_COMPARABLE and number.ours is not None
    assert [number.verdict for number in end_to_end(FEW, None)] == [NOT_RUN, NOT_RUN]


def test_the_f1_of_spans_has_no_stratum():
    with pytest.raises(ValueError, match="a stratum is of given mentions"):
        HeadlineEntry(runs="all", system="ours", metrics=("strict f1",), stratum="unique")


# ---------------------------------------------------------------- the book


@pytest.fixture(scope="module")
def book():
    return all_printed()


def test_no_number_is_counted_twice(book):
    assert {number.cell[0] for number in book} == {name for name in chapters() if read_chapter(name).items}
    for number in book:
        assert number.reason or number.verdict in (HOLDS, FAILS), number.cell
        assert not number.trained or number.runs.states is not None, number.cell
    assert len({number.cell for number in book}) == len(book)
    ours = set()
    for of in book:
        counted = (of.headline.protocol, of.headline.stratum, of.cell[0])
        ours.add((*of.runs.system.identity, of.runs.data, of.metric, *counted))
    assert len(ours) == len(book)
    # A value of one system that a paper prints in two tables counts in one of them.
    tables: dict[tuple, set[str]] = {}
    for number in book:
        paper, table, *where = number.cell
        named = [part for part in where if part.startswith(("dataset", "system", "metric"))]
        key = (paper, *named, number.headline.stratum, number.headline.protocol, number.value)
        tables.setdefault(key, set()).add(table)
    assert [key for key, found in tables.items() if len(found) > 1] == []
