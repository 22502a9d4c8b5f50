"""How often dictionary matches are right, and how many cross the edge of a mention: what claims test."""

from collections.abc import Mapping
from typing import Literal

from .effect import Effect
from .evidence import ClaimTest, Evidence


class OfMatches(ClaimTest):
    """A test of the measurement ``matched``, which the chapter calls ``measured``: its names are those of
    :func:`study.measurements.matched.matched_counts`, without the names of several concepts."""

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
