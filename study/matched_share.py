"""How often dictionary matches are right or wrong: what a claim about them tests."""

from __future__ import annotations

from typing import Literal

from benchlib.readers.yaml_file import YamlModel
from benchlib.scoring import Estimate

from .evidence import Evidence
from .verdicts import Effect

_OF = {
    "precision_at_mentions": ("exact", "at spans of mentions"),
    "precision": ("matches", "anywhere"),
}
"""Of each share the count that it is of, by the names of :func:`benchlib.runs.matched.matched_counts`, and
where these matches stand."""


class MatchedShare(YamlModel):
    """The share of right matches, or with ``wrong`` of the others, in percent; ``measured`` is the name that
    the chapter gives to its measurement ``matched``.

    ``share`` is one of two bounds: the ``precision_at_mentions`` flatters, the ``precision`` of all is harsh.
    ``shared`` says what became of names of several concepts. The interval is the measurement's own, over
    documents: matches in one document are alike, so one that takes each for itself, as Wilson's does, would
    be too narrow.
    """

    name: Literal["matched_share"]
    chapter: str
    measured: str
    share: Literal["precision_at_mentions", "precision"]
    shared: Literal["skip", "keep"]
    wrong: bool = False

    def systems(self) -> list[tuple[str, str]]:
        return []

    def measurements(self) -> list[str]:
        return [self.measured]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        values = evidence.measured(self.chapter, self.measured, corpus).values
        of, where = _OF[self.share]
        keys = [f"{self.shared}.{one}" for one in (self.share, f"{self.share}_low", f"{self.share}_high", of)]
        if not values.keys() >= set(keys):
            raise ValueError(f"{self.measured} on {corpus}: expected a measurement matched")
        value, low, high, n = (values[key] for key in keys)
        if not n:
            raise ValueError(f"{self.measured} on {corpus}: expected matches {where}, found none")
        found = Estimate(1 - value, 1 - high, 1 - low, n) if self.wrong else Estimate(value, low, high, n)
        said = f"{'wrong' if self.wrong else 'right'} matches {where}"
        return Effect.in_percent(corpus, found, systems=said)
