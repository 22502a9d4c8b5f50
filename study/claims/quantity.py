"""What a claim's test measures: the interface of all quantities, and the shapes that several share."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from ..chapters.results import SystemResult, shared_stratum
from ..yaml_file import YamlModel
from .effect import Effect
from .evidence import Evidence


class Quantity(YamlModel, ABC):
    """A quantity by its ``name`` in :data:`study.claims.quantities.QUANTITIES`, of a ``chapter``."""

    name: str
    chapter: str

    def systems(self) -> Iterable[tuple[str, str]]:
        """The systems whose runs it needs, as (run set, system)."""
        return ()

    def sides(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        """Its systems whose accuracy raises it, and those whose accuracy lowers it."""
        first, *others = self.systems()
        return {first}, {*others}

    def found(self, evidence: Evidence, corpus: str, kinds: bool = False) -> list[SystemResult]:
        """The runs of its systems on a corpus; raises MissingRecord for what was not run."""
        return [evidence.runs(self.chapter, *system, corpus, kinds) for system in self.systems()]

    @abstractmethod
    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        """The quantity on a corpus, with its interval. Raises MissingRecord for what was not run."""


class OfOne(Quantity):
    """A quantity of one system of a run set."""

    runs: str
    system: str

    def systems(self) -> Iterator[tuple[str, str]]:
        yield self.runs, self.system


class OfSeveral(Quantity):
    """A quantity of one system of a run set against others."""

    runs: str
    of: str
    over: Annotated[tuple[str, ...], Field(min_length=1)]

    def systems(self) -> Iterator[tuple[str, str]]:
        yield from ((self.runs, system) for system in (self.of, *self.over))


def in_common(results: Sequence[SystemResult], stratum: str) -> dict[str, np.ndarray]:
    """The mentions of one data set that are in a stratum for every one of several runs
    (:func:`study.chapters.results.shared_stratum`). Raises ValueError for several folds, and where no counted
    mention is left."""
    if any(runs.folds > 1 for runs in results):
        raise ValueError(f"{results[0].label}: expected one fold where only some mentions count")
    mentions = shared_stratum(results, stratum)
    if not results[0].among(mentions).any():
        raise ValueError(f"{', '.join(runs.label for runs in results)}: no {stratum} mention in common")
    return mentions
