"""The records that the chapters ask for: how many are done, how many are left, and how long these take."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..records import Store
from ..records.lock import held
from ..records.record import key_of
from .duration import minutes
from .jobs import Job
from .plan import Plan

_COLUMNS = ("records", "done", "running", "left", "hours")


@dataclass
class _Line:
    """The counts of a run set or measurement, and the minutes of its records that are not done."""

    done: int = 0
    running: int = 0
    left: int = 0
    minutes: list[float | None] = field(default_factory=list)

    def cells(self) -> list[str]:
        hours = f"{sum(of or 0 for of in self.minutes) / 60:.1f}"
        unknown = sum(of is None for of in self.minutes)
        counts = (self.done + self.running + self.left, self.done, self.running, self.left)
        return [*(f"{count:,}" for count in counts), f"{hours} + {unknown} unknown" if unknown else hours]


def plan_listing(plans: Iterable[Plan]) -> str:
    """A line for every run set and measurement of some chapters that has records to be made, and the total.

    A record is counted once, in the first set that asks for it. It is running while a process holds the lock
    of its training, or of itself. Hours are those of one core for records that are not done, running ones in
    whole, by the records of like ones as of :func:`minutes`.
    """
    lines: dict[tuple[str, str], _Line] = {}
    open_jobs: dict[Store, list[tuple[_Line, Job]]] = {}
    seen: set[str] = set()
    for plan in plans:
        for name in (*plan.chapter.runs, *plan.chapter.measured):
            line = lines.setdefault((plan.chapter.name, name), _Line())
            for job in plan.jobs([name]):
                if (key := key_of(job.inputs)) in seen:
                    continue
                seen.add(key)
                if plan.store.has(job.inputs):
                    line.done += 1
                    continue
                open_jobs.setdefault(plan.store, []).append((line, job))
                if held(plan.store.lock_of(next(iter(job.trainings), key))):
                    line.running += 1
                else:
                    line.left += 1
    for store, jobs in open_jobs.items():
        for (line, _), of in zip(jobs, minutes([job for _, job in jobs], store), strict=True):
            line.minutes.append(of)
    total = _Line(
        *(sum(getattr(line, name) for line in lines.values()) for name in ("done", "running", "left")),
        [of for line in lines.values() for of in line.minutes],
    )
    rows = [(*names, *line.cells()) for names, line in lines.items() if line.running or line.left]
    return _aligned([("chapter", "set", *_COLUMNS), *rows, ("total", "", *total.cells())])


def _aligned(rows: list[tuple[str, ...]]) -> str:
    """Rows of text as a table, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
