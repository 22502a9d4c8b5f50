"""What claims test of runs end to end: the gap of F1, and the time of one head divided by that of another."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchlib.readers.yaml_file import YamlModel
from benchlib.scoring import MATCHES, MEASURES, SpanOutcomes, by_match, estimate, spans_against

from .evidence import Evidence
from .verdicts import Effect


class SpanGap(YamlModel):
    """F1 of mentions found and linked, of a system minus another, in points: of all seeds together, documents
    resampled and, for p, swapped."""

    name: Literal["span_gap"]
    chapter: str
    runs: str
    of: str
    over: str
    match: Literal["strict", "partial", "overlap"] = "strict"

    def systems(self) -> list[tuple[str, str]]:
        return [(self.runs, self.of), (self.runs, self.over)]

    def measurements(self) -> list[str]:
        return []

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        both = [evidence.runs(self.chapter, *one, corpus) for one in self.systems()]
        first, second = ([record.spans for record in runs.there] for runs in both)
        place = MATCHES.index(self.match) * len(MEASURES) + MEASURES.index("f1")
        row = spans_against(*map(SpanOutcomes.together, (first, second)))[place]
        f1 = [[by_match(one)[place]["value"] for one in of] for of in (first, second)]
        seeds = tuple(100 * np.subtract(*f1)) if len(first) > 1 else ()
        numbers = (100 * row[name] for name in ("value", "low", "high"))
        n, systems = int(first[0].golds.sum()), " minus ".join(runs.label for runs in both)
        return Effect(corpus, *numbers, n, row["p"], seeds, systems)


class HeadRatio(YamlModel):
    """Seconds of the head of a system divided by those of another, from states to spans: the mean over rounds
    in which both took turns; the interval resamples rounds."""

    name: Literal["head_ratio"]
    chapter: str
    runs: str
    of: str
    over: str

    def systems(self) -> list[tuple[str, str]]:
        return [(self.runs, self.of), (self.runs, self.over)]

    def measurements(self) -> list[str]:
        return ["head-times"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values = evidence.measured(self.chapter, "head-times", corpus).values
        both = [evidence.system(self.chapter, key) for _, key in self.systems()]
        for system in both:
            if f"{system.timed}.runs" not in values:
                there = ", ".join(name for name in values if f"{name}.runs" in values)
                raise ValueError(f"{system.label}: expected what was timed ({there}), found {system.timed!r}")
        ratios = np.divide(*(values[f"{system.timed}.runs"] for system in both))
        [mean] = estimate(ratios, np.arange(len(ratios)))
        systems = " divided by ".join(system.label for system in both)
        return Effect(corpus, mean.value, mean.low, mean.high, int(values["n.documents"]), systems=systems)
