"""Which trainings a claim compares, and what their states allow: by hand, and for every published claim."""

import pytest

from study.chapters.training_states import AT_CHANCE, NO_BETTER, PLATEAU, RISING, UNKNOWN, State
from study.chapters.trainings import TooFew
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
    assert allowed(views, Given({"x": [["a"]]}, x=State(word))) == expected
    for better in (PLATEAU, RISING):
        assert allowed(views, Given({"x": [["a"]]}, x=State(better))) == BOTH


def two(first, second):
    return allowed(a_test("x", "y"), Given({"x": [["a"]], "y": [["b"]]}, x=first, y=second))


def test_two_arms_at_a_plateau_decide_and_others_do_not():
    assert two(State(PLATEAU), State(PLATEAU)) == BOTH
    for word in (AT_CHANCE, NO_BETTER, UNKNOWN):
        assert two(State(PLATEAU), State(word)) == two(State(word), State(PLATEAU)) == set()
        assert two(State(RISING), State(word)) == set()


@pytest.mark.parametrize(
    ("half", "full", "of", "expected"),
    [
        (2, 4, rule(), BOTH),
        (1.9, 4, rule(), set()),  # less than half
        (-2, 4, rule(), set()),  # the other side
        (-2, -4, rule(), BOTH),  # behind, and was so
        (0, 0, rule(), set()),
        (5, 4, rule(), set()),  # a lead that shrinks
        (None, 4, rule(), set()),
        (2, None, rule(), set()),
        (4, 5, rule(threshold=3), BOTH),  # 1 of 2 beyond it
        (3.9, 5, rule(threshold=3), set()),
        (2.9, 5, rule(threshold=3), set()),
        (2, 1, rule("smaller", 3), BOTH),
        (2, 3, rule("between", 1, 5), BOTH),  # 1 and 2 inside
        (0.5, 3, rule("between", 1, 5), set()),
    ],
)
def test_rising_arms_decide_where_the_effect_grew_from_half_of_it_or_more(
    half, full, of, expected, monkeypatch
):
    def effect(quantity, when, corpus):
        if (value := {"half": half, "full": full}[when]) is None:
            raise MissingRecord({"name": "exact", "dataset": corpus}) if when == "half" else TooFew
        return Effect(corpus, value, value - 1, value + 1, 9)

    monkeypatch.setattr(claim_tests, "OnDev", lambda evidence, when: when)
    monkeypatch.setattr(Gap, "effect", effect)
    for words in ((RISING, RISING), (RISING, PLATEAU), (PLATEAU, RISING)):
        given = Given({"x": [["a"]], "y": [["b"]]}, x=State(words[0]), y=State(words[1]))
        assert allowed(a_test("x", "y"), given, of) == expected


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
    evidence = Given({"x": [["a"]], "y": [[]]}, x=State(word))
    assert allowed(a_test(*("xy" if trained_first else "yx")), evidence, of) == expected


@pytest.mark.parametrize(
    ("first", "rival", "expected"),
    [(RISING, PLATEAU, {HOLDS}), (PLATEAU, RISING, {FAILS}), (RISING, RISING, set())],
)
def test_a_rising_rival_can_only_make_a_lead_smaller(first, rival, expected):
    evidence = Given({"x": [["a"]], "y": [["b"]], "z": [[]]}, x=State(first), y=State(rival))
    assert allowed(a_test("x", "yz"), evidence) == expected
    assert allowed(a_test("xz", "yz", name="gain_gap"), evidence) == expected
    assert allowed(a_test("x", "xz"), evidence) == (BOTH if first == PLATEAU else set())  # on both sides


THREE = Given(
    {"x": [["a"]], "y": [["b"]], "z": [["c"]]}, x=State(PLATEAU), y=State(PLATEAU), z=State(UNKNOWN)
)


def least_of(monkeypatch, *values):
    """The least of x - y and x - z, which have these values in intervals of one point to each side."""
    parts = {"name": "least", "tests": [block("x", "y"), block("x", "z")]}
    effects = {
        rival: Effect(DATA, value, value - 1, value + 1, 9) for rival, value in zip("yz", values, strict=True)
    }
    monkeypatch.setattr(Gap, "effect", lambda self, evidence, corpus: effects[self.over[0].system])
    return read_test({"name": "by_corpus", "tests": {DATA: parts}}, "pel", "here")


@pytest.mark.parametrize(
    ("values", "direction", "expected"),
    [
        ((-2, 1), "greater", {FAILS}),  # one that is below the threshold is enough
        ((-2, 1), "smaller", {HOLDS}),
        ((1, -2), "greater", set()),  # of the unknown training
        ((-2, -2), "greater", set()),
        ((-2, 1), "within", set()),
    ],
)
def test_the_least_alone_decides_against_a_claim_about_all(monkeypatch, values, direction, expected):
    least, of = least_of(monkeypatch, *values), rule(direction, 1.0 if direction == "within" else 0.0)
    told = with_states(least.effect(THREE, DATA), least, of, THREE)
    assert BOTH - {*told.forbids} == expected


def test_each_part_of_a_test_must_allow_it_and_the_reason_is_told(monkeypatch):
    evidence, least = THREE, least_of(monkeypatch, 2, 2)
    assert allowed(a_test("x", "y"), evidence) == BOTH and allowed(least, evidence) == set()
    told = with_states(Effect(DATA, 2, 1, 3, 9), least, rule(), evidence)
    assert told.lacks == ("not known whether training levelled off (dev records missing)",)
    # What the measurement itself lacks stays.
    timed = Effect(DATA, 2, 1, 3, 9, forbids=(HOLDS,), lacks=("timed elsewhere",))
    kept = with_states(timed, a_test("x", "y"), rule(), evidence)
    assert (kept.forbids, kept.lacks) == ((HOLDS,), ("timed elsewhere",))
