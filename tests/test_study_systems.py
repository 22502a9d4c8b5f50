"""What a run set gives: its records, credits over seeds and folds, masks, and systems by their keys."""

import pandas as pd
import pytest
import ranked
from ranked import record, runs

from benchlib.scoring import Scoring
from study.chapters.costs import cost_points, printed_costs
from study.chapters.results import by_key, listed, shared_stratum, stratum
from study.records import Record

STRICT = Scoring()


def test_credits_are_seeds_by_mentions_fold_after_fold():
    folds = [record([1, None, 2], [0, 0, 0]), record([0, 1], [0, 1])]
    found = runs("a", folds, [record([1, None, 1], [0, 0, 0]), record([1, "half"], [0, 1])])
    assert found.made and found.folds == 2 and len(found.there) == 4
    assert found.credits(1, STRICT).tolist() == [[1, 0, 0, 1], [1, 1, 1, 0.5]]
    assert found.credits(2, STRICT).tolist()[0] == [1, 1, 0, 1]
    # Two mentions of one entity, which is that of the first mention of the second fold as well.
    assert found.clusters.tolist() == [0, 0, 0, 1]
    assert [len(outcomes.scored) for outcomes in found.outcomes] == [2, 2] and found.record is folds[0]


@pytest.mark.parametrize(
    "leaves_out", [{"composite": "no-composites"}, {"among": "reachable"}, {"names": "refined"}]
)
def test_a_protocol_that_leaves_mentions_out_is_refused_where_all_count(leaves_out):
    found = runs("a", record([1, 2]))
    for credits in (lambda scoring: found.credits(1, scoring), found.reciprocal):
        with pytest.raises(
            ValueError, match="^a: expected a protocol of all mentions, found strict/concepts/any-of/"
        ):
            credits(Scoring(**leaves_out))
        assert credits(Scoring("strict", "names")).tolist()[0][0] == 1


def test_a_system_is_made_when_all_its_seeds_and_folds_are():
    one = record([1])
    for missing in (runs("a", one, None), runs("a", [one, None]), runs("a", reason="paid")):
        assert not missing.made
    partly = runs("a", None, one, changes=("misspelt:test",))
    assert partly.there == [one] and partly.record is None and partly.name == "toy misspelt:test"
    paid = runs("a", reason="paid")
    assert paid.record is None and paid.there == [] and paid.folds == 0


def test_a_stratum_is_of_the_fewest_transforms_and_only_of_data_sets_with_kinds():
    kinds = ranked.kinds(refined=[True, False, True])
    changed = ranked.kinds(refined=[False, False, False])
    plain = runs("a", record([1, None, 0]), kinds=kinds)
    found = [
        plain,
        runs("b", record([1, None, 0]), kinds=changed, changes=("add-names:train",)),
        runs("a", record([1]), data="bare"),
        runs("c", reason="paid", data="paid"),
    ]
    masks = stratum(found, "refined")
    assert {data: mask.tolist() for data, mask in masks.items()} == {"toy": [True, False, True]}
    assert stratum(found, "refined", holds=False)["toy"].tolist() == [False, True, False]
    # A mask is over all mentions; what is asked of it are the scored ones, 0 and 2.
    assert [one if one is None else one.tolist() for one in (run.among(masks) for run in found[:3])] == [
        [True, True], [True, True], None,
    ]  # fmt: skip
    assert plain.among(None).tolist() == [True, True]


def test_a_stratum_is_not_taken_from_more_transforms_when_the_kinds_of_the_fewest_are_missing():
    kinds, lacking = ranked.kinds(seen_concept=[True, False, True]), record([1, None, 0])
    of_set = {"changes": ("hold-out:hash:0.1",)}
    # The kinds are those of the set: a system with a transform of its own has none.
    more = runs("b", lacking, changes=("add-names:train", *of_set["changes"]))
    found = [more, runs("a", lacking, kinds=kinds, **of_set), runs("c", reason="paid", **of_set)]
    masks = stratum(found, "seen concept")
    assert masks["toy"].tolist() == [True, False, True]
    assert [run.among(masks).tolist() for run in found[:2]] == [[True, True]] * 2
    assert stratum([more, found[2]], "seen concept") == {}
    changed = runs("b", lacking, kinds=kinds, changes=("dev:test",))
    assert stratum([runs("a", lacking), changed], "seen concept") == {}
    # One that is never run has no say.
    assert [*stratum([runs("a", reason="paid"), changed], "seen concept")] == ["toy"]


def test_what_is_common_is_in_the_stratum_for_every_run():
    def of(key, share, *reachable, data="toy"):
        kinds = ranked.kinds(reachable=reachable) if reachable else None
        changes = (f"sample-names:{share}:0",) if share else ()
        return runs(key, record([1, None, 0, 1]), data=data, kinds=kinds, changes=changes)

    whole = of("a", "", True, True, True, False)
    half = of("a", "0.5", True, True, False, True)
    quarter = of("a", "0.25", False, True, True, True)
    bare, other = of("b", "0.125"), of("a", "", True, False, True, False, data="other")
    # A run without a record of its own is asked for its kinds all the same; one that is never run is not.
    to_run = runs("c", None, kinds=half.kinds)
    assert shared_stratum([whole], "reachable")["toy"].tolist() == [True, True, True, False]
    for found in ([whole, half], [half, whole], [whole, to_run], [runs("d", reason="paid"), whole, half]):
        assert shared_stratum(found, "reachable")["toy"].tolist() == [True, True, False, False]
    masks = shared_stratum(iter([whole, other, half, quarter]), "reachable")
    assert {data: mask.tolist() for data, mask in masks.items()} == {
        "toy": [False, True, False, False], "other": [True, False, True, False],
    }  # fmt: skip
    # Mention 1 is NIL and not counted, and the smallest dictionary reaches none of the others.
    assert [run.among(masks).tolist() for run in (whole, quarter)] == [[False] * 3] * 2
    # Kinds that are missing leave no mask, wherever they stand, and not a wider one.
    for found in ([whole, bare, half, other], [bare, whole, other], [other, whole, bare]):
        masks = shared_stratum(found, "reachable")
        assert [*masks] == ["other"] and whole.among(masks) is None
    assert shared_stratum([bare, runs("d", reason="paid")], "reachable") == {}
    # The kinds themselves stay as they are.
    assert whole.kinds.strata["reachable"].tolist() == [True, True, True, False]


def test_systems_are_found_in_the_order_of_the_keys_and_once():
    a, b, merged = (runs(key, record([1]), keys=keys) for key, keys in
                    (("a", ("a",)), ("b", ("b",)), ("c", ("c", "d"))))  # fmt: skip
    found = [a, b, merged]
    assert by_key(found, "d", "a", "c", "dropped") == [merged, a]
    assert by_key(found) == by_key(found, "dropped") == []


def test_costs_need_a_record_and_a_time():
    timed = {"toy": Record({}, {}, values={"fast": 0.5}), "other": None}
    right = runs("a", record([1, 0]), record([1, 1]), timed="fast", label="A")
    others = [runs("b", None, timed="fast"), runs("c", record([1]), timed="slow"),
              runs("d", record([1]), timed="fast", data="other"),
              runs("e", record([1]), timed="fast", data="unknown")]  # fmt: skip
    [one] = cost_points([right, *others], timed, STRICT)
    # Two seeds of two mentions: right in one of them and in both.
    assert (one.label, one.seconds, one.accuracy.value, one.accuracy.seeds) == ("A", 0.5, 0.75, (0.5, 1.0))
    # Of two draws of one half and one, a quarter each are two of the same.
    assert (one.accuracy.low, one.accuracy.high) == (0.5, 1.0)
    assert one.records == (*right.there, timed["toy"])


def test_a_costs_its_updates_at_the_pace_measured():
    # An update takes 6 seconds divided by 4.
    timed = {"toy": Record({}, {}, values={"pace": 6.0, "pace.updates": 4}), "other": None}
    of = {"timed": "pace", "label": "A", "values": {"updates": 50}}
    found = [
        runs("a", record([1, 2, 11]), **of),
        runs("b", None, **of),
        runs("c", record([1]), **of | {"timed": "fast"}),
        runs("d", record([1]), data="other", **of),
    ]
    [first] = cost_points(found, timed, STRICT)
    assert (first.label, first.seconds, first.accuracy.value, first.value) == ("A", 75, 1 / 3, "50")
    assert first.records == (*found[0].there, timed["toy"])
    [tenth] = cost_points(found, timed, STRICT, k=10)
    assert (tenth.seconds, tenth.accuracy.value) == (75, 2 / 3)


def test_printed_costs_need_both_numbers_and_a_list_is_a_mask_over_all_test_mentions():
    columns = ["system", "metric", "value"]
    rows = [("P", "inference_seconds", "60"), ("P", "recall_at_1", "69.94"), ("Q", "recall_at_1", "50")]
    found = [runs("a", record([1]), label="A", printed="P"), runs("b", record([1]), printed="Q")]
    found.append(runs("c", record([1])))
    assert printed_costs(found, pd.DataFrame(rows, columns=columns)) == {"A": (60, 69.94)}
    values = {"test.mentions": 4, "found": [0, 3], "none": []}
    measured = {"toy": Record({}, {}, values=values), "gone": None}
    masks = listed(measured, "found")
    assert list(masks) == ["toy"] and masks["toy"].tolist() == [True, False, False, True]
    assert not listed(measured, "none")["toy"].any()
