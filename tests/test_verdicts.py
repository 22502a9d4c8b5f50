"""Verdicts from hand-made effects: every expected value is worked out in the comment beside it."""

import math
from dataclasses import replace

import pytest

from benchlib.scoring import Estimate
from study.claims.effect import Effect, average, p_value, smallest_effect
from study.claims.verdicts import FAILS, HOLDS, MIXED, TOO_SMALL, Rule, decide, lacking, margin

BOTH = ("ncbi-disease", "bc5cdr-disease")


def rule(direction="greater", threshold=0.0, corpora=BOTH[:1], combine="all", **more):
    values = {"direction": direction, "threshold": threshold, "corpora": corpora, "combine": combine}
    return Rule(quantity="a minus b", unit="points", why="for the test", **values | more)


def effect(value, low, high, corpus="ncbi-disease", **more):
    return Effect(corpus, value, low, high, 100, **more)


def verdict(*effects, **kinds):
    return decide(rule(**kinds), effects)[0]


@pytest.mark.parametrize(
    ("direction", "threshold", "numbers", "expected"),
    [
        ("greater", 0, (2, 1, 3), HOLDS),
        ("greater", 0, (2, -1, 5), TOO_SMALL),
        ("greater", 0, (-2, -3, -1), FAILS),
        ("greater", 0, (1, 0, 2), TOO_SMALL),  # the threshold itself is not beyond it
        ("greater", 0, (-1, -2, 0), TOO_SMALL),
        ("greater", 3.8, (5, 4, 6), HOLDS),
        ("greater", 3.8, (5, 3, 7), TOO_SMALL),
        ("greater", 3.8, (2, 1, 3), FAILS),  # the right sign, but short of what is claimed
        ("smaller", 0, (-2, -3, -1), HOLDS),
        ("smaller", 0, (2, 1, 3), FAILS),
        ("smaller", 10, (5, 4, 6), HOLDS),
        ("within", 1, (0.2, -0.5, 0.9), HOLDS),
        ("within", 1, (0.2, -1.5, 1.9), TOO_SMALL),
        ("within", 1, (2, 1.5, 2.5), FAILS),
        ("within", 1, (-2, -2.5, -1.5), FAILS),
        ("within", 1, (-0.5, -0.9, -0.1), HOLDS),
    ],
)
def test_one_corpus(direction, threshold, numbers, expected):
    assert verdict(effect(*numbers), direction=direction, threshold=threshold) == expected


def test_a_seed_that_opposes_the_interval_makes_it_mixed():
    assert verdict(effect(2, 1, 3, seeds=(1.5, 2.0, 2.5))) == HOLDS
    assert verdict(effect(2, 1, 3, seeds=(4.5, 2.0, -0.5))) == MIXED
    # And so on the other side: where one of three is far off, the mean says little.
    assert verdict(effect(-2, -3, -1, seeds=(-0.5, -2.0, -3.5))) == FAILS
    assert verdict(effect(-2, -3, -1, seeds=(0.5, 0.6, -7.1))) == MIXED
    # Of two corpora one that is against it, but for a seed, is enough.
    against = effect(-4, -5, -3, seeds=(0.5, -8.5)), effect(4, 3, 5, corpus=BOTH[1])
    assert verdict(*against, corpora=BOTH) == MIXED
    # The sign is that of the distance to the threshold.
    assert verdict(effect(5, 4, 6, seeds=(4.0, 6.0, 3.0)), threshold=3.8) == MIXED
    # Seeds alone decide nothing.
    assert verdict(effect(2, -1, 5, seeds=(2.0, 2.0))) == TOO_SMALL


def pair(first, second):
    return effect(*first, corpus=BOTH[0]), effect(*second, corpus=BOTH[1])


BELOW = (-1, -1.95, -0.05)  # half width 0.95, so z = 1.96 / 0.95 = 2.063, p = 0.039


@pytest.mark.parametrize(
    ("first", "second", "of_all", "on_average"),
    [
        ((2, 1, 3), (4, 3, 5), HOLDS, HOLDS),
        ((2, 1, 3), (4, -1, 9), TOO_SMALL, HOLDS),
        # -4 with a half width of 1 is 7.8 standard errors below zero: no adjustment saves it.
        ((6, 5, 7), (-4, -5, -3), FAILS, MIXED),
        ((-4, -5, -3), (-2, -3, -1), FAILS, FAILS),
        ((0.6, 0.2, 1), (-4, -5, -3), FAILS, MIXED),
        # As one of two corpora that show nothing its adjusted p is 0.078, and so is that of two alike.
        (BELOW, (0.5, -1, 2), TOO_SMALL, TOO_SMALL),
        (BELOW, BELOW, TOO_SMALL, FAILS),
        # Holm steps down: beside a corpus that is certain, one way or the other, it stands as it is.
        (BELOW, (4, 3, 5), FAILS, MIXED),
        # With half widths of 0.97 it has p = 0.043, and 0.087 of two where the other is as unsure.
        ((1, 0.03, 1.97), (-1, -1.97, -0.03), TOO_SMALL, TOO_SMALL),
        # An end at the threshold is not beyond it, and to show nothing is no opposition.
        ((-1, -2, 0), (4, 3, 5), TOO_SMALL, HOLDS),
        ((1, 0, 2), (4, 3, 5), TOO_SMALL, HOLDS),
    ],
)
def test_two_corpora(first, second, of_all, on_average):
    assert verdict(*pair(first, second), corpora=BOTH) == of_all
    assert verdict(*pair(first, second), corpora=BOTH, combine="average") == on_average


def test_the_least_favourable_corpus_is_shown():
    _, shown = decide(rule(corpora=BOTH), pair((2, 1, 3), (4, 3, 5)))
    assert shown.corpus == "ncbi-disease"
    _, shown = decide(rule(corpora=BOTH, direction="smaller"), pair((-2, -3, -1), (-1, -3, 1)))
    assert shown.corpus == "bc5cdr-disease"


def test_given_p_values_take_precedence():
    first = effect(-1, -1.95, -0.05, p=0.01)
    second = effect(0.5, -1, 2, corpus=BOTH[1], p=0.5)
    assert verdict(first, second, corpora=BOTH) == FAILS  # 0.01 doubled is below 0.05
    first = effect(-4, -5, -3, p=0.04)
    assert verdict(first, second, corpora=BOTH) == TOO_SMALL  # 0.04 doubled is not
    assert verdict(effect(-1, -2.5, 0.5, p=0.01)) == TOO_SMALL  # its interval reaches beyond 0


def test_what_is_shown_of_a_failure_fails():
    wide = effect(-0.8, -3.2, 1.6, BOTH[0])  # the lowest, and yet it may be above 0
    clear = effect(-0.5, -0.9, -0.2, BOTH[1])
    assert decide(rule(corpora=BOTH), [wide, clear]) == (FAILS, clear)
    assert decide(rule(corpora=BOTH), [wide, replace(clear, high=0.1)]) == (TOO_SMALL, wide)


def test_a_two_sided_range_is_held_to_both_ends():
    # 10 to 15: the middle is 12.5, half of the width 2.5.
    within = {"direction": "between", "threshold": 10.0, "upper": 15.0}
    assert verdict(effect(12, 10.5, 14.5), **within) == HOLDS
    assert verdict(effect(12, 9.5, 14.5), **within) == TOO_SMALL
    assert verdict(effect(8, 6, 9.5), **within) == FAILS
    assert verdict(effect(17, 15.5, 19), **within) == FAILS
    assert verdict(effect(12, 10.5, 14.5, seeds=(12.0, 15.5)), **within) == MIXED
    excess = margin(rule(**within), effect(11, 10, 14))
    assert (excess.value, excess.low, excess.high) == (1.0, 0.0, 2.5)
    # That a value is not 0 says nothing of the upper end, even where the lower one is 0.
    assert margin(rule("between", upper=5.0), effect(6, 5.1, 6.9, p=0.001)).p is None
    assert str(rule(**within)).endswith("from 10 to 15 points on every corpus")
    # |value| spans 0 to 0.9 where the interval holds zero, so the distance to 1 spans 0.1 to 1.
    excess = margin(rule("within", 1), effect(0.2, -0.9, 0.5))
    assert (excess.value, excess.low, excess.high) == pytest.approx((0.8, 0.1, 1.0))


def test_what_a_training_forbids_is_too_small_to_decide():
    ahead, behind = effect(2, 1, 3), effect(-2, -3, -1)
    for forbidden, of_ahead, of_behind in (
        ((), HOLDS, FAILS), ((FAILS,), HOLDS, TOO_SMALL), ((HOLDS,), TOO_SMALL, FAILS),
        ((HOLDS, FAILS), TOO_SMALL, TOO_SMALL),
    ):  # fmt: skip
        assert verdict(replace(ahead, forbids=forbidden)) == of_ahead
        assert verdict(replace(behind, forbids=forbidden)) == of_behind
    # A mixed one needs the same: the interval decides it, with a seed on the other side.
    assert verdict(replace(ahead, seeds=(4.5, -0.5), forbids=(HOLDS,))) == TOO_SMALL
    # Of all corpora one that may not count is passed over, and the others decide against the claim.
    closed, failing = pair((-4, -5, -3), (-2, -3, -1))
    assert decide(rule(corpora=BOTH), [replace(closed, forbids=(FAILS,)), failing]) == (FAILS, failing)
    # An average is of all or none.
    first, second = pair((2, 1, 3), (4, 3, 5))
    of_mean = {"corpora": BOTH, "combine": "average"}
    assert verdict(first, second, **of_mean) == HOLDS
    assert verdict(replace(first, forbids=(HOLDS,), lacks=("why",)), second, **of_mean) == TOO_SMALL
    lacking = [replace(first, lacks=("why", "how")), replace(second, lacks=("how",))]
    assert average(lacking).lacks == ("why", "how")


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ((2, -2, 6), "a test set about 4.0 times"),  # the half width is twice the distance to 0
        ((-1, -3, 1), "a test set about 4.0 times"),
        ((0.1, -4, 4.2), "a test set 100 times"),  # (4.1 / 0.1) ** 2 is 1,681
        ((0, -1, 1), "a test set 100 times"),
        ((2, 1, 3), ""),
    ],
)
def test_what_an_undecided_claim_would_take(numbers, told):
    assert lacking(rule(), effect(*numbers)).startswith(told)
    assert bool(lacking(rule(), effect(*numbers))) == bool(told)


def test_average_of_corpora():
    # Mean (2 + 4) / 2 = 3; half widths 3 and 4 combine to sqrt(9 + 16) / 2 = 2.5.
    first, second = pair((2, -1, 5), (4, 0, 8))
    mean = average([first, second])
    assert (mean.value, mean.low, mean.high, mean.n) == (3, 0.5, 5.5, 200)
    assert mean.corpus == "average of ncbi-disease, bc5cdr-disease"
    assert average([alone := replace(first, p=0.06)]) is alone  # with its p, which decides
    of_systems = [replace(first, systems=systems) for systems in ("a - b", "a - c", "a - b")]
    assert average(of_systems).systems == "a - b; a - c"
    of_least = [replace(first, systems="a - b"), replace(second, systems="least of several: a - b")]
    assert average(of_least).systems == "least of several: a - b"
    # Bounds are averaged as they are.
    bounds = average([replace(of, bounds=True) for of in pair((50, 20, 80), (60, 50, 70))])
    assert (bounds.value, bounds.low, bounds.high) == (55, 35, 75)
    # Neither corpus decides alone, their average does.
    assert verdict(first, second, corpora=BOTH) == TOO_SMALL
    assert verdict(first, second, corpora=BOTH, combine="average") == HOLDS


def test_average_of_seeds_goes_seed_by_seed():
    first, second = effect(2, 1, 3, seeds=(1, 3)), effect(4, 3, 5, corpus=BOTH[1], seeds=(9, -1))
    assert average([first, second]).seeds == (5, 1)
    # A corpus with more seeds than another has the first of them compared.
    assert average([first, effect(4, 3, 5, corpus=BOTH[1], seeds=(9, -1, 4))]).seeds == (5, 1)
    with pytest.raises(ValueError, match="seeds of all or none"):
        average([first, effect(4, 3, 5, corpus=BOTH[1])])


def test_p_value_from_an_interval():
    # An interval that touches zero is the 5 % level; without width, nothing is in doubt.
    assert p_value(effect(-1, -2, 0)) == pytest.approx(0.05)
    assert p_value(effect(1, 0, 5)) == pytest.approx(0.05)
    assert p_value(effect(-1, -1, -1)) == 0 and p_value(effect(0, 0, 0)) == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"threshold": math.nan}, "a finite number"),
        ({"direction": "within"}, "a threshold above 0"),
        ({"direction": "between"}, "an upper threshold with the direction between"),
        ({"upper": 3.0}, "and with no other"),
        ({"direction": "between", "threshold": 3.0, "upper": 3.0}, "an upper threshold above"),
        ({"corpora": ()}, "one or more of .*, each once"),
        ({"corpora": ("bc5cdr", "bc5cdr")}, "each once"),
        ({"corpora": ("mini",)}, "one or more of ncbi-disease"),
    ],
)
def test_malformed_rules(more, message):
    with pytest.raises(ValueError, match=message):
        rule(**more)


def test_the_least_of_several_is_sure_only_where_all_are():
    sure, unsure = effect(1.0, 0.6, 1.4, seeds=(0.9, 1.1)), effect(1.2, -0.5, 2.9, seeds=(-0.1, 2.5))
    found = smallest_effect([sure, unsure])
    assert (found.value, found.low, found.high) == (1.0, -0.5, 1.4)
    assert found.seeds == (-0.1, 1.1)
    # Its interval is that of no single one, and it says so, also where it is the least of leasts.
    named = [replace(sure, systems="a minus b"), replace(unsure, systems="a minus c")]
    least = smallest_effect(named)
    assert least.systems == smallest_effect([least, named[1]]).systems == "least of several: a minus b"
    timed_elsewhere = replace(unsure, forbids=(HOLDS, FAILS), lacks=("why",))
    found_with = smallest_effect([sure, timed_elsewhere])
    assert (found_with.forbids, found_with.lacks) == ((HOLDS, FAILS), ("why",))
    # Alone, the one that has the least value would do.
    assert (verdict(sure), verdict(found)) == (HOLDS, TOO_SMALL)
    assert smallest_effect([unsure]) is unsure
    # One without a seed is the same at each; others must have as many.
    assert smallest_effect([sure, effect(1.05, 0.9, 1.2)]).seeds == (0.9, 1.05)
    with pytest.raises(ValueError):
        smallest_effect([sure, effect(1, 0, 2, seeds=(1, 1, 1))])


def test_each_seed_fails_where_one_of_several_does():
    # Both halves of a claim, two seeds: the first half is wrong at one, the second at the other.
    halves = effect(-1.0, -1.4, -0.6, seeds=(-2.5, 0.5)), effect(-0.5, -0.9, -0.1, seeds=(1.0, -2.0))
    assert [verdict(half) for half in halves] == [MIXED, MIXED]
    assert verdict(smallest_effect(halves)) == FAILS


def test_the_least_of_several_fails_by_an_adjusted_p():
    below = effect(-1.0, -1.9, -0.1, p=0.03)
    assert verdict(smallest_effect([below])) == FAILS
    others = [effect(2.0, 1.0, 3.0, p=0.5)] * 2
    assert smallest_effect([below, *others]).p == pytest.approx(3 * 0.03)  # by hand: the smallest of three
    assert verdict(smallest_effect([below, *others])) == TOO_SMALL


def test_malformed_effects():
    one = Effect.in_percent("bc2gn", Estimate(0.25, 0.125, 0.5, 8), p=0.5, seeds=(0.25, 0.375), systems="a")
    assert one == Effect("bc2gn", 25.0, 12.5, 50.0, 8, 0.5, (25.0, 37.5), "a")
    for numbers in ((math.nan, 0, 1), (0.5, 1, 0)):
        with pytest.raises(ValueError, match="effect on ncbi-disease"):
            effect(*numbers)
