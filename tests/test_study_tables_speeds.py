"""Speeds side by side as tables, worked out from seconds that are given."""

from pathlib import Path

import pandas as pd
import pytest

from study import tables
from study.chapters.chapter import Chapter
from study.chapters.plan import Plan
from study.chapters.speeds import fastest, seconds_ratio, timed
from study.chapters.templates import System
from study.records import Record

FAST = System(("fast",), "Fast", "exact", printed="F", timed="f")
SLOW = System(("slow",), "Slow", "prior", printed="S", timed="s")
NAMES = {"toy": "T", "gone": "G"}
PRINTED = pd.DataFrame(
    [("F", "T", "402.5"), ("S", "T", "87.0"), ("F", "G", "192.4"), ("S", "G", "65.0"), ("S", "other", "1")],
    columns=["system", "dataset", "value"],
)


def measured(**seconds) -> Record:
    """One pass and four passes a call, with three rounds each; 12 mentions."""
    values = {"n.mentions": 12, "n.pieces": 180, "all.mentions": 100, "all.pieces": 1000}
    for name, rounds in seconds.items():
        key = name.replace("_", " by ")
        values |= {f"{key}.runs": rounds, key: sorted(rounds)[1], f"{key}.search": sorted(rounds)[1] / 4}
    return Record({"arguments": {"batches": [1, 4]}}, {}, values=values)


FOUND = {
    "toy": measured(f_1=[1.0, 2.0, 4.0], f_4=[0.5, 0.5, 1.0], s_1=[4.0, 4.0, 8.0], s_4=[9.0, 8.0, 7.0]),
    "gone": None,
}


def test_a_ratio_is_the_mean_over_rounds():
    values = FOUND["toy"].values
    found = seconds_ratio(values, timed(SLOW, 1), timed(FAST, 1))
    assert found.value == pytest.approx((4 + 2 + 2) / 3) and 2 <= found.low <= found.high <= 4
    assert timed(FAST) == "f" and (fastest(values, FAST, (1, 4)), fastest(values, SLOW, (1, 4))) == (4, 1)


def test_speeds_stand_beside_the_printed_ones():
    table = tables.speeds(FOUND, [FAST, SLOW], PRINTED, NAMES)
    assert table.iloc[0].to_dict() == {
        "data": "toy", "system": "Fast", "passes a call": "1", "mentions a second": "6.0",
        "slowest to fastest": "3.0 to 12.0", "search, %": "25", "printed": "402.5",
    }  # fmt: skip
    assert table["passes a call"].tolist() == ["1", "4", "1", "4", "", ""]
    assert table["mentions a second"].tolist() == ["6.0", "24.0", "3.0", "1.5", "NOT RUN", "NOT RUN"]
    assert table["printed"].tolist() == ["402.5", "", "87.0", "", "192.4", "65.0"]
    assert tables.speeds(FOUND, [FAST], PRINTED[:0], NAMES)["printed"].tolist() == ["", "", ""]


def test_ratios_of_speeds_with_one_pass_a_call_and_each_at_its_best():
    alone = System(("x",), "X", "bm25", timed="s")
    table = tables.speed_ratios(FOUND, [(FAST, SLOW), (FAST, alone)], PRINTED, NAMES)
    first, unprinted, gone, _ = table.to_dict("records")
    assert (first["data"], first["systems"], first["printed"]) == ("toy", "Fast / Slow", "4.6")
    assert first["one pass a call"].startswith("2.7 [")
    # Four passes suit the one, a single one the other.
    assert first["each at its best"].startswith("8.0 [8.0, 8.0]")
    assert (unprinted["systems"], unprinted["printed"]) == ("Fast / X", "")
    assert (gone["printed"], gone["one pass a call"], gone["each at its best"]) == ("3.0", "NOT RUN", "")


def test_how_close_mentions_stand():
    table = tables.density(FOUND)
    assert table.iloc[0].tolist() == ["toy", "12", "120", "80"]
    assert table["mentions linked"][1] == "NOT RUN"


def test_times_of_training_have_a_row_for_each_kind_of_negatives():
    values = {"f": 2.5, "f.runs": [2.0, 3.0], "f.updates": 3, "s": 8.0, "s.runs": [8.0, 6.0], "s.updates": 5}
    found = {"toy": Record({}, {}, values=values | {"n.mentions": 40}), "gone": None}
    table = tables.updates(found, [("shared", FAST, SLOW), ("own", SLOW, FAST)])
    first, second, *gone = table.to_dict("records")
    assert first == {
        "data": "toy", "negatives": "shared", "collective, seconds": "2.5", "collective, updates": "3",
        "one mention, seconds": "8.0", "one mention, updates": "5", "mentions": "40",
        "ratio": first["ratio"],
    }  # fmt: skip
    assert first["ratio"].startswith("3.0 [") and second["ratio"].startswith("0.4 [")
    assert [row["ratio"] for row in gone] == ["NOT RUN", "NOT RUN"]


def test_what_is_timed_are_the_linkers_as_fast_as_the_systems_each_once():
    of = {"label": "A", "linker": "tfidf,ngrams=2-4"}
    chapter = Chapter(
        name="c",
        path=Path("c.yaml"),
        scales={"mini": {"drop": ["gone"]}},
        systems={"a": of | {"timed": "tfidf"}, "b": of, "same": of, "gone": of | {"linker": "exact"}},
        measured={"times": {"measurement": "inference", "data": "mini", "timed": ["a", "b", "same", "gone"]}},
    )
    plan = Plan(chapter, {"scale": "mini"})
    [job] = plan.measured("times")
    assert job.arguments == (("linkers", ("tfidf", "tfidf,ngrams=2-4")),)
    assert [system.keys for system in plan.timed("times")] == [("a",), ("b",), ("same",)]
    with pytest.raises(ValueError, match="measured: times: there is no 'c'; expected one of a"):
        Chapter.model_validate({
            "name": "c", "path": Path("c.yaml"), "systems": {"a": of},
            "measured": {"times": {"measurement": "inference", "data": "mini", "timed": ["c"]}},
        })  # fmt: skip
