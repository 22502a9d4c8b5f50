"""Gaps between two systems, or two views of one, and between two gains: the quantities of most claims."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from benchlib.scoring import Scoring, canonical_clusters, compare, difference, magnitude_difference

from ..chapters.chapter import Protocol, Stratum
from ..chapters.results import SystemResult, listed
from ..yaml_file import YamlModel
from .effect import Effect, smallest_effect
from .evidence import Evidence
from .quantity import Quantity, in_common


class Arm(YamlModel):
    """One side of a gap: a system of a run set, and the protocol it is scored by.

    With a ``stratum`` it is scored on these of its mentions alone, and with ``k`` its Recall@k counts,
    whatever that of the gap.
    """

    system: str
    runs: str
    protocol: Protocol
    k: int = Field(default=0, ge=0)
    stratum: Stratum = ""


Arms = Annotated[tuple[Arm, ...], Field(min_length=1)]


class Gap(Quantity):
    """Recall@k of ``of`` minus that of ``over``, mention by mention, in points; k is 1 unless ``ks`` says.

    Of several ``over``, and of several ``ks``, the least gap counts
    (:func:`study.claims.effect.smallest_effect`), of several ``of`` the largest. An arm may be just the name
    of a system: ``runs`` and ``protocol`` are those of every arm that has none. Two systems are compared by a
    paired test with its p value; one system in two views (another protocol or k, a stratum) is not. With
    ``common`` all are scored on the mentions that are in this stratum for each of them, and with ``found_by``
    on those whose concept a measurement of linked text has found.
    """

    of: Arms
    over: Arms
    runs: str = ""
    protocol: str = ""
    ks: tuple[int, ...] = (1,)
    common: Stratum = ""
    found_by: str = ""

    @model_validator(mode="before")
    @classmethod
    def _whole_arms(cls, values: dict[str, Any]) -> dict[str, Any]:
        shared = {key: values[key] for key in ("runs", "protocol") if key in values}

        def whole(arm: object) -> object:
            arm = {"system": arm} if isinstance(arm, str) else arm
            return shared | arm if isinstance(arm, dict) else arm

        sides = {side: values[side] for side in ("of", "over") if isinstance(values.get(side), list | tuple)}
        return values | {side: [whole(arm) for arm in arms] for side, arms in sides.items()}

    def systems(self) -> Iterator[tuple[str, str]]:
        yield from ((arm.runs, arm.system) for arm in (*self.of, *self.over))

    def sides(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        of, over = ({(arm.runs, arm.system) for arm in arms} for arms in (self.of, self.over))
        return of, over

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        masks, said = [], []
        if self.common:
            masks.append(in_common(self.found(evidence, corpus, kinds=True), self.common))
            said.append(f"on the {self.common} mentions that all share")
        if self.found_by:
            linked = evidence.measured(self.chapter, self.found_by, corpus)
            masks.append(listed({corpus: linked}, "found"))
            said.append(f"on mentions whose concept is found in the text by {self.found_by}")

        def at(k: int) -> Effect:
            firsts, rivals = (
                [self._side(arm, k, evidence, corpus, masks) for arm in arms] for arms in (self.of, self.over)
            )
            gaps = (smallest_effect([_between(first, one, corpus) for one in rivals]) for first in firsts)
            effect = max(gaps, key=lambda gap: gap.value)
            at_k = [f"Recall@{k}"] if self.ks != (1,) else []
            return replace(effect, systems=", ".join([effect.systems, *said, *at_k]))

        return smallest_effect([at(k) for k in self.ks])

    def _side(
        self, arm: Arm, k: int, evidence: Evidence, corpus: str, masks: list[dict[str, np.ndarray]]
    ) -> Side:
        runs = evidence.runs(self.chapter, arm.runs, arm.system, corpus, kinds=bool(arm.stratum))
        among = np.all([runs.among(mask) for mask in (None, *masks)], axis=0)
        if arm.stratum:
            among &= runs.in_stratum(arm.stratum)
        return Side(arm, runs, runs.credits(arm.k or k, Scoring.parse(arm.protocol)), among)


@dataclass(frozen=True)
class Side:
    """An arm on one corpus: the credits of its mentions, seeds × mentions, and which ``among`` them count."""

    arm: Arm
    runs: SystemResult
    credits: np.ndarray
    among: np.ndarray

    def beside(self, other: Side) -> str:
        """Its label, with what tells it from the other side."""
        on = f" on {self.arm.stratum} mentions" if self.arm.stratum else ""
        under = f" under {self.arm.protocol}" if self.arm.protocol != other.arm.protocol else ""
        at = f" at Recall@{self.arm.k}" if self.arm.k != other.arm.k and self.arm.k else ""
        return f"{self.runs.in_words}{on}{under}{at}"


def _between(first: Side, second: Side, corpus: str) -> Effect:
    clusters = first.runs.clusters
    systems = f"{first.beside(second)} minus {second.beside(first)}"
    if not np.array_equal(canonical_clusters(clusters), canonical_clusters(second.runs.clusters)):
        raise ValueError(f"{systems} on {corpus}: expected the same mentions on both sides")
    sides = (first.credits.mean(axis=0), second.credits.mean(axis=0), clusters, (first.among, second.among))
    if first.arm.system == second.arm.system:
        return Effect.in_percent(
            corpus, difference(*sides), None, _seeds(first, second, paired=True), systems
        )
    weights = [[record.made.get("weights") for record in side.runs.there] for side in (first, second)]
    one_training = weights[0] == weights[1] and all(weights[0])  # linked in two ways
    compared, seeds = compare(*sides), _seeds(first, second, paired=one_training)
    return Effect.in_percent(corpus, compared.difference, compared.p, seeds, systems)


def _seeds(first: Side, second: Side, paired: bool) -> list[float]:
    """The gap of each seed, or of each fold of a single one, as shares. Seeds of one system or training are
    ``paired``; those of two are each set against the mean of the other system, and where one system has
    several alone, each of these against the other."""
    each, others = (side.credits[:, side.among].mean(axis=1) for side in (first, second))
    if max(len(each), len(others)) > 1:
        return (each - (others if paired or len(each) == 1 else others.mean())).tolist()
    if first.runs.folds == 1:
        return []
    parts = (first.runs.by_fold(side.credits[0]) for side in (first, second))
    return [float(a.mean() - b.mean()) for a, b in zip(*parts, strict=True)]


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

    def sides(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        first, second, third, fourth = self.systems()
        return (set(), set()) if self.magnitude else ({first, fourth}, {second, third})

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

    def _said(self, results: list[list[SystemResult]]) -> str:
        labels = [of[0].in_words + (f" and {len(of) - 1} more" if len(of) > 1 else "") for of in results]
        size = "size of " if self.magnitude else ""
        at = [f" at Recall@{k}" if self.ks != (1, 1) else "" for k in self.ks]
        pairs = zip(labels[::2], labels[1::2], at, strict=True)
        gains = " minus ".join(f"{size}({first} minus {second}){at_k}" for first, second, at_k in pairs)
        return f"{gains}, on the {self.common} mentions that all share" if self.common else gains
