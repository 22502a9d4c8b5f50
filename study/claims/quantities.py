"""The registry of quantities, with those of linked mentions and trainings besides gaps."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from benchlib.scoring import (
    PROTOCOLS,
    Scoring,
    SpanOutcomes,
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

from ..chapters.chapter import Protocol, Stratum
from ..chapters.results import SystemResult, share_of
from ..chapters.training_states import span_f1
from ..chapters.trainings import ratio, steadiness, variation
from ..measurements.surface import SURFACE
from .effect import Effect, smallest_effect
from .evidence import Evidence
from .gap import GainGap, Gap
from .measured import MatchedAcross, MatchedBounds, TimeRatio
from .quantity import OfOne, OfSeveral, Quantity

_Class = Literal[tuple(SURFACE)]


class AmbiguousShare(OfOne):
    """Share of mentions that, as they are, match no name or the name of several concepts, in percent
    (KRISSBERT, section 4.5, footnote 4); of the mentions that the system was scored on."""

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        [found] = self.found(evidence, corpus, kinds=True)
        ambiguous = found.in_stratum("ambiguous").astype(float)
        return Effect.in_percent(corpus, estimate(ambiguous, found.clusters)[0])


class Accuracy(OfOne):
    """Accuracy on the mentions in a ``stratum``, in percent; the mean over seeds."""

    protocol: Protocol
    stratum: Stratum

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        [found] = self.found(evidence, corpus, kinds=True)
        among = found.in_stratum(self.stratum)
        credits = found.credits(1, Scoring.parse(self.protocol))[:, among]
        mean = over_seeds([*credits], found.clusters[among])
        seeds = mean.seeds if len(credits) > 1 else ()
        return Effect.in_percent(corpus, mean, None, seeds, f"{found.in_words} on {self.stratum} mentions")


class ProtocolRange(OfOne):
    """The largest minus the smallest accuracy over all protocols, same predictions, in points."""

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        [found] = self.found(evidence, corpus)
        credits = {f"{found.in_words} under {of}": found.credits(1, of).mean(axis=0) for of in PROTOCOLS}
        return _range(credits, found.clusters, corpus)


class Spread(OfOne):
    """The largest minus the smallest accuracy over the values that a system stands for, or over the
    ``closest`` so many of them, in points."""

    protocol: Protocol
    closest: Annotated[int, Field(ge=2)] | None = None

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        found = evidence.every(self.chapter, self.runs, self.system, corpus)
        scoring = Scoring.parse(self.protocol)
        credits = {runs.in_words: runs.credits(1, scoring).mean(axis=0) for runs in found}
        ranked = sorted(credits, key=lambda label: credits[label].mean())
        width = self.closest or len(ranked)
        groups = [
            {label: credits[label] for label in ranked[i : i + width]} for i in range(len(ranked) - width + 1)
        ]
        closest = min(groups, key=lambda of: np.ptp([credit.mean() for credit in of.values()]))
        return _range(closest, found[0].clusters, corpus)


def _range(credits: Mapping[str, np.ndarray], clusters: np.ndarray, corpus: str) -> Effect:
    """The largest minus the smallest mean of credits by label, compared mention by mention."""
    most, least = (pick(credits, key=lambda label: credits[label].mean()) for pick in (max, min))
    gap = difference(credits[most], credits[least], clusters)
    return Effect.in_percent(corpus, gap, systems=f"{most} minus {least}")


class ShareOfErrors(OfOne):
    """The share of a system's errors that lie in a class of surface form
    (:data:`study.measurements.surface.SURFACE`) minus that of others, the least gap in points; seeds are
    averaged, clusters resampled."""

    protocol: Protocol
    of_class: _Class
    over: Annotated[tuple[_Class, ...], Field(min_length=1)]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        [found] = self.found(evidence, corpus)
        classes = evidence.measured(self.chapter, "surface", corpus).values
        wrong = 1 - found.credits(1, Scoring.parse(self.protocol))
        mean = wrong.mean(axis=0)
        if not mean.any():
            raise ValueError(f"{found.label} on {corpus}: expected errors, found none")

        def against(other: str) -> Effect:
            inside, others = (np.isin(found.outcomes[0].scored, classes[of]) for of in (self.of_class, other))
            apart = inside.astype(float) - others
            gap = share_of(mean * apart, mean, found.clusters)
            seeds = [float((of * apart).sum() / of.sum()) for of in wrong]
            systems = f"errors of {found.in_words}, {self.of_class} minus {other}"
            return Effect.in_percent(corpus, gap, None, seeds, systems)

        return smallest_effect([*map(against, self.over)])


class AreaGap(OfSeveral):
    """Area under a curve of NIL, of a system minus others, the least gap in points: the ROC curve in
    ``area_gap``, precision against recall in ``aupr_gap``; of mentions that are NIL or can be linked."""

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        areas = {"area_gap": roc_areas, "aupr_gap": pr_areas}[self.name]
        first, *others = self.found(evidence, corpus, kinds=True)

        def against(second: SystemResult) -> Effect:
            gap = area_difference(first.nil_or_linkable, second.nil_or_linkable, areas)
            return Effect.in_percent(
                corpus, gap, None, gap.seeds, f"{first.in_words} minus {second.in_words}"
            )

        return smallest_effect([*map(against, others)])


class SpanGap(OfSeveral):
    """Strict F1 of mentions found and linked, of a system minus another, in points: of all seeds together,
    documents resampled and, for p, swapped."""

    over: tuple[str]

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        first, second = both = self.found(evidence, corpus)
        rows = spans_against(*(SpanOutcomes.together(runs.spans) for runs in both))
        [p] = [row["p"] for row in rows if (row["match"], row["measure"]) == ("strict", "f1")]
        each, others = ([span_f1(by_match(spans)).value for spans in runs.spans] for runs in both)
        seeds = (np.array(each) - np.mean(others)).tolist() if len(each) > 1 else ()
        gap = replace(span_f1(rows), n=int(first.spans[0].golds.sum()))
        return Effect.in_percent(corpus, gap, p, seeds, f"{first.in_words} minus {second.in_words}")


class Steadiness(OfSeveral):
    """Standard deviation of accuracy over the epochs of the second half of training divided by that of the
    first half: of a system minus the smallest of others, paired training by training, which are of one seed
    and fold; the interval resamples trainings."""

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        first, *others = self.found(evidence, corpus)
        second = min(others, key=lambda runs: steadiness(runs).mean())
        ratios = [steadiness(runs) for runs in (first, second)]
        apart = compare(*(of.ravel() for of in ratios), np.arange(ratios[0].size))
        seeds = tuple((ratios[0] - ratios[1]).mean(axis=1).tolist()) if len(ratios[0]) > 1 else ()
        gap = apart.difference
        systems = f"{first.in_words} minus {second.in_words}, second half of training divided by first"
        return Effect(corpus, gap.value, gap.low, gap.high, gap.n, apart.p, seeds, systems)


class NormVariation(OfSeveral):
    """Coefficient of variation of the gradient norms of a training after its warm-up, of a system divided by
    that of the steadiest of others, seed by seed (:func:`study.chapters.trainings.variation`)."""

    def effect(self, evidence: Evidence, corpus: str) -> Effect:
        first, *others = self.found(evidence, corpus)
        second = min(others, key=lambda runs: variation(runs).mean())
        by = ratio(variation(first), variation(second))
        systems = f"{first.in_words} divided by {second.in_words}"
        return Effect(corpus, by.value, by.low, by.high, by.n, seeds=by.seeds, systems=systems)


QUANTITIES: Mapping[str, type[Quantity]] = {
    "gap": Gap,
    "gain_gap": GainGap,
    "accuracy": Accuracy,
    "ambiguous_share": AmbiguousShare,
    "protocol_range": ProtocolRange,
    "spread": Spread,
    "share_of_errors": ShareOfErrors,
    "steadiness": Steadiness,
    "norm_variation": NormVariation,
    "area_gap": AreaGap,
    "aupr_gap": AreaGap,
    "time_ratio": TimeRatio,
    "matched_across": MatchedAcross,
    "matched_bounds": MatchedBounds,
    "span_gap": SpanGap,
}
