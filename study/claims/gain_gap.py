"""Gains of systems over others, set against each other: a difference of differences, and the least gain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from pydantic import model_validator

from benchlib.scoring import Scoring, canonical_clusters, compare, magnitude_difference

from ..chapters.results import SystemResult
from .effect import Effect
from .evidence import ClaimTest, Evidence
from .gap import Protocol, Stratum, on_shared, shared


class GainGap(ClaimTest):
    """Recall@k of the first system of ``of`` minus that of the second, less the same gain of ``over``, in
    points: mention by mention, seeds averaged.

    Of the two ``ks`` the first is that of the gain of ``of``, the second that of ``over``, which is ``of``
    itself where it is not given. With ``magnitude`` the sizes of the two gains are compared, whichever way
    they go, without a paired test. Draws and seeds are taken one by one: a system has one of either, which
    stands beside each of the others', or as many as they have. With ``common`` all are scored on the mentions
    that are in this stratum for each of them (:func:`study.chapters.results.shared_stratum`).
    """

    name: Literal["gain_gap"]
    runs: str
    of: tuple[str, str]
    over: tuple[str, str]
    protocol: Protocol
    ks: tuple[int, int] = (1, 1)
    magnitude: bool = False
    common: Stratum = ""

    @model_validator(mode="before")
    @classmethod
    def _of_again(cls, values: Any) -> Any:
        if isinstance(values, dict) and "of" in values:
            return {"over": values["of"], **values}
        return values

    @model_validator(mode="after")
    def _two_gains(self) -> GainGap:
        if self.of == self.over and self.ks[0] == self.ks[1]:
            raise ValueError("two gains: other systems in over, or two ks")
        return self

    def systems(self) -> Iterator[tuple[str, str]]:
        yield from ((self.runs, system) for system in (*self.of, *self.over))

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        """Raises MissingRecord for what was not run, and ValueError for other mentions or seeds."""
        found = [
            evidence.every(self.chapter, *one, corpus, kinds=bool(self.common)) for one in self.systems()
        ]
        _check_same(found, corpus)
        first, every = found[0][0], [runs for system in found for runs in system]
        among = first.among(shared(every, self.common) if self.common else None)
        scoring = Scoring.parse(self.protocol)
        # Draws × seeds × mentions.
        gains = [
            np.subtract(*(np.stack([runs.credits(k, scoring) for runs in system]) for system in pair))
            for pair, k in zip((found[:2], found[2:]), self.ks, strict=True)
        ]
        gains = [gain[..., among] for gain in gains]
        single = [gain.mean(axis=2) for gain in gains]
        means, clusters = [gain.mean(axis=(0, 1)) for gain in gains], first.clusters[among]
        if self.magnitude:
            single = [np.abs(one) for one in single]
            gap, p = magnitude_difference(*means, clusters), None
        else:
            compared = compare(*means, clusters)
            gap, p = compared.difference, compared.p
        apart = (100 * (single[0] - single[1])).ravel().tolist()
        seeds = tuple(apart) if len(apart) > 1 else ()
        return Effect.in_percent(corpus, gap, p, seeds, self._said(found))

    def _said(self, found: list[list[SystemResult]]) -> str:
        """What was set against what."""
        labels = [
            system[0].label + (f" and {len(system) - 1} more" if len(system) > 1 else "") for system in found
        ]
        size = "size of " if self.magnitude else ""
        gains = " minus ".join(
            f"{size}({first} minus {second})" + (f" at Recall@{k}" if self.ks != (1, 1) else "")
            for first, second, k in zip(labels[::2], labels[1::2], self.ks, strict=True)
        )
        return f"{gains}, {on_shared(self.common)}" if self.common else gains


def _check_same(found: list[list[SystemResult]], corpus: str) -> None:
    first, draws = found[0][0], max(map(len, found))
    seeds = max(len(runs.records) for system in found for runs in system)
    for system in found:
        for runs in system:
            if not np.array_equal(canonical_clusters(first.clusters), canonical_clusters(runs.clusters)):
                raise ValueError(f"{first.label} and {runs.label} on {corpus}: expected the same mentions")
            _check_as_many(len(runs.records), seeds, "seeds", runs, corpus)
        _check_as_many(len(system), draws, "draws", system[0], corpus)


def _check_as_many(n: int, most: int, what: str, runs: SystemResult, corpus: str) -> None:
    if n not in (1, most):
        raise ValueError(f"{runs.label} on {corpus}: expected 1 or {most} {what}, found {n}")
