"""Whether errors lie in some classes of mentions more often than mentions do."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from benchlib.scoring import Scoring
from benchlib.scoring.statistics import interval, resampled_means

from ..measurements.surface import SURFACE
from .effect import Effect
from .evidence import Evidence
from .gap import Protocol, one_of
from .quantities import OfOne


class ShareOfErrors(OfOne):
    """The share of a system's errors that lie in classes of surface form
    (:data:`study.measurements.surface.SURFACE`) minus the share of all mentions that do, in points; seeds
    averaged, clusters resampled."""

    name: Literal["share_of_errors"]
    protocol: Protocol
    classes: Annotated[tuple[Annotated[str, one_of(*SURFACE)], ...], Field(min_length=1)]

    def measurements(self) -> list[str]:
        return ["surface"]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = self.found(evidence, corpus)
        of_class = evidence.measured(self.chapter, "surface", corpus).values
        among = np.isin(found.outcomes[0].scored, [i for name in self.classes for i in of_class[name]])
        wrong = 1 - found.credits(1, Scoring.parse(self.protocol))
        mean = wrong.mean(axis=0)
        if not mean.any():
            raise ValueError(f"{found.label} on {corpus}: expected errors, found none")

        def excess(parts: np.ndarray) -> np.ndarray:
            """Of columns errors in the classes, errors, mentions in the classes."""
            lost, errors, there = parts.T
            return 100 * (np.divide(lost, errors, np.full_like(lost, np.nan), where=errors > 0) - there)

        columns = np.stack([mean * among, mean, among], axis=1)
        [value] = excess(columns.mean(axis=0, keepdims=True))
        [low], [high] = interval(excess(resampled_means(columns, found.clusters))[:, None])
        seeds = tuple(float(100 * (one[among].sum() / one.sum() - among.mean())) for one in wrong)
        systems = f"errors of {found.label} minus all mentions"
        return Effect(corpus, float(value), float(low), float(high), len(mean), None, seeds, systems)
