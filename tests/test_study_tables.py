"""What systems reach, as tables: every cell worked out by hand from ranks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from ranked import GONE, record, runs, strata

from benchlib.scoring import Scoring
from study import tables
from study.chapters.results import shared_stratum, stratum
from study.chapters.training_states import StateRecords

STRICT = Scoring()
DOCUMENTS = [0, 0, 0, 1, 1, 1, 2]
FIRST = [1, 1, 2, None, 1, 0, 3]  # @1 three of six, @3 five
SECOND = [1, 1, 1, None, 0, 0, 1]  # @1 four of six, @3 four


@pytest.fixture
def found():
    return [
        runs("ours", record(FIRST, DOCUMENTS, path="data/records/a.json"),
             record(SECOND, DOCUMENTS), printed="Ours"),
        runs("half", record([1, "half", 1, None, 1, 1, 1], DOCUMENTS)),
        runs("lost", None),
        runs("theirs", printed="Theirs", reason=GONE),
    ]  # fmt: skip


def test_accuracy_is_the_mean_over_seeds_and_what_was_not_run_says_why(found):
    table = tables.accuracy(found, STRICT, (1, 3), macro=True)
    assert list(table) == ["system", "n", "@1", "macro @1", "seeds @1", "@3"]
    assert table["n"].tolist() == ["6", "6", "", ""]
    # Mean credits 1, 1, 1/2 | 1/2, 0 | 1/2 by document: 3.5 of 6; means 5/6, 1/4 and 1/2.
    assert table["@1"][0].startswith("58.3 [") and table["macro @1"][0].startswith("52.8 [")
    assert table["seeds @1"].tolist() == ['<a href="../data/records/a.html">50.0</a>, 66.7', "", "", ""]
    assert table["@3"][0].startswith("75.0 [")
    assert table["@1"].tolist()[1:] == ["91.7 [83.3, 100.0]", "NOT RUN", GONE]
    assert table["system"][0] == '<a href="../data/records/a.html">ours</a>' and table["system"][1] == "half"


def test_beside_a_trained_system_stand_its_state_and_the_control(found):
    half, full = record([1, 1, 1, 1, 2, 2], path="data/records/half.json"), record([1] * 6)
    there = StateRecords((record([2] * 6),), (half,), (full,), (record([2, 1, 2, None, 1, 2, 2], DOCUMENTS),))
    trained, waiting = replace(found[0], states=there), StateRecords((None,), (None,), (half,), (None,))
    table = tables.accuracy([trained, replace(found[1], states=waiting), found[1]], STRICT, (1, 3))
    assert list(table)[-3:] == ["@3", "zero updates @1", "state"]
    # Of the control two of the six counted mentions are right; on dev the second half gains a third of them.
    assert table["zero updates @1"].str[:6].tolist() == ["33.3 [", "", ""]
    assert table["state"].tolist() == ["rising", '<a href="../data/records/half.html">unknown</a>', ""]
    states = tables.states([trained, trained, replace(trained, states=waiting)])
    assert list(states) == ["data", "training", "none", "half", "all", "gain", "late gain", "state"]
    assert states["half"][0].startswith('<a href="../data/records/half.html">66.7') and not states["half"][1]
    assert states["none"][0] == "0.0 [0.0, 0.0]" and states["gain"][0] == "+100.0 [+100.0, +100.0]"
    assert states["late gain"][0].startswith("+33.3 [") and states["state"].tolist() == ["rising", "unknown"]
    nothing = StateRecords((None,), (None,), (None,), (None,))
    assert tables.states([replace(trained, states=nothing)]).empty


def test_values_of_the_systems_have_columns_of_their_own(found):
    learns = {"learns from": "names", "n": 3}
    told = [*found, runs("told", record([1, None, 1]), values=learns)]
    table = tables.accuracy(told, STRICT, (1,), values=("learns from",))
    assert list(table)[:3] == ["system", "learns from", "n"]
    assert table["learns from"].tolist() == ["", "", "", "", "names"] and table["n"].iloc[-1] == "2"
    unrun = [runs(key, None, values=learns) for key in "abcd"]
    table = tables.accuracy([*told, *unrun], STRICT, (1,), values=("learns from",))
    assert table["learns from"].tolist()[5:] == ["names"] * 4
    [row] = tables.accuracy(unrun, STRICT, (1,), values=("learns from",)).to_dict("records")
    assert row == {"system": "all 4 systems", "@1": "NOT RUN"}


def test_a_data_set_on_which_nothing_has_run_takes_one_row(found):
    unrun = [runs(key, None, data="y", **of) for key, of in
             [("ours", {"printed": "Ours"}), ("b", {}), ("c", {}), ("d", {})]]  # fmt: skip
    table = tables.accuracy([*found, *unrun], STRICT, (1, 3))
    assert table["data"].tolist() == ["toy"] * 4 + ["y"]
    assert table.iloc[-1][["system", "n", "@1", "@3"]].tolist() == ["all 4 systems", "", "NOT RUN", ""]
    assert len(tables.accuracy(unrun[1:], STRICT, (1, 3))) == 3  # few enough to be named
    printed = pd.DataFrame([{"system": "Ours", "dataset": "Y", "metric": "recall_at_1", "value": "85.1"}])
    table = tables.accuracy(unrun, STRICT, (1,), printed, {"y": "Y"})
    assert table["printed @1"].tolist() == ["85.1", "", "", ""]  # a printed number is not hidden
    some = tables.accuracy([*unrun, runs("e", record([1]), data="y")], STRICT, (1,))
    assert some["@1"].tolist() == ["NOT RUN"] * 4 + ["100.0 [100.0, 100.0]"]
    reason = [*unrun[:3], runs("lost", data="y", reason=GONE)]
    assert tables.accuracy(reason, STRICT, (1,))["@1"].tolist() == ["NOT RUN"] * 3 + [GONE]
    pairs = [("ours", "b"), ("ours", "c"), ("ours", "d"), ("b", "c")]
    table = tables.paired(unrun, pairs, STRICT)
    assert table.to_dict("records") == [{"first": "all 4 pairs", "difference": "NOT RUN"}]


def test_the_mean_reciprocal_rank_stands_behind_beside_the_printed_one(found):
    printed = pd.DataFrame([{"system": "Ours", "dataset": "TOY", "metric": "mrr", "value": "85.1"}])
    table = tables.accuracy(found, STRICT, (1,), printed, {"toy": "TOY"}, mrr=True)
    assert list(table)[-2:] == ["MRR", "printed MRR"]
    # 1, 1, 1/2, 1, 0, 1/3 and four of six; with a tie for the first place 1 and 1/2 at even odds.
    assert table["MRR"][0].startswith("65.3 [") and table["MRR"][1].startswith("95.8 [")
    assert table["MRR"].tolist()[2:] == ["", ""] and table["printed MRR"].tolist() == ["85.1", "", "", ""]


def test_the_unit_of_an_interval_is_the_cluster():
    def interval(clusters):
        return tables.accuracy([runs("a", record([1, 0, 1, 0], clusters))], STRICT, (1,))["@1"][0]

    # One document is always drawn whole; two alike have the same mean however they are drawn.
    assert interval([0, 0, 0, 0]) == interval([0, 0, 1, 1]) == "50.0 [50.0, 50.0]"
    assert interval([0, 1, 0, 1]) == "50.0 [0.0, 100.0]"


PRINTED = pd.DataFrame(
    [
        {"system": "Ours", "dataset": "TOY", "metric": "recall_at_1", "value": "70.10"},
        {"system": "Ours", "dataset": "other", "metric": "recall_at_1", "value": "12"},
        {"system": "Theirs", "dataset": "TOY", "metric": "recall_at_3", "value": "99.9"},
    ]
)


def test_what_is_printed_stands_beside_as_it_is_printed(found):
    table = tables.accuracy(found, STRICT, (1, 3), PRINTED, {"toy": "TOY"})
    assert list(table) == ["system", "n", "@1", "printed @1", "seeds @1", "@3", "printed @3"]
    assert table["printed @1"].tolist() == ["70.10", "", "", ""]
    assert table["printed @3"].tolist() == ["", "", "", "99.9"]
    assert "printed @1" not in tables.accuracy(found, STRICT, (1,), PRINTED[:0], {"toy": "TOY"})


def test_two_printed_numbers_for_one_cell_are_an_error(found):
    # Without names of the data sets both rows of Ours fit.
    with pytest.raises(LookupError, match="2 printed numbers match.*'Ours'.*recall_at_1.*expected one"):
        tables.accuracy(found, STRICT, (1,), PRINTED)


def test_a_mask_is_over_all_mentions_and_a_data_set_without_kinds_is_not_run():
    kinds = SimpleNamespace(strata=strata(seen_name=[True, False, False, True, True, False, True]))
    one = runs("a", record(FIRST, DOCUMENTS), kinds=kinds, label="A")
    other = runs("a", record(FIRST, DOCUMENTS), data="bare", label="A")
    masks = stratum([one, other], "seen name", holds=False)
    table = tables.accuracy([one, other], STRICT, (1, 3), mentions=masks)
    # Mentions 1, 2 and 5: ranks 1, 2 and none.
    assert table["n"].tolist() == ["3", ""] and table["data"].tolist() == ["toy", "bare"]
    assert table["@1"][0].startswith("33.3 [") and table["@3"][0].startswith("66.7 [")
    assert table["@1"][1] == "NOT RUN" and table["@3"][1] == ""


def test_a_mask_that_leaves_no_mention_says_so():
    table = tables.accuracy(
        [runs("a", record(FIRST))], STRICT, (1, 3), mentions={"toy": np.zeros(7, dtype=bool)}
    )
    assert table.iloc[0].to_dict() == {"system": "a", "n": "0", "@1": "no mention left"}


def test_folds_of_one_seed_are_all_its_mentions_and_an_entity_in_both_is_one_cluster():
    # An entity a fold, half right and all right; then one entity in both, which cannot vary.
    table = tables.accuracy([runs("a", [record([1, 0], [0, 0]), record([1, 1], [1, 1])])], STRICT, (1,))
    assert table.iloc[0].to_dict() == {"system": "a", "n": "4", "@1": "75.0 [50.0, 100.0]"}
    table = tables.accuracy([runs("a", [record([1, 0], [0, 0]), record([1, 1], [0, 0])])], STRICT, (1,))
    assert table.iloc[0].to_dict() == {"system": "a", "n": "4", "@1": "75.0 [75.0, 75.0]"}
    halfway = runs("a", [record([1, 0], [0, 0]), None])
    assert tables.accuracy([halfway], STRICT, (1,))["@1"][0] == "NOT RUN"


def test_folds_are_listed_and_compared_with_the_first():
    a = runs("a", [record([1, 0], [0, 0]), record([1, 1], [1, 1])])
    b = runs("b", [record([0, 0], [0, 0]), record([1, 0], [1, 1])])
    gone = runs("c", [record([1, 1]), None])
    table = tables.folds([a, b, gone], STRICT)
    assert table["training"].tolist() == ["a", "b", "c"]
    assert table["accuracy"].tolist() == ["75.0 [50.0, 100.0]", "25.0 [0.0, 50.0]", "NOT RUN"]
    assert table["each fold"].tolist() == ["50.0, 100.0", "0.0, 50.0", ""]
    # Half of each document: both swaps that keep the sign, of four, are as far apart.
    assert table["a minus this"].tolist() == ["", "+50.0 [+50.0, +50.0]", ""]
    assert table["p"].tolist() == ["", "0.5000", ""]
    assert "a minus this" not in tables.folds([gone, b], STRICT) and tables.folds([], STRICT).empty


def test_the_largest_clusters_stand_apart_from_the_others(found):
    table = tables.largest(found, STRICT, 2)
    # Scored mentions by document: three, two, one.
    assert list(table) == ["system", "1: 3 mentions", "2: 2 mentions", "all others"]
    assert table.iloc[0].tolist()[1:] == ["83.3", "25.0", "50.0 [50.0, 50.0]"]
    assert table["all others"].tolist()[1:] == ["100.0 [100.0, 100.0]", "NOT RUN", GONE]
    assert tables.largest(found[:1], STRICT, 3)["all others"].tolist() == [""]
    even = tables.largest([runs("a", record([1, 1, 0, 0], [5, 5, 3, 3]))], STRICT, 1)
    assert even["1: 2 mentions"][0] == "0.0"  # of equal ones the first: 3


def test_pairs_keep_their_own_adjusted_p():
    four = [0, 1, 2, 3]
    all_right, three, none = ([1, 1, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0])
    here = [
        runs(key, record(ranks, four)) for key, ranks in zip("abc", (all_right, three, none), strict=True)
    ]
    table = tables.paired(here, [("a", "c"), ("b", "c"), ("a", "b")], STRICT)
    assert list(table)[:4] == ["first", "second", "difference", "p (Holm)"]
    assert [text.split(" [")[0] for text in table["difference"]] == ["+100.0", "+75.0", "+25.0"]
    # Of 16 swaps 2, 4 and all are as far apart: 0.125 × 3, 0.25 × 2, 1.
    assert table["p (Holm)"].tolist() == ["0.3750", "0.5000", "1.0000"]
    assert table["gained / lost"].tolist() == ["4 / 0", "3 / 0", "1 / 0"]
    apart = float(table["detectable"][1])
    assert apart > 0 and table["in mentions"][1] == f"{apart / 100 * 4:,.0f}"


def test_credits_are_averaged_over_seeds_before_they_are_paired():
    several = runs("s", record([1, 1, 0]), record([1, 0, 0]))
    one = runs("o", record([0, 0, 1]))
    table = tables.paired([several, one], [("s", "o")], STRICT)
    # 1, 1/2 and -1.
    assert table["difference"][0].startswith("+16.7 [") and table["gained / lost"][0] == "2 / 1"


def test_a_macro_difference_counts_every_cluster_once():
    clusters = [0, 0, 0, 1]
    a, b = runs("a", record([1, 1, 1, 0], clusters)), runs("b", record([0, 0, 0, 1], clusters))
    table = tables.paired([a, b, runs("c", None)], [("a", "b"), ("a", "c")], STRICT, macro=True)
    assert table["difference"][0].startswith("+50.0 [") and table["macro difference"][0].startswith("+0.0 [")
    assert table["macro p (Holm)"].tolist() == ["1.0000", ""]
    assert table["difference"][1] == "NOT RUN"


def test_a_pair_is_compared_on_every_data_set_and_once():
    found = [runs(key, record(ranks), data=data) for data in ("x", "y") for key, ranks in
             (("a", [1, 1]), ("b", [0, 0]))]  # fmt: skip
    table = tables.paired(found, [("a", "b"), ("a", "b")], STRICT)
    assert table["data"].tolist() == ["x", "y"] and set(table["first"]) == {"a"}
    assert table["p (Holm)"].tolist() == ["1.0000", "1.0000"]  # 2 of 4 swaps, twice


def test_a_dropped_system_has_no_pair_and_a_merged_one_is_found_by_each_key():
    merged = runs("a", record([1, 1]), keys=("a", "a2"), label="A")
    other = runs("b", record([0, 1]))
    table = tables.paired([merged, other], [("dropped", "b"), ("a", "a2"), ("a2", "b")], STRICT)
    assert table[["first", "second"]].to_numpy().tolist() == [["A", "b"]]
    # Two keys of one system make one pair, not two.
    assert len(tables.paired([merged, other], [("a", "b"), ("a2", "b")], STRICT)) == 1
    assert tables.paired([merged, other], [("dropped", "b")], STRICT).empty


def test_a_ceiling_below_all_stands_beside_what_is_printed():
    kinds = SimpleNamespace(strata=strata(reachable=[True, True, True, False]))
    one = runs("ours", record([1, 1, 0, 0]), kinds=kinds, printed="Ours")
    table = tables.accuracy([one], STRICT, (1,), PRINTED, {"toy": "TOY"})
    assert table["ceiling"].tolist() == ["75.0"] and list(table).index("ceiling") == 2
    first = {"toy": np.array([True, True, True, False])}
    assert "ceiling" not in tables.accuracy([one], STRICT, (1,), PRINTED, {"toy": "TOY"}, first)
    assert "ceiling" not in tables.accuracy([one], STRICT, (1,))


def test_the_ceiling_is_that_of_the_systems_own_dictionary():
    whole, half = (SimpleNamespace(strata=strata(reachable=of))
                   for of in ([True, True, True, False], [True, False, False, False]))  # fmt: skip
    sampled = {"printed": "Ours", "changes": ("sample-names:0.5:0",)}
    found = [
        runs("a", record([1, 1, 0, 0]), kinds=whole, printed="Ours"),
        runs("b", record([1, 0, 0, 0]), kinds=half, **sampled),
        # Nothing is said of one whose kinds are missing.
        runs("c", record([1, 0, 0, 0]), **sampled),
    ]
    table = tables.accuracy(found, STRICT, (1,), PRINTED, {"toy": "TOY"})
    assert table["ceiling"].tolist() == ["75.0", "25.0", ""]
    shared = tables.accuracy(
        found[:2], STRICT, (1,), PRINTED, {"toy": "TOY"}, shared_stratum(found[:2], "reachable")
    )
    assert shared["n"].tolist() == ["1", "1"] and "ceiling" not in shared
