"""How often dictionary matches are right or wrong: what a claim about them tests."""

from typing import Literal

from benchlib.scoring import Estimate

from .effect import Effect
from .evidence import ClaimTest, Evidence


class MatchedShare(ClaimTest):
    """The share of right matches at spans of mentions, or with ``wrong`` of the others, in percent: the bound
    that flatters, without names of several concepts. ``measured`` is the name that the chapter gives to its
    measurement ``matched``, whose names are those of :func:`benchlib.runs.matched.matched_counts`.

    The interval is the measurement's own, over documents: matches in one document are alike, so one that
    takes each for itself, as Wilson's does, would be too narrow.
    """

    name: Literal["matched_share"]
    measured: str
    wrong: bool = False

    def measurements(self) -> list[str]:
        return [self.measured]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values, share = (
            evidence.measured(self.chapter, self.measured, corpus).values,
            "skip.precision_at_mentions",
        )
        if not values.keys() >= {share, f"{share}_low", f"{share}_high", "skip.exact"}:
            raise ValueError(f"{self.measured} on {corpus}: expected a measurement matched")
        value, low, high, n = (values[key] for key in (share, f"{share}_low", f"{share}_high", "skip.exact"))
        if not n:
            raise ValueError(
                f"{self.measured} on {corpus}: expected matches at spans of mentions, found none"
            )
        found = Estimate(1 - value, 1 - high, 1 - low, n) if self.wrong else Estimate(value, low, high, n)
        said = f"{'wrong' if self.wrong else 'right'} matches at spans of mentions"
        return Effect.in_percent(corpus, found, systems=said)
