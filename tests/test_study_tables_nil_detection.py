"""The table of NIL detection: every cell by hand or by scikit-learn."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from ranked import GONE, record, runs, strata
from sklearn.metrics import average_precision_score, precision_recall_fscore_support

from study import tables

# Mentions 0 and 3 have no entity; 4 is wrong at once and found among three.
RANKS = [None, 1, 1, None, 3, 1]
NIL = np.array([rank is None for rank in RANKS])
SEEDS = ([0.1, 0.9, 0.3, 0.2, 0.8, 0.7], [0.6, 0.9, 0.1, 0.2, 0.8, 0.7])
DEV = ([0.2, 0.35, 0.8], [0.3, 0.15, 0.9])  # the first two are NIL


def kinds(nil, reachable=None):
    """The record of the kinds of mentions: all but NIL can be linked, unless said."""
    named = ~np.array(nil) if reachable is None else reachable
    return SimpleNamespace(strata=strata(nil=nil, reachable=named))


def found(*scores, key="a", **of):
    of = {"kinds": kinds(NIL)} | of
    return runs(key, *(record(RANKS, scores=one) for one in scores), **of)


def dev(*scores, key="a", **of):
    of = {"kinds": kinds([True, True, False])} | of
    return runs(key, *(record([None, None, 1], scores=one) for one in scores), **of)


def value(cell: str) -> float:
    return float(cell.split(" ")[0])


def test_one_seed_against_another_library():
    row = tables.nil_detection([found(SEEDS[0])], [dev(DEV[0])], ks=(1, 3)).iloc[0]
    scores = np.array(SEEDS[0])
    assert (row["n"], row["NIL"], row["chance"]) == ("6", "2", "33.3")
    assert value(row["auPR"]) == pytest.approx(100 * average_precision_score(NIL, -scores), abs=0.05)
    # On dev both are told apart up to 0.35; on test this calls mentions 0, 2 and 3.
    assert row["threshold"] == "0.35"
    precision, recall, f1, _ = precision_recall_fscore_support(NIL, scores <= 0.35, average="binary")
    assert [value(row[head]) for head in ("P", "R", "F1")] == pytest.approx(
        [100 * one for one in (precision, recall, f1)], abs=0.05
    )
    # Right are 0 and 3 as NIL, 1 and 5 as what they are, and 4 among three; 2 is lost to NIL.
    assert value(row["@1"]) == pytest.approx(100 * 4 / 6, abs=0.05)
    assert value(row["@3"]) == pytest.approx(100 * 5 / 6, abs=0.05)
    assert all(re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]", row[h]) for h in ("auPR", "P", "R", "F1", "@1"))


def test_each_seed_has_its_own_threshold_and_all_calls_are_taken_together():
    row = tables.nil_detection([found(*SEEDS)], [dev(*DEV)], ks=(1,)).iloc[0]
    areas = [100 * average_precision_score(NIL, -np.array(one)) for one in SEEDS]
    assert [float(one) for one in row["seeds auPR"].split(", ")] == pytest.approx(areas, abs=0.05)
    assert value(row["auPR"]) == pytest.approx(np.mean(areas), abs=0.05)
    assert row["threshold"] == "0.35, 0.3"
    # The second seed calls mentions 2 and 3: of five calls three are right, of four NIL three are called.
    assert [value(row[head]) for head in ("P", "R")] == [60.0, 75.0]
    assert value(row["F1"]) == pytest.approx(100 * 2 * 3 / (5 + 4), abs=0.05)
    # It has 3 as NIL, 1 and 5: three, after four.
    assert value(row["@1"]) == pytest.approx(100 * (4 + 3) / 12, abs=0.05)


def test_a_mask_leaves_only_its_mentions():
    kept = np.array([True, True, False, False, True, True])
    row = tables.nil_detection([found(SEEDS[0])], [dev(DEV[0])], ks=(1,), mentions={"toy": kept}).iloc[0]
    scores = np.array(SEEDS[0])[kept]
    assert (row["n"], row["NIL"], row["chance"]) == ("4", "1", "25.0")
    assert value(row["auPR"]) == pytest.approx(100 * average_precision_score(NIL[kept], -scores), abs=0.05)
    # Of what is left, 0.35 calls mention 0 alone; 1 and 5 are found at once.
    assert (value(row["P"]), value(row["R"]), value(row["@1"])) == (100, 100, 75)
    unknown = tables.nil_detection([found(SEEDS[0])], [dev(DEV[0])], mentions={})
    assert unknown["auPR"].tolist() == ["NOT RUN"]


def test_a_mention_of_a_concept_without_a_name_counts_for_nothing():
    """Neither on test nor on dev, where it would draw the threshold down."""
    reachable = np.array([False, True, False, False, True, True])
    on_dev = kinds([True, True, False], reachable=[False] * 3)
    on_test = kinds(NIL, reachable)
    row = tables.nil_detection([found(SEEDS[0], kinds=on_test)], [dev(DEV[0])], ks=(1,)).iloc[0]
    kept = reachable | NIL
    scores = np.array(SEEDS[0])[kept]
    assert (row["n"], row["NIL"]) == (str(kept.sum()), "2")
    assert value(row["auPR"]) == pytest.approx(100 * average_precision_score(NIL[kept], -scores), abs=0.05)
    assert tables.nil_detection([found(SEEDS[0])], [dev(DEV[0], kinds=on_dev)])["P"].tolist() == [
        "no mention left"
    ]
    # Without the record of the kinds nobody knows which these are.
    assert tables.nil_detection([found(SEEDS[0], kinds=None)], [])["auPR"].tolist() == ["NOT RUN"]
    unknown = tables.nil_detection([found(SEEDS[0])], [dev(DEV[0], kinds=None)])
    assert unknown["P"].tolist() == ["NOT RUN"]


def test_a_threshold_is_of_the_same_system_on_dev():
    other = dev(DEV[0], key="b")
    asked = [found(SEEDS[0]), runs("gone", reason=GONE), found(SEEDS[0], key="b"), runs("lost", None)]
    table = tables.nil_detection(asked, [other])
    assert table["P"].tolist()[::2] == ["no threshold", "66.7 [0.0, 100.0]"]
    assert tables.nil_detection(asked[:1], [runs("a", None)])["P"].tolist() == ["NOT RUN"]
    assert table["auPR"].tolist()[1::2] == [GONE, "NOT RUN"]
    assert value(table["auPR"][0]) == value(table["auPR"][2])
    bare = runs("a", record([1, 2]), kinds=kinds([False, False]))
    assert tables.nil_detection([bare], [bare])["auPR"].tolist() == ["no mention left"]
    bare = runs("a", record([1]), kinds=kinds([False]))
    assert tables.nil_detection([found(SEEDS[0])], [bare])["P"].tolist() == ["no mention left"]


def test_where_none_is_called_there_is_no_precision():
    row = tables.nil_detection([found([0.9] * 6)], [dev(DEV[0])], ks=(1,)).iloc[0]
    assert row["P"] == "none called" and value(row["R"]) == value(row["F1"]) == 0
    assert value(row["@1"]) == 50.0


def test_what_is_printed_stands_beside_what_is_measured():
    columns = ["system", "variant", "dataset", "metric", "value"]
    rows = [
        ("PEL-Pb", "m=0", "NIL", "aupr", "83.7"),
        ("PEL-Pb", "m=0.1", "NIL", "aupr", "87.6"),
        ("PEL-Pb", "m=0.1", "NIL", "recall_at_1", "69.4"),
        ("PEL-CE", "", "NIL", "precision", "31.8"),
    ]
    printed = pd.DataFrame(rows, columns=columns)
    asked = [
        found(SEEDS[0], printed="PEL-Pb", variant="m=0.1"),
        runs("b", reason=GONE, printed="PEL-CE"),
        found(SEEDS[0], key="c"),
    ]
    table = tables.nil_detection(asked, [], printed)
    assert table["printed auPR"].tolist() == ["87.6", "", ""] and table["printed R"].tolist() == [""] * 3
    assert table["printed @1"].tolist() == ["69.4", "", ""] and table["printed P"].tolist() == [
        "",
        "31.8",
        "",
    ]
    assert list(table)[:6] == ["system", "n", "NIL", "chance", "auPR", "printed auPR"]
    # What another table calls 64 (mixed) is the margin 0 of this one.
    mixed = found(SEEDS[0], printed="PEL-Pb", variant="64 (mixed)")
    assert tables.nil_detection([mixed], [], printed)["printed auPR"].tolist() == [""]
    named = tables.nil_detection([mixed], [], printed, variants={"a": "m=0"})
    assert named["printed auPR"].tolist() == ["83.7"]
    with pytest.raises(LookupError, match="2 printed numbers match"):
        tables.nil_detection([found(SEEDS[0], printed="PEL-Pb")], [], printed)


def test_differences_of_areas_are_of_the_seeds_that_both_have():
    asked = [found(*SEEDS), found(SEEDS[1], key="b"), found(*SEEDS[::-1], key="c"), runs("lost", None)]
    table = tables.nil_gaps(asked, [("a", "b"), ("b", "a"), ("a", "c"), ("a", "lost"), ("a", "gone")])
    areas = [100 * average_precision_score(NIL, -np.array(one)) for one in SEEDS]
    apart = areas[0] - areas[1]
    gaps = table["difference of auPR"].tolist()
    assert [value(cell) for cell in gaps[:3]] == pytest.approx([apart, -apart, 0], abs=0.05)
    assert gaps[3:] == ["NOT RUN"] and table["seeds"].tolist() == [1, 1, 2, ""]
    low, high = map(float, re.findall(r"[-+][\d.]+", gaps[0])[1:])
    assert low < apart < high
