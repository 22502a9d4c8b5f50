"""Quantities of claims on hand-made runs: every expected effect is worked out beside it."""

from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import ranked
from drawn_runs import trained
from ranked import Given
from scipy.stats import ttest_1samp

from benchlib.scoring import Outcomes
from study.chapters.results import SystemResult
from study.chapters.templates import System
from study.chapters.trainings import TooFew, steadiness
from study.claims.claim_tests import read_test
from study.claims.evidence import Evidence
from study.claims.quantities import QUANTITIES
from study.claims.verdicts import FAILS, HOLDS, TOO_SMALL, Rule, decide
from study.records import MissingRecord

STRICT, LENIENT = "strict/names/any-of", "lenient/names/any-of"
PUBLISHED = Evidence()
HALF = 0.5  # an ambiguous name: one of its two concepts is gold


def outcomes(credits, clusters=None, nil=(), scores=None) -> Outcomes:
    """One mention a credit: 1 found, 0 not listed, HALF worth that much strictly, all leniently, and nothing
    pessimistically. Those numbered in ``nil`` are NIL mentions."""
    ranks = [None if i in nil else "half" if one == HALF else one for i, one in enumerate(credits)]
    found = ranked.record(ranks, clusters, scores).outcomes
    n_tied = found.n_tied.copy()
    n_tied[:, 0] = 1  # of names: the ambiguous one is first, alone
    return replace(found, n_tied=n_tied)


def runs(key, *seeds, folds=None, strata=None, timed="", **more) -> SystemResult:
    """A system with one record a seed, or one seed with one record a fold."""
    given = [folds] if folds else [[of_seed] for of_seed in seeds]
    records = tuple(
        tuple(SimpleNamespace(outcomes=outcomes(one, **more), trace=(), made={}) for one in of_seed)
        for of_seed in given
    )
    system = System((key,), key.upper(), linker=key, seeds=tuple(range(len(given))), timed=timed or key)
    return SystemResult(system, "toy", records, SimpleNamespace(strata=pd.DataFrame(strata or {})))


def effect(name, evidence, **arguments):
    return QUANTITIES[name](name=name, chapter="c", **arguments).effect(evidence, "toy")


def gap(evidence, of, over, protocol=STRICT, **more):
    return effect("gap", evidence, of=list(of), over=list(over), runs="t", protocol=protocol, **more)


def gain_gap(evidence, of, over=None, **more):
    more |= {"over": over} if over else {}
    return effect("gain_gap", evidence, of=of, runs="t", protocol=STRICT, **more)


# ---------------------------------------------------------------- gaps


def test_the_least_gap_to_several_rivals_counts_and_the_largest_of_several_first_systems():
    evidence = Given(runs("a", [1, 1, 1, 0]), runs("b", [0, 0, 0, 0]), runs("c", [1, 0, 0, 0]))
    found = gap(evidence, "a", "bc")
    assert (found.value, found.n, found.seeds) == (50, 4, ())
    assert found.systems == "A minus C" and found.low <= 50 <= found.high
    # Of the swaps of the two mentions that differ, two of four keep them on one side.
    assert found.p == pytest.approx(2 / 4)
    assert gap(evidence, "bc", "a").systems == "C minus A"
    # Of equal rivals the first is named.
    equal = Given(runs("a", [1, 1]), runs("b", [1, 0]), runs("c", [0, 1]))
    assert [gap(equal, "a", over).systems for over in ("bc", "cb")] == ["A minus B", "A minus C"]
    with pytest.raises(MissingRecord):
        gap(evidence, "a", "d")
    # The gap to C is 50 in every mention; the interval is of all rivals.
    wide = Given(runs("a", [1] * 4), runs("b", [1, 1, 0, 0]), runs("c", [HALF] * 4))
    assert gap(wide, "a", "c").low == 50
    assert gap(wide, "a", "cb").low == gap(wide, "a", "b").low < 50


def test_seeds_of_the_second_system_alone_are_asked_as_well():
    one, two = runs("a", [1, 1, 0, 0]), runs("b", [1, 0, 0, 0], [1, 1, 1, 0])
    assert gap(Given(one, two), "a", "b").seeds == (25, -25)


def test_seeds_of_two_systems_are_set_against_the_mean_of_the_other_unless_they_share_trainings():
    a, b = runs("a", [1, 1, 0, 0], [1, 1, 1, 1]), runs("b", [1, 0, 0, 0], [0, 0, 0, 0])
    found = gap(Given(a, b), "a", "b")
    # 50 and 100 against 25 and 0: in the mean 75 against 12.5.
    assert found.value == 62.5 and found.seeds == (37.5, 87.5)

    def trained(key, weights, *seeds):
        found = runs(key, *seeds)
        for (record,), which in zip(found.records, weights, strict=True):
            record.made["weights"] = which
        return found

    of, over = ([1, 1, 0, 0], [1, 1, 1, 1]), ([1, 0, 0, 0], [1, 1, 1, 0])
    found = gap(Given(trained("a", "xy", *of), trained("b", "xy", *over)), "a", "b")
    # 50 and 100 against 25 and 75; p is that of two systems.
    assert found.value == 25 and found.seeds == (25, 25) and found.p is not None
    for first, second in (("xy", "xz"), ("xy", "yx"), (("", ""), ("", ""))):
        apart = Given(trained("a", first, *of), trained("b", second, *over))
        assert gap(apart, "a", "b").seeds == (0, 50)


def test_one_system_in_two_views_is_no_comparison():
    found = gap(
        Given(runs("a", [1, HALF, HALF, 0], [1, 1, HALF, 0])), [{"system": "a", "protocol": LENIENT}], "a"
    )
    # Leniently 75 and 75, strictly 50 and 62.5: seeds are paired.
    assert found.value == 18.75 and found.seeds == (25, 12.5) and found.p is None
    assert found.systems == f"A under {LENIENT} minus A under {STRICT}"
    # At another k, with the gold 1st, 2nd, 5th and 6th.
    one = runs("a", [1, 0, 0, 0])
    [[record]] = one.records
    record.outcomes = replace(record.outcomes, n_better=np.repeat([0, 1, 4, 5], 4).reshape(4, 4))
    found = gap(Given(one), [{"system": "a", "k": 5}], [{"system": "a", "k": 1}])
    assert found.value == 50 and found.p is None
    assert found.systems == "A at Recall@5 minus A at Recall@1"


def test_a_mention_is_ambiguous_or_unique_by_what_it_matches():
    strata = {"no name": [True, False, False, False], "several concepts": [False, True, False, False]}
    evidence = Given(runs("a", [1, 0, 1, HALF], strata=strata), runs("b", [0, 0, 1, 1], strata=strata))
    # Mentions 0 and 1 are ambiguous: 50 against 0; 2 and 3 unique: 75 against 100.
    for stratum, value in (("ambiguous", 50), ("unique", -25)):
        found = gap(evidence, *([{"system": key, "stratum": stratum}] for key in "ab"))
        assert (found.value, found.n) == (value, 2)
        assert found.systems == f"A on {stratum} mentions minus B on {stratum} mentions"
    assert gap(evidence, "a", "b", common="unique").value == -25


def test_folds_are_taken_together_and_stand_in_place_of_seeds():
    a, b = runs("a", folds=[[1, 0, 1], [1, 0]]), runs("b", folds=[[0, 0, 1], [0, 0]])
    found = gap(Given(a, b), "a", "b")
    # Three of five against one; within the folds two of three against one, and one of two against none.
    assert found.value == pytest.approx(40) and found.n == 5
    assert found.seeds == pytest.approx((100 / 3, 50))
    # Both folds have their first mention of one entity, where the two differ: it is swapped in both at once.
    assert found.p == pytest.approx(2 / 2)
    # Of several seeds it is these that must agree.
    twice = Given(*(replace(one, records=one.records * 2) for one in (a, b)))
    assert gap(twice, "a", "b").seeds == pytest.approx((40, 40))


def test_of_several_ks_the_smallest_gap_counts():
    # At rank 1 one of two ahead, at rank 2 both have all.
    evidence = Given(runs("a", [1, 1]), runs("b", [1, HALF]))
    found = gap(evidence, "a", "b", ks=[1, 2])
    assert found.value == 0 and found.systems == "A minus B, Recall@2"
    assert gap(evidence, "a", "b").value == pytest.approx(25)


def test_clusters_are_swapped_whole():
    one, other = [1, 1, 1, 1], [0, 0, 0, 0]
    assert gap(Given(runs("a", one), runs("b", other)), "a", "b").p == 2 / 16
    bound = Given(*(runs(key, of, clusters=[0, 0, 1, 1]) for key, of in (("a", one), ("b", other))))
    assert gap(bound, "a", "b").p == 2 / 4


# Of six mentions, of which the second is NIL, the credits over a dictionary of all names, of half and of a
# quarter of them, and what is reachable there.
SIZES = {
    "all": ([1, 1, 1, 1, 1, 0], [True, False, True, True, True, True]),
    "half": ([0, 1, 1, 0, 1, 0], [True, False, True, True, False, True]),
    "quarter": ([0, 1, 1, 0, 0, 0], [True, False, True, False, True, False]),
}
SHARED = "on the reachable mentions that all share"


def of_sizes():
    return Given(*(runs(key, of, nil=[1], strata={"reachable": there}) for key, (of, there) in SIZES.items()))


def test_dictionaries_of_several_sizes_are_compared_on_what_is_reachable_in_all():
    # On mentions 0, 2 and 4: one of three against all.
    found = gap(of_sizes(), ["quarter"], ["all"], common="reachable")
    assert (found.value, found.n) == (pytest.approx(-200 / 3), 3)
    assert found.systems == f"QUARTER minus ALL, {SHARED}"
    # Mention 4 is out of reach of the half: on the other two each has one, and all names have both.
    found = gap(of_sizes(), ["quarter", "half"], ["all"], common="reachable")
    assert (found.value, found.n, found.p) == (-50, 2, pytest.approx(2 / 2))
    # On all five: one against four.
    assert gap(of_sizes(), ["quarter"], ["all"]).value == pytest.approx(-60)
    # The stratum of an arm holds besides: mention 2, against one of two.
    evidence = of_sizes()
    evidence.found["half"].kinds.strata["refined"] = [False, False, True, True, True, True]
    found = gap(evidence, [{"system": "half", "stratum": "refined"}], ["quarter"], common="reachable", ks=[2])
    assert (found.value, found.n) == (50, 1) and found.systems.endswith(f"QUARTER, {SHARED}, Recall@2")
    # Kinds that are missing for one system leave none to share.
    evidence.found["half"] = replace(evidence.found["half"], kinds=None)
    for others in (["half", "all"], ["all", "half"]):
        with pytest.raises(MissingRecord, match="strata"):
            gap(evidence, ["quarter"], others, common="reachable")
        with pytest.raises(MissingRecord, match="strata"):
            gain_gap(evidence, ["quarter", "all"], others, common="reachable")


def test_a_gap_on_concepts_that_a_text_has():
    linked = {"test.mentions": 4, "found": [1, 2]}
    evidence = Given(runs("a", [1, 1, 0, 1]), runs("b", [0, 1, 1, 1]), linked=linked)
    # Of the second and third mention a has one and b both, of all four each has three.
    assert gap(evidence, "a", "b").value == 0
    found = gap(evidence, "a", "b", found_by="linked")
    assert (found.value, found.n) == (-50, 2) and found.systems.endswith("found in the text by linked")


# ---------------------------------------------------------------- gaps between gains


def test_a_gain_is_set_against_another_mention_by_mention():
    evidence = Given(
        runs("hard", [1, 1, 1, 0], [1, 1, 1, 1]),
        runs("easy", [0, 1, 0, 0], [1, 0, 0, 0]),
        runs("proxy", [1, 1, 0, 0], [1, 1, 1, 0]),
        runs("start", [1, 0, 0, 0], [1, 1, 0, 0]),
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
    evidence = Given(runs("a", [0, 0, 1]), runs("b", [1, 1, HALF]))
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
    assert min(abs(100 * sizes - found.low)) < 1e-4 and min(abs(100 * sizes - found.high)) < 1e-4


def test_draws_of_a_dictionary_are_set_against_the_whole_one_by_one():
    strata = {"reachable": [True, True, True, False]}
    evidence = Given(
        runs("context", [1, 1, 0, 1], strata=strata),
        runs("context:1", [1, 1, 1, 1], strata={"reachable": [True, True, False, True]}),
        runs("names", [0, 1, 0, 0], strata=strata),
        runs("names:1", [0, 0, 1, 1], strata=strata),
        runs("context-whole", [1, 0, 1, 1], strata=strata),
        runs("names-whole", [1, 1, 0, 1], strata=strata),
    )
    sides = ["context", "names"], ["context-whole", "names-whole"]
    found = gain_gap(evidence, *sides, common="reachable")
    # Mentions 0 and 1 are in reach of every draw: gains of 1 and 2 of two, against -1 of two.
    assert (found.value, found.n, found.seeds) == (125, 2, (100, 150))
    pairs = "(CONTEXT and 1 more minus NAMES and 1 more) minus (CONTEXT-WHOLE minus NAMES-WHOLE)"
    assert found.systems == f"{pairs}, {SHARED}"
    # A second training with all names has a gain of -2: each draw stands against both.
    evidence.found["context-whole"] = runs("context-whole", [1, 0, 1, 1], [0, 0, 1, 1], strata=strata)
    found = gain_gap(evidence, *sides, common="reachable")
    assert (found.value, found.seeds) == (150, (100, 150, 150, 200))


# ---------------------------------------------------------------- what cannot be compared

FOLDS = [runs(key, folds=[[1], [1]], strata={"reachable": [True]}) for key in "ab"]
APART = [runs(key, [1, 0], strata={"reachable": [key == "a", key == "b"]}) for key in "ab"]
SEEDS = [runs("a", *[[1, 0]] * 3), runs("b", [0, 0]), runs("c", [1]), runs("d", *[[1, 0]] * 2)]
PAIR, SHARES = {"of": ["a"], "over": ["b"]}, {"common": "reachable"}
GAINS = {"of": ["a", "b"], "over": ["b", "a"]}


@pytest.mark.parametrize(
    ("found", "name", "asked", "message"),
    [
        ([runs("a", [1, 1]), runs("b", [1, 1], clusters=[0, 0])], "gap", PAIR, "A minus B on toy: expected"),
        (FOLDS, "gap", PAIR | {"of": [{"system": "a", "stratum": "reachable"}]}, "A: expected one fold"),
        (FOLDS, "gap", PAIR | SHARES, "A: expected one fold"),
        (FOLDS, "gain_gap", GAINS | SHARES, "A: expected one fold"),
        (APART, "gap", PAIR | SHARES, "no reachable mention in common"),
        (APART, "gain_gap", GAINS | SHARES, "no reachable mention in common"),
        (SEEDS, "gain_gap", GAINS | {"over": ["a", "c"]}, "A and C on toy: expected the same"),
        (SEEDS, "gain_gap", GAINS | {"over": ["a", "d"]}, "shapes"),
        (SEEDS, "gain_gap", {"of": ["a", "b"]}, "two gains: other systems in over, or two ks"),
    ],
)
def test_what_cannot_be_compared(found, name, asked, message):
    with pytest.raises(ValueError, match=message):
        effect(name, Given(*found), runs="t", protocol=STRICT, **asked)


# ---------------------------------------------------------------- other quantities


def test_accuracy_and_the_ambiguous_share_are_of_the_scored_mentions():
    strata = {"no name": [True, False, False, False, False], "several concepts": [False] * 5}
    evidence = Given(runs("a", [1, 1, 1, 0, 1], [1, 1, HALF, 0, 0], nil=[4], strata=strata))
    found = effect("accuracy", evidence, runs="t", system="a", protocol=STRICT, stratum="unique")
    # Mentions 1 to 3: (1 + 1 + 0) / 3 and (1 + 0.5 + 0) / 3.
    assert found.seeds == pytest.approx((200 / 3, 50)) and found.value == pytest.approx(175 / 3)
    assert found.n == 3 and found.systems == "A on unique mentions"
    found = effect("ambiguous_share", evidence, runs="t", system="a")
    assert (found.value, found.n) == (25, 4)


def test_ranges_are_those_of_the_best_and_the_worst():
    found = effect("protocol_range", Given(runs("a", [1, HALF, 0, HALF])), runs="t", system="a")
    # Leniently three of four, strictly two, pessimistically one.
    assert found.value == 50
    assert found.systems.startswith("A under lenient/names/any-of minus A under pessimistic/")
    values = Given(runs("a", [1, 0, 0, 0]), runs("a:1", [1, 1, 1, 0]), runs("a:2", [1, 1, 0, 0]))
    found = effect("spread", values, runs="t", system="a", protocol=STRICT)
    assert found.value == pytest.approx(50) and found.systems == "A:1 minus A"
    # Three of four, one of two, of one: the two best of the three are 25 points apart, as are the two worst.
    values = Given(runs("a", [1, 0, 0, 0]), runs("a:1", [1, 1, 1, 0]), runs("a:2", [1, 1, 1, 1]))
    found = effect("spread", values, runs="t", system="a", protocol=STRICT, closest=2)
    assert found.value == pytest.approx(25) and found.systems == "A:2 minus A:1"


def test_steadiness_is_the_spread_of_the_second_half_over_that_of_the_first():
    folds = [[0.1, 0.5, 0.6, 0.7], [0.2, 0.4, 0.5, 0.5]]
    a, b, c = (runs(key, folds=[[1], [1]]) for key in "abc")
    for found, scale in ((a, 1), (b, 2), (c, 3)):
        for record, scores in zip(found.records[0], folds, strict=True):
            late = [scale * score for score in scores[2:]]
            record.trace = tuple({"dev_score": score} for score in (*scores[:2], *late, None))
    # Of two numbers the standard deviation is their distance over the square root of 2.
    assert steadiness(a).tolist() == [pytest.approx([0.1 / 0.4, 0.0 / 0.2])]
    found = effect("steadiness", Given(a, b, c), runs="t", of="a", over=["c", "b"])
    # b is the steadier control, in one fold by 0.25 and in the other by nothing.
    assert found.systems.startswith("A minus B, second half") and found.value == pytest.approx(-0.125)
    assert (found.low, found.high, found.n) == pytest.approx((-0.25, 0.0, 2))


def test_the_share_of_errors_in_a_class_by_hand():
    # Two seeds: two errors in class acronym and one elsewhere, then one and one.
    surface = {"acronym": [0, 1], "exact": [2], "misspelling": [3]}
    evidence = Given(runs("a", [0, 0, 0, 1], [0, 1, 0, 1]), surface=surface)
    asked = {"runs": "t", "system": "a", "protocol": STRICT, "of_class": "acronym"}
    found = effect("share_of_errors", evidence, **asked, over=["misspelling", "exact"])
    # Three of the five errors less two, those of the more common other class; of the seeds 2/3 less 1/3, and
    # 1/2 less 1/2.
    assert found.value == pytest.approx(60 - 40) and found.seeds == pytest.approx((100 / 3, 0))
    assert found.systems.removeprefix("least of several: ") == "errors of A, acronym minus exact"
    assert found.low <= found.value <= found.high and found.n == 4
    # The bounds are the least of those against either class.
    alone = [effect("share_of_errors", evidence, **asked, over=[over]) for over in ("misspelling", "exact")]
    assert [alone[0].value, alone[0].seeds] == [60, pytest.approx((200 / 3, 50))]
    assert (found.low, found.high) == tuple(min(getattr(of, end) for of in alone) for end in ("low", "high"))
    # Each resample is one of the 4 ** 4 draws of mentions; without an error in it, it has no share.
    draws = np.array(list(product(range(4), repeat=4)))
    with np.errstate(invalid="ignore"):
        shares = np.array([1, 0.5, -1, 0])[draws].sum(axis=1) / np.array([1, 0.5, 1, 0])[draws].sum(axis=1)
    assert any(found.low == pytest.approx(100 * share) for share in shares)
    with pytest.raises(ValueError, match="A on toy: expected errors, found none"):
        effect("share_of_errors", Given(runs("a", [1] * 4), surface=surface), **asked, over=["exact"])


def test_areas_are_compared_with_the_largest_of_others():
    kinds = {"nil": [False, False, True, True], "reachable": [True, True, False, False]}

    def scored(key, *seeds):
        of_seeds = [runs(key, [1, 1, 0, 0], nil=[2, 3], scores=scores, strata=kinds) for scores in seeds]
        return replace(of_seeds[0], records=tuple(one.records[0] for one in of_seeds))

    # Of four pairs of a known and a NIL mention the known one scores higher in 4, in 1, and in 2 and a half.
    found = Given(scored("a", (4, 3, 2, 1)), scored("b", (1, 3, 4, 2)), scored("c", (4, 2, 2, 3)))
    found = effect("area_gap", found, runs="t", of="a", over=["b", "c"])
    assert found.value == pytest.approx(100 * (4 - 2.5) / 4) and found.systems == "A minus C"
    assert found.seeds == pytest.approx((37.5,))

    # From the lowest score: both NIL; one NIL, then a known and the other NIL; both known and then both NIL.
    apart, mixed, wrong = (4, 3, 2, 1), (2, 4, 3, 1), (1, 2, 3, 4)
    areas = {"apart": 1, "mixed": (1 + 2 / 3) / 2, "wrong": (1 / 3 + 2 / 4) / 2}
    several = Given(scored("a", apart, mixed), scored("b", wrong, wrong), scored("c", mixed, mixed))
    found = effect("aupr_gap", several, runs="t", of="a", over=["b", "c"])
    assert found.value == pytest.approx(100 * ((1 + areas["mixed"]) / 2 - areas["mixed"]))
    assert found.seeds == pytest.approx((100 * (1 - areas["mixed"]), 0)) and found.systems == "A minus C"
    found = effect("aupr_gap", several, runs="t", of="c", over=["b"])
    assert found.value == pytest.approx(100 * (areas["mixed"] - areas["wrong"]))

    # The first mention's concept has no name: without it, mixed has both NIL first, and wrong has one known.
    kinds["reachable"][0] = False
    several = Given(scored("b", wrong), scored("c", mixed))
    found = effect("aupr_gap", several, runs="t", of="c", over=["b"])
    assert found.value == pytest.approx(100 * (1 - (1 / 2 + 2 / 3) / 2))


def with_norms(key, *seeds):
    """A system whose trainings have these gradient norms, one an update."""
    return ranked.runs(key, *map(trained, seeds), label=key.upper())


def test_the_variation_of_norms_is_free_of_scale_and_without_the_warm_up():
    # The first of four updates is warm-up. Of 1, 2 and 3 the mean is 2 and the standard deviation 1; of 2, 3
    # and 4 the mean is 3; of 9, 10 and 11 it is 10.
    a = with_norms("a", [99, 2, 3, 4], [50, 9, 10, 11])
    b = with_norms("b", [0.1, 32, 64, 96], [0.1, 3, 2, 1])
    c = with_norms("c", [1, 1, 20, 300], [1, 1, 20, 300])
    found = effect("norm_variation", Given(a, b, c), runs="t", of="a", over=["c", "b"])
    ratios = np.array([(1 / 3) / (1 / 2), (1 / 10) / (1 / 2)])
    assert found.seeds == pytest.approx(ratios) and found.systems == "A divided by B"
    assert found.value == pytest.approx(np.sqrt(ratios.prod())) and (found.n, found.p) == (2, None)
    theirs = ttest_1samp(np.log(ratios), 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx(tuple(np.exp(theirs)))
    asked = {"runs": "t", "of": "a", "over": ["b"]}
    with pytest.raises(ValueError, match="expected two or more values of each"):
        effect("norm_variation", Given(a, with_norms("b", [1, 2, 3])), **asked)
    with pytest.raises(TooFew, match="expected two or more values of each"):
        effect("norm_variation", Given(*(with_norms(of, [1, 2, 3]) for of in "ab")), **asked)
    with pytest.raises(ValueError, match="expected a training of several updates, found 0"):
        effect("norm_variation", Given(a, with_norms("b", [], [])), **asked)


# ---------------------------------------------------------------- what is read off measurements

TIMES = {
    "x": 2.0, "y": 1.0, "z": 4.0, "n.mentions": 7,
    "x.runs": [2.0, 2.0, 4.0], "y.runs": [1.0, 1.0, 1.0], "z.runs": [4.0, 4.0, 4.0],
}  # fmt: skip
BATCHES = {"x by 1": 8.0, "x by 1.runs": [8.0, 6.0], "y by 1": 2.0, "y by 1.runs": [2.0, 2.0]}
TIMED = [runs("a", [1], timed="x"), runs("b", [1], timed="z"), runs("c", [1], timed="y")]
EVIDENCE = Given(*TIMED, inference=TIMES | BATCHES, updates=TIMES)


def test_times_are_compared_round_by_round_with_the_fastest():
    found = effect("time_ratio", EVIDENCE, of="a", over=["b", "c"])
    assert found.value == pytest.approx(16 ** (1 / 3)) and found.n == 7  # of 2, 2 and 4
    assert found.low < 2 and found.high > 4 and found.systems == "A divided by C"  # three rounds are few
    asked = {"of": "a", "over": ["c"]}
    assert effect("time_ratio", EVIDENCE, batch=1, **asked).value == pytest.approx((4 * 3) ** 0.5)
    assert effect("time_ratio", EVIDENCE, measurement="updates", **asked).value == found.value
    heads = {name.replace("mentions", "documents"): value for name, value in TIMES.items()}
    evidence = Given(*TIMED, **{"head-times": heads})
    assert effect("time_ratio", evidence, measurement="head-times", **asked).n == 7
    with pytest.raises(ValueError, match=r"^A: expected what was timed \(x, y, z, x by 1, .*'x by 8'"):
        effect("time_ratio", EVIDENCE, batch=8, **asked)


def test_a_gpu_timed_by_a_paper_is_not_decided_by_a_processor():
    asked = {"of": "a", "over": ["c"], "gpu": True}
    one = effect("time_ratio", EVIDENCE, **asked)
    assert one.forbids == (HOLDS, FAILS) and "used a GPU" in one.lacks[0] and one.value > 2
    two = effect("time_ratio", Given(*TIMED, inference=TIMES, made={"hardware": {"gpu": "any"}}), **asked)
    assert (two.forbids, two.lacks, two.value) == ((), (), one.value)
    assert effect("time_ratio", EVIDENCE, **asked | {"gpu": False}).forbids == ()


MATCHES = {
    "skip.matches": 90, "skip.exact": 40, "skip.across": 3,
    "skip.precision": 0.4, "skip.precision_low": 0.3, "skip.precision_high": 0.5,
    "skip.precision_at_mentions": 0.9,
    "skip.precision_at_mentions_low": 0.8, "skip.precision_at_mentions_high": 0.975,
}  # fmt: skip


def verdict(threshold, found):
    words = {"quantity": "q", "direction": "greater", "unit": "%", "combine": "all", "why": "w"}
    rule = Rule(threshold=threshold, corpora=("ncbi-disease",), **words)
    return decide(rule, [replace(found, corpus="ncbi-disease")])[0]


def test_bounds_and_counts_of_matches():
    found = effect("matched_bounds", Given(names=MATCHES), measured="names")
    # From the lower end of all matches to the upper of those at mentions.
    assert (found.value, found.low, found.high, found.n) == pytest.approx((65, 30, 97.5, 90))
    assert found.systems == "right on toy: 40.0 % of all matches, 90.0 % at annotated spans"
    assert found.bounds and found.lacks
    # A threshold that lies between them is not decided.
    assert [verdict(threshold, found) for threshold in (85, 29, 98)] == [TOO_SMALL, HOLDS, FAILS]
    found = effect("matched_across", Given(names=MATCHES), measured="names")
    assert (found.value, found.low, found.high, found.n) == (3, 3, 3, 90) and verdict(0, found) == HOLDS
    # That there are such matches is not shown where there is none, and not refuted either.
    none = effect("matched_across", Given(names=MATCHES | {"skip.across": 0}), measured="names")
    assert verdict(0, none) == TOO_SMALL
    for values, message in (
        ({"mentions": 40}, "a measurement matched"),
        ({"skip.exact": 0}, "matches at spans of mentions, found none"),
    ):
        with pytest.raises(ValueError, match=f"names on toy: expected {message}"):
            effect("matched_across", Given(names=values), measured="names")


# ---------------------------------------------------------------- tests in YAML

GAP = {"name": "gap", "runs": "t", "of": ["a"], "over": ["b"], "protocol": STRICT}


def test_the_least_of_several_quantities_and_one_of_its_own_for_each_corpus():
    def least(*pairs, **more):
        tests = [GAP | more | {"of": [a], "over": [b]} for a, b in pairs]
        return read_test({"name": "least", "tests": tests}, "pel", "here")

    evidence = Given(runs("a", [1, 1, 1, 0]), runs("b", [0, 0, 0, 0]), runs("c", [1, 1, 0, 0]))
    found = least("ab", "ac", "cb").effect(evidence, "toy")
    assert found == gap(evidence, "a", "c") and (found.value, found.systems) == (25, "A minus C")
    # A missing record is made by the chapter of the first.
    assert (least("ab", chapter="biocom").chapter, least("ab").chapter) == ("biocom", "pel")
    own = {"toy": GAP, "other": GAP | {"of": ["b"], "over": ["a"]}}
    test = read_test({"name": "by_corpus", "tests": own}, "pel", "here")
    assert [test.effect(evidence, corpus).value for corpus in own] == [75, -75]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (GAP | {"name": "best_gap"}, "name: expected one of gap, .*, least, by_corpus, found 'best_gap'"),
        (GAP | {"chapter": "moon"}, "chapter: expected one of biocom, .*, found 'moon'"),
        (GAP | {"colour": "red"}, "colour: unknown key; expected one of chapter, common, found_by, ks, "),
        (GAP | {"protocol": "strict"}, r"of\[0\].protocol: expected 'strict/names.*, found 'strict'"),
        (GAP | {"common": "new"}, "common: expected .*'refined'.*, found 'new'"),
        (GAP | {"name": "least", "tests": []}, r"\w+: unknown key; expected one of name, tests"),
        ("gap", "name: expected one of gap, .*, found 'gap'"),
        ({"name": "by_corpus", "tests": {}}, r"tests: expected one or more, found \{\}"),
        ({"name": "least", "tests": [GAP, {"name": "x"}]}, "tests: 2: name: expected one of"),
        ({"name": "by_corpus", "tests": {"toy": "x"}}, "tests: toy: name: expected one of"),
    ],
)
def test_a_mistake_in_a_test_is_told_in_a_sentence(values, message):
    with pytest.raises(ValueError, match=f"^here: (?:{message})") as told:
        read_test(values, "pel", "here")
    assert "\n" not in str(told.value)


# ---------------------------------------------------------------- evidence


EXACT = ("protocols", "baselines", "exact", "ncbi-disease")
RATES = ("cosines", "figure3", "rates", "esappmod")


def test_evidence_reads_every_record_once():
    bare, whole = PUBLISHED.runs(*EXACT), PUBLISHED.runs(*EXACT, kinds=True)
    assert bare.kinds is None and "no name" in whole.kinds.strata
    assert bare.record is whole.record and bare.data == "ncbi-disease"
    assert not any(PUBLISHED.trainings(*EXACT))
    [one] = PUBLISHED.every(*EXACT)
    assert one.record is bare.record and len(PUBLISHED.every(*RATES)) == 4
    # A measurement by the name that the chapter gives it, or by its kind where that has one name.
    asked = ("parts", "retrieval-exactness", "ncbi-disease")
    assert PUBLISHED.measured(*asked) is PUBLISHED.measured("parts", "exactness", "ncbi-disease")


@pytest.mark.parametrize(
    ("method", "asked", "message"),
    [
        (
            "runs",
            (*EXACT[:3], "mini"),
            "protocols: runs baselines: expected one system 'exact' on mini, found 0",
        ),
        ("runs", RATES, "expected one system 'rates' on esappmod, found 4"),
        ("runs", ("cosines", "table1", "gpt3", "esappmod"), "cosines: system 'gpt3' is not run: .*paid"),
        ("every", (*RATES, True), "cosines: runs figure3: expected kinds: true, found false"),
        (
            "measured",
            ("parts", "speed", "esappmod"),
            "parts: expected one measurement 'speed' on .*, found 0",
        ),
        ("measured", ("parts", "matched", "ncbi-disease"), "one measurement 'matched' on .*, found 2"),
    ],
)
def test_evidence_that_is_not_there(method, asked, message):
    with pytest.raises(ValueError, match=message):
        getattr(PUBLISHED, method)(*asked)
