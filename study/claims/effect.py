"""A measured quantity with its interval: on one corpus, averaged over several, or the smallest of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

from benchlib.scoring import Estimate, holm

LEVEL = 0.05  # of every test, and of the intervals
_LEAST = "least of several: "


@dataclass(frozen=True)
class Effect:
    """A measured quantity on one corpus with its 95 % interval, in the rule's unit, over ``n`` mentions.

    ``p`` is the two-sided p value of a test against zero, where there was one; ``seeds`` are the values of
    the single seeds, where training was involved; ``systems`` names what was compared. ``forbids`` are the
    verdicts for which the states of the trainings behind it do not suffice, and ``lacks`` says why
    (:mod:`study.claims.claim_tests`). ``bounds`` marks an interval between two bounds, which is no sampling
    error. Raises ValueError for bounds that are not finite or not in order.
    """

    corpus: str
    value: float
    low: float
    high: float
    n: int
    p: float | None = None
    seeds: tuple[float, ...] = ()
    systems: str = ""
    forbids: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    bounds: bool = False

    @classmethod
    def in_percent(
        cls, corpus: str, found: Estimate, p: float | None = None, seeds: Sequence[float] = (),
        systems: str = "",
    ) -> Effect:  # fmt: skip
        """An estimate between 0 and 1 in percent, a difference in points; ``seeds`` are shares as well."""
        low, value, high = (100 * share for share in (found.low, found.value, found.high))
        return cls(corpus, value, low, high, found.n, p, tuple(100 * share for share in seeds), systems)

    def __post_init__(self) -> None:
        finite = all(map(math.isfinite, (self.value, self.low, self.high, *self.seeds)))
        if not finite or self.low > self.high:
            raise ValueError(
                f"effect on {self.corpus}: {self.value} [{self.low}, {self.high}] is no estimate"
            )


def average(effects: Sequence[Effect]) -> Effect:
    """The mean over corpora, each weighted equally and taken as independent of the others.

    Each side of the interval combines the corpora's distances to their own bounds as a root of squares, or
    where these are no sampling errors as a mean; seeds are averaged one by one, as many as every corpus has.
    Raises ValueError where some have seeds and others none: the average would have none to agree.
    """
    if (k := len(effects)) == 1:
        return effects[0]
    if len({bool(e.seeds) for e in effects}) > 1:
        raise ValueError(f"expected seeds of all or none, found {[len(e.seeds) for e in effects]}")
    value, bounds = sum(e.value for e in effects) / k, any(e.bounds for e in effects)
    least = _LEAST if any(e.systems.startswith(_LEAST) for e in effects) else ""
    joined = (lambda *distances: sum(distances)) if bounds else math.hypot
    return Effect(
        corpus="average of " + ", ".join(e.corpus for e in effects),
        value=value,
        low=value - joined(*(max(0.0, e.value - e.low) for e in effects)) / k,
        high=value + joined(*(max(0.0, e.high - e.value) for e in effects)) / k,
        n=sum(e.n for e in effects),
        seeds=tuple(sum(values) / k for values in zip(*(e.seeds for e in effects), strict=False)),
        systems=least + "; ".join(dict.fromkeys(e.systems.removeprefix(_LEAST) for e in effects)),
        forbids=_each_once(effects, "forbids"),
        lacks=_each_once(effects, "lacks"),
        bounds=bounds,
    )


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


def smallest_effect(effects: Sequence[Effect]) -> Effect:
    """The smallest of several quantities on one corpus, for a claim that asks for all of them.

    Each bound of its interval is the least of theirs; ``systems`` says so where the smallest has another
    interval. So is each seed: an effect without seeds has the same value in all. It forbids what any of them
    forbids. Where some lie below 0, its p value is the smallest of these, adjusted by Holm over all. Raises
    ValueError where they have another number of seeds.
    """
    if len(effects) == 1:
        return effects[0]
    first = min(effects, key=lambda effect: effect.value)
    low, high = (min(getattr(effect, bound) for effect in effects) for bound in ("low", "high"))
    adjusted = holm([p_value(effect) for effect in effects])
    below = [p for effect, p in zip(effects, adjusted, strict=True) if effect.high < 0]
    n_seeds = max(len(effect.seeds) for effect in effects)
    seeds = tuple(map(min, zip(*(e.seeds or (e.value,) * n_seeds for e in effects), strict=True)))
    forbids, lacks = (_each_once(effects, name) for name in ("forbids", "lacks"))
    p, systems = min(below, default=first.p), first.systems
    if (low, high) != (first.low, first.high):
        systems = _LEAST + systems.removeprefix(_LEAST)
    return replace(first, low=low, high=high, p=p, seeds=seeds, systems=systems, forbids=forbids, lacks=lacks)


def _each_once(effects: Sequence[Effect], name: str) -> tuple[str, ...]:
    """The words that any of the effects has in a field."""
    return tuple(dict.fromkeys(word for effect in effects for word in getattr(effect, name)))
