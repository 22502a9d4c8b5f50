"""The table of NIL detection: every cell by hand or by scikit-learn."""

import re

import numpy as np
import pandas as pd
import pytest
from ranked import GONE, cells, kinds, links, record, runs
from sklearn.metrics import average_precision_score, precision_recall_fscore_support

from study import tables

# Mentions 0 and 3 have no entity; 4 is wrong at once and found among three.
RANKS = [None, 1, 1, None, 3, 1]
NIL = np.array([rank is None for rank in RANKS])
SEEDS = ([0.1, 0.9, 0.3, 0.2, 0.8, 0.7], [0.6, 0.9, 0.1, 0.2, 0.8, 0.7])
DEV = ([0.2, 0.35, 0.8], [0.3, 0.15, 0.9])  # the first two are NIL


def found(*scores, key="a", ranks=RANKS, **of):
    nil = np.array([rank is None for rank in ranks])
    of = {"kinds": kinds(nil=nil, reachable=~nil)} | of
    return runs(key, *(record(ranks, scores=one, path=f"data/records/{key}.json") for one in scores), **of)


def dev(*scores, key="a", **of):
    return found(*scores, key=key, ranks=[None, None, 1], **of)


def numbers(row, *heads):
    return [float(row[head].split(" ")[0]) for head in heads]


def area(kept, scores):
    return pytest.approx(100 * average_precision_score(NIL[kept], -np.array(scores)[kept]), abs=0.05)


def test_one_seed_against_another_library():
    row = tables.nil_detection(
        [found(SEEDS[0])], [dev(DEV[0], key="d", keys=("a",), linker="a")], ks=(1, 3)
    ).iloc[0]
    assert (row["n"], row["NIL"], row["chance"]) == ("6", "2", "33.3")
    assert numbers(row, "auPR") == [area(NIL | True, SEEDS[0])]
    # On dev both are told apart up to 0.35; on test this calls mentions 0, 2 and 3.
    assert links(row["threshold"]) == {"0.35": "d"} and links(row["system"]) == {"a": "a"}
    told = precision_recall_fscore_support(NIL, np.array(SEEDS[0]) <= 0.35, average="binary")[:3]
    assert numbers(row, "P", "R", "F1") == pytest.approx([100 * one for one in told], abs=0.05)
    # Right are 0 and 3 as NIL, 1 and 5 as what they are, and 4 among three; 2 is lost to NIL.
    assert numbers(row, "@1", "@3") == pytest.approx([100 * 4 / 6, 100 * 5 / 6], abs=0.05)
    assert all(re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\]", row[h]) for h in ("auPR", "P", "R", "F1", "@1"))


def test_each_seed_has_its_own_threshold_and_all_calls_are_taken_together():
    table = tables.nil_detection([found(*SEEDS)], [dev(*DEV)], ks=(1,))
    areas = [100 * average_precision_score(NIL, -np.array(one)) for one in SEEDS]
    assert cells(table, "threshold", "seeds auPR") == [
        ["0.35, 0.3", ", ".join(f"{one:.1f}" for one in areas)]
    ]
    # The second seed calls mentions 2 and 3: of five calls three are right, of four NIL three are called.
    # It has 3 as NIL, 1 and 5: three right, after four.
    expected = [np.mean(areas), 60.0, 75.0, 100 * 2 * 3 / (5 + 4), 100 * (4 + 3) / 12]
    assert numbers(table.iloc[0], "auPR", "P", "R", "F1", "@1") == pytest.approx(expected, abs=0.05)


def test_a_mask_leaves_only_its_mentions():
    kept = np.array([True, True, False, False, True, True])
    row = tables.nil_detection([found(SEEDS[0])], [dev(DEV[0])], ks=(1,), mentions={"toy": kept}).iloc[0]
    assert (row["n"], row["NIL"], row["chance"]) == ("4", "1", "25.0")
    # Of what is left, 0.35 calls mention 0 alone; 1 and 5 are found at once.
    assert numbers(row, "auPR", "P", "R", "@1") == [area(kept, SEEDS[0]), 100, 100, 75]
    unknown = tables.nil_detection([found(SEEDS[0])], [dev(DEV[0])], mentions={})
    assert unknown["auPR"].tolist() == ["NOT RUN"]


def test_a_mention_of_a_concept_without_a_name_counts_for_nothing():
    """Neither on test nor on dev, where it would draw the threshold down."""
    reachable = np.array([False, True, False, False, True, True])
    row = tables.nil_detection(
        [found(SEEDS[0], kinds=kinds(nil=NIL, reachable=reachable))], [dev(DEV[0])], ks=(1,)
    ).iloc[0]
    kept = reachable | NIL
    assert (row["n"], row["NIL"]) == (str(kept.sum()), "2") and numbers(row, "auPR") == [area(kept, SEEDS[0])]
    on_dev = kinds(nil=[True, True, False], reachable=[False] * 3)
    # Without the record of the kinds nobody knows which these are.
    for tested, tuned, head, why in (
        (found(SEEDS[0]), dev(DEV[0], kinds=on_dev), "P", "no mention left"),
        (found(SEEDS[0]), dev(DEV[0], kinds=None), "P", "NOT RUN"),
        (found(SEEDS[0], kinds=None), dev(DEV[0]), "auPR", "NOT RUN"),
    ):
        assert tables.nil_detection([tested], [tuned])[head].tolist() == [why]


def test_a_threshold_is_of_the_same_system_on_dev():
    asked = [found(SEEDS[0]), runs("gone", reason=GONE), found(SEEDS[0], key="b"), runs("lost", None)]
    table = tables.nil_detection(asked, [dev(DEV[0], key="b")])
    assert table["P"].tolist()[::2] == ["no threshold", "66.7 [0.0, 100.0]"]
    assert table["auPR"].tolist()[1::2] == [GONE, "NOT RUN"] and table["auPR"][0] == table["auPR"][2]
    assert tables.nil_detection(asked[:1], [runs("a", None)])["P"].tolist() == ["NOT RUN"]
    bare = found([1, 1], ranks=[1, 2])
    assert tables.nil_detection([bare], [bare])["auPR"].tolist() == ["no mention left"]
    assert tables.nil_detection([found(SEEDS[0])], [bare])["P"].tolist() == ["no mention left"]


def test_where_none_is_called_there_is_no_precision():
    row = tables.nil_detection([found([0.9] * 6)], [dev(DEV[0])], ks=(1,)).iloc[0]
    assert row["P"] == "none called" and numbers(row, "R", "F1", "@1") == [0, 0, 50]


def test_what_is_printed_stands_beside_what_is_measured():
    rows = [("PEL-Pb", "m=0", "aupr", "83.7"), ("PEL-Pb", "m=0.1", "aupr", "87.6"),
            ("PEL-Pb", "m=0.1", "recall_at_1", "69.4"), ("PEL-CE", "", "precision", "31.8")]  # fmt: skip
    printed = pd.DataFrame(rows, columns=["system", "variant", "metric", "value"])
    asked = [
        found(SEEDS[0], printed="PEL-Pb", variant="m=0.1"), runs("b", reason=GONE, printed="PEL-CE"),
        found(SEEDS[0], key="c"),
    ]  # fmt: skip
    table = tables.nil_detection(asked, [], printed)
    assert list(table)[:6] == ["system", "n", "NIL", "chance", "auPR", "printed auPR"]
    assert cells(table, "printed auPR", "printed @1", "printed P", "printed R") == [
        ["87.6", "69.4", "", ""], ["", "", "31.8", ""], ["", "", "", ""],
    ]  # fmt: skip
    with pytest.raises(LookupError, match="2 printed numbers match"):
        tables.nil_detection([found(SEEDS[0], printed="PEL-Pb")], [], printed)


def test_differences_of_areas_are_of_the_seeds_that_both_have():
    asked = [found(*SEEDS), found(SEEDS[1], key="b"), found(*SEEDS[::-1], key="c"), runs("lost", None)]
    table = tables.nil_gaps(asked, [("a", "b"), ("b", "a"), ("a", "c"), ("a", "lost"), ("a", "gone")])
    areas = [100 * average_precision_score(NIL, -np.array(one)) for one in SEEDS]
    apart = areas[0] - areas[1]
    *gaps, lost = table["difference of auPR"]
    assert [float(cell.split(" ")[0]) for cell in gaps] == pytest.approx([apart, -apart, 0], abs=0.05)
    assert lost == "NOT RUN" and table["seeds"].tolist() == [1, 1, 2, ""]
    low, high = map(float, re.findall(r"[-+][\d.]+", gaps[0])[1:])
    assert low < apart < high
