"""From measured effects to a verdict, by a rule that was written before the run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

from pydantic import FiniteFloat, field_validator, model_validator

from benchlib.datasets import registry
from benchlib.readers.yaml_file import YamlModel
from benchlib.scoring import Estimate, holm

SUPPORTED, CONTRADICTED, INCONCLUSIVE, NOT_RUN = "supported", "contradicted", "inconclusive", "not run"
LEVEL = 0.05


class Rule(YamlModel):
    """``quantity`` is ``direction`` (than) ``threshold``, on ``corpora`` taken together as ``combine`` says.

    ``within`` means at most ``threshold`` away from zero. ``why`` gives the reason for the threshold.
    """

    quantity: str
    direction: Literal["greater", "smaller", "within"]
    threshold: FiniteFloat
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
        return self

    def __str__(self) -> str:
        amount = f"{self.threshold:g} {self.unit}"
        relation = (
            f"within {amount} of 0" if self.direction == "within" else f"{self.direction} than {amount}"
        )
        scope = "on every corpus" if self.combine == "all" else "on average"
        return f"{self.quantity}: {relation} {scope}"


@dataclass(frozen=True)
class Effect:
    """A measured quantity on one corpus with its 95 % interval, in the rule's unit, over ``n`` mentions.

    ``p`` is the two-sided p value of a test against zero, where there was one; ``seeds`` are the values of
    the single seeds, where training was involved; ``systems`` says what was set against what. Raises
    ValueError for bounds that are not finite or not in order.
    """

    corpus: str
    value: float
    low: float
    high: float
    n: int
    p: float | None = None
    seeds: tuple[float, ...] = ()
    systems: str = ""

    @classmethod
    def in_percent(
        cls,
        corpus: str,
        found: Estimate,
        p: float | None = None,
        seeds: tuple[float, ...] = (),
        systems: str = "",
    ) -> Effect:
        """An estimate between 0 and 1 in percent, a difference in points; ``seeds`` are in points already."""
        low, value, high = (100 * one for one in (found.low, found.value, found.high))
        return cls(corpus, value, low, high, found.n, p, seeds, systems)

    def __post_init__(self) -> None:
        if (
            not all(map(math.isfinite, (self.value, self.low, self.high, *self.seeds)))
            or self.low > self.high
        ):
            raise ValueError(
                f"effect on {self.corpus}: {self.value} [{self.low}, {self.high}] is no estimate"
            )


def average(effects: Sequence[Effect]) -> Effect:
    """The mean over corpora, each weighted equally and taken as independent of the others.

    Each side of the interval combines the corpora's distances to their own bounds as a root of squares;
    seeds are averaged one by one, as many as every corpus has. Raises ValueError where some have seeds and
    others none: the average would have none to agree.
    """
    k = len(effects)
    if len({bool(e.seeds) for e in effects}) > 1:
        raise ValueError(f"expected seeds of all or none, found {[len(e.seeds) for e in effects]}")
    value = sum(e.value for e in effects) / k
    below = math.hypot(*(max(0.0, e.value - e.low) for e in effects)) / k
    above = math.hypot(*(max(0.0, e.high - e.value) for e in effects)) / k
    seeds = tuple(sum(values) / k for values in zip(*(e.seeds for e in effects), strict=False))
    corpora = effects[0].corpus if k == 1 else "average of " + ", ".join(e.corpus for e in effects)
    n, systems = sum(e.n for e in effects), "; ".join(dict.fromkeys(e.systems for e in effects))
    return Effect(corpora, value, value - below, value + above, n, seeds=seeds, systems=systems)


def margin(rule: Rule, effect: Effect) -> Effect:
    """The effect as distance beyond the threshold: positive on the claimed side."""

    def beyond(value: float) -> float:
        if rule.direction == "within":
            return rule.threshold - abs(value)
        return value - rule.threshold if rule.direction == "greater" else rule.threshold - value

    low, high = sorted((beyond(effect.low), beyond(effect.high)))
    if rule.direction == "within" and effect.low <= 0 <= effect.high:
        high = rule.threshold  # zero itself, where the distance is largest, lies inside the interval
    seeds = tuple(map(beyond, effect.seeds))
    p = effect.p if rule.threshold == 0 else None  # a test against zero says nothing of another threshold
    return Effect(effect.corpus, beyond(effect.value), low, high, effect.n, p, seeds)


def p_value(excess: Effect) -> float:
    """The effect's own p value, else one from its interval as if the estimate were normal."""
    if excess.p is not None:
        return excess.p
    bound = excess.low if excess.value > 0 else excess.high
    distance = abs(excess.value - bound)
    if distance == 0:
        return 1.0 if excess.value == 0 else 0.0
    normal = NormalDist()
    return 2 * normal.cdf(-abs(excess.value) * normal.inv_cdf(1 - LEVEL / 2) / distance)


def least(effects: Sequence[Effect]) -> Effect:
    """The least of several quantities on one corpus, for a claim that asks for all of them.

    It is above none of them, so each bound of its interval is the least of theirs, and so is each seed: one
    without seeds has the same value in all. Where some lie below 0, its p value is the smallest of these,
    adjusted by Holm over all. Raises ValueError where they have another number of seeds.
    """
    if len(effects) == 1:
        return effects[0]
    first = min(effects, key=lambda effect: effect.value)
    low, high = (min(getattr(effect, bound) for effect in effects) for bound in ("low", "high"))
    adjusted = holm([p_value(effect) for effect in effects])
    below = [p for effect, p in zip(effects, adjusted, strict=True) if effect.high < 0]
    n_seeds = max(len(effect.seeds) for effect in effects)
    seeds = tuple(map(min, zip(*(e.seeds or (e.value,) * n_seeds for e in effects), strict=True)))
    return replace(first, low=low, high=high, p=min(below, default=first.p), seeds=seeds)


def _worst(excesses: Sequence[Effect], among: Sequence[bool]) -> int:
    """The place of the least favourable effect among some."""
    return min((i for i, one in enumerate(among) if one), key=lambda i: excesses[i].value)


def _against(excess: Effect) -> bool:
    """Whether the interval and every seed lie on the other side."""
    return all(bound < 0 for bound in (excess.high, *excess.seeds))


def decide(rule: Rule, effects: Sequence[Effect]) -> tuple[str, Effect]:
    """The verdict, and the effect that decided it.

    Supported: the 95 % interval lies beyond the threshold on the claimed side, and every seed does too.
    Contradicted: it lies beyond on the other side, and every seed does too. Else inconclusive. Over corpora,
    ``all`` needs support on each and is contradicted by any one, by p values adjusted by Holm; ``average``
    decides on the mean. The effect is that of the least favourable corpus, of those that contradict where
    there are any.

    Raises ValueError unless there is exactly one effect for each corpus of the rule.
    """
    if sorted(e.corpus for e in effects) != sorted(rule.corpora):
        raise ValueError(
            f"effects on {[e.corpus for e in effects]}; expected one each on {list(rule.corpora)}"
        )
    if rule.combine == "average":
        effects = [average(effects)]
    excesses = [margin(rule, effect) for effect in effects]
    supported = all(bound > 0 for e in excesses for bound in (e.low, *e.seeds))
    against = [_against(e) for e in excesses]
    # One of several suffices to contradict, so their p values are adjusted.
    adjusted = holm([*map(p_value, excesses)])
    contradicted = any(one and p <= LEVEL for one, p in zip(against, adjusted, strict=True))
    shown = _worst(excesses, against if contradicted else [True] * len(effects))
    verdict = SUPPORTED if supported else CONTRADICTED if contradicted else INCONCLUSIVE
    return verdict, effects[shown]


def contradicted_already(rule: Rule, effects: Sequence[Effect]) -> Effect | None:
    """The effect that contradicts a rule on ``all`` corpora, whatever those without an effect yet will say;
    None where there is none. P values are adjusted as if theirs were 1, so that later ones change nothing."""
    if rule.combine != "all":
        return None
    excesses = [margin(rule, effect) for effect in effects]
    unknown = [1.0] * (len(rule.corpora) - len(effects))
    adjusted = holm([*map(p_value, excesses), *unknown])[: len(effects)]
    against = [_against(e) and p <= LEVEL for e, p in zip(excesses, adjusted, strict=True)]
    return effects[_worst(excesses, against)] if any(against) else None
