"""Which trainings a claim's test compares, and which verdicts their states allow: one rule for all papers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..chapters.training_states import AT_CHANCE, NO_BETTER, PLATEAU, RISING, UNKNOWN, State
from .claim_tests import PerCorpus, Smallest, Test
from .effect import Effect
from .evidence import Evidence
from .gain_gap import GainGap
from .gap import Gap
from .quantities import Accuracy
from .verdicts import FAILS, HOLDS, Rule

TWO_TRAINED = "two trained arms"
AGAINST_UNTRAINED = "trained against untrained"
ONE_TRAINING = "one training, two indexes or inputs"
UNTRAINED = ""

_NOT_KNOWN = "the state of the training is not known yet (dev records missing)"


def parts(test: Test, corpus: str) -> Iterator[Test]:
    """The tests that are asked of a corpus, one by one."""
    if isinstance(test, PerCorpus):
        yield from parts(test.tests[corpus], corpus)
    elif isinstance(test, Smallest):
        for one in test.tests:
            yield from parts(one, corpus)
    else:
        yield test


def kind(test: Test, evidence: Evidence, corpus: str) -> str:
    """What a single test compares, by the linkers of its systems.

    A system without training on either side makes it :data:`AGAINST_UNTRAINED`, and so does a trained one
    held against a number. Systems that all link with the weights of the same trainings are
    :data:`ONE_TRAINING`; others :data:`TWO_TRAINED`. A test without a training is :data:`UNTRAINED`.
    """
    behind = [keys for of in test.systems() for keys in evidence.trainings(test.chapter, *of, corpus)]
    if not any(behind):
        return UNTRAINED
    if isinstance(test, Accuracy) or not all(behind):
        return AGAINST_UNTRAINED
    return ONE_TRAINING if len(set(behind)) == 1 else TWO_TRAINED


def kinds(test: Test, evidence: Evidence, corpus: str) -> set[str]:
    """Those of all parts of a test."""
    return {kind(one, evidence, corpus) for one in parts(test, corpus)} - {UNTRAINED}


def with_states(effect: Effect, test: Test, rule: Rule, evidence: Evidence) -> Effect:
    """The effect with the verdicts that it forbids: those for which a training behind it does not suffice.

    *Two trained arms* decide where both are at a plateau, or where the sign of the effect on dev is that of
    the end already at half of the updates, with half of its size. *Trained against untrained* decides at a
    plateau, and while rising the one way to which more training leads: a trained system that is ahead may
    hold, and cannot fail. *One training* decides in any state.
    """
    forbids: dict[str, None] = {}
    lacks: dict[str, None] = {}
    for one in parts(test, effect.corpus):
        allowed, why = _allowed(one, rule, evidence, effect.corpus)
        forbids |= dict.fromkeys(verdict for verdict in (HOLDS, FAILS) if verdict not in allowed)
        lacks |= dict.fromkeys([why] if why else [])
    both = (*effect.forbids, *(verdict for verdict in forbids if verdict not in effect.forbids))
    return replace(effect, forbids=both, lacks="; ".join(filter(None, [effect.lacks, *lacks])))


def _allowed(test: Test, rule: Rule, evidence: Evidence, corpus: str) -> tuple[tuple[str, ...], str]:
    """The verdicts that the states of a test's trainings allow, and why not the others."""
    of = kind(test, evidence, corpus)
    if of in (UNTRAINED, ONE_TRAINING):
        return (HOLDS, FAILS), ""
    trained = [of for of in test.systems() if any(evidence.trainings(test.chapter, *of, corpus))]
    states = {of: evidence.states(test.chapter, *of, corpus) for of in trained}
    words = {state.word for found in states.values() for state in found}
    if UNKNOWN in words:
        return (), _NOT_KNOWN
    if words & {AT_CHANCE, NO_BETTER}:
        return (), f"a training is {' and '.join(sorted(words & {AT_CHANCE, NO_BETTER}))}"
    if words == {PLATEAU}:
        return (HOLDS, FAILS), ""
    if of == AGAINST_UNTRAINED:
        return _upwards(test, rule, evidence, corpus), f"a training is {RISING}, which may yet turn it"
    if _arrived(test, states):
        return (HOLDS, FAILS), ""
    return (), f"a training is {RISING}, and half of the effect is not there at half of its updates"


def _upwards(test: Test, rule: Rule, evidence: Evidence, corpus: str) -> tuple[str, ...]:
    """The verdict that more training can only make surer: that of a trained system ahead of others."""
    first = next(iter(test.systems()))
    gains = any(evidence.trainings(test.chapter, *first, corpus))  # what is trained stands first
    if rule.range is not None:
        return ()
    return (HOLDS,) if (rule.direction == "greater") == gains else (FAILS,)


def _arrived(test: Test, states: dict[tuple[str, str], list[State]]) -> bool:
    """Whether the effect on dev at half of the updates has the sign of that at the end and half its size, by
    Recall@1; no for a test of another quantity."""
    half, full = (_on_dev(test, states, name) for name in ("half", "full"))
    return half is not None and full is not None and half * full > 0 and abs(half) >= abs(full) / 2


def _on_dev(test: Test, states: dict[tuple[str, str], list[State]], when: str) -> float | None:
    """A gap, or a difference of gains, on dev after half or all of the updates."""

    def value(system: tuple[str, str], at: str) -> float | None:
        found = [getattr(state, at) for state in states[system]]
        return None if None in found or not found else sum(one.value for one in found) / len(found)

    if isinstance(test, GainGap) and test.ks == (1, 1):
        a, b, c, d = (value(system, when) for system in test.systems())
        return None if None in (a, b, c, d) else (a - b) - (c - d)
    if isinstance(test, Gap) and test.ks == (1,):
        sides = ([(arm.runs, arm.system) for arm in arms] for arms in (test.of, test.over))
        # The most accurate at the end, as the test itself picks it.
        best = [max(side, key=lambda system: value(system, "full") or 0.0) for side in sides]
        first, second = (value(system, when) for system in best)
        return None if None in (first, second) else first - second
    return None
