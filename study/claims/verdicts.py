"""From measured effects to a verdict, by a rule that was written before the run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from pydantic import FiniteFloat, model_validator

from benchlib.scoring import holm

from ..corpora import registry
from ..yaml_file import YamlModel
from .effect import LEVEL, Effect, average, p_value

HOLDS, FAILS, MIXED, TOO_SMALL = "holds", "does not hold", "mixed", "too small to decide"
NOT_RUN, NOT_COMPARABLE = "not run", "not comparable"
VERDICTS = (HOLDS, FAILS, MIXED, TOO_SMALL, NOT_RUN)
"""The one scale of the book, of claims and of printed numbers; these alone can be *not comparable*."""

_PLURAL = {HOLDS: "hold", FAILS: "do not hold"}
_MANY = 100  # times as large: beyond, the size of a test set is not what is lacking


class Judged(Protocol):
    """The answer to a claim, or a printed number."""

    verdict: str


class Rule(YamlModel):
    """``quantity`` is ``direction`` (than) ``threshold``, on ``corpora`` taken together as ``combine`` says.

    ``within`` means at most ``threshold`` away from zero, ``between`` from ``threshold`` to ``upper``.
    ``why`` gives the reason for the threshold.
    """

    quantity: str
    direction: Literal["greater", "smaller", "within", "between"]
    threshold: FiniteFloat
    upper: FiniteFloat | None = None
    unit: str
    corpora: tuple[str, ...]
    combine: Literal["all", "average"]
    why: str

    @model_validator(mode="after")
    def _can_decide(self) -> Rule:
        known = registry.benchmarks()
        if not self.corpora or len({*self.corpora} & {*known}) != len(self.corpora):
            raise ValueError(f"corpora: one or more of {', '.join(known)}, each once")
        if self.direction == "within" and self.threshold <= 0:
            raise ValueError("a threshold above 0 with the direction within")
        if (self.direction == "between") != (self.upper is not None):
            raise ValueError("an upper threshold with the direction between, and with no other")
        if self.upper is not None and self.upper <= self.threshold:
            raise ValueError("an upper threshold above the threshold")
        return self

    @property
    def range(self) -> tuple[float, float] | None:
        """The two ends of a two-sided rule, None of a one-sided one."""
        if self.direction == "within":
            return -self.threshold, self.threshold
        return None if self.upper is None else (self.threshold, self.upper)

    def asked(self, low: float, high: float) -> tuple[float, float]:
        """Where the claim holds on an axis from ``low`` to ``high``."""
        sides = {"greater": (self.threshold, high), "smaller": (low, self.threshold)}
        return self.range or sides[self.direction]

    def __str__(self) -> str:
        amount = f"{self.threshold:g} {self.unit}"
        relation = f"{self.direction} than {amount}"
        if self.direction == "within":
            relation = f"within {amount} of 0"
        if self.upper is not None:
            relation = f"from {self.threshold:g} to {self.upper:g} {self.unit}"
        scope = "on every corpus" if self.combine == "all" else "on average"
        return f"{self.quantity}: {relation} {scope}"


def margin(rule: Rule, effect: Effect) -> Effect:
    """The effect as distance beyond the threshold: positive on the claimed side, and of a two-sided rule
    inside its range."""
    ends = rule.range or (rule.threshold, rule.threshold)
    middle, half = sum(ends) / 2, (ends[1] - ends[0]) / 2

    def beyond(value: float) -> float:
        if rule.range:
            return half - abs(value - middle)
        return value - middle if rule.direction == "greater" else middle - value

    low, high = sorted((beyond(effect.low), beyond(effect.high)))
    if rule.range and effect.low <= middle <= effect.high:
        high = half  # the middle, where the distance is largest, lies inside the interval
    # A test against zero says nothing of another threshold.
    p = effect.p if rule.threshold == 0 and not rule.range else None
    seeds = tuple(map(beyond, effect.seeds))
    return replace(effect, value=beyond(effect.value), low=low, high=high, p=p, seeds=seeds)


def decide(rule: Rule, effects: Sequence[Effect]) -> tuple[str, Effect]:
    """The verdict, and the effect that decided it.

    *Holds*: the 95 % interval lies beyond the threshold on the claimed side, and so does every seed. *Does
    not hold*: it lies on the other side, and so does every seed. *Mixed*: the interval decides, and a seed
    opposes it. Else *too small to decide*, and also where the trainings behind an effect do not allow the
    verdict. Over corpora, ``all`` holds where each does, and fails where any one does by p values adjusted
    by Holm; ``average`` decides on the mean, and is *mixed* where corpora significantly oppose each other.
    The effect is that of the least favourable corpus, of those that fail where there are any. ``effects``
    are those of the corpora that are taken together, one each.
    """
    excesses = [margin(rule, effect) for effect in effects]
    if rule.combine == "average":
        opposed = any(_significant(excesses, HOLDS)) and any(_significant(excesses, FAILS))
        effects = [average(effects)]
        if opposed:
            return MIXED, effects[0]
        excesses = [margin(rule, effects[0])]
    if all(e.low > 0 and HOLDS not in e.forbids for e in excesses):
        agreed = all(seed > 0 for e in excesses for seed in e.seeds)
        return (HOLDS if agreed else MIXED), _worst(effects, excesses)
    against = _significant(excesses, FAILS)
    failed = [lost and all(seed < 0 for seed in e.seeds) for lost, e in zip(against, excesses, strict=True)]
    if any(failed):
        return FAILS, _worst(effects, excesses, failed)
    if any(against):
        return MIXED, _worst(effects, excesses, against)
    return TOO_SMALL, _worst(effects, excesses)


def _significant(excesses: Sequence[Effect], verdict: str) -> list[bool]:
    """Which effects lie on the side of a verdict, by interval and p value after Holm's correction, and do not
    forbid it."""
    adjusted = holm([p_value(e) for e in excesses])
    beyond = [e.low > 0 if verdict == HOLDS else e.high < 0 for e in excesses]
    return [
        there and p <= LEVEL and verdict not in e.forbids
        for e, p, there in zip(excesses, adjusted, beyond, strict=True)
    ]


def _worst(effects: Sequence[Effect], excesses: Sequence[Effect], among: Sequence[bool] = ()) -> Effect:
    """The least favourable effect, of those marked where some are."""
    places = [i for i in range(len(effects)) if not among or among[i]]
    return effects[min(places, key=lambda i: excesses[i].value)]


def lacking(rule: Rule, effect: Effect) -> str:
    """How large a test set an undecided effect would take, if it stays as it is: the width of an interval
    falls with the root of its size."""
    excess = margin(rule, effect)
    distance = excess.value - excess.low if excess.value > 0 else excess.high - excess.value
    times = math.inf if excess.value == 0 else (distance / excess.value) ** 2
    if times < 1:
        return ""
    if times > _MANY:
        return f"a test set {_MANY} times as large would not decide it"
    return f"a test set about {max(times, 1.1):.1f} times as large would decide it, if the effect stays"


def verdict_counts(judged: Iterable[Judged], name: Callable[[Judged], str] | None = None) -> str:
    """How many have which verdict, in words: ``2 hold, 1 is not run``; ``name`` names those that are decided,
    in brackets and each once: ``2 hold (K2; K5)``."""
    every, told = list(judged), []
    for verdict in (*VERDICTS[:-1], NOT_COMPARABLE, NOT_RUN):
        if those := [one for one in every if one.verdict == verdict]:
            named = name and verdict in (HOLDS, FAILS, MIXED)
            in_brackets = f" ({'; '.join(dict.fromkeys(map(name, those)))})" if named else ""
            forms = (verdict, _PLURAL[verdict]) if verdict in _PLURAL else (f"is {verdict}", f"are {verdict}")
            told.append(f"{len(those)} {forms[len(those) > 1]}{in_brackets}")
    return ", ".join(told)
