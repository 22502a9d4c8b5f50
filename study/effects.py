"""The tests of claims that our own records decide, each as its block in the claim's YAML says it.

A test is a model with its ``systems`` and ``measurements``, and ``effect(evidence, corpus)``, which raises
MissingRecord for what was not run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import numpy as np
from pydantic import field_validator

from benchlib.readers.yaml_file import YamlModel, validated
from benchlib.scoring import PROTOCOLS, difference, estimate, roc_area, roc_area_difference

from .chapter import Chapter, read_chapter
from .evidence import Evidence, measured_as
from .gap import Gap
from .systems import Runs
from .verdicts import Effect


class OfOne(YamlModel):
    """A test of one system of a run set."""

    chapter: str
    runs: str
    system: str

    def systems(self) -> Iterator[tuple[str, str]]:
        yield self.runs, self.system

    def measurements(self) -> list[str]:
        return []

    def found(self, evidence: Evidence, corpus: str, kinds: bool = False) -> Runs:
        return evidence.runs(self.chapter, self.runs, self.system, corpus, kinds)


class OfSeveral(YamlModel):
    """A test of one system of a run set against others."""

    chapter: str
    runs: str
    of: str
    over: tuple[str, ...]

    @field_validator("over")
    @classmethod
    def _some(cls, systems: tuple[str, ...]) -> tuple[str, ...]:
        if not systems:
            raise ValueError("one system or more")
        return systems

    def systems(self) -> Iterator[tuple[str, str]]:
        yield from ((self.runs, system) for system in (self.of, *self.over))

    def measurements(self) -> list[str]:
        return []

    def found(self, evidence: Evidence, corpus: str) -> list[Runs]:
        return [evidence.runs(self.chapter, *one, corpus) for one in self.systems()]


class AmbiguousShare(OfOne):
    """Share of mentions that, as they are, match no name or the name of several concepts, in percent
    (KRISSBERT, section 4.5, footnote 4); of the mentions that the system was scored on."""

    name: Literal["ambiguous_share"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = self.found(evidence, corpus, kinds=True)
        mentions = found.kinds.strata.iloc[found.outcomes[0].scored]
        ambiguous = mentions["no name"] | mentions["several concepts"]
        [share] = estimate(ambiguous.to_numpy(float), found.clusters)
        return Effect.in_percent(corpus, share)


class ProtocolRange(OfOne):
    """The largest minus the smallest accuracy over all protocols, same predictions, in points."""

    name: Literal["protocol_range"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = self.found(evidence, corpus)
        credit = {scoring: found.credits(1, scoring).mean(axis=0) for scoring in PROTOCOLS}
        most, least = (pick(credit, key=lambda scoring: credit[scoring].mean()) for pick in (max, min))
        gap = difference(credit[most], credit[least], found.clusters)
        systems = f"{found.label} under {most} minus {found.label} under {least}"
        return Effect.in_percent(corpus, gap, systems=systems)


class Steadiness(OfOne):
    """Standard deviation of accuracy over the epochs of the second half of training divided by that of the
    first half, mean over folds; the interval resamples folds."""

    name: Literal["steadiness"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = self.found(evidence, corpus)
        ratios = []
        for record in found.records[0]:
            scores = np.array([row["dev_score"] for row in record.trace if row["dev_score"] is not None])
            first, second = scores[: len(scores) // 2], scores[len(scores) // 2 :]
            ratios.append(second.std(ddof=1) / first.std(ddof=1))
        [mean] = estimate(np.array(ratios), np.arange(len(ratios)))
        systems = f"{found.label}, second half of training divided by first"
        return Effect(corpus, mean.value, mean.low, mean.high, len(ratios), systems=systems)


class AreaGap(OfSeveral):
    """Area under the ROC curve of NIL, of a system minus the largest of others, in points."""

    name: Literal["area_gap"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        first, *rivals = self.found(evidence, corpus)
        # Without the interval, which would be thrown away.
        second = max(rivals, key=lambda runs: roc_area(runs.outcomes, n_resamples=1).value)
        gap = roc_area_difference(first.outcomes, second.outcomes)
        seeds = tuple(100 * one for one in gap.seeds)
        return Effect.in_percent(corpus, gap, seeds=seeds, systems=f"{first.label} minus {second.label}")


class TimeRatio(OfSeveral):
    """Seconds that a system takes to link the test mentions divided by those of the fastest of others: the
    mean over rounds in which all took turns; the interval resamples rounds."""

    name: Literal["time_ratio"]

    def measurements(self) -> list[str]:
        return ["inference"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values = evidence.measured(self.chapter, "inference", corpus).values
        first, *others = systems = [evidence.system(self.chapter, key) for _, key in self.systems()]
        for system in systems:
            if f"{system.timed}.runs" not in values:
                there = ", ".join(name for name in values if f"{name}.runs" in values)
                raise ValueError(f"{system.label}: expected what was timed ({there}), found {system.timed!r}")
        fastest = min(others, key=lambda system: values[system.timed])
        ratios = np.divide(*(values[f"{system.timed}.runs"] for system in (first, fastest)))
        [mean] = estimate(ratios, np.arange(len(ratios)))
        said, n = f"{first.label} divided by {fastest.label}", int(values["n.mentions"])
        return Effect(corpus, mean.value, mean.low, mean.high, n, systems=said)


Test = Gap | AmbiguousShare | ProtocolRange | Steadiness | AreaGap | TimeRatio
TESTS: Mapping[str, type[Test]] = {
    "gap": Gap,
    "ambiguous_share": AmbiguousShare,
    "protocol_range": ProtocolRange,
    "steadiness": Steadiness,
    "area_gap": AreaGap,
    "time_ratio": TimeRatio,
}


def read_test(
    values: object, paper: str, where: str, chapters: Callable[[str], Chapter] = read_chapter
) -> Test:
    """The test that a claim's block says, of the chapter it names or else the paper's own.

    Raises ValueError, with ``where``, for a test, key, chapter, run set, system or measurement that there
    is not.
    """
    if not isinstance(values, dict) or values.get("name") not in TESTS:
        found = values.get("name") if isinstance(values, dict) else values
        raise ValueError(f"{where}: name: expected one of {', '.join(TESTS)}, found {found!r}")
    test = validated(TESTS[values["name"]], {"chapter": paper} | values, where)
    try:
        chapter = chapters(test.chapter)
    except ValueError as error:
        raise ValueError(f"{where}: chapter: {error}") from None
    for name, system in test.systems():
        if name not in chapter.runs:
            raise ValueError(f"{where}: runs: expected one of {', '.join(chapter.runs)}, found {name!r}")
        there = chapter.runs[name].systems
        if system not in there:
            raise ValueError(f"{where}: expected systems of {name}, {', '.join(there)}, found {system!r}")
    for name in test.measurements():
        if not measured_as(chapter, name):
            raise ValueError(f"{where}: expected a chapter that measures {name}, found {chapter.name!r}")
    return test
