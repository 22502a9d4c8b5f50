"""The gap between two systems, or between two views of one: the test that decides most claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from benchlib.scoring import PROTOCOLS, STRATA, Scoring, canonical_clusters, compare, difference

from ..chapters.results import MATCHED, SystemResult, in_stratum, listed, shared_stratum
from ..yaml_file import YamlModel
from .effect import Effect, smallest_effect
from .evidence import ClaimTest, Evidence


def one_of(*there: str) -> AfterValidator:
    """A check that a text is one of these, which says which there are, "" left out."""

    def check(text: str) -> str:
        if text not in there:
            raise ValueError(f"one of {', '.join(filter(None, there))}")
        return text

    return AfterValidator(check)


Protocol = Annotated[str, one_of(*map(str, PROTOCOLS))]
"""One of the protocols that every record stores."""

Stratum = Annotated[str, one_of("", *STRATA, *MATCHED)]
"""One of the strata, or "" for all mentions."""


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


class Gap(ClaimTest):
    """Recall@k of ``of`` minus that of ``over``, mention by mention, in points; k is 1 unless ``ks`` says.

    Of several ``over`` the most accurate one counts, of several ``of`` the one with the largest gap, of
    several ``ks`` the least (:func:`study.claims.effect.smallest_effect`). An arm may be just the name of a
    system: ``runs`` and ``protocol`` are those of every arm that has none. Two systems are compared by a
    paired test with its p value; one system in two views (another protocol or k, a stratum) is not. With
    ``common`` all are scored on the mentions that are in this stratum for each of them
    (:func:`study.chapters.results.shared_stratum`), and with ``found_by`` on those whose concept a
    measurement of linked text has found.
    """

    name: Literal["gap"]
    of: Arms
    over: Arms
    runs: str = ""
    protocol: str = ""
    ks: tuple[int, ...] = (1,)
    common: Stratum = ""
    found_by: str = ""

    @model_validator(mode="before")
    @classmethod
    def _whole_arms(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        shared = {key: values[key] for key in ("runs", "protocol") if key in values}

        def whole(arm: object) -> object:
            arm = {"system": arm} if isinstance(arm, str) else arm
            return shared | arm if isinstance(arm, dict) else arm

        sides = {side: values[side] for side in ("of", "over") if isinstance(values.get(side), list | tuple)}
        return values | {side: [whole(arm) for arm in arms] for side, arms in sides.items()}

    def systems(self) -> Iterator[tuple[str, str]]:
        yield from ((arm.runs, arm.system) for arm in (*self.of, *self.over))

    def measurements(self) -> list[str]:
        return [self.found_by] if self.found_by else []

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        return smallest_effect([self._effect_at(k, evidence, corpus) for k in self.ks])

    def _effect_at(self, k: int, evidence: Evidence, corpus: str) -> Effect:
        firsts, rivals = (
            [self._side(arm, k, evidence, corpus) for arm in arms] for arms in (self.of, self.over)
        )
        best = max(rivals, key=lambda side: side.accuracy)
        effect = max((_between(first, best, corpus) for first in firsts), key=lambda effect: effect.value)
        said = [on_shared(self.common)] if self.common else []
        said += (
            [f"on mentions whose concept is found in the text by {self.found_by}"] if self.found_by else []
        )
        said += [f"Recall@{k}"] if self.ks != (1,) else []
        return replace(effect, systems=", ".join([effect.systems, *said]))

    def _side(self, arm: Arm, k: int, evidence: Evidence, corpus: str) -> Side:
        runs = evidence.runs(self.chapter, arm.runs, arm.system, corpus, kinds=bool(arm.stratum))
        if arm.stratum and runs.folds > 1:
            raise ValueError(f"runs {arm.runs}: expected one fold where only some mentions count")
        credits, scored = runs.credits(arm.k or k, Scoring.parse(arm.protocol)), runs.outcomes[0].scored
        among = runs.among(self._shared(evidence, corpus) if self.common else None)
        if self.found_by:
            linked = {corpus: evidence.measured(self.chapter, self.found_by, corpus)}
            among &= runs.among(listed(linked, "found"))
        if arm.stratum:
            among &= in_stratum(runs.kinds, arm.stratum)[scored]
        return Side(arm, runs, credits, among)

    def _shared(self, evidence: Evidence, corpus: str) -> dict[str, np.ndarray]:
        arms = (*self.of, *self.over)
        found = [evidence.runs(self.chapter, arm.runs, arm.system, corpus, kinds=True) for arm in arms]
        return shared(found, self.common)


def shared(found: Sequence[SystemResult], stratum: str) -> dict[str, np.ndarray]:
    """What is :func:`shared_stratum` to runs on one data set, which all have the kinds of their mentions.
    Raises ValueError for several folds, and where no counted mention is left."""
    if any(runs.folds > 1 for runs in found):
        raise ValueError(f"{found[0].label}: expected one fold where only some mentions count")
    mentions = shared_stratum(found, stratum)
    if not found[0].among(mentions).any():
        raise ValueError(f"{', '.join(runs.label for runs in found)}: no {stratum} mention in common")
    return mentions


def on_shared(stratum: str) -> str:
    """How an effect says on which mentions alone it was measured."""
    return f"on the {stratum} mentions that all share"


@dataclass(frozen=True)
class Side:
    """An arm on one corpus: the credits of its mentions, seeds × mentions, and which ``among`` them count."""

    arm: Arm
    runs: SystemResult
    credits: np.ndarray
    among: np.ndarray

    @property
    def accuracy(self) -> float:
        return self.credits[:, self.among].mean()

    def beside(self, other: Side) -> str:
        """What it is called, with what tells it from the other side."""
        on = f" on {self.arm.stratum} mentions" if self.arm.stratum else ""
        under = f" under {self.arm.protocol}" if self.arm.protocol != other.arm.protocol else ""
        at = f" at Recall@{self.arm.k}" if self.arm.k != other.arm.k and self.arm.k else ""
        return f"{self.runs.label}{on}{under}{at}"


def _between(first: Side, second: Side, corpus: str) -> Effect:
    clusters = first.runs.clusters
    systems = f"{first.beside(second)} minus {second.beside(first)}"
    if not np.array_equal(canonical_clusters(clusters), canonical_clusters(second.runs.clusters)):
        raise ValueError(f"{systems} on {corpus}: expected the same mentions on both sides")
    one_system = first.arm.system == second.arm.system
    sides = (first.credits.mean(axis=0), second.credits.mean(axis=0), clusters, (first.among, second.among))
    if one_system:
        found, p = difference(*sides), None
    else:
        compared = compare(*sides)
        found, p = compared.difference, compared.p
    paired = one_system or _share_trainings(first.runs, second.runs)
    return Effect.in_percent(corpus, found, p=p, seeds=_single(first, second, paired), systems=systems)


def _share_trainings(first: SystemResult, second: SystemResult) -> bool:
    """Whether each seed of both is one training, which only links in two ways."""
    weights = [[record.made.get("weights") for record in runs.there] for runs in (first, second)]
    return weights[0] == weights[1] and all(weights[0])


def _single(first: Side, second: Side, paired: bool) -> tuple[float, ...]:
    """The gap of each seed, or of each fold of a single one. Seeds of one system or training are paired;
    those of two are each set against the mean of the other system."""
    if len(first.credits) == 1:
        if first.runs.folds == 1 or len(second.credits) > 1:
            return ()
        sizes = [len(record.outcomes.clusters) for record in first.runs.records[0]]
        parts = [np.split(side.credits[0], np.cumsum(sizes)[:-1]) for side in (first, second)]
        return tuple(100 * (a.mean() - b.mean()) for a, b in zip(*parts, strict=True))
    each, others = (side.credits[:, side.among].mean(axis=1) for side in (first, second))
    return tuple((100 * (each - (others if paired else others.mean()))).tolist())
