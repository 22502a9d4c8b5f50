"""The tests of claims on hand-made runs: every expected effect is worked out beside it."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from benchlib.scoring import Outcomes
from benchlib.scoring.coding import ANY, NIL
from study.chapters.plan import PlannedRow
from study.chapters.results import SystemResult
from study.chapters.templates import System
from study.chapters.trainings import steadiness
from study.claims.claim_tests import TESTS, read_test
from study.claims.evidence import Evidence
from study.claims.verdicts import FAILS, HOLDS
from study.records import MissingRecord

STRICT, LENIENT = "strict/names/any-of", "lenient/names/any-of"
CHAPTER = SimpleNamespace(name="c", runs={"t": SimpleNamespace(systems=["a", "b", "c"])})
HALF = 0.5  # an ambiguous name: one of its two concepts is gold


def outcomes(credits, clusters=None, nil=(), scores=None) -> Outcomes:
    """One mention a credit: 1 found, 0 not listed, HALF worth that much strictly, all leniently, and nothing
    pessimistically. Those numbered in ``nil`` are NIL mentions."""
    n = len(credits)
    credits, is_nil = np.array(credits, dtype=float), np.isin(np.arange(n), nil)
    rows = np.where(credits == HALF, 2, 1)
    ties = np.stack([np.ones(n, dtype=int), rows, rows, rows], axis=1)  # names, rows, concepts, votes
    return Outcomes(
        mention=np.arange(n),
        part=np.zeros(n, dtype=int),
        wants=np.where(is_nil, NIL, ANY),
        needed=np.ones(n, dtype=int),
        above=np.repeat(np.where(credits > 0, 0, -1), 4).reshape(n, 4),
        ties=ties,
        golds=np.ones((n, 4), dtype=int),
        cluster=np.arange(n) if clusters is None else np.array(clusters),
        top=np.full(n, "D1"),
        top_score=np.zeros(n) if scores is None else np.array(scores, dtype=float),
        counts={},
    )


def runs(key, *seeds, folds=None, strata=None, trace=(), timed="", **more) -> SystemResult:
    """A system with one record a seed, or one seed with one record a fold."""
    given = [folds] if folds else [[of_seed] for of_seed in seeds]
    records = tuple(
        tuple(SimpleNamespace(outcomes=outcomes(one, **more), trace=trace, made={}) for one in of_seed)
        for of_seed in given
    )
    system = System((key,), key.upper(), linker=key, seeds=tuple(range(len(given))), timed=timed or key)
    return SystemResult(system, "toy", records, SimpleNamespace(strata=pd.DataFrame(strata or {})))


class Given:
    """Evidence of the runs given, by run set and system."""

    def __init__(self, found=(), **measured):
        self.found = dict(found) if isinstance(found, dict) else {("t", r.system.keys[0]): r for r in found}
        self.values = measured

    def runs(self, chapter, name, system, data, kinds=False):
        if (name, system) not in self.found:
            raise MissingRecord({"name": system, "dataset": data})
        found = self.found[name, system]
        if kinds and found.kinds is None:
            raise MissingRecord({"name": "strata", "dataset": data})
        return found if kinds else replace(found, kinds=None)

    def every(self, chapter, name, system, data, kinds=False):
        """Those of ``system``, and of ``system:1`` and so on where it stands for several."""
        more = [key for _, key in self.found if key.startswith(f"{system}:")]
        return [self.runs(chapter, name, key, data, kinds) for key in (system, *more)]

    def system(self, chapter, key):
        return next(one.system for (_, system), one in self.found.items() if system == key)

    def measured(self, chapter, measurement, data):
        made = {"hardware": {"cpu": "any"}}
        return SimpleNamespace(values=self.values[measurement], made=self.values.get("made", made))


def effect(name, evidence, **arguments):
    return TESTS[name](name=name, chapter="c", **arguments).effect(evidence, "toy")


def gap(evidence, of, over, protocol=STRICT, **more):
    return effect("gap", evidence, of=of, over=over, runs="t", protocol=protocol, **more)


# ---------------------------------------------------------------- gaps


def test_the_most_accurate_of_several_is_the_rival():
    evidence = Given([runs("a", [1, 1, 1, 0]), runs("b", [0, 0, 0, 0]), runs("c", [1, 0, 0, 0])])
    found = gap(evidence, ["a"], ["b", "c"])
    assert (found.value, found.n, found.seeds) == (50, 4, ())
    assert found.systems == "A minus C" and found.low <= 50 <= found.high
    # Of the swaps of the two mentions that differ, two of four keep them on one side.
    assert found.p == pytest.approx(2 / 4)


def test_equal_rivals_the_first_is_named():
    evidence = Given([runs("a", [1, 1]), runs("b", [1, 0]), runs("c", [0, 1])])
    assert gap(evidence, ["a"], ["b", "c"]).systems == "A minus B"
    assert gap(evidence, ["a"], ["c", "b"]).systems == "A minus C"


def test_seeds_of_two_systems_are_set_against_the_mean_of_the_other():
    evidence = Given([runs("a", [1, 1, 0, 0], [1, 1, 1, 1]), runs("b", [1, 0, 0, 0], [0, 0, 0, 0])])
    found = gap(evidence, ["a"], ["b"])
    # 50 and 100 against 25 and 0: in the mean 75 against 12.5.
    assert found.value == 62.5 and found.seeds == (37.5, 87.5)


def test_seeds_of_two_systems_that_share_each_training_are_paired():
    def trained(key, weights, *seeds):
        found = runs(key, *seeds)
        for (record,), which in zip(found.records, weights, strict=True):
            record.made["weights"] = which
        return found

    a, b = ([1, 1, 0, 0], [1, 1, 1, 1]), ([1, 0, 0, 0], [1, 1, 1, 0])
    together = Given([trained("a", "xy", *a), trained("b", "xy", *b)])
    found = gap(together, ["a"], ["b"])
    # 50 and 100 against 25 and 75; p is that of two systems.
    assert found.value == 25 and found.seeds == (25, 25) and found.p is not None
    for weights in ("xz", "yx", ("", "")):
        apart = Given([trained("a", "xy" if weights[0] else weights, *a), trained("b", weights, *b)])
        assert gap(apart, ["a"], ["b"]).seeds == (0, 50)


def test_one_system_in_two_views_is_no_comparison():
    evidence = Given([runs("a", [1, HALF, HALF, 0], [1, 1, HALF, 0])])
    found = gap(evidence, [{"system": "a", "protocol": LENIENT}], ["a"])
    # Leniently 75 and 75, strictly 50 and 62.5: seeds are paired.
    assert found.value == 18.75 and found.seeds == (25, 12.5) and found.p is None
    assert found.systems == f"A under {LENIENT} minus A under {STRICT}"


def test_a_stratum_restricts_its_own_side():
    # Mention 1 is NIL and has a row in the strata, but no credit.
    strata = {"refined": [True, True, False, True, False]}
    evidence = Given([runs("a", [0, 1, 1, HALF, 1], nil=[1], strata=strata)])
    found = gap(evidence, [{"system": "a", "stratum": "refined"}], ["a"])
    # Mentions 0 and 3 are refined: 25, against (0 + 1 + 0.5 + 1) / 4 = 62.5.
    assert found.value == -37.5 and found.n == 2
    assert found.systems == "A on refined mentions minus A"


def test_a_mention_is_ambiguous_or_unique_by_what_it_matches():
    strata = {
        "no name": [True, False, False, False],
        "several concepts": [False, True, False, False],
    }
    evidence = Given([runs("a", [1, 0, 1, HALF], strata=strata), runs("b", [0, 0, 1, 1], strata=strata)])
    # Mentions 0 and 1 are ambiguous: 50 against 0; 2 and 3 unique: 75 against 100.
    for stratum, value in (("ambiguous", 50), ("unique", -25)):
        arms = [[{"system": key, "stratum": stratum}] for key in "ab"]
        found = gap(evidence, *arms)
        assert (found.value, found.n) == (value, 2)
        assert found.systems == f"A on {stratum} mentions minus B on {stratum} mentions"
    assert gap(evidence, ["a"], ["b"], common="unique").value == -25


def test_one_side_may_be_at_another_k():
    found = runs("a", [1, 0, 0, 0])
    one = found.records[0][0].outcomes
    second = replace(one, above=np.repeat([0, 1, 4, 5], 4).reshape(4, 4))  # the gold is 1st, 2nd, 5th, 6th
    [[record]] = found.records
    record.outcomes = second
    gained = gap(Given([found]), [{"system": "a", "k": 5}], [{"system": "a", "k": 1}])
    assert gained.value == 50 and gained.p is None
    assert gained.systems == "A at Recall@5 minus A at Recall@1"


def test_accuracy_is_that_on_a_stratum_seeds_averaged():
    strata = {"no name": [True, False, False, False, False], "several concepts": [False] * 5}
    evidence = Given([runs("a", [1, 1, 1, 0, 1], [1, 1, HALF, 0, 0], nil=[4], strata=strata)])
    wanted = {"runs": "t", "system": "a", "protocol": STRICT, "stratum": "unique"}
    found = effect("accuracy", evidence, **wanted)
    # Mentions 1 to 3: (1 + 1 + 0) / 3 and (1 + 0.5 + 0) / 3.
    assert found.seeds == pytest.approx((200 / 3, 50)) and found.value == pytest.approx(175 / 3)
    assert found.n == 3 and found.systems == "A on unique mentions"


def test_of_several_the_largest_gap_counts():
    evidence = Given([runs("a", [1, 0, 0, 0]), runs("b", [1, 1, 0, 0]), runs("c", [0, 0, 0, 1])])
    found = gap(evidence, ["a", "b"], ["c"])
    assert found.value == 25 and found.systems == "B minus C"


def test_folds_are_taken_together_and_stand_in_place_of_seeds():
    evidence = Given([runs("a", folds=[[1, 0, 1], [1, 0]]), runs("b", folds=[[0, 0, 1], [0, 0]])])
    found = gap(evidence, ["a"], ["b"])
    # Three of five against one; within the folds two of three against one, and one of two against none.
    assert found.value == pytest.approx(40) and found.n == 5
    assert found.seeds == pytest.approx((100 / 3, 50))
    # Both folds have their first mention of one entity, where the two differ: it is swapped in both at once.
    assert found.p == pytest.approx(2 / 2)
    # Of several seeds it is these that must agree.
    several = [replace(one, records=one.records * 2) for one in evidence.found.values()]
    assert gap(Given(several), ["a"], ["b"]).seeds == pytest.approx((40, 40))


def test_of_several_ks_the_smallest_gap_counts():
    # At rank 1 one of two ahead, at rank 2 both have all.
    ahead, behind = runs("a", [1, 1]), runs("b", [1, HALF])
    found = gap(Given([ahead, behind]), ["a"], ["b"], ks=[1, 2])
    assert found.value == 0 and found.systems == "A minus B, Recall@2"
    assert gap(Given([ahead, behind]), ["a"], ["b"]).value == pytest.approx(25)


def test_clusters_are_swapped_whole():
    one, other = ([1, 1, 1, 1], [0, 0, 0, 0])
    free = gap(Given([runs("a", one), runs("b", other)]), ["a"], ["b"])
    bound = gap(
        Given([runs("a", one, clusters=[0, 0, 1, 1]), runs("b", other, clusters=[0, 0, 1, 1])]), ["a"], ["b"]
    )
    assert (free.p, bound.p) == (2 / 16, 2 / 4)


def test_sides_with_other_mentions_are_refused():
    evidence = Given([runs("a", [1, 1]), runs("b", [1, 1], clusters=[0, 0])])
    with pytest.raises(ValueError, match="A minus B on toy: expected the same mentions on both sides"):
        gap(evidence, ["a"], ["b"])
    folds = Given([runs("a", folds=[[1], [1]], strata={"refined": [True]})])
    with pytest.raises(ValueError, match="runs t: expected one fold"):
        gap(folds, [{"system": "a", "stratum": "refined"}], ["a"])


def test_a_missing_record_is_told():
    with pytest.raises(MissingRecord):
        gap(Given([runs("a", [1, 0])]), ["a"], ["b"])


# Of six mentions, of which the second is NIL, the credits over a dictionary of all names, of half and of a
# quarter of them, and what is reachable there.
SIZES = {
    "all": ([1, 1, 1, 1, 1, 0], [True, False, True, True, True, True]),
    "half": ([0, 1, 1, 0, 1, 0], [True, False, True, True, False, True]),
    "quarter": ([0, 1, 1, 0, 0, 0], [True, False, True, False, True, False]),
}


def of_sizes(**changed):
    return Given(
        [runs(key, *changed.get(key, [credits]), nil=[1], strata={"reachable": reachable})
         for key, (credits, reachable) in SIZES.items()]
    )  # fmt: skip


def test_dictionaries_of_several_sizes_are_compared_on_what_is_reachable_in_all():
    # On mentions 0, 2 and 4: one of three against all.
    found = gap(of_sizes(), ["quarter"], ["all"], common="reachable")
    assert (found.value, found.n) == (pytest.approx(-200 / 3), 3)
    assert found.systems == "QUARTER minus ALL, on the reachable mentions that all share"
    # Mention 4 is out of reach of the half: on the other two each has one, and all names have both.
    found = gap(of_sizes(), ["quarter", "half"], ["all"], common="reachable")
    assert (found.value, found.n, found.p) == (-50, 2, pytest.approx(2 / 2))
    assert gap(of_sizes(), ["quarter"], ["half", "all"], common="reachable").value == -50
    # On all five: one against four.
    assert gap(of_sizes(), ["quarter"], ["all"]).value == pytest.approx(-60)
    # Of two seeds on mentions 0 and 2: 50 and 100 against 100.
    seeds = {"quarter": [[0, 1, 1, 0, 0, 0], [1, 0, 1, 0, 1, 1]]}
    found = gap(of_sizes(**seeds), ["quarter"], ["half", "all"], common="reachable")
    assert found.seeds == (-50, 0) and found.systems.startswith("QUARTER minus ALL, ")
    # The stratum of an arm holds besides: mention 2, against one of two.
    evidence = of_sizes()
    evidence.found["t", "half"].kinds.strata["refined"] = [False, False, True, True, True, True]
    found = gap(evidence, [{"system": "half", "stratum": "refined"}], ["quarter"], common="reachable", ks=[2])
    assert (found.value, found.n) == (50, 1)
    assert found.systems.endswith("QUARTER, on the reachable mentions that all share, Recall@2")


def test_kinds_that_are_missing_for_one_system_leave_none_to_share():
    evidence = of_sizes()
    evidence.found["t", "half"] = replace(evidence.found["t", "half"], kinds=None)
    for others in (["half", "all"], ["all", "half"]):
        with pytest.raises(MissingRecord, match="strata"):
            gap(evidence, ["quarter"], others, common="reachable")
        with pytest.raises(MissingRecord, match="strata"):
            gain_gap(evidence, ["quarter", "all"], others, common="reachable")
    assert gap(evidence, ["quarter"], ["all"], common="reachable").n == 3


def test_what_is_shared_needs_one_fold_and_a_mention():
    folds = [runs(key, folds=[[1], [1]], strata={"reachable": [True]}) for key in "ab"]
    apart = [runs(key, [1, 0], strata={"reachable": [key == "a", key == "b"]}) for key in "ab"]
    for found, message in ((folds, "A: expected one fold"), (apart, "no reachable mention in common")):
        with pytest.raises(ValueError, match=message):
            gap(Given(found), ["a"], ["b"], common="reachable")
        with pytest.raises(ValueError, match=message):
            gain_gap(Given(found), ["a", "b"], ["b", "a"], common="reachable")


# ---------------------------------------------------------------- gaps between gains


def gain_gap(evidence, of, over=None, **more):
    more |= {"over": over} if over else {}
    return effect("gain_gap", evidence, of=of, runs="t", protocol=STRICT, **more)


def test_a_gain_is_set_against_another_mention_by_mention():
    evidence = Given(
        [
            runs("hard", [1, 1, 1, 0], [1, 1, 1, 1]),
            runs("easy", [0, 1, 0, 0], [1, 0, 0, 0]),
            runs("proxy", [1, 1, 0, 0], [1, 1, 1, 0]),
            runs("start", [1, 0, 0, 0], [1, 1, 0, 0]),
        ]
    )
    found = gain_gap(evidence, ["hard", "easy"], ["proxy", "start"])
    # 3 - 1 and 4 - 1 of four mentions against 2 - 1 and 3 - 2.
    assert found.value == pytest.approx(100 * (5 / 2 - 1) / 4) and found.n == 4
    assert found.seeds == pytest.approx((25, 50))
    assert found.systems == "(HARD minus EASY) minus (PROXY minus START)"
    # The gains of each mention, seeds averaged, each its own cluster: whether to swap them is 16 ways.
    first, second = np.array([1 / 2, 1 / 2, 1, 1 / 2]), np.array([0, 1 / 2, 1 / 2, 0])
    swaps = np.array(list(product((1, -1), repeat=4))) @ (first - second)
    assert found.p == np.mean(np.abs(swaps) >= (first - second).sum() - 1e-9)
    # Each resample is one of the 4 ** 4 draws of mentions.
    drawn = (first - second)[np.array(list(product(range(4), repeat=4)))].mean(axis=1)
    assert {found.low, found.high} <= {*(100 * drawn)} and found.low < found.value < found.high


def test_the_size_of_one_gain_at_two_ks():
    a, b = [0, 0, 1], [1, 1, HALF]
    evidence = Given([runs("a", a), runs("b", b)])
    for systems in (["a", "b"], ["b", "a"]):
        found = gain_gap(evidence, systems, ks=[2, 1], magnitude=True)
        # An ambiguous name is right at rank 2: the gap is 2 of 3 there, and (2 - 1 / 2) of 3 at rank 1.
        assert found.value == pytest.approx(100 * (2 / 3 - 1.5 / 3)) and found.p is None and not found.seeds
    assert found.systems == "size of (B minus A) at Recall@2 minus size of (B minus A) at Recall@1"
    signed = gain_gap(evidence, ["a", "b"], ks=[2, 1])
    assert signed.value == pytest.approx(100 * (-2 / 3 + 1.5 / 3)) and signed.p is not None
    # On each of the 27 draws of three mentions.
    at_two, at_one = np.array([-1, -1, 0]), np.array([-1, -1, 1 / 2])
    drawn = np.array(list(product(range(3), repeat=3)))
    sizes = np.abs(at_two[drawn].mean(axis=1)) - np.abs(at_one[drawn].mean(axis=1))
    assert found.low >= 100 * sizes.min() - 1e-4 and found.high <= 100 * sizes.max() + 1e-4
    assert min(abs(100 * sizes - found.low)) < 1e-4 and min(abs(100 * sizes - found.high)) < 1e-4


def test_the_least_of_several_tests_is_that_of_the_pair_that_differs_least():
    def least(*pairs, **more):
        shared = {"name": "gap", "runs": "t", "protocol": STRICT} | more
        tests = [shared | {"of": [a], "over": [b]} for a, b in pairs]
        return read_test(
            {"name": "least", "tests": tests}, "c", "here", {"c": CHAPTER, "d": CHAPTER}.__getitem__
        )

    evidence = Given([runs("a", [1, 1, 1, 0]), runs("b", [0, 0, 0, 0]), runs("c", [1, 1, 0, 0])])
    found = least("ab", "ac", "cb").effect(evidence, "toy")
    assert found == gap(evidence, ["a"], ["c"]) and (found.value, found.systems) == (25, "A minus C")
    # What is to be made when there is no record is said of the chapter of the first.
    assert least("ab", chapter="d").chapter == "d"
    with pytest.raises(ValueError, match="^here: tests: expected one or more"):
        least()
    with pytest.raises(ValueError, match="^here: tests: 2: expected systems of t, a, b, c, found 'd'"):
        least("ab", "ad")


def test_a_corpus_may_have_a_test_of_its_own():
    gap = {"name": "gap", "runs": "t", "protocol": STRICT}
    asked = {"toy": gap | {"of": ["a"], "over": ["b"]}, "other": gap | {"of": ["b"], "over": ["a"]}}

    def by_corpus(tests):
        return read_test({"name": "by_corpus", "tests": tests}, "c", "here", {"c": CHAPTER}.__getitem__)

    evidence = Given([runs("a", [1, 1, 0]), runs("b", [0, 1, 0])])
    found = [by_corpus(asked).effect(evidence, corpus).value for corpus in asked]
    assert found == pytest.approx([100 / 3, -100 / 3])
    with pytest.raises(ValueError, match=r"^here: tests: expected one or more, found \{\}"):
        by_corpus({})
    with pytest.raises(ValueError, match="^here: tests: other: runs: expected one of t, found 's'"):
        by_corpus(asked | {"other": gap | {"runs": "s", "of": ["a"], "over": ["b"]}})


def test_gains_that_cannot_be_set_against_each_other():
    seeds = [[1, 0]] * 3
    evidence = Given([runs("a", *seeds), runs("b", [0, 0]), runs("c", [1]), runs("d", *seeds[:2])])
    for other, message in (("c", "A and C on toy: expected the same mentions"),
                           ("d", "D on toy: expected 1 or 3 seeds, found 2")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            gain_gap(evidence, ["a", "b"], ["a", other])
    with pytest.raises(ValueError, match="two gains: other systems in over, or two ks"):
        gain_gap(evidence, ["a", "b"])


def test_gains_over_dictionaries_of_several_sizes_are_on_what_is_reachable_in_all():
    evidence = of_sizes()
    evidence.found["t", "other"] = replace(
        evidence.found["t", "half"], kinds=evidence.found["t", "all"].kinds
    )
    # On mentions 0 and 2: 2 - 1 against 1 - 1.
    found = gain_gap(evidence, ["all", "quarter"], ["half", "quarter"], common="reachable")
    assert (found.value, found.n) == (50, 2)
    gains = "(ALL minus QUARTER) minus (HALF minus QUARTER)"
    assert found.systems == f"{gains}, on the reachable mentions that all share"
    # The other answers as the half does, and reaches mention 4 as well: 3 - 1 against 2 - 1 of three. On all
    # five 4 - 1 against 2 - 1.
    found = gain_gap(evidence, ["all", "quarter"], ["other", "quarter"], common="reachable")
    assert (found.value, found.n) == (pytest.approx(100 / 3), 3)
    found = gain_gap(evidence, ["all", "quarter"], ["other", "quarter"])
    assert (found.value, found.n) == (pytest.approx(40), 5)
    size = gain_gap(evidence, ["quarter", "all"], ["half", "quarter"], common="reachable", magnitude=True)
    assert (size.value, size.n) == (50, 2)
    # Seed by seed on mentions 0 and 2: 2 - 1 and 1 - 1 against 1 - 1.
    seeds = {"all": [[1, 1, 1, 1, 1, 0], [0, 1, 1, 0, 0, 1]]}
    twice = {key: [credits] * 2 for key, (credits, _) in SIZES.items() if key != "all"}
    found = gain_gap(of_sizes(**seeds, **twice), ["all", "quarter"], ["half", "quarter"], common="reachable")
    assert found.seeds == (50, 0)


def test_draws_of_a_dictionary_are_set_against_the_whole_one_by_one():
    strata = {"reachable": [True, True, True, False]}
    evidence = Given(
        [
            runs("context", [1, 1, 0, 1], strata=strata),
            runs("context:1", [1, 1, 1, 1], strata={"reachable": [True, True, False, True]}),
            runs("names", [0, 1, 0, 0], strata=strata),
            runs("names:1", [0, 0, 1, 1], strata=strata),
            runs("context-whole", [1, 0, 1, 1], strata=strata),
            runs("names-whole", [1, 1, 0, 1], strata=strata),
        ]
    )
    over = ["context-whole", "names-whole"]
    found = gain_gap(evidence, ["context", "names"], over, common="reachable")
    # Mentions 0 and 1 are in reach of every draw: gains of 1 and 2 of two, against -1 of two.
    assert (found.value, found.n, found.seeds) == (125, 2, (100, 150))
    pairs = "(CONTEXT and 1 more minus NAMES and 1 more) minus (CONTEXT-WHOLE minus NAMES-WHOLE)"
    assert found.systems == f"{pairs}, on the reachable mentions that all share"
    # A second training with all names has a gain of -2: each draw stands against both.
    evidence.found["t", "context-whole"] = runs("context-whole", [1, 0, 1, 1], [0, 0, 1, 1], strata=strata)
    found = gain_gap(evidence, ["context", "names"], over, common="reachable")
    assert (found.value, found.seeds) == (150, (100, 150, 150, 200))
    evidence.found["t", "names:2"] = evidence.found["t", "names:1"]
    with pytest.raises(ValueError, match="CONTEXT on toy: expected 1 or 3 draws, found 2"):
        gain_gap(evidence, ["context", "names"], over)


# ---------------------------------------------------------------- the others


def test_ambiguous_share_is_of_the_scored_mentions():
    strata = {
        "no name": [True, False, False, True, False],
        "several concepts": [False, True, False, False, False],
    }
    found = effect(
        "ambiguous_share", Given([runs("a", [0] * 5, nil=[3], strata=strata)]), runs="t", system="a"
    )
    assert found.value == 50 and found.n == 4


def test_protocol_range_names_the_two_protocols():
    found = effect("protocol_range", Given([runs("a", [1, HALF, 0, HALF])]), runs="t", system="a")
    # Leniently three of four, strictly two, pessimistically one.
    assert found.value == 50
    assert found.systems.startswith("A under lenient/names/any-of minus A under pessimistic/")


def test_steadiness_is_the_spread_of_the_second_half_over_that_of_the_first():
    folds = [[0.1, 0.5, 0.6, 0.7], [0.2, 0.4, 0.5, 0.5]]
    a, b, c = (runs(key, folds=[[1], [1]]) for key in "abc")
    for found, scale in ((a, 1), (b, 2), (c, 3)):
        for record, scores in zip(found.records[0], folds, strict=True):
            early, late = scores[:2], [scale * one for one in scores[2:]]
            record.trace = tuple({"dev_score": one} for one in (*early, *late, None))
    # Of two numbers the standard deviation is their distance over the square root of 2.
    assert steadiness(a).tolist() == [pytest.approx([0.1 / 0.4, 0.0 / 0.2])]
    found = effect("steadiness", Given([a, b, c]), runs="t", of="a", over=["c", "b"])
    # b is the steadier control, in one fold by 0.25 and in the other by nothing.
    assert found.systems.startswith("A minus B, second half") and found.value == pytest.approx(-0.125)
    assert (found.low, found.high, found.n) == pytest.approx((-0.25, 0.0, 2))


def test_a_spread_is_that_of_the_best_and_the_worst():
    evidence = Given([runs("a", [1, 1, 0, 0])])
    evidence.every = lambda *_: [runs("x", [1, 0, 0, 0]), runs("y", [1, 1, 1, 0]), runs("z", [1, 1, 0, 0])]
    found = effect("spread", evidence, runs="t", system="a", protocol=STRICT)
    assert found.value == pytest.approx(50) and found.systems == "Y minus X"


def test_the_share_of_errors_in_classes_by_hand():
    # Two seeds: two errors in class acronym and one elsewhere, then one and one.
    evidence = Given([runs("a", [0, 0, 0, 1], [0, 1, 0, 1])], surface={"acronym": [0, 1], "exact": [2, 3]})
    found = effect("share_of_errors", evidence, runs="t", system="a", protocol=STRICT, classes=["acronym"])
    # Three of the five errors and two of the four mentions: 60 less 50; of the seeds 2/3 and 1/2 less 1/2.
    assert found.value == pytest.approx(60 - 50)
    assert found.seeds == pytest.approx((100 * 2 / 3 - 50, 0)) and found.n == 4
    assert found.low <= found.value <= found.high
    # Each resample is one of the 4 ** 4 draws of mentions; without an error in it, it has no share.
    wrong, among = np.array([1, 0.5, 1, 0]), np.array([1, 1, 0, 0])
    draws = np.array(list(product(range(4), repeat=4)))
    with np.errstate(invalid="ignore"):
        shares = (wrong * among)[draws].sum(axis=1) / wrong[draws].sum(axis=1) - among[draws].mean(axis=1)
    assert any(found.low == pytest.approx(100 * share) for share in shares)
    with pytest.raises(ValueError, match="A on toy: expected errors, found none"):
        effect("share_of_errors", Given([runs("a", [1, 1, 1, 1])], surface={"acronym": [0]}), runs="t",
               system="a", protocol=STRICT, classes=["acronym"])  # fmt: skip
    with pytest.raises(ValueError, match="one of exact, acronym"):
        effect("share_of_errors", evidence, runs="t", system="a", protocol=STRICT, classes=["typo"])


def test_areas_are_compared_with_the_largest_of_others():
    kinds = {"nil": [False, False, True, True], "reachable": [True, True, False, False]}

    def scored(key, *scores):
        return runs(key, [1, 1, 0, 0], nil=[2, 3], scores=scores, strata=kinds)

    # Of four pairs of a known and a NIL mention the known one scores higher in 4, in 1, and in 2 and a half.
    found = [scored("a", 4, 3, 2, 1), scored("b", 1, 3, 4, 2), scored("c", 4, 2, 2, 3)]
    found = effect("area_gap", Given(found), runs="t", of="a", over=["b", "c"])
    assert found.value == pytest.approx(100 * (4 - 2.5) / 4) and found.systems == "A minus C"
    assert found.seeds == pytest.approx((37.5,))


def test_aupr_is_compared_with_the_largest_of_others():
    kinds = {"nil": [False, False, True, True], "reachable": [True, True, False, False]}

    def scored(key, *seeds):
        one = runs(key, *[[1, 1, 0, 0]] * len(seeds), nil=[2, 3], strata=kinds)
        for (record,), scores in zip(one.records, seeds, strict=True):
            record.outcomes = outcomes([1, 1, 0, 0], nil=[2, 3], scores=scores)
        return one

    # From the lowest score: both NIL; one NIL, then a known and the other NIL; both known and then both NIL.
    apart, mixed, wrong = (4, 3, 2, 1), (2, 4, 3, 1), (1, 2, 3, 4)
    areas = {"apart": 1, "mixed": (1 + 2 / 3) / 2, "wrong": (1 / 3 + 2 / 4) / 2}
    several = [scored("a", apart, mixed), scored("b", wrong, wrong), scored("c", mixed, mixed)]
    found = effect("aupr_gap", Given(several), runs="t", of="a", over=["b", "c"])
    assert found.value == pytest.approx(100 * ((1 + areas["mixed"]) / 2 - areas["mixed"]))
    assert found.seeds == pytest.approx((100 * (1 - areas["mixed"]), 0)) and found.systems == "A minus C"
    found = effect("aupr_gap", Given(several), runs="t", of="c", over=["b"])
    assert found.value == pytest.approx(100 * (areas["mixed"] - areas["wrong"]))

    # The first mention's concept has no name: without it, mixed has both NIL first, and wrong has one known.
    kinds["reachable"][0] = False
    several = [scored("b", wrong), scored("c", mixed)]
    found = effect("aupr_gap", Given(several), runs="t", of="c", over=["b"])
    assert found.value == pytest.approx(100 * (1 - (1 / 2 + 2 / 3) / 2))
    with pytest.raises(MissingRecord):
        evidence = Given([replace(one, kinds=None) for one in several])
        effect("aupr_gap", evidence, runs="t", of="c", over=["b"])


def with_norms(key, *seeds):
    """A system whose trainings have these gradient norms, one an update."""
    found = runs(key, *[[1]] * len(seeds))
    for (record,), norms in zip(found.records, seeds, strict=True):
        record.trace = [{"step": i, "gradient_norm": norm} for i, norm in enumerate(norms, start=1)]
    return found


def test_the_variation_of_norms_is_free_of_scale_and_without_the_warm_up():
    # The first of four updates is warm-up. Of 1, 2 and 3 the mean is 2 and the standard deviation 1; of 2, 3
    # and 4 the mean is 3; of 9, 10 and 11 it is 10.
    a = with_norms("a", [99, 2, 3, 4], [50, 9, 10, 11])
    b = with_norms("b", [0.1, 32, 64, 96], [0.1, 3, 2, 1])
    c = with_norms("c", [1, 1, 20, 300], [1, 1, 20, 300])
    found = effect("norm_variation", Given([a, b, c]), runs="t", of="a", over=["c", "b"])
    ratios = np.array([(1 / 3) / (1 / 2), (1 / 10) / (1 / 2)])
    assert found.seeds == pytest.approx(ratios) and found.systems == "A divided by B"
    assert found.value == pytest.approx(np.sqrt(ratios.prod())) and (found.n, found.p) == (2, None)
    theirs = ttest_1samp(np.log(ratios), 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(np.exp(theirs)))
    for few in (
        [with_norms("a", [1, 2, 3, 4]), with_norms("b", [1, 2, 3, 4])],
        [a, with_norms("b", [1, 2, 3])],
    ):
        with pytest.raises(ValueError, match="expected two or more trainings of each"):
            effect("norm_variation", Given(few), runs="t", of="a", over=["b"])
    untrained = with_norms("b", [], [])
    with pytest.raises(ValueError, match="expected a training of several updates, found 0"):
        effect("norm_variation", Given([a, untrained]), runs="t", of="a", over=["b"])


TIMES = {
    "x": 2.0,
    "y": 1.0,
    "z": 4.0,
    "x.runs": [2.0, 2.0, 4.0],
    "y.runs": [1.0, 1.0, 1.0],
    "z.runs": [4.0, 4.0, 4.0],
    "n.mentions": 7,
}


def test_times_are_compared_round_by_round_with_the_fastest():
    found = [runs("a", [1], timed="x"), runs("b", [1], timed="z"), runs("c", [1], timed="y")]
    evidence = Given(found, inference=TIMES)
    found = effect("time_ratio", evidence, of="a", over=["b", "c"])
    assert found.value == pytest.approx((2 + 2 + 4) / 3) and found.n == 7
    assert 2 <= found.low < found.value < found.high <= 4 and found.systems == "A divided by C"
    evidence = Given([runs("a", [1], timed="w"), runs("c", [1], timed="y")], inference=TIMES)
    with pytest.raises(ValueError, match=r"^A: expected what was timed \(x, y, z\), found 'w'"):
        effect("time_ratio", evidence, of="a", over=["c"])


def test_a_gpu_timed_by_a_paper_is_not_decided_by_a_processor():
    found = [runs("a", [1], timed="x"), runs("b", [1], timed="y")]
    asked = {"of": "a", "over": ["b"], "gpu": True}
    one = effect("time_ratio", Given(found, inference=TIMES), **asked)
    assert one.forbids == (HOLDS, FAILS) and "graphics card" in one.lacks and one.value > 2
    two = effect("time_ratio", Given(found, inference=TIMES, made={"hardware": {"gpu": "any"}}), **asked)
    assert (two.forbids, two.lacks, two.value) == ((), "", one.value)
    assert effect("time_ratio", Given(found, inference=TIMES), **asked | {"gpu": False}).forbids == ()


def test_a_gap_on_concepts_that_a_text_has():
    evidence = Given(
        [runs("a", [1, 1, 0, 1]), runs("b", [0, 1, 1, 1])], linked={"test.mentions": 4, "found": [1, 2]}
    )
    # Of the second and third mention a has one and b both, of all four each has three.
    assert gap(evidence, ["a"], ["b"]).value == 0
    found = gap(evidence, ["a"], ["b"], found_by="linked")
    assert (found.value, found.n) == (-50, 2) and found.systems.endswith("found in the text by linked")


def test_times_of_batches_and_of_training_have_their_own_names():
    found = [runs("a", [1], timed="x"), runs("b", [1], timed="y")]
    seconds = {"x by 1": 8.0, "x by 1.runs": [8.0, 6.0], "y by 1": 2.0, "y by 1.runs": [2.0, 2.0]}
    evidence = Given(found, inference=TIMES | seconds, updates=TIMES)
    asked = {"of": "a", "over": ["b"]}
    assert effect("time_ratio", evidence, batch=1, **asked).value == pytest.approx((4 + 3) / 2)
    assert effect("time_ratio", evidence, measurement="updates", **asked).value == pytest.approx(8 / 3)
    with pytest.raises(ValueError, match=r"^A: expected what was timed \(x, y, z, x by 1, .*'x by 8'"):
        effect("time_ratio", evidence, batch=8, **asked)


# ---------------------------------------------------------------- what a claim may ask for

GAP = {"name": "gap", "runs": "table1", "of": ["higher"], "over": ["tfidf"], "protocol": STRICT}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "best_gap"}, "name: expected one of gap, .*, found 'best_gap'"),
        ({"chapter": "papers"}, "chapter: no chapter 'papers'; expected one of biocom"),
        ({"runs": "table9"}, "runs: expected one of table1, .*, found 'table9'"),
        ({"of": ["best"]}, "expected systems of table1, tfidf, .*, found 'best'"),
        ({"over": ["clean"]}, "expected systems of table1, tfidf, .*, found 'clean'"),  # of another set
        ({"colour": "red"}, "colour: unknown key; expected one of chapter, common, found_by, ks, name, of, "),
        ({"of": [{"system": "higher", "at": 5}]}, r"of\[0\].at: unknown key; expected one of k, protocol, "),
        ({"of": [{"system": "higher", "k": -1}]}, r"of\[0\].k: expected .*, found -1"),
        ({"of": "higher"}, "of: expected a list, found 'higher'"),
        ({"of": []}, r"of: expected one or more, found \[\]"),
        ({"of": [5]}, r"of\[0\]: expected .*, found 5"),
        (
            {"protocol": "strict"},
            r"of\[0\].protocol: expected one of strict/names/any-of, .*, found 'strict'",
        ),
        ({"protocol": "strict/names/any-of/normalized"}, r"of\[0\].protocol: expected one of"),
        ({"common": "new"}, "common: expected one of no name, "),
        ({"of": [{"system": "higher", "stratum": "new"}]}, r"of\[0\].stratum: expected one of no name, "),
    ],
)
def test_what_a_chapter_does_not_have_is_told_in_a_sentence(change, message):
    assert read_test(GAP, "cosines", "here").chapter == "cosines"
    with pytest.raises(ValueError, match=f"^here: {message}") as told:
        read_test(GAP | change, "cosines", "here")
    assert "\n" not in str(told.value)


def test_a_key_left_out_is_told():
    with pytest.raises(ValueError, match=r"^here: of\[0\].protocol: expected a value, found none"):
        read_test({key: value for key, value in GAP.items() if key != "protocol"}, "cosines", "here")
    with pytest.raises(ValueError, match="^here: over: expected a value, found none"):
        read_test({key: value for key, value in GAP.items() if key != "over"}, "cosines", "here")
    with pytest.raises(ValueError, match="^here: name: expected one of gap, .*, found 'gap'"):
        read_test("gap", "cosines", "here")
    ratio = {"name": "time_ratio", "chapter": "protocols", "of": "mean", "over": ["cls"]}
    with pytest.raises(
        ValueError, match="^here: expected a chapter that measures inference, found 'protocols'"
    ):
        read_test(ratio, "cosines", "here")
    with pytest.raises(ValueError, match=r"^here: over: expected one or more, found \[\]"):
        read_test(ratio | {"over": []}, "cosines", "here")
    with pytest.raises(ValueError, match="^here: expected systems of cosines, found 'cosine'"):
        read_test(ratio | {"chapter": "cosines", "of": "cosines", "over": ["cosine"]}, "cosines", "here")


# ---------------------------------------------------------------- evidence


class FakeJob:
    """A job that counts how often its record was read."""

    def __init__(self, text, data="toy"):
        self.text, self.data, self.read = text, SimpleNamespace(name=data), 0

    def record(self, store, compute):
        assert (store, compute) == ("a store", "never")
        self.read += 1
        return SimpleNamespace(text=self.text)


def fake_plan(asked=None):
    data = SimpleNamespace(name="toy")
    kinds, jobs = FakeJob("kinds"), ((FakeJob("a0"),), (FakeJob("a1"),))
    rows = [
        PlannedRow(System(("a", "same"), "A", "l", seeds=(0, 1)), data, jobs, kinds),
        PlannedRow(System(("b",), "B", reason="no room"), data, (), kinds),
        *(PlannedRow(System(("each",), str(i), "l"), data, (), kinds) for i in range(2)),
        PlannedRow(System(("bare",), "D", "l"), data, jobs, None),
    ]
    entry, other = SimpleNamespace(measurement="perturbed"), SimpleNamespace(measurement="card")
    measured = {"changed": [FakeJob("p"), FakeJob("q", "other")], "cards": [FakeJob("c")], "again": []}
    chapter = SimpleNamespace(name="c", measured={"changed": entry, "cards": other, "again": entry})
    plan = SimpleNamespace(rows={"t": rows}.get, measured=measured.get, chapter=chapter, store="a store")
    plan.all = [kinds, *(job for of_seed in jobs for job in of_seed)]
    return plan


def test_evidence_reads_every_record_once():
    plan, asked = fake_plan(), []
    evidence = Evidence(lambda name: asked.append(name) or plan)
    assert evidence.runs("c", "t", "a", "toy").kinds is None and plan.all[0].read == 0
    for key in ("a", "same"):
        found = evidence.runs("c", "t", key, "toy", kinds=True)
        assert [[record.text for record in of_seed] for of_seed in found.records] == [["a0"], ["a1"]]
        assert found.kinds.text == "kinds" and found.label == "A" and found.data == "toy"
    assert evidence.measured("c", "perturbed", "toy").text == "p"
    assert evidence.measured("c", "changed", "toy").text == "p"
    assert asked == ["c"] and [job.read for job in plan.all] == [1, 1, 1]


@pytest.mark.parametrize(
    ("key", "data", "message"),
    [
        ("z", "toy", "chapter c: runs t: expected one system 'z' on toy, found 0"),
        ("a", "elsewhere", "expected one system 'a' on elsewhere, found 0"),
        ("each", "toy", "expected one system 'each' on toy, found 2"),
        ("b", "toy", "chapter c: system 'b' is not run: no room"),
    ],
)
def test_evidence_that_is_not_there(key, data, message):
    evidence = Evidence(lambda name: fake_plan())
    with pytest.raises(ValueError, match=message):
        evidence.runs("c", "t", key, data)
    assert evidence.runs("c", "t", "bare", "toy").kinds is None
    with pytest.raises(ValueError, match="chapter c: runs t: expected kinds: true, found false"):
        evidence.runs("c", "t", "bare", "toy", kinds=True)
    with pytest.raises(ValueError, match="chapter c: expected one measurement 'speed' on toy, found 0"):
        evidence.measured("c", "speed", "toy")
