"""What claims test besides gaps: shares, ranges, spreads, trainings, areas and times."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from benchlib.scoring import (
    MATCHES,
    MEASURES,
    PROTOCOLS,
    Scoring,
    SpanOutcomes,
    area,
    area_difference,
    by_match,
    compare,
    difference,
    estimate,
    over_seeds,
    pr_areas,
    roc_areas,
    spans_against,
)

from ..chapters.results import SystemResult, in_stratum
from ..chapters.speeds import seconds_ratio, timed
from ..chapters.trainings import ratio, steadiness, variation
from .effect import Effect
from .evidence import ClaimTest, Evidence
from .gap import Protocol, Stratum
from .verdicts import FAILS, HOLDS


class OfOne(ClaimTest):
    """A test of one system of a run set."""

    runs: str
    system: str

    def systems(self) -> Iterator[tuple[str, str]]:
        yield self.runs, self.system

    def found(self, evidence: Evidence, corpus: str, kinds: bool = False) -> SystemResult:
        return evidence.runs(self.chapter, self.runs, self.system, corpus, kinds)


class OfSeveral(ClaimTest):
    """A test of one system of a run set against others."""

    runs: str
    of: str
    over: Annotated[tuple[str, ...], Field(min_length=1)]

    def systems(self) -> Iterator[tuple[str, str]]:
        yield from ((self.runs, system) for system in (self.of, *self.over))

    def found(self, evidence: Evidence, corpus: str, kinds: bool = False) -> list[SystemResult]:
        return [evidence.runs(self.chapter, *one, corpus, kinds) for one in self.systems()]


class AmbiguousShare(OfOne):
    """Share of mentions that, as they are, match no name or the name of several concepts, in percent
    (KRISSBERT, section 4.5, footnote 4); of the mentions that the system was scored on."""

    name: Literal["ambiguous_share"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = self.found(evidence, corpus, kinds=True)
        ambiguous = in_stratum(found.kinds, "ambiguous")[found.outcomes[0].scored]
        [share] = estimate(ambiguous.astype(float), found.clusters)
        return Effect.in_percent(corpus, share)


class Accuracy(OfOne):
    """Accuracy on the mentions in a ``stratum``, in percent; the mean over seeds."""

    name: Literal["accuracy"]
    protocol: Protocol
    stratum: Stratum

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = self.found(evidence, corpus, kinds=True)
        among = in_stratum(found.kinds, self.stratum)[found.outcomes[0].scored]
        credits = found.credits(1, Scoring.parse(self.protocol))[:, among]
        one = over_seeds([*credits], found.clusters[among])
        seeds = tuple(100 * seed for seed in one.seeds) if len(credits) > 1 else ()
        systems = f"{found.label} on {self.stratum} mentions"
        return Effect.in_percent(corpus, one, seeds=seeds, systems=systems)


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


class Spread(OfOne):
    """The largest minus the smallest accuracy over the values that a system stands for, in points."""

    name: Literal["spread"]
    protocol: Protocol

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = evidence.every(self.chapter, self.runs, self.system, corpus)
        credit = {runs: runs.credits(1, Scoring.parse(self.protocol)).mean(axis=0) for runs in found}
        most, least = (pick(found, key=lambda runs: credit[runs].mean()) for pick in (max, min))
        gap = difference(credit[most], credit[least], most.clusters)
        return Effect.in_percent(corpus, gap, systems=f"{most.label} minus {least.label}")


class Steadiness(OfSeveral):
    """Standard deviation of accuracy over the epochs of the second half of training divided by that of the
    first half: of a system minus the smallest of others, paired training by training, which are of one seed
    and fold; the interval resamples trainings."""

    name: Literal["steadiness"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        first, *others = self.found(evidence, corpus)
        second = min(others, key=lambda runs: steadiness(runs).mean())
        ratios = [steadiness(runs) for runs in (first, second)]
        apart = compare(*(of.ravel() for of in ratios), np.arange(ratios[0].size))
        seeds = tuple((ratios[0] - ratios[1]).mean(axis=1).tolist()) if len(ratios[0]) > 1 else ()
        gap = apart.difference
        systems = f"{first.label} minus {second.label}, second half of training divided by first"
        return Effect(corpus, gap.value, gap.low, gap.high, gap.n, apart.p, seeds, systems)


class NormVariation(OfSeveral):
    """Coefficient of variation of the gradient norms of a training after its warm-up, of a system divided by
    that of the steadiest of others, seed by seed (:func:`study.chapters.trainings.variation`)."""

    name: Literal["norm_variation"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        first, *others = self.found(evidence, corpus)
        second = min(others, key=lambda runs: variation(runs).mean())
        by = ratio(variation(first), variation(second))
        systems = f"{first.label} divided by {second.label}"
        return Effect(corpus, by.value, by.low, by.high, by.n, seeds=by.seeds, systems=systems)


class AreaGap(OfSeveral):
    """Area under a curve of NIL, of a system minus the largest of others, in points: the ROC curve in
    ``area_gap``, precision against recall in ``aupr_gap``; of mentions that are NIL or can be linked."""

    name: Literal["area_gap", "aupr_gap"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        of = _AREAS[self.name]
        found = self.found(evidence, corpus, kinds=True)
        outcomes = {runs: runs.nil_or_linkable for runs in found}
        # Without the interval, which would be thrown away.
        second = max(found[1:], key=lambda runs: area(outcomes[runs], of, n_resamples=1).value)
        gap = area_difference(outcomes[found[0]], outcomes[second], of)
        seeds = tuple(100 * one for one in gap.seeds)
        return Effect.in_percent(corpus, gap, seeds=seeds, systems=f"{found[0].label} minus {second.label}")


_AREAS = {"area_gap": roc_areas, "aupr_gap": pr_areas}


class TimeRatio(ClaimTest):
    """Seconds that a system takes to link the test mentions divided by those of the fastest of others, with
    ``batch`` passes a call where it is said; those that it takes to learn from the same mentions once; or
    those of its head, from states to spans. The mean over rounds in which all took turns; the interval
    resamples rounds. Where the paper timed a ``gpu``, times of a processor are shown and decide nothing."""

    name: Literal["time_ratio"]
    measurement: Literal["inference", "updates", "head-times"] = "inference"
    batch: int | None = None
    gpu: bool = False
    of: str
    over: Annotated[tuple[str, ...], Field(min_length=1)]

    def timed(self) -> tuple[str, ...]:
        return (self.of, *self.over)

    def measurements(self) -> list[str]:
        return [self.measurement]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        record = evidence.measured(self.chapter, self.measurement, corpus)
        values, elsewhere = record.values, self.gpu and "gpu" not in record.made["hardware"]
        first, *others = systems = [evidence.system(self.chapter, key) for key in self.timed()]
        key = {system: timed(system, self.batch) for system in systems}
        for system in systems:
            if f"{key[system]}.runs" not in values:
                there = ", ".join(name for name in values if f"{name}.runs" in values)
                raise ValueError(f"{system.label}: expected what was timed ({there}), found {key[system]!r}")
        fastest = min(others, key=lambda system: values[key[system]])
        mean = seconds_ratio(values, key[first], key[fastest])
        n = values["n.documents" if self.measurement == "head-times" else "n.mentions"]
        said = f"{first.label} divided by {fastest.label}"
        return Effect(
            *(corpus, mean.value, mean.low, mean.high, int(n)),
            systems=said,
            forbids=(HOLDS, FAILS) if elsewhere else (),
            lacks="timed on a processor, and by the paper on a graphics card" if elsewhere else "",
        )


class OfMatches(ClaimTest):
    """A test of the measurement ``matched``, which the chapter calls ``measured``: its names are those of
    :func:`study.measurements.match_audit.match_precision`, without the names of several concepts."""

    measured: str

    def measurements(self) -> list[str]:
        return [self.measured]

    def values(self, evidence: Evidence, corpus: str) -> Mapping[str, float]:
        """Raises ValueError for another measurement, and where nothing matches a mention."""
        values = evidence.measured(self.chapter, self.measured, corpus).values
        if "skip.exact" not in values:
            raise ValueError(f"{self.measured} on {corpus}: expected a measurement matched")
        if not values["skip.exact"]:
            raise ValueError(
                f"{self.measured} on {corpus}: expected matches at spans of mentions, found none"
            )
        return values


class MatchedBounds(OfMatches):
    """The share of matches that are right, in percent, between two bounds: that of all matches, too low since
    a corpus leaves out what is of no interest to it, and that of matches at the very span of a mention, too
    high. The interval reaches from the lower end of the one to the upper end of the other."""

    name: Literal["matched_bounds"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values = self.values(evidence, corpus)
        low, high = (100 * values[f"skip.{name}"] for name in ("precision", "precision_at_mentions"))
        ends = (100 * values["skip.precision_low"], 100 * values["skip.precision_at_mentions_high"])
        systems = f"right are {low:.1f} % of all matches, {high:.1f} % of those at spans of mentions"
        lacks = "what a hand check would find lies between the two bounds"
        return Effect(
            corpus,
            (low + high) / 2,
            *ends,
            int(values["skip.matches"]),
            systems=systems,
            lacks=lacks,
            bounds=True,
        )


class MatchedAcross(OfMatches):
    """How many matches cross an edge of a mention, and so have the wrong concept: a count, without an
    interval. ``n`` counts all matches."""

    name: Literal["matched_across"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values = self.values(evidence, corpus)
        n = values["skip.across"]
        return Effect(corpus, n, n, n, int(values["skip.matches"]), systems="matches across an edge")


STRICT_F1 = MATCHES.index("strict") * len(MEASURES) + MEASURES.index("f1")
"""Its row among those of :func:`benchlib.scoring.by_match`."""


class SpanGap(OfSeveral):
    """Strict F1 of mentions found and linked, of a system minus another, in points: of all seeds together,
    documents resampled and, for p, swapped."""

    name: Literal["span_gap"]
    over: tuple[str]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        both = self.found(evidence, corpus)
        first, second = ([record.spans for record in runs.there] for runs in both)
        row = spans_against(*map(SpanOutcomes.together, (first, second)))[STRICT_F1]
        f1 = [[by_match(one)[STRICT_F1]["value"] for one in of] for of in (first, second)]
        seeds = tuple(100 * np.subtract(*f1)) if len(first) > 1 else ()
        numbers = (100 * row[name] for name in ("value", "low", "high"))
        n, systems = int(first[0].golds.sum()), " minus ".join(runs.label for runs in both)
        return Effect(corpus, *numbers, n, row["p"], seeds, systems)
