"""Gains of systems over others, set against each other: a difference of differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import model_validator

from benchlib.scoring import Scoring, canonical_clusters, compare, magnitude_difference

from ..chapters.results import SystemResult
from .effect import Effect
from .evidence import Evidence
from .quantity import OnDev, Protocol, Quantity, Stratum, in_common


class GainGap(Quantity):
    """Recall@k of the first system of ``of`` minus that of the second, less the same gain of ``over``, in
    points: mention by mention, seeds averaged.

    Of the two ``ks`` the first is that of the gain of ``of``, the second that of ``over``, which is ``of``
    itself where it is not given. With ``magnitude`` the sizes of the two gains are compared, whichever way
    they go, without a paired test. Draws and seeds are taken one by one: a system has one of either, which
    stands beside each of the others', or as many as they have. With ``common`` all are scored on the mentions
    that are in this stratum for each of them.
    """

    runs: str
    of: tuple[str, str]
    over: tuple[str, str]
    protocol: Protocol
    ks: tuple[int, int] = (1, 1)
    magnitude: bool = False
    common: Stratum = ""

    @model_validator(mode="before")
    @classmethod
    def _of_again(cls, values: dict[str, Any]) -> dict[str, Any]:
        return {"over": values["of"], **values} if "of" in values else values

    @model_validator(mode="after")
    def _two_gains(self) -> GainGap:
        if self.of == self.over and self.ks[0] == self.ks[1]:
            raise ValueError("two gains: other systems in over, or two ks")
        return self

    def systems(self) -> Iterator[tuple[str, str]]:
        yield from ((self.runs, system) for system in (*self.of, *self.over))

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        """Raises MissingRecord for what was not run, and ValueError for other mentions or seeds."""
        kinds, scoring = bool(self.common), Scoring.parse(self.protocol)
        found = [evidence.every(self.chapter, *of, corpus, kinds) for of in self.systems()]
        first, *others = every = [runs for draws in found for runs in draws]
        for other in others:
            if not np.array_equal(canonical_clusters(first.clusters), canonical_clusters(other.clusters)):
                raise ValueError(f"{first.label} and {other.label} on {corpus}: expected the same mentions")
        among = first.among(in_common(every, self.common) if self.common else None)
        # Of each pair draws × seeds × mentions.
        gains = [
            np.subtract(*(np.stack([runs.credits(k, scoring)[:, among] for runs in of]) for of in pair))
            for pair, k in zip((found[:2], found[2:]), self.ks, strict=True)
        ]
        single = [gain.mean(axis=2) for gain in gains]
        compared = (*(gain.mean(axis=(0, 1)) for gain in gains), first.clusters[among])
        if self.magnitude:
            single = [np.abs(gain) for gain in single]
            gap, p = magnitude_difference(*compared), None
        else:
            test = compare(*compared)
            gap, p = test.difference, test.p
        seeds = (single[0] - single[1]).ravel().tolist()
        return Effect.in_percent(corpus, gap, p, seeds if len(seeds) > 1 else (), self._said(found))

    def on_dev(self, recall: OnDev, when: str) -> float | None:
        values = [recall(system, when) for system in self.systems()]
        if self.ks != (1, 1) or None in values:
            return None
        return (values[0] - values[1]) - (values[2] - values[3])

    def _said(self, found: list[list[SystemResult]]) -> str:
        """What was compared, in words."""
        labels = [of[0].label + (f" and {len(of) - 1} more" if len(of) > 1 else "") for of in found]
        size = "size of " if self.magnitude else ""
        at = [f" at Recall@{k}" if self.ks != (1, 1) else "" for k in self.ks]
        pairs = zip(labels[::2], labels[1::2], at, strict=True)
        gains = " minus ".join(f"{size}({first} minus {second}){at_k}" for first, second, at_k in pairs)
        return f"{gains}, on the {self.common} mentions that all share" if self.common else gains
