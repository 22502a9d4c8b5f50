"""Which trainings a claim compares, and what their states allow: by hand, and for every published claim."""

from types import SimpleNamespace

import pytest

from benchlib.scoring import Estimate
from study.chapters.training_states import AT_CHANCE, NO_BETTER, PLATEAU, RISING, UNKNOWN, State
from study.claims import read_claims
from study.claims.claim_tests import TESTS, PerCorpus, Smallest
from study.claims.compared import (
    AGAINST_UNTRAINED,
    ONE_TRAINING,
    TWO_TRAINED,
    UNTRAINED,
    kind,
    kinds,
    with_states,
)
from study.claims.effect import Effect
from study.claims.evidence import Evidence
from study.claims.verdicts import FAILS, HOLDS, Rule

STRICT = "strict/names/any-of"


class Given:
    """Evidence of trainings by system, and of their states."""

    def __init__(self, trainings, **states):
        self.keys, self.given = trainings, states

    def trainings(self, chapter, name, system, data):
        return [frozenset(keys) for keys in self.keys[system]]

    def states(self, chapter, name, system, data):
        found = self.given[system]
        return list(found) if isinstance(found, list) else [found]


def at(word, half=None, full=None):
    values = {
        name: value if value is None else Estimate(value, value, value, 9)
        for name, value in (("half", half), ("full", full))
    }
    return State(word, **values)


def gap(of, over, **more):
    return TESTS["gap"](name="gap", chapter="c", runs="t", of=of, over=over, protocol=STRICT, **more)


def rule(direction="greater", **more):
    return Rule(
        **{"quantity": "q", "direction": direction, "threshold": 0.0, "unit": "points",
           "corpora": ("ncbi-disease",), "combine": "all", "why": "w"} | more
    )  # fmt: skip


def allowed(test, evidence, of=None):
    effect = with_states(Effect("ncbi-disease", 2, 1, 3, 9), test, of or rule(), evidence)
    return {HOLDS, FAILS} - set(effect.forbids)


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
    evidence = Given({"x": of, "y": over})
    assert kind(gap(["x"], ["y"]), evidence, "ncbi-disease") == expected
    # Where one of several rivals does not train the comparison is with what is untrained.
    evidence = Given({"x": [["a"]], "y": [["b"]], "z": [[]]})
    assert kind(gap(["x"], ["y", "z"]), evidence, "ncbi-disease") == AGAINST_UNTRAINED


def test_a_trained_system_against_a_number_and_in_two_views():
    evidence = Given({"x": [["a"]]})
    number = TESTS["accuracy"](
        name="accuracy", chapter="c", runs="t", system="x", protocol=STRICT, stratum=""
    )
    assert kind(number, evidence, "ncbi-disease") == AGAINST_UNTRAINED
    views = gap([{"system": "x", "k": 5}], [{"system": "x", "k": 1}])
    assert kind(views, evidence, "ncbi-disease") == ONE_TRAINING


def test_the_published_claims_by_kind():
    evidence, found = Evidence(), {}
    for claim in read_claims():
        if claim.test:
            of = set().union(*(kinds(claim.test, evidence, corpus) for corpus in claim.rule.corpora))
            assert len(of) < 2, f"{claim.id} is decided by two standards: {of}"
            found.setdefault("".join(of), []).append(claim.id)
    assert " ".join(found[TWO_TRAINED]) == (
        "B3 B4 B8 K1 K3 K6 K8 K11 K12 K13 K14 K18 D4 D5 D6 D8 D9 D10 D11 D14 C4 C5 C6 "
        "P1 P2 P4 P5 P6 P7 P9 P10 P11 P12 P13 P18 X2 X6"
    )
    assert " ".join(found[AGAINST_UNTRAINED]) == "B1 K4 K20 D7 C1 C8 C9 P16"
    assert " ".join(found[ONE_TRAINING]) == "B5 B6 B7 B9 K9 K15 K16 D15 C14 X4"


# ---------------------------------------------------------------- what states allow


def two(first, second, test=None):
    evidence = Given({"x": [["a"]], "y": [["b"]]}, x=first, y=second)
    return allowed(test or gap(["x"], ["y"]), evidence)


def test_two_arms_at_a_plateau_decide_and_others_do_not():
    assert two(at(PLATEAU), at(PLATEAU)) == {HOLDS, FAILS}
    for word in (AT_CHANCE, NO_BETTER, UNKNOWN):
        assert two(at(PLATEAU), at(word)) == two(at(word), at(PLATEAU)) == set()
        assert two(at(RISING, 0.5, 0.6), at(word, 0.3, 0.4)) == set()


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Half and full: 0.5 - 0.375 at half is half of 0.75 - 0.5 at full.
        ((0.5, 0.75), (0.375, 0.5), {HOLDS, FAILS}),
        ((0.49, 0.75), (0.375, 0.5), set()),  # less than half
        ((0.25, 0.75), (0.375, 0.5), set()),  # the other sign
        ((0.375, 0.5), (0.5, 0.75), {HOLDS, FAILS}),  # behind, and was so
        ((0.5, 0.6), (0.5, 0.6), set()),  # no effect to compare
        ((None, 0.8), (0.5, 0.6), set()),
    ],
)
def test_a_rising_arm_decides_where_half_of_the_effect_was_there_at_half(first, second, expected):
    for words in ((RISING, RISING), (RISING, PLATEAU), (PLATEAU, RISING)):
        assert two(at(words[0], *first), at(words[1], *second)) == expected
    # What is no Recall@1 is not known at half.
    assert two(at(RISING, *first), at(RISING, *second), gap(["x"], ["y"], ks=[10])) == set()


def test_gains_are_followed_from_half_to_full():
    test = TESTS["gain_gap"](
        name="gain_gap", chapter="c", runs="t", of=["w", "x"], over=["y", "z"], protocol=STRICT
    )

    def given(w, x, y, z):
        of = {name: at(RISING, *pair) for name, pair in zip("wxyz", (w, x, y, z), strict=True)}
        return Given({name: [[name]] for name in "wxyz"}, **of)

    # (0.5 - 0.3) - (0.4 - 0.3) = 0.1 at half, (0.7 - 0.4) - (0.5 - 0.4) = 0.2 at full.
    assert allowed(test, given((0.5, 0.7), (0.3, 0.4), (0.4, 0.5), (0.3, 0.4))) == {HOLDS, FAILS}
    assert allowed(test, given((0.45, 0.7), (0.3, 0.4), (0.4, 0.5), (0.3, 0.4))) == set()


@pytest.mark.parametrize(
    ("word", "trained_first", "direction", "expected"),
    [
        (PLATEAU, True, "greater", {HOLDS, FAILS}),
        (RISING, True, "greater", {HOLDS}),  # ahead already, and more training leads further
        (RISING, True, "smaller", {FAILS}),  # too far ahead to be close, and more training leads further
        (RISING, False, "smaller", {HOLDS}),
        (RISING, False, "greater", {FAILS}),
        (NO_BETTER, True, "greater", set()),
        (AT_CHANCE, True, "greater", set()),
        (UNKNOWN, True, "greater", set()),
    ],
)
def test_a_trained_arm_against_an_untrained_one(word, trained_first, direction, expected):
    evidence = Given({"x": [["a"]], "y": [[]]}, x=at(word))
    arms = (["x"], ["y"]) if trained_first else (["y"], ["x"])
    assert allowed(gap(*arms), evidence, rule(direction)) == expected


def test_a_two_sided_rule_is_not_decided_by_a_rising_arm():
    evidence = Given({"x": [["a"]], "y": [[]]}, x=at(RISING))
    assert allowed(gap(["x"], ["y"]), evidence, rule("between", threshold=1.0, upper=2.0)) == set()


def test_one_training_decides_in_any_state_and_none_is_asked_for():
    evidence = SimpleNamespace(trainings=Given({"x": [["a"]], "y": [["a"]]}).trainings)
    assert allowed(gap(["x"], ["y"]), evidence) == {HOLDS, FAILS}


def test_each_part_of_a_test_must_allow_it_and_the_reason_is_told():
    evidence = Given({"x": [["a"]], "y": [["b"]], "z": [["c"]]}, x=at(PLATEAU), y=at(PLATEAU), z=at(UNKNOWN))
    parts = (gap(["x"], ["y"]), gap(["x"], ["z"]))
    least = Smallest.model_construct(name="least", chapter="c", tests=parts)
    by_corpus = PerCorpus.model_construct(name="by_corpus", chapter="c", tests={"ncbi-disease": least})
    assert allowed(parts[0], evidence) == {HOLDS, FAILS}
    assert allowed(least, evidence) == allowed(by_corpus, evidence) == set()
    told = with_states(Effect("ncbi-disease", 2, 1, 3, 9), by_corpus, rule(), evidence)
    assert told.lacks == "the state of the training is not known yet (dev records missing)"
    # What the measurement itself lacks stays.
    timed = Effect("ncbi-disease", 2, 1, 3, 9, forbids=(HOLDS,), lacks="timed elsewhere")
    kept = with_states(timed, parts[0], rule(), evidence)
    assert (kept.forbids, kept.lacks) == ((HOLDS,), "timed elsewhere")
