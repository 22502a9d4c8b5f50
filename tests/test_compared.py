"""Which trainings a claim compares, and what their states allow: by hand, and for every published claim."""

import pytest

from benchlib.scoring import Estimate
from study.chapters.training_states import AT_CHANCE, NO_BETTER, PLATEAU, RISING, UNKNOWN, State
from study.claims import claim_tests, read_claims
from study.claims.claim_tests import (
    AGAINST_UNTRAINED,
    ONE_TRAINING,
    TWO_TRAINED,
    UNTRAINED,
    kind,
    kinds,
    read_test,
    with_states,
)
from study.claims.effect import Effect
from study.claims.evidence import Evidence
from study.claims.gap import Gap
from study.claims.verdicts import FAILS, HOLDS, Rule
from study.records import MissingRecord

DATA = "ncbi-disease"
BOTH = {HOLDS, FAILS}


class Given:
    """Evidence of trainings by system, and of their states."""

    def __init__(self, trainings, **states):
        self.keys, self.given = trainings, states

    def trainings(self, chapter, name, system, data):
        return [frozenset(keys) for keys in self.keys[system]]

    def states(self, chapter, name, system, data):
        return [self.given[system]]

    def on_dev(self, chapter, name, system, data, when, k):
        """Recall@10 is the square root of Recall@1."""
        found = getattr(self.given[system], when)
        return found and found.value ** (1 if k == 1 else 0.5)


def at(word, half=None, full=None):
    half, full = (None if value is None else Estimate(value, value, value, 9) for value in (half, full))
    return State(word, half=half, full=full)


def block(of, over, name="gap", **more):
    shared = {"name": name, "runs": "t", "protocol": "strict/names/any-of"}
    return shared | {"of": list(of), "over": list(over)} | more


def a_test(of, over, **more):
    return read_test(block(of, over, **more), "pel", "here")


def rule(direction="greater", threshold=0.0, upper=None):
    words = {"quantity": "q", "unit": "points", "corpora": (DATA,), "combine": "all", "why": "w"}
    return Rule(direction=direction, threshold=threshold, upper=upper, **words)


def allowed(test, evidence, of=None):
    effect = with_states(Effect(DATA, 2, 1, 3, 9), test, of or rule(), evidence)
    return BOTH - set(effect.forbids)


# ---------------------------------------------------------------- kinds


@pytest.mark.parametrize(
    ("of", "over", "expected"),
    [
        ([["a"]], [["b"]], TWO_TRAINED),
        ([["a"]], [[]], AGAINST_UNTRAINED),
        ([[]], [["b"]], AGAINST_UNTRAINED),
        ([[]], [[]], UNTRAINED),
        ([["a", "b"]], [["a", "b"]], ONE_TRAINING),  # the seeds of one training, linked in two ways
        ([["a", "b"]], [["a", "c"]], TWO_TRAINED),
        ([["a"], ["b"]], [["a"]], TWO_TRAINED),  # one that stands for several
    ],
)
def test_the_kind_of_a_comparison_by_its_trainings(of, over, expected):
    [quantity] = a_test("x", "y").of(DATA)
    assert kind(quantity, Given({"x": of, "y": over}), DATA) == expected


def test_the_kind_with_an_untrained_rival_against_a_number_and_in_two_views():
    evidence = Given({"x": [["a"]], "y": [["b"]], "z": [[]]})
    number = {"name": "accuracy", "runs": "t", "system": "x", "protocol": "strict/names/any-of"}
    views = a_test([{"system": "x", "k": 5}], [{"system": "x", "k": 1}])
    assert kinds(a_test("x", "yz"), evidence, DATA) == {AGAINST_UNTRAINED}
    assert kinds(read_test(number | {"stratum": ""}, "pel", "here"), evidence, DATA) == {AGAINST_UNTRAINED}
    assert kinds(views, evidence, DATA) == {ONE_TRAINING}


def test_the_published_claims_by_kind():
    evidence, found = Evidence(), {}
    for claim in read_claims():
        if claim.test:
            of = set().union(*(kinds(claim.test, evidence, corpus) for corpus in claim.rule.corpora))
            assert len(of) < 2, f"{claim.id} is decided by two standards: {of}"
            found.setdefault("".join(of), []).append(claim.id)
    assert " ".join(found[TWO_TRAINED]) == (
        "B3 B4 B8 K1 K3 K6 K8 K11 K12 K13 K14 K18 D4 D5 D6 D8 D9 D10 D11 D14 D16 C4 C5 C6 "
        "P1 P2 P4 P5 P6 P7 P9 P10 P11 P12 P13 P18 P19 X2 X6"
    )
    assert " ".join(found[AGAINST_UNTRAINED]) == "B1 K4 K20 D7 C1 C8 C9 P16"
    assert " ".join(found[ONE_TRAINING]) == "B5 B6 B7 B9 K9 K15 K16 D15 C14 X4"


# ---------------------------------------------------------------- what states allow


@pytest.mark.parametrize("word", [AT_CHANCE, NO_BETTER, UNKNOWN])
@pytest.mark.parametrize(("zero", "expected"), [(2, {HOLDS}), (-2, {FAILS}), (0.5, set()), (None, set())])
def test_one_training_decides_alone_where_it_is_better_than_none(word, zero, expected, monkeypatch):
    def effect(quantity, evidence, corpus):
        if zero is None:
            raise MissingRecord({"name": "exact", "dataset": corpus})
        return Effect(corpus, zero, zero - 1, zero + 1, 9)

    monkeypatch.setattr(claim_tests, "Untrained", lambda evidence: evidence)
    monkeypatch.setattr(Gap, "effect", effect)
    views = a_test([{"system": "x", "k": 5}], [{"system": "x", "k": 1}])
    assert allowed(views, Given({"x": [["a"]]}, x=at(word))) == expected
    for better in (PLATEAU, RISING):
        assert allowed(views, Given({"x": [["a"]]}, x=at(better))) == BOTH


def two(first, second, **more):
    return allowed(a_test("x", "y", **more), Given({"x": [["a"]], "y": [["b"]]}, x=first, y=second))


def test_two_arms_at_a_plateau_decide_and_others_do_not():
    assert two(at(PLATEAU), at(PLATEAU)) == BOTH
    for word in (AT_CHANCE, NO_BETTER, UNKNOWN):
        assert two(at(PLATEAU), at(word)) == two(at(word), at(PLATEAU)) == set()
        assert two(at(RISING, 0.5, 0.6), at(word, 0.3, 0.4)) == set()


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Half and full: 0.5 - 0.375 at half is half of 0.75 - 0.5 at full.
        ((0.5, 0.75), (0.375, 0.5), BOTH),
        ((0.49, 0.75), (0.375, 0.5), set()),  # less than half
        ((0.25, 0.75), (0.375, 0.5), set()),  # the other sign
        ((0.375, 0.5), (0.5, 0.75), BOTH),  # behind, and was so
        ((0.5, 0.6), (0.5, 0.6), set()),  # no effect to compare
        ((0.7, 0.75), (0.375, 0.5), set()),  # a lead that shrinks
        ((None, 0.8), (0.5, 0.6), set()),
    ],
)
def test_a_rising_arm_decides_where_the_effect_grew_from_half_of_it_or_more(first, second, expected):
    for words in ((RISING, RISING), (RISING, PLATEAU), (PLATEAU, RISING)):
        assert two(at(words[0], *first), at(words[1], *second)) == expected
    # What is not Recall@k of all mentions is not known at half.
    for more in ({"common": "reachable"}, {"found_by": "linked"}):
        assert two(at(RISING, *first), at(RISING, *second), **more) == set()


def test_the_effect_at_half_is_that_of_the_k_that_counts_at_the_end():
    # Of Recall@1 it grows, 0.1275 to 0.15; of Recall@10 it falls, 0.15 to 0.1, and is less at the end.
    states = at(RISING, 0.25, 0.64), at(RISING, 0.1225, 0.49)
    assert two(*states) == BOTH
    for ks in ([10], [1, 10], [10, 1]):
        assert two(*states, ks=ks) == set()
    at_10 = ([{"system": system, "k": 10}] for system in "xy")
    evidence = Given({"x": [["a"]], "y": [["b"]]}, x=states[0], y=states[1])
    assert allowed(a_test(*at_10), evidence) == set()


def test_the_effect_of_spans_at_half_is_that_of_their_f1():
    of = {"name": "span_gap", "runs": "t", "of": "x", "over": ["y"]}
    for half, expected in ((0.5, BOTH), (0.4, set()), (None, set())):
        states = {"x": at(RISING, half, 0.6), "y": at(RISING, 0.4, 0.45)}
        evidence = Given({"x": [["a"]], "y": [["b"]]}, **states)
        assert allowed(read_test(of, "pel", "here"), evidence) == expected


def test_gains_are_followed_from_half_to_full():
    # (0.5 - 0.3) - (0.4 - 0.3) = 0.1 at half, (0.7 - 0.4) - (0.5 - 0.4) = 0.2 at full.
    for half, expected in ((0.5, BOTH), (0.45, set()), (None, set())):
        pairs = ((half, 0.7), (0.3, 0.4), (0.4, 0.5), (0.3, 0.4))
        states = {name: at(RISING, *pair) for name, pair in zip("wxyz", pairs, strict=True)}
        evidence = Given({name: [[name]] for name in "wxyz"}, **states)
        assert allowed(a_test("wx", "yz", name="gain_gap"), evidence) == expected
    # -0.25 - 0.125 at half, -0.375 - 0.3125 at full; their sizes differ by 0.125 at half, by 0.0625 at full.
    pairs = ((0.125, 0.25), (0.375, 0.625), (0.5, 0.6875), (0.375, 0.375))
    states = {name: at(RISING, *pair) for name, pair in zip("wxyz", pairs, strict=True)}
    evidence = Given({name: [[name]] for name in "wxyz"}, **states)
    assert allowed(a_test("wx", "yz", name="gain_gap"), evidence) == BOTH
    assert allowed(a_test("wx", "yz", name="gain_gap", magnitude=True), evidence) == set()
    # The gain of Recall@10 minus that of Recall@1: 0.1 - 0.15 at half; then 0.1 - 0.17, or 0.02 - 0.0316.
    for last, expected in (((0.81, 0.64), BOTH), ((0.64, 0.6084), set())):
        first, second = (at(RISING, *pair) for pair in zip((0.64, 0.49), last, strict=True))
        evidence = Given({"w": [["w"]], "x": [["x"]]}, w=first, x=second)
        assert allowed(a_test("wx", "wx", name="gain_gap", ks=[10, 1]), evidence) == expected


@pytest.mark.parametrize(
    ("word", "trained_first", "of", "expected"),
    [
        (PLATEAU, True, rule(), BOTH),
        (RISING, True, rule(), {HOLDS}),  # ahead already, and more training leads further
        (RISING, True, rule("smaller"), {FAILS}),  # too far ahead to be close, and more leads further
        (RISING, False, rule("smaller"), {HOLDS}),
        (RISING, False, rule(), {FAILS}),
        (NO_BETTER, True, rule(), set()),
        (AT_CHANCE, True, rule(), set()),
        (UNKNOWN, True, rule(), set()),
        (RISING, True, rule("between", 1.0, 2.0), set()),  # a two-sided rule
    ],
)
def test_a_trained_arm_against_an_untrained_one(word, trained_first, of, expected):
    evidence = Given({"x": [["a"]], "y": [[]]}, x=at(word))
    assert allowed(a_test(*("xy" if trained_first else "yx")), evidence, of) == expected


@pytest.mark.parametrize(
    ("first", "rival", "expected"),
    [(RISING, PLATEAU, {HOLDS}), (PLATEAU, RISING, {FAILS}), (RISING, RISING, set())],
)
def test_a_rising_rival_can_only_make_a_lead_smaller(first, rival, expected):
    evidence = Given({"x": [["a"]], "y": [["b"]], "z": [[]]}, x=at(first), y=at(rival))
    assert allowed(a_test("x", "yz"), evidence) == expected
    assert allowed(a_test("xz", "yz", name="gain_gap"), evidence) == expected
    assert allowed(a_test("x", "xz"), evidence) == (BOTH if first == PLATEAU else set())  # on both sides


def test_each_part_of_a_test_must_allow_it_and_the_reason_is_told():
    evidence = Given({"x": [["a"]], "y": [["b"]], "z": [["c"]]}, x=at(PLATEAU), y=at(PLATEAU), z=at(UNKNOWN))
    parts = {"name": "least", "tests": [block("x", "y"), block("x", "z")]}
    least = read_test({"name": "by_corpus", "tests": {DATA: parts}}, "pel", "here")
    assert allowed(a_test("x", "y"), evidence) == BOTH and allowed(least, evidence) == set()
    told = with_states(Effect(DATA, 2, 1, 3, 9), least, rule(), evidence)
    assert told.lacks == ("not known whether training levelled off (dev records missing)",)
    # What the measurement itself lacks stays.
    timed = Effect(DATA, 2, 1, 3, 9, forbids=(HOLDS,), lacks=("timed elsewhere",))
    kept = with_states(timed, a_test("x", "y"), rule(), evidence)
    assert (kept.forbids, kept.lacks) == ((HOLDS,), ("timed elsewhere",))
