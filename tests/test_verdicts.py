"""Verdicts from hand-made effects: every expected value is worked out in the comment beside it."""

import math
from dataclasses import replace

import pytest

from benchlib.scoring import Estimate, holm
from study.verdicts import Effect, Rule, average, contradicted_already, decide, least, margin, p_value

BOTH = ("ncbi-disease", "bc5cdr-disease")


def rule(direction="greater", threshold=0.0, corpora=BOTH[:1], combine="all"):
    values = {"direction": direction, "threshold": threshold, "corpora": corpora, "combine": combine}
    return Rule(quantity="a minus b", unit="points", why="for the test", **values)


def effect(value, low, high, corpus="ncbi-disease", **more):
    return Effect(corpus, value, low, high, 100, **more)


def verdict(*effects, **kinds):
    return decide(rule(**kinds), effects)[0]


@pytest.mark.parametrize(
    ("direction", "threshold", "numbers", "expected"),
    [
        ("greater", 0, (2, 1, 3), "supported"),
        ("greater", 0, (2, -1, 5), "inconclusive"),
        ("greater", 0, (-2, -3, -1), "contradicted"),
        ("greater", 0, (1, 0, 2), "inconclusive"),  # the threshold itself is not beyond it
        ("greater", 0, (-1, -2, 0), "inconclusive"),
        ("greater", 3.8, (5, 4, 6), "supported"),
        ("greater", 3.8, (5, 3, 7), "inconclusive"),
        ("greater", 3.8, (2, 1, 3), "contradicted"),  # the right sign, but short of what is claimed
        ("smaller", 0, (-2, -3, -1), "supported"),
        ("smaller", 0, (2, 1, 3), "contradicted"),
        ("smaller", 10, (5, 4, 6), "supported"),
        ("within", 1, (0.2, -0.5, 0.9), "supported"),
        ("within", 1, (0.2, -1.5, 1.9), "inconclusive"),
        ("within", 1, (2, 1.5, 2.5), "contradicted"),
        ("within", 1, (-2, -2.5, -1.5), "contradicted"),
        ("within", 1, (-0.5, -0.9, -0.1), "supported"),
    ],
)
def test_one_corpus(direction, threshold, numbers, expected):
    assert verdict(effect(*numbers), direction=direction, threshold=threshold) == expected


def test_every_seed_must_have_the_claimed_sign():
    assert verdict(effect(2, 1, 3, seeds=(1.5, 2.0, 2.5))) == "supported"
    assert verdict(effect(2, 1, 3, seeds=(4.5, 2.0, -0.5))) == "inconclusive"
    # And so must every seed of a contradiction: where one of three is far off, the mean says little.
    assert verdict(effect(-2, -3, -1, seeds=(-0.5, -2.0, -3.5))) == "contradicted"
    assert verdict(effect(-2, -3, -1, seeds=(0.5, 0.6, -7.1))) == "inconclusive"
    # The sign is that of the distance to the threshold.
    assert verdict(effect(5, 4, 6, seeds=(4.0, 6.0, 3.0)), threshold=3.8) == "inconclusive"


def pair(first, second):
    return effect(*first, corpus=BOTH[0]), effect(*second, corpus=BOTH[1])


def test_all_needs_every_corpus():
    assert verdict(*pair((2, 1, 3), (4, 3, 5)), corpora=BOTH) == "supported"
    assert verdict(*pair((2, 1, 3), (4, -1, 9)), corpora=BOTH) == "inconclusive"
    # -4 with a half width of 1 is 7.8 standard errors below zero: no adjustment saves it.
    assert verdict(*pair((2, 1, 3), (-4, -5, -3)), corpora=BOTH) == "contradicted"


def test_the_least_favourable_corpus_is_shown():
    _, shown = decide(rule(corpora=BOTH), pair((2, 1, 3), (4, 3, 5)))
    assert shown.corpus == "ncbi-disease"
    _, shown = decide(rule(corpora=BOTH, direction="smaller"), pair((-2, -3, -1), (-1, -3, 1)))
    assert shown.corpus == "bc5cdr-disease"


def test_holm_flips_a_contradiction():
    # Alone, -1 in [-1.95, -0.05] excludes zero: half width 0.95, so z = 1.96 / 0.95 = 2.063, p = 0.039.
    below = (-1, -1.95, -0.05)
    assert verdict(effect(*below)) == "contradicted"
    # As one of two corpora its adjusted p is 0.078, above 0.05.
    assert verdict(*pair(below, (0.5, -1, 2)), corpora=BOTH) == "inconclusive"
    # Two such corpora: the smaller p is doubled as well.
    assert verdict(*pair(below, below), corpora=BOTH) == "inconclusive"


def test_given_p_values_take_precedence():
    first = effect(-1, -1.95, -0.05, p=0.01)
    second = effect(0.5, -1, 2, corpus=BOTH[1], p=0.5)
    assert verdict(first, second, corpora=BOTH) == "contradicted"  # 0.01 doubled is below 0.05
    first = effect(-4, -5, -3, p=0.04)
    assert verdict(first, second, corpora=BOTH) == "inconclusive"  # 0.04 doubled is not


def test_what_is_shown_of_a_contradiction_contradicts():
    wide = effect(-0.8, -3.2, 1.6, BOTH[0])  # the lowest, and yet it may be above 0
    clear = effect(-0.5, -0.9, -0.2, BOTH[1])
    assert decide(rule(corpora=BOTH), [wide, clear]) == ("contradicted", clear)
    assert decide(rule(corpora=BOTH), [wide, replace(clear, high=0.1)]) == ("inconclusive", wide)
    three = rule(corpora=(*BOTH, "bc2gn"))
    assert contradicted_already(three, [wide, replace(clear, p=0.001)]).corpus == BOTH[1]


def test_one_of_several_contradicts_by_an_adjusted_p():
    # -1 in [-1.95, -0.05] has p = 0.039, which is doubled beside a corpus that shows nothing.
    assert verdict(*pair((-1, -1.95, -0.05), (-0.5, -2, 1)), corpora=BOTH) == "inconclusive"
    # Holm steps down: beside a corpus that is certain, one way or the other, it stands as it is.
    assert verdict(*pair((-1, -1.95, -0.05), (4, 3, 5)), corpora=BOTH) == "contradicted"
    # An end at the threshold is not beyond it.
    assert verdict(*pair((-1, -2, 0), (4, 3, 5)), corpora=BOTH) == "inconclusive"
    assert verdict(*pair((1, 0, 2), (4, 3, 5)), corpora=BOTH) == "inconclusive"


def test_average_of_corpora():
    # Mean (2 + 4) / 2 = 3; half widths 3 and 4 combine to sqrt(9 + 16) / 2 = 2.5.
    first, second = pair((2, -1, 5), (4, 0, 8))
    mean = average([first, second])
    assert (mean.value, mean.low, mean.high, mean.n) == (3, 0.5, 5.5, 200)
    assert mean.corpus == "average of ncbi-disease, bc5cdr-disease"
    # Neither corpus decides alone, their average does.
    assert verdict(first, second, corpora=BOTH) == "inconclusive"
    assert verdict(first, second, corpora=BOTH, combine="average") == "supported"


def test_average_of_seeds_goes_seed_by_seed():
    first, second = effect(2, 1, 3, seeds=(1, 3)), effect(4, 3, 5, corpus=BOTH[1], seeds=(9, -1))
    assert average([first, second]).seeds == (5, 1)
    # A corpus with more seeds than another has the first of them compared.
    assert average([first, effect(4, 3, 5, corpus=BOTH[1], seeds=(9, -1, 4))]).seeds == (5, 1)
    with pytest.raises(ValueError, match="seeds of all or none"):
        average([first, effect(4, 3, 5, corpus=BOTH[1])])


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.04 times 3, 2, 1 is 0.03, 0.04, 0.04.
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    # The second may not come out below the first: 0.02 x 2 = 0.04, then 0.03 x 1 is raised to 0.04.
    assert holm([0.02, 0.03]) == pytest.approx([0.04, 0.04])
    assert holm([0.6, 0.7]) == [1.0, 1.0]


def test_p_value_from_an_interval():
    # An interval that touches zero is the 5 % level; without width, nothing is in doubt.
    assert p_value(effect(-1, -2, 0)) == pytest.approx(0.05)
    assert p_value(effect(1, 0, 5)) == pytest.approx(0.05)
    assert p_value(effect(-1, -1, -1)) == 0 and p_value(effect(0, 0, 0)) == 1


def test_margin_within():
    # |value| spans 0 to 0.9 where the interval holds zero, so the distance to 1 spans 0.1 to 1.
    excess = margin(rule("within", 1), effect(0.2, -0.9, 0.5))
    assert (excess.value, excess.low, excess.high) == pytest.approx((0.8, 0.1, 1.0))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"direction": "larger"}, "direction\n.*'greater', 'smaller' or 'within'.*'larger'"),
        ({"combine": "each"}, "combine\n.*'all' or 'average'.*'each'"),
        ({"threshold": "3.8"}, "threshold\n.*a valid number.*'3.8'"),
        ({"threshold": True}, "threshold\n.*a valid number"),
        ({"threshold": math.nan}, "threshold\n.*a finite number"),
        ({"direction": "within"}, "a threshold above 0 with the direction within"),
        ({"corpora": ()}, "one or more of .*, each once"),
        ({"corpora": ("bc5cdr", "bc5cdr")}, "each once"),
        ({"corpora": ("mini",)}, "one or more of ncbi-disease, .*'mini'"),
    ],
)
def test_malformed_rules(more, message):
    with pytest.raises(ValueError, match=message):
        rule(**more)


def test_an_estimate_in_percent():
    one = Effect.in_percent("esappmod", Estimate(0.25, 0.125, 0.5, 8), p=0.5, seeds=(20.0, 30.0), systems="a")
    assert one == Effect("esappmod", 25.0, 12.5, 50.0, 8, 0.5, (20.0, 30.0), "a")


def test_an_average_says_every_pair_once():
    first, second = pair((2, 1, 3), (4, 3, 5))
    third = effect(2, 1, 3, corpus="bc2gn", systems="a minus b")
    pairs = [replace(one, systems=of) for one, of in ((first, "a minus b"), (second, "a minus c"))]
    assert average([*pairs, third]).systems == "a minus b; a minus c"
    _, shown = decide(rule(corpora=BOTH), pairs)
    assert shown.systems == "a minus b"  # that of the corpus that decides


def test_malformed_effects():
    with pytest.raises(ValueError, match="effect on ncbi-disease"):
        effect(math.nan, 0, 1)
    with pytest.raises(ValueError, match="effect on ncbi-disease"):
        effect(0.5, 1, 0)


def test_effects_must_cover_the_corpora_of_the_rule():
    for effects in ([], [effect(1, 0, 2)], [effect(1, 0, 2), effect(1, 0, 2)]):
        with pytest.raises(ValueError, match="expected one each on"):
            decide(rule(corpora=BOTH), effects)


def test_one_corpus_can_contradict_a_rule_of_all_before_the_others_are_run():
    of_all = rule(corpora=BOTH)
    clearly, hardly = effect(-2, -3, -1), effect(-1, -1.99, -0.01)
    assert contradicted_already(of_all, [clearly]) == clearly
    # With p 0.03 of its own and 0.06 of two it waits for the other; with 0.02 and 0.04 it does not.
    assert contradicted_already(of_all, [replace(hardly, p=0.03)]) is None
    assert contradicted_already(of_all, [replace(hardly, p=0.02)]) is not None
    assert contradicted_already(of_all, [effect(2, 1, 3)]) is None  # the other may contradict it yet
    assert contradicted_already(of_all, []) is None
    assert contradicted_already(rule(corpora=BOTH, combine="average"), [clearly]) is None
    assert contradicted_already(of_all, [replace(clearly, seeds=(0.1, -4.1))]) is None
    # Whatever comes later, the verdict stays.
    for p in (1e-9, 0.5, 1.0):
        later = effect(2, 1, 3, corpus=BOTH[1], p=p)
        assert decide(of_all, [clearly, later]) == ("contradicted", clearly)


def test_the_least_of_several_is_sure_only_where_all_are():
    sure, unsure = effect(1.0, 0.6, 1.4, seeds=(0.9, 1.1)), effect(1.2, -0.5, 2.9, seeds=(-0.1, 2.5))
    found = least([sure, unsure])
    assert (found.value, found.low, found.high) == (1.0, -0.5, 1.4)
    assert found.seeds == (-0.1, 1.1)
    # Alone, the one that has the least value would do.
    assert (verdict(sure), verdict(found)) == ("supported", "inconclusive")
    assert least([unsure]) is unsure
    # One without a seed is the same at each; others must have as many.
    assert least([sure, effect(1.05, 0.9, 1.2)]).seeds == (0.9, 1.05)
    with pytest.raises(ValueError):
        least([sure, effect(1, 0, 2, seeds=(1, 1, 1))])


def test_each_seed_contradicts_where_one_of_several_does():
    # Both halves of a claim, two seeds: the first half is wrong at one, the second at the other.
    halves = effect(-1.0, -1.4, -0.6, seeds=(-2.5, 0.5)), effect(-0.5, -0.9, -0.1, seeds=(1.0, -2.0))
    assert [verdict(half) for half in halves] == ["inconclusive", "inconclusive"]
    assert verdict(least(halves)) == "contradicted"


def test_the_least_of_several_contradicts_by_an_adjusted_p():
    below = effect(-1.0, -1.9, -0.1, p=0.03)
    assert verdict(least([below])) == "contradicted"
    others = [effect(2.0, 1.0, 3.0, p=0.5)] * 2
    assert least([below, *others]).p == pytest.approx(3 * 0.03)  # by hand: the smallest of three
    assert verdict(least([below, *others])) == "inconclusive"
