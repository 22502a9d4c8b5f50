"""The papers' printed numbers beside ours, each once, by one rule (:func:`judge`)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchlib.scoring import Estimate, Scoring, SpanOutcomes, by_match, difference, estimate

from ..chapters.chapter import HeadlineEntry, ItemEntry
from ..chapters.results import SystemResult, by_key, ceiling, stratum
from ..chapters.training_states import NOT_KNOWN, PLATEAU, UNKNOWN, in_points, span_f1
from ..pages.page import Page
from ..printed import reported
from ..systems import linker
from .verdicts import FAILS, HOLDS, NOT_COMPARABLE, NOT_RUN, TOO_SMALL, verdict_counts

NEAR = 2.0  # points from print
WIDTH = 3.0  # points on either side of ours, which NCBI alone never reaches
ANOTHER_KB = "another knowledge base"
ABOVE = "printed above our ceiling: some golds have no name in our dictionary"
BESIDE_ABOVE = "other mentions: another number of this data set is printed above our ceiling"
NO_CONTROL = "the control with zero updates has no record"
NO_SPAN_CONTROL = "end to end there is no control with zero updates"


@dataclass(frozen=True)
class PrintedNumber:
    """A printed ``value`` in percent, "" where the paper has none, and ours beside it: shares, the interval
    from the lowest bound of a seed to the highest. ``cell`` is its place in print; a ``trained`` system has a
    ``state`` and, where mentions are given, a control with zero updates, ``gap`` being ours minus it. Where
    what is compared was changed after ours had been seen, ``before`` is the verdict of then, if another."""

    headline: HeadlineEntry
    runs: SystemResult
    metric: str
    cell: tuple[str, ...]
    value: str
    verdict: str = ""
    reason: str = ""
    before: str = ""
    ours: Estimate | None = None
    control: Estimate | None = None
    gap: Estimate | None = None
    ceiling: float | None = None

    @property
    def system(self) -> str:
        """The name of the system without the settings of its row."""
        return self.runs.label.partition(", ")[0]

    @property
    def measure(self) -> str:
        """The metric as a table names it."""
        return self.metric.replace("recall_at_", "Recall@").replace("mrr", "MRR").replace("f1", "F1")

    @property
    def difference(self) -> float:
        """Ours minus the printed one, in points."""
        return 100 * self.ours.value - float(self.value)

    @property
    def trained(self) -> bool:
        name = self.runs.system.linker
        return bool(name and linker(name).budget)

    @property
    def state(self) -> str:
        return self.runs.states.state.word if self.runs.states else UNKNOWN if self.trained else ""


def by_item(page: Page) -> dict[str, list[PrintedNumber]]:
    """The numbers of every item of a chapter.

    One that is printed above our ceiling shows that the authors scored other mentions of the data set than we
    do, so none of its numbers over these mentions is comparable.
    """
    items = page.plan.chapter.items
    before = {name: entry.as_before for name, entry in items.items()}
    now, then = _judged(page, items), {} if before == items else _judged(page, before)
    return {
        name: [
            replace(number, before=old.verdict) if old.verdict != number.verdict else number
            for number, old in zip(numbers, then.get(name, numbers), strict=True)
        ]
        for name, numbers in now.items()
    }


def as_before(numbers: Iterable[PrintedNumber]) -> str:
    """In brackets the verdicts of before changes that were made after ours had been seen; "" without any."""
    numbers = [*numbers]
    if not any(number.before for number in numbers):
        return ""
    then = [replace(number, verdict=number.before or number.verdict) for number in numbers]
    return f" (before what is compared was changed: {verdict_counts(then)})"


def _judged(page: Page, entries: Mapping[str, ItemEntry]) -> dict[str, list[PrintedNumber]]:
    items = {name: [*printed_numbers(page, entry)] for name, entry in entries.items()}
    above = {_mentions(number) for numbers in items.values() for number in numbers if number.reason == ABOVE}

    def compared(number: PrintedNumber) -> PrintedNumber:
        apart = number.value and number.ceiling is not None and _mentions(number) in above
        if not apart or number.verdict == NOT_COMPARABLE:
            return number
        return replace(number, verdict=NOT_COMPARABLE, reason=BESIDE_ABOVE)

    return {name: [*map(compared, numbers)] for name, numbers in items.items()}


def _mentions(number: PrintedNumber) -> tuple[str, str]:
    return number.runs.data, number.headline.stratum


def printed_numbers(page: Page, entry: ItemEntry) -> Iterator[PrintedNumber]:
    """The numbers that an item's headlines name, data set by data set and metric by metric."""
    printed = page.printed(entry.reported) if entry.reported else None
    for of in entry.headlines:
        every = page.runs(of.runs)
        mentions = stratum(every, of.stratum) if of.stratum else None
        for runs in by_key(every, of.system):
            where = {"system": runs.system.printed, **of.printed}
            if name := _called(page, of.runs, runs.data):
                where["dataset"] = name
            for metric in of.metrics:
                match, _, measure = metric.rpartition(" ")  # as in "strict f1"
                where["metric"] = measure
                selector = {**where, "protocol": f"{match} match"} if match else where
                cell = (entry.reported, *(f"{name}={text}" for name, text in sorted(selector.items())))
                value = reported.only(printed, **selector)
                number = PrintedNumber(of, runs, metric, (page.plan.chapter.name, *cell), value)
                yield _compared(number, mentions, page.plan.chapter.other_knowledge_base)


def _called(page: Page, name: str, data: str) -> str:
    """What the paper calls a data set: in the table at hand, else in any other."""
    chapter = page.plan.chapter
    groups = sorted(chapter.datasets, key=lambda group: group not in chapter.runs[name].data)
    return next((chapter.datasets[group][data] for group in groups if data in chapter.datasets[group]), "")


def _compared(
    number: PrintedNumber, mentions: Mapping[str, np.ndarray] | None, other_knowledge_base: Collection[str]
) -> PrintedNumber:
    """The number with ours and the verdict; ``mentions`` are those of the headline's stratum."""
    runs, spans = number.runs, number.metric.endswith(" f1")
    if runs.made:
        number = _of_spans(number) if spans else _of_mentions(number, mentions)
    if number.ours is None:
        return replace(number, verdict=NOT_RUN, reason=runs.system.reason or "no record")
    if not number.value:
        return number
    printed, top = float(number.value), number.ceiling
    other = number.headline.other or (ANOTHER_KB if runs.data in other_knowledge_base else "")
    if not other and top is not None and printed > in_points(top):
        other = ABOVE
    if other:
        return replace(number, verdict=NOT_COMPARABLE, reason=other)
    verdict, reason = judge(printed, number.ours, number.trained, number.state, number.control, number.gap)
    if spans and reason == NO_CONTROL:
        reason = NO_SPAN_CONTROL
    return replace(number, verdict=verdict, reason=reason)


def _of_mentions(number: PrintedNumber, mentions: Mapping[str, np.ndarray] | None) -> PrintedNumber:
    """The number with ours, the control, their gap and the ceiling; as it is where the data set has no mask
    of ``mentions``."""
    runs, scoring = number.runs, Scoring.parse(number.headline.protocol)
    kept = runs.among(mentions)
    if kept is None:
        return number
    clusters = runs.clusters[kept]
    credits = _credits(runs, number.metric, scoring)[:, kept]
    ours = over_all_seeds(credits, clusters)
    number = replace(number, ours=ours, ceiling=ceiling(runs, kept))
    if runs.control is None:
        return number
    zero = _credits(runs.control, number.metric, scoring)[0, kept]
    gap = difference(credits.mean(axis=0), zero, clusters)
    return replace(number, control=estimate(zero, clusters)[0], gap=gap)


def _of_spans(number: PrintedNumber) -> PrintedNumber:
    """The number with ours, the micro F1 of all seeds together as the table of the item has it."""
    match = number.metric.partition(" ")[0]
    seeds = [span_f1(by_match(of_seed), match) for of_seed in number.runs.spans]
    value = span_f1(by_match(SpanOutcomes.together(number.runs.spans)), match).value
    return replace(number, ours=_from_lowest_to_highest(value, seeds))


def _credits(runs: SystemResult, metric: str, scoring: Scoring) -> np.ndarray:
    """What each mention counts for ``recall_at_<k>`` or ``mrr``, seeds × mentions."""
    if metric == "mrr":
        return runs.reciprocal(scoring)
    return runs.credits(int(metric.removeprefix("recall_at_")), scoring)


def over_all_seeds(credits: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The mean of credits (seeds × mentions), its interval from the lowest bound of a single seed to the
    highest."""
    seeds = [estimate(credit, clusters)[0] for credit in credits]
    return _from_lowest_to_highest(float(credits.mean()), seeds)


def _from_lowest_to_highest(value: float, seeds: Sequence[Estimate]) -> Estimate:
    low, high = min(seed.low for seed in seeds), max(seed.high for seed in seeds)
    return Estimate(value, low, high, seeds[0].n, tuple(seed.value for seed in seeds))


def judge(
    printed: float,
    ours: Estimate,
    trained: bool,
    state: str = UNKNOWN,
    control: Estimate | None = None,
    gap: Estimate | None = None,
) -> tuple[str, str]:
    """The verdict on a number ``printed`` in percent, and what it lacks, from ours, the ``control`` with zero
    updates and the ``gap``, ours minus the control (all shares).

    It *holds* where ours lies within 2 points and its interval reaches no more than 3 to either side (half of
    its width), and of a trained system the control lies more than 2 points off and the gap excludes 0 on the
    side of print: what an encoder reaches without training says nothing about a method. It *does not hold*
    where the interval lies outside print ± 2. Either asks that a training is at a plateau: one that rises
    passes through many numbers. Else it is *too small to decide*.
    """
    value, low, high = map(in_points, (ours.value, ours.low, ours.high))
    moving = NOT_KNOWN if state == UNKNOWN else f"the training is {state}"
    if low > printed + NEAR or high < printed - NEAR:
        return (FAILS, "") if not trained or state == PLATEAU else (TOO_SMALL, moving)
    if abs(value - printed) > NEAR:
        return TOO_SMALL, f"our interval reaches print ± {NEAR:g}"
    if (high - low) / 2 > WIDTH:
        return TOO_SMALL, f"our interval is wider than ± {WIDTH:g}"
    if not trained:
        return HOLDS, ""
    if control is None:
        return TOO_SMALL, NO_CONTROL
    zero = in_points(control.value)
    if abs(zero - printed) <= NEAR:
        return TOO_SMALL, "zero updates come as near"
    if gap.low <= 0 if zero < printed else gap.high >= 0:
        return TOO_SMALL, "no significant gain over zero updates"
    return (HOLDS, "") if state == PLATEAU else (TOO_SMALL, f"near print, but {moving}")
