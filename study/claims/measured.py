"""Quantities read off measurements: times of systems, and dictionary matches in text."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from ..chapters.speeds import seconds_ratio, timed
from .effect import Effect
from .evidence import Evidence
from .quantity import Quantity
from .verdicts import FAILS, HOLDS


class TimeRatio(Quantity):
    """Seconds that a system takes to link the test mentions divided by those of the fastest of others, with
    ``batch`` passes a call where it is said; those that it takes to learn from the same mentions once; or
    those of its head, from states to spans. The geometric mean over rounds in which all took turns, and
    Student's t of the logarithms. Where the paper timed a ``gpu``, times of a processor decide nothing."""

    measurement: Literal["inference", "updates", "head-times"] = "inference"
    batch: int | None = None
    gpu: bool = False
    of: str
    over: Annotated[tuple[str, ...], Field(min_length=1)]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        record = evidence.measured(self.chapter, self.measurement, corpus)
        values, elsewhere = record.values, self.gpu and "gpu" not in record.made["hardware"]
        first, *others = systems = [evidence.system(self.chapter, key) for key in (self.of, *self.over)]
        key = {system: timed(system, self.batch) for system in systems}
        for system in systems:
            if f"{key[system]}.runs" not in values:
                there = ", ".join(name for name in values if f"{name}.runs" in values)
                raise ValueError(f"{system.label}: expected what was timed ({there}), found {key[system]!r}")
        fastest = min(others, key=lambda system: values[key[system]])
        mean = seconds_ratio(values, key[first], key[fastest])
        return Effect(
            *(corpus, mean.value, mean.low, mean.high),
            n=int(values["n.documents" if self.measurement == "head-times" else "n.mentions"]),
            systems=f"{first.label} divided by {fastest.label}",
            forbids=(HOLDS, FAILS) if elsewhere else (),
            lacks=("timed on a CPU; the paper used a GPU",) if elsewhere else (),
        )


class OfMatches(Quantity):
    """A quantity of the measurement ``matched``, which the chapter calls ``measured``
    (:func:`study.measurements.match_audit.match_precision`), without the names of several concepts."""

    measured: str

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

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values = self.values(evidence, corpus)
        low, high = (100 * values[f"skip.{name}"] for name in ("precision", "precision_at_mentions"))
        return Effect(
            corpus,
            value=(low + high) / 2,
            low=100 * values["skip.precision_low"],
            high=100 * values["skip.precision_at_mentions_high"],
            n=int(values["skip.matches"]),
            systems=f"right on {corpus}: {low:.1f} % of all matches, {high:.1f} % at annotated spans",
            lacks=("the share that a check by hand would find lies between the two bounds",),
            bounds=True,
        )


class MatchedAcross(OfMatches):
    """How many matches cross an edge of a mention, and so have the wrong concept: a count, without an
    interval. ``n`` counts all matches."""

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values = self.values(evidence, corpus)
        n = values["skip.across"]
        none = () if n else (f"none on {corpus}",)
        return Effect(
            corpus, n, n, n, int(values["skip.matches"]), systems="matches across an edge", lacks=none
        )
