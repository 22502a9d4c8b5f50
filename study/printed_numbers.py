"""The papers' printed numbers beside ours, each once, by one rule (:func:`judge`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from benchlib.linkers import linker
from benchlib.scoring import Estimate, Scoring, difference, estimate

from . import reported
from .chapter import HeadlineEntry, ItemEntry, listed
from .page import Page
from .systems import Runs, ceiling, find, stratum
from .training_states import PLATEAU, UNKNOWN
from .verdicts import FAILS, HOLDS, NOT_COMPARABLE, NOT_RUN, TOO_SMALL

NEAR = 2.0  # points from print
WIDTH = 3.0  # points on either side of ours, which NCBI alone never reaches
ANOTHER_KB = "another knowledge base"
ABOVE = "printed above our ceiling, as golds have no name in the dictionary at hand"
NO_CONTROL = "the control with zero updates has no record"
STATE_UNKNOWN = "the state of the training is not known yet"


@dataclass(frozen=True)
class PrintedNumber:
    """A printed ``value`` in percent, "" where the paper has none, and ours beside it: shares, the interval
    from the lowest bound of a seed to the highest. ``cell`` is its place in print, ``ours_is`` what is
    measured for it; a ``trained`` system has a control with zero updates and a ``state``."""

    headline: HeadlineEntry
    runs: Runs
    metric: str
    cell: tuple[str, ...]
    value: str
    verdict: str = ""
    reason: str = ""
    ours: Estimate | None = None
    control: Estimate | None = None
    ceiling: float | None = None

    @property
    def trained(self) -> bool:
        name = self.runs.system.linker
        return bool(name and linker(name).budget)

    @property
    def state(self) -> str:
        return self.runs.states.state.word if self.runs.states else UNKNOWN if self.trained else ""

    @property
    def ours_is(self) -> tuple[object, ...]:
        of = self.headline
        return (*self.runs.system.identity, self.runs.data, self.metric, of.protocol, of.stratum)


def printed_numbers(page: Page, entry: ItemEntry) -> Iterator[PrintedNumber]:
    """The numbers that an item's headlines name, data set by data set and metric by metric."""
    printed = page.printed(entry.reported) if entry.reported else None
    for of in entry.headlines:
        every = page.runs(of.runs)
        mentions = stratum(every, of.stratum) if of.stratum else None
        for runs in find(every, of.system):
            where = {"system": runs.system.printed, **of.printed}
            if name := _called(page, of.runs, runs.data):
                where["dataset"] = name
            for metric in of.metrics:
                yield _compared(
                    page, runs, of, mentions, printed, {"metric": metric, **where}, entry.reported
                )


def _called(page: Page, name: str, data: str) -> str:
    """What the paper calls a data set: in the table at hand, else in any other."""
    chapter = page.plan.chapter
    groups = sorted(chapter.datasets, key=lambda group: group not in listed(chapter.runs[name].data))
    return next((chapter.datasets[group][data] for group in groups if data in chapter.datasets[group]), "")


def _compared(
    page: Page,
    runs: Runs,
    of: HeadlineEntry,
    mentions: Mapping[str, np.ndarray] | None,
    printed: pd.DataFrame | None,
    where: Mapping[str, str],
    table: str,
) -> PrintedNumber:
    metric, chapter = where["metric"], page.plan.chapter
    cell = (chapter.name, table, *(f"{name}={text}" for name, text in sorted(where.items())))
    value = reported.only(printed, **where)
    number = PrintedNumber(of, runs, metric, cell, value)
    kept = runs.among(mentions) if runs.made else None
    if kept is None:
        return replace(number, verdict=NOT_RUN, reason=runs.system.reason or "no record")
    scoring, clusters, top = Scoring.parse(of.protocol), runs.clusters[kept], ceiling(runs, kept)
    credits = _credits(runs, metric, scoring)[:, kept]
    zero = _credits(runs.control, metric, scoring)[0, kept] if runs.control else None
    number = replace(number, ours=over_all_seeds(credits, clusters), ceiling=top)
    number = replace(number, control=None if zero is None else estimate(zero, clusters)[0])
    if not value:
        return number
    other = of.other or (ANOTHER_KB if runs.data in chapter.other_knowledge_base else "")
    if not other and top is not None and float(value) > 100 * top:
        other = ABOVE
    if other:
        return replace(number, verdict=NOT_COMPARABLE, reason=other)
    verdict, reason = judge(float(value), credits, clusters, number.trained, zero, number.state)
    return replace(number, verdict=verdict, reason=reason)


def _credits(runs: Runs, metric: str, scoring: Scoring) -> np.ndarray:
    """What each mention counts for ``recall_at_<k>`` or ``mrr``, seeds × mentions."""
    if metric == "mrr":
        return runs.reciprocal(scoring)
    return runs.credits(int(metric.removeprefix("recall_at_")), scoring)


def over_all_seeds(credits: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The mean of credits (seeds × mentions), its interval from the lowest bound of a single seed to the
    highest."""
    each = [estimate(credit, clusters)[0] for credit in credits]
    low, high = min(seed.low for seed in each), max(seed.high for seed in each)
    seeds = tuple(seed.value for seed in each)
    return Estimate(float(credits.mean()), low, high, credits.shape[1], seeds)


def judge(
    printed: float,
    credits: np.ndarray,
    clusters: np.ndarray,
    trained: bool,
    zero: np.ndarray | None = None,
    state: str = UNKNOWN,
) -> tuple[str, str]:
    """The verdict on a number ``printed`` in percent, and what it lacks, from the credits of ours (seeds ×
    mentions).

    It *holds* where ours lies within 2 points and its interval reaches no more than 3 to either side (half of
    its width), and of a trained system the control with ``zero`` updates (mentions) lies more than 2 points
    off and ours minus the control excludes 0 on the side of print: what an encoder reaches without training
    says nothing about a method. It *does not hold* where the interval lies outside print ± 2, and a training
    is at a plateau. Else it is *too small to decide*.
    """
    ours = over_all_seeds(credits, clusters)
    # Without the last digits of single precision, in which intervals are averaged.
    value, low, high = (round(100 * number, 4) for number in (ours.value, ours.low, ours.high))
    if low > printed + NEAR or high < printed - NEAR:
        if not trained or state == PLATEAU:
            return FAILS, ""
        return TOO_SMALL, STATE_UNKNOWN if state == UNKNOWN else f"the training is {state}"
    if abs(value - printed) > NEAR:
        return TOO_SMALL, f"our interval reaches print ± {NEAR:g}"
    if (high - low) / 2 > WIDTH:
        return TOO_SMALL, f"our interval is wider than ± {WIDTH:g}"
    if not trained:
        return HOLDS, ""
    if zero is None:
        return TOO_SMALL, NO_CONTROL
    if abs(100 * float(zero.mean()) - printed) <= NEAR:
        return TOO_SMALL, "zero updates come as near"
    gap = difference(credits.mean(axis=0), zero, clusters)
    towards = gap.low > 0 if 100 * zero.mean() < printed else gap.high < 0
    return (HOLDS, "") if towards else (TOO_SMALL, "no further from zero updates than chance")
