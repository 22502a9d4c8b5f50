"""From measured effects to a verdict, by a rule that was written before the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from pydantic import FiniteFloat, field_validator, model_validator

from benchlib.scoring import holm

from ..corpora import registry
from ..yaml_file import YamlModel
from .effect import LEVEL, Effect, average, p_value

HOLDS, FAILS, MIXED, TOO_SMALL = "holds", "does not hold", "mixed", "too small to decide"
NOT_RUN, NOT_COMPARABLE = "not run", "not comparable"
VERDICTS = (HOLDS, FAILS, MIXED, TOO_SMALL, NOT_RUN)
"""The one scale of the book, of claims and of printed numbers; these alone can be *not comparable*."""

_MANY = 100  # times the documents: beyond, the size of a corpus is not what is lacking


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

    @field_validator("corpora")
    @classmethod
    def _registered(cls, corpora: tuple[str, ...]) -> tuple[str, ...]:
        known = registry.benchmarks()
        if not corpora or len(set(corpora)) != len(corpora) or not set(corpora) <= set(known):
            raise ValueError(f"one or more of {', '.join(known)}, each once")
        return corpora

    @model_validator(mode="after")
    def _has_width(self) -> Rule:
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
    if rule.range is None:
        middle, half = rule.threshold, 0.0
    else:
        low, high = rule.range
        middle, half = (low + high) / 2, (high - low) / 2

    def beyond(value: float) -> float:
        if rule.range is not None:
            return half - abs(value - middle)
        return value - middle if rule.direction == "greater" else middle - value

    low, high = sorted((beyond(effect.low), beyond(effect.high)))
    if rule.range is not None and effect.low <= middle <= effect.high:
        high = half  # the middle, where the distance is largest, lies inside the interval
    p = effect.p if rule.threshold == 0 else None  # a test against zero says nothing of another threshold
    seeds = tuple(map(beyond, effect.seeds))
    return replace(effect, value=beyond(effect.value), low=low, high=high, p=p, seeds=seeds)


def _worst(excesses: Sequence[Effect], among: Sequence[bool]) -> int:
    """The place of the least favourable effect among those marked."""
    return min((i for i, marked in enumerate(among) if marked), key=lambda i: excesses[i].value)


def _against(excesses: Sequence[Effect], untold: int = 0) -> list[bool]:
    """Which effects lie on the other side, interval and p value after Holm's correction, and may count so;
    ``untold`` is the number of further corpora, as if their p values were 1."""
    adjusted = holm([*map(p_value, excesses), *[1.0] * untold])
    return [
        e.high < 0 and p <= LEVEL and FAILS not in e.forbids for e, p in zip(excesses, adjusted, strict=False)
    ]


def _opposed(excesses: Sequence[Effect]) -> bool:
    """Whether corpora significantly disagree, after Holm's correction."""
    adjusted = holm([*map(p_value, excesses)])
    ahead = [
        e.low > 0 and p <= LEVEL and HOLDS not in e.forbids for e, p in zip(excesses, adjusted, strict=True)
    ]
    return any(ahead) and any(_against(excesses))


def decide(rule: Rule, effects: Sequence[Effect]) -> tuple[str, Effect]:
    """The verdict, and the effect that decided it.

    *Holds*: the 95 % interval lies beyond the threshold on the claimed side, and so does every seed. *Does
    not hold*: it lies on the other side, and so does every seed. *Mixed*: the interval decides, and a seed
    opposes it. Else *too small to decide*, and also where the trainings behind an effect do not allow the
    verdict. Over corpora, ``all`` holds where each does, and fails where any one does by p values adjusted
    by Holm; ``average`` decides on the mean, and is *mixed* where corpora significantly oppose each other.
    The effect is that of the least favourable corpus, of those that fail where there are any.

    Raises ValueError unless there is exactly one effect for each corpus of the rule.
    """
    if sorted(e.corpus for e in effects) != sorted(rule.corpora):
        raise ValueError(
            f"effects on {[e.corpus for e in effects]}; expected one each on {list(rule.corpora)}"
        )
    if rule.combine == "average":
        opposed, effects = _opposed([margin(rule, effect) for effect in effects]), [average(effects)]
        if opposed:
            return MIXED, effects[0]
    excesses = [margin(rule, effect) for effect in effects]
    ahead = all(e.low > 0 and HOLDS not in e.forbids for e in excesses)
    against = _against(excesses)
    failed = [lost and all(seed < 0 for seed in e.seeds) for lost, e in zip(against, excesses, strict=True)]
    if ahead:
        agreed = all(seed > 0 for e in excesses for seed in e.seeds)
        return (HOLDS if agreed else MIXED), effects[_worst(excesses, [True] * len(effects))]
    if any(failed):
        return FAILS, effects[_worst(excesses, failed)]
    if any(against):
        return MIXED, effects[_worst(excesses, against)]
    return TOO_SMALL, effects[_worst(excesses, [True] * len(effects))]


def fails_already(rule: Rule, effects: Sequence[Effect]) -> Effect | None:
    """The effect by which a rule on ``all`` corpora does not hold, whatever those without an effect yet will
    say; None where there is none. P values are adjusted as if theirs were 1, so that later ones change
    nothing."""
    if rule.combine != "all" or not effects:
        return None
    excesses = [margin(rule, effect) for effect in effects]
    against = _against(excesses, untold=len(rule.corpora) - len(effects))
    failed = [lost and all(seed < 0 for seed in e.seeds) for lost, e in zip(against, excesses, strict=True)]
    return effects[_worst(excesses, failed)] if any(failed) else None


def lacking(rule: Rule, effect: Effect) -> str:
    """How many times the documents an undecided effect would take, if it stays as it is: the width of an
    interval falls with their root."""
    excess = margin(rule, effect)
    distance = excess.value - excess.low if excess.value > 0 else excess.high - excess.value
    times = math.inf if excess.value == 0 else (distance / excess.value) ** 2
    if times < 1:
        return ""
    if times > _MANY:
        return f"more than {_MANY} times the documents would not decide it"
    return f"about {max(times, 1.1):.1f} times the documents would decide it, if the number stays"
