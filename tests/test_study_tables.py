"""What systems reach, as tables: every cell worked out by hand from ranks."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import ranked
from ranked import GONE, cells, links, plain, record, runs

from benchlib.scoring import Scoring
from study import tables
from study.chapters.results import shared_stratum, stratum
from study.chapters.training_states import StateRecords
from study.pages.show import Markup
from study.tables.rows import each, system

STRICT = Scoring()
DOCUMENTS = [0, 0, 0, 1, 1, 1, 2]
FIRST = [1, 1, 2, None, 1, 0, 3]  # @1 three of six, @3 five
SECOND = [1, 1, 1, None, 0, 0, 1]  # @1 four of six, @3 four
PRINTED = pd.DataFrame(
    [("Ours", "TOY", "recall_at_1", "70.10"), ("Ours", "other", "recall_at_1", "12"),
     ("Theirs", "TOY", "recall_at_3", "99.9"), ("Ours", "TOY", "mrr", "85.1")],
    columns=["system", "dataset", "metric", "value"],
)  # fmt: skip
TOY = {"toy": "TOY"}


@pytest.fixture
def found():
    return [
        runs("ours", published("a", FIRST, DOCUMENTS), record(SECOND, DOCUMENTS), printed="Ours"),
        runs("half", record([1, "half", 1, None, 1, 1, 1], DOCUMENTS)),
        runs("lost", None),
        runs("theirs", printed="Theirs", reason=GONE),
    ]


def published(name, ranks=(1, 0), clusters=None, **of):
    return record(list(ranks), clusters, path=f"data/records/{name}.json", **of)


def test_accuracy_is_the_mean_over_seeds_and_what_was_not_run_says_why(found):
    table = tables.accuracy(found, STRICT, (1, 3), macro=True)
    assert list(table) == ["system", "n", "@1", "macro @1", "seeds @1", "@3"]
    # Mean credits 1, 1, 1/2 | 1/2, 0 | 1/2 by document: 3.5 of 6; means 5/6, 1/4 and 1/2.
    assert cells(table) == [
        ["ours", "6", "58.3", "52.8", "50.0, 66.7", "75.0"],
        ["half", "6", "91.7", "94.4", "", "100.0"],
        ["lost", "", "NOT RUN", "", "", ""],
        ["theirs", "", GONE, "", "", ""],
    ]
    assert table["@1"][1] == "91.7 [83.3, 100.0]" and table["system"][1] == "half"
    assert links(table["system"][0]) == {"ours": "a"} and links(table["seeds @1"][0]) == {"50.0": "a"}


def test_beside_a_trained_system_stand_its_state_and_the_control(found):
    half, full = published("half", [1, 1, 1, 1, 2, 2]), record([1] * 6)
    there = StateRecords((record([2] * 6),), (half,), (full,), (record([2, 1, 2, None, 1, 2, 2], DOCUMENTS),))
    trained, waiting = replace(found[0], states=there), StateRecords((None,), (None,), (half,), (None,))
    table = tables.accuracy([trained, replace(found[1], states=waiting), found[1]], STRICT, (1, 3))
    # Of the control two of the six counted mentions are right; on dev the second half gains a third of them.
    assert list(table)[-3:] == ["@3", "zero updates @1", "state"]
    assert cells(table, "zero updates @1", "state") == [["33.3", "rising"], ["", "unknown"], ["", ""]]
    assert links(table["state"][1]) == {"unknown": "half"}
    states = tables.states([trained, trained, replace(trained, states=waiting)])
    assert list(states) == ["data", "training", "none", "half", "all", "gain", "late gain", "state"]
    assert cells(states) == [
        ["toy", "ours", "0.0", "66.7", "100.0", "+100.0", "+33.3", "rising"],
        ["toy", "ours", "", "", "66.7", "", "", "unknown"],
    ]
    assert "half" in links(states["half"][0]).values() and states["none"][0] == "0.0 [0.0, 0.0]"
    nothing = StateRecords((None,), (None,), (None,), (None,))
    assert tables.states([replace(trained, states=nothing)]).empty


def test_a_data_set_on_which_nothing_has_run_takes_one_row(found):
    unrun = [runs(key, None, data="y", printed="Ours" if key == "ours" else "") for key in ("ours", *"bcd")]
    table = tables.accuracy([*found, *unrun], STRICT, (1, 3))
    assert table["data"].tolist() == ["toy"] * 4 + ["y"]
    assert table.iloc[-1][["system", "n", "@1", "@3"]].tolist() == ["all 4 systems", "", "NOT RUN", ""]
    assert len(tables.accuracy(unrun[1:], STRICT, (1, 3))) == 3  # few enough to be named
    table = tables.accuracy(unrun, STRICT, (1,), PRINTED, {"y": "TOY"})
    assert table["printed @1"].tolist() == ["70.10", "", "", ""]  # a printed number is not hidden
    some = tables.accuracy([*unrun, runs("e", record([1]), data="y")], STRICT, (1,))
    assert some["@1"].tolist() == ["NOT RUN"] * 4 + ["100.0 [100.0, 100.0]"]
    reason = [*unrun[:3], runs("lost", data="y", reason=GONE)]
    assert tables.accuracy(reason, STRICT, (1,))["@1"].tolist() == ["NOT RUN"] * 3 + [GONE]
    table = tables.paired(unrun, [("ours", "b"), ("ours", "c"), ("ours", "d"), ("b", "c")], STRICT)
    assert table.to_dict("records") == [{"first": "all 4 pairs", "difference": "NOT RUN"}]


def test_what_is_printed_stands_beside_as_it_is_printed(found):
    table = tables.accuracy(found, STRICT, (1, 3), PRINTED, TOY, mrr=True)
    assert list(table) == [
        "system", "n", "@1", "printed @1", "seeds @1", "@3", "printed @3", "MRR", "printed MRR",
    ]  # fmt: skip
    assert cells(table, "printed @1", "printed @3", "printed MRR") == [
        ["70.10", "", "85.1"], ["", "", ""], ["", "", ""], ["", "99.9", ""],
    ]  # fmt: skip
    # 1, 1, 1/2, 1, 0, 1/3 and four of six; with a tie for the first place 1 and 1/2 at even odds.
    assert cells(table, "MRR") == [["65.3"], ["95.8"], [""], [""]]
    assert "printed @1" not in tables.accuracy(found, STRICT, (1,), PRINTED[:0], TOY)
    # Without names of the data sets both rows of Ours fit.
    with pytest.raises(LookupError, match="2 printed numbers match.*'Ours'.*recall_at_1.*expected one"):
        tables.accuracy(found, STRICT, (1,), PRINTED)


def test_the_unit_of_an_interval_is_the_cluster():
    def interval(clusters):
        return tables.accuracy([runs("a", record([1, 0, 1, 0], clusters))], STRICT, (1,))["@1"][0]

    # One document is always drawn whole; two alike have the same mean however they are drawn.
    assert interval([0, 0, 0, 0]) == interval([0, 0, 1, 1]) == "50.0 [50.0, 50.0]"
    assert interval([0, 1, 0, 1]) == "50.0 [0.0, 100.0]"


def test_a_mask_is_over_all_mentions_and_a_data_set_without_kinds_is_not_run():
    kinds = ranked.kinds(seen_name=[True, False, False, True, True, False, True])
    one = runs("a", record(FIRST, DOCUMENTS), kinds=kinds, label="A")
    other = runs("a", record(FIRST, DOCUMENTS), data="bare", label="A")
    masks = stratum([one, other], "seen name", holds=False)
    # Mentions 1, 2 and 5: ranks 1, 2 and none.
    assert cells(tables.accuracy([one, other], STRICT, (1, 3), mentions=masks)) == [
        ["toy", "A", "3", "33.3", "66.7"], ["bare", "A", "", "NOT RUN", ""],
    ]  # fmt: skip
    table = tables.accuracy([one], STRICT, (1, 3), mentions={"toy": np.zeros(7, dtype=bool)})
    assert table.iloc[0].to_dict() == {"system": "A", "n": "0", "@1": "no mention left"}


def test_folds_of_one_seed_are_all_its_mentions_and_an_entity_in_both_is_one_cluster():
    # An entity a fold, half right and all right; then one entity in both, which cannot vary.
    for clusters, interval in (([1, 1], "[50.0, 100.0]"), ([0, 0], "[75.0, 75.0]")):
        one = runs("a", [record([1, 0], [0, 0]), record([1, 1], clusters)])
        assert tables.accuracy([one], STRICT, (1,)).iloc[0].tolist() == ["a", "4", f"75.0 {interval}"]
    halfway = runs("a", [record([1, 0], [0, 0]), None])
    assert tables.accuracy([halfway], STRICT, (1,))["@1"][0] == "NOT RUN"


def test_folds_are_listed_and_compared_with_the_first():
    a = runs("a", [published("a1", [1, 0], [0, 0]), published("a2", [1, 1], [1, 1])])
    b = runs("b", [record([0, 0], [0, 0]), record([1, 0], [1, 1])])
    gone = runs("c", [record([1, 1]), None])
    table = tables.folds([a, b, gone], STRICT)
    # Half of each document: both swaps that keep the sign, of four, are as far apart.
    assert cells(table) == [
        ["a", "75.0", "50.0, 100.0", "", ""], ["b", "25.0", "0.0, 50.0", "+50.0", "0.5000"],
        ["c", "NOT RUN", "", "", ""],
    ]  # fmt: skip
    assert table["accuracy"].tolist()[:2] == ["75.0 [50.0, 100.0]", "25.0 [0.0, 50.0]"]
    assert links(table["each fold"][0]) == {"50.0": "a1", "100.0": "a2"}
    assert "a minus this" not in tables.folds([gone, b], STRICT) and tables.folds([], STRICT).empty
    seeds = runs(
        "s", [published("s1"), published("s2", (1, 1))], [published("t1", (0, 0)), published("t2", (1, 1))]
    )
    assert cells(tables.folds([seeds], STRICT)) == [["s", "62.5", "50.0, 100.0; 0.0, 100.0"]]


def test_the_largest_clusters_stand_apart_from_the_others(found):
    # Scored mentions by document: three, two, one.
    table = tables.largest(found, STRICT, 2)
    assert list(table) == ["system", "1: 3 mentions", "2: 2 mentions", "all others"]
    assert cells(table)[0] == ["ours (records 1, 2)", "83.3", "25.0", "50.0"]
    assert cells(table, "all others")[1:] == [["100.0"], ["NOT RUN"], [GONE]]
    assert tables.largest(found[:1], STRICT, 3)["all others"].tolist() == [""]
    even = tables.largest([runs("a", record([1, 1, 0, 0], [5, 5, 3, 3]))], STRICT, 1)
    assert even["1: 2 mentions"][0] == "0.0"  # of equal ones the first: 3


def test_pairs_keep_their_own_adjusted_p():
    four = [0, 1, 2, 3]
    ranks = {"a": [1, 1, 1, 1], "b": [0, 1, 1, 1], "c": [0, 0, 0, 0]}
    here = [runs(key, record(of, four)) for key, of in ranks.items()]
    pairs = [("a", "c"), ("b", "c"), ("a", "b")]
    table = tables.paired(here, pairs, STRICT)
    assert list(table)[:4] == ["first", "second", "difference", "p (Holm)"] and "p" not in table
    # Of 16 swaps 2, 4 and all are as far apart: 0.125 × 3, 0.25 × 2, 1.
    assert cells(table, "difference", "p (Holm)", "gained / lost") == [
        ["+100.0", "0.3750", "4 / 0"], ["+75.0", "0.5000", "3 / 0"], ["+25.0", "1.0000", "1 / 0"],
    ]  # fmt: skip
    before = tables.paired(here, pairs, STRICT, plain_p=True)
    assert cells(before, "p") == [["0.1250"], ["0.2500"], ["1.0000"]]
    apart = float(table["detectable"][1])
    assert apart > 0 and table["in mentions"][1] == f"{apart / 100 * 4:,.0f}"


def test_credits_are_averaged_over_seeds_before_they_are_paired():
    several = runs("s", published("s0", [1, 1, 0]), published("s1", [1, 0, 0]))
    table = tables.paired([several, runs("o", published("o0", [0, 0, 1]))], [("s", "o")], STRICT)
    # 1, 1/2 and -1.
    assert cells(table, "difference", "gained / lost") == [["+16.7", "2 / 1"]]
    # Both names lead to all that was compared.
    assert plain(table["first"][0]) == "s (records 1, 2)" and links(table["second"][0]) == {"o": "o0"}
    assert links(table["first"][0]) == {"s": "s0", "1": "s0", "2": "s1"}


def test_a_macro_difference_counts_every_cluster_once():
    clusters = [0, 0, 0, 1]
    a, b = runs("a", record([1, 1, 1, 0], clusters)), runs("b", record([0, 0, 0, 1], clusters))
    table = tables.paired([a, b, runs("c", None)], [("a", "b"), ("a", "c")], STRICT, macro=True)
    assert cells(table, "difference", "macro difference", "macro p (Holm)") == [
        ["+50.0", "+0.0", "1.0000"], ["NOT RUN", "", ""],
    ]  # fmt: skip


def test_a_pair_is_compared_on_every_data_set_and_once():
    found = [runs(key, record([hit, hit]), data=data) for data in "xy" for key, hit in (("a", 1), ("b", 0))]
    table = tables.paired(found, [("a", "b"), ("a", "b")], STRICT)
    assert table["data"].tolist() == ["x", "y"] and set(table["first"]) == {"a"}
    assert table["p (Holm)"].tolist() == ["1.0000", "1.0000"]  # 2 of 4 swaps, twice
    # A merged system is found by each key and makes one pair; a dropped one makes none.
    merged, other = runs("a", record([1, 1]), keys=("a", "a2"), label="A"), runs("b", record([0, 1]))
    pairs = [("dropped", "b"), ("a", "a2"), ("a2", "b"), ("a", "b")]
    assert cells(tables.paired([merged, other], pairs, STRICT), "first", "second") == [["A", "b"]]
    assert tables.paired([merged, other], pairs[:1], STRICT).empty


def test_the_ceiling_is_that_of_the_systems_own_dictionary_and_stands_where_it_is_below_all():
    whole, half = (ranked.kinds(reachable=[True, *of, False]) for of in ([True, True], [False, False]))
    sampled = {"printed": "Ours", "changes": ("sample-names:0.5:0",)}
    found = [
        runs("a", record([1, 1, 0, 0]), kinds=whole, printed="Ours"),
        runs("b", record([1, 0, 0, 0]), kinds=half, **sampled),
        runs("c", record([1, 0, 0, 0]), **sampled),  # nothing is said of one whose kinds are missing
    ]
    table = tables.accuracy(found, STRICT, (1,), PRINTED, TOY)
    assert table["ceiling"].tolist() == ["75.0", "25.0", ""] and list(table).index("ceiling") == 2
    shared = tables.accuracy(found[:2], STRICT, (1,), PRINTED, TOY, shared_stratum(found[:2], "reachable"))
    assert shared["n"].tolist() == ["1", "1"] and "ceiling" not in shared
    assert "ceiling" not in tables.accuracy(found, STRICT, (1,))


GAINS = PRINTED.assign(system=["Ours", "Other", "Better", ""], dataset="Toy", metric="recall_at_1",
                       value=["80.0", "60.0", "90.0", ""])  # fmt: skip
OURS = runs("ours", record([1, 1, 1, 0]), printed="Ours")
OTHER = runs("other", record([1, 0, 1, 0]), printed="Other")


def test_a_gain_is_set_beside_the_printed_one():
    better, paid = (
        runs("better", record([0, 0, 0, 0]), printed="Better"),
        runs("paid", printed="Other", reason=GONE),
    )
    pairs = [("ours", "other"), ("ours", "better"), ("ours", "paid"), ("ours", "dropped")]
    # Three of four against two of four are 25 points, 1.25 times the printed 20; of a loss there is no share.
    assert cells(tables.gains([OURS, OTHER, better, paid], pairs, STRICT, GAINS)) == [
        ["ours", "other", "+20.00", "+25.0", "1.25"], ["ours", "better", "-10.00", "+75.0", ""],
        ["ours", "paid", "+20.00", GONE, ""],
    ]  # fmt: skip
    # A gain that the text states, on the first two mentions: both against one.
    mask, stated = {"toy": np.array([True, True, False, False])}, {("ours", "other"): "50"}
    table = tables.gains([OURS, OTHER], pairs[:1], STRICT, stated=stated, mentions=mask)
    assert cells(table) == [["ours", "other", "+50.00", "+50.0", "1.00"]]
    table = tables.gains([OURS, OTHER], pairs[:1], STRICT, mentions={})
    assert cells(table, "printed gain", "our gain") == [["", "NOT RUN"]]


def test_how_many_mentions_a_printed_gain_takes():
    # Differences 1, 0, -1 and 0 in clusters of their own, of which 400 times as many mentions have a
    # twentieth of the error.
    first, second = (runs(key, record(hits * 100), printed=key.title())
                     for key, hits in (("ours", [1, 1, 0, 0]), ("other", [0, 1, 1, 0])))  # fmt: skip
    takes = []
    for printed in ("61.0", "80.0"):
        rows = GAINS.assign(value=[printed, "60.0", "90.0", ""])
        table = tables.gains([first, second], [("ours", "other")], STRICT, rows, it_takes=True)
        assert table["mentions"].tolist() == ["400"]
        takes.append(float(table["it takes"][0].replace(",", "")))
    # Standard error of the mean of 400 such differences, and 2.8 times that is found four times in five.
    expected = 400 * (100 * 2.80 * np.sqrt(0.5 / 400) / 1.0) ** 2
    assert takes[0] == pytest.approx(expected, rel=0.1)
    assert takes[0] / takes[1] == pytest.approx(20**2, rel=0.01)


def test_a_system_on_two_lists_has_one_row():
    longer = runs("ours", record([1, 1, 1, 1]), printed="Ours", changes=("add-names:train",))
    table = tables.side_by_side({"names": [OURS, OTHER], "more": [longer]}, ["ours", "other"], STRICT, GAINS)
    assert list(table) == ["system", "names", "printed", "more"]
    assert cells(table) == [["ours", "75.0", "80.0", "100.0"], ["other", "50.0", "60.0", ""]]


def test_records_of_this_machine_are_no_links_and_what_is_escaped_stays_so():
    local = [record([1]), record([0])]
    assert each(["a<b", "c"], local) == "a<b, c" and not isinstance(each(["a", "b"], local), Markup)
    mixed = each(["a<b", "c"], [record([1]), published("p", (1,))])
    assert mixed == 'a&lt;b, <a href="../data/records/p.html">c</a>'
    assert system(runs("x", *local)) == "x" and system(runs("y", None)) == "y"


def test_a_linkers_name_breaks_after_a_comma_and_is_escaped():
    told = runs("a", linker="tfidf,ngrams=2-4,model=<b>", changes=("add-names:train", "hold-out:x"))
    assert tables.by_name([told, runs("exact")]).to_numpy().tolist() == [
        ["a", "tfidf,<wbr>ngrams=2-4,<wbr>model=&lt;b&gt;", "add-names:train, hold-out:x"],
        ["exact", "exact", ""],
    ]
