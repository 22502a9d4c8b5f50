"""What of the records that chapters ask for is left, and about how long it takes, by records of like runs."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from ..lock import held
from ..records import Store
from ..records.record import key_of
from .chapter import STATES
from .jobs import Job
from .plan import Plan

_HEADS = ("chapter", "set", "records", "done", "running", "left", "hours")


def minutes(jobs: Iterable[Job], store: Store) -> list[float | None]:
    """Those that each of the jobs will take, by the records of like ones: of the same linker, else of its
    kind and length, else of its kind. A training is counted with the first that needs it; None where nothing
    like it has a record."""
    fits, rests = defaultdict(list), defaultdict(list)
    for record in store:
        seconds = dict(record.made.get("seconds", {}))
        fit = seconds.pop("fit", 0.0)
        for like in _likeness(record.inputs):
            rests[like].append(sum(seconds.values()))
            if not record.shares_training:
                fits[like].append(fit)
    trained: set[tuple[str, ...]] = set()
    times: list[float | None] = []
    for job in jobs:
        likeness, training = _likeness(job.inputs), job.trainings[-1:]
        parts = [rests] if training in trained else [fits, rests]
        seconds = [next((median(of[like]) for like in likeness if like in of), None) for of in parts]
        times.append(None if None in seconds else sum(seconds) / 60)
        trained |= {training} - {()}
    return times


def _likeness(inputs: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """What makes runs alike, the closest first."""
    name, data = inputs["name"], inputs["dataset"]
    kind, *settings = name.split(",")
    length = next((setting for setting in settings if setting.startswith(("steps=", "epochs="))), "")
    return [(name, data), (kind, length, data), (kind, "of", data), (kind, length), (kind,)]


def listing(jobs: Sequence[Job], store: Store) -> str:
    """A line a job with its minutes, and the total."""
    times = minutes(jobs, store)
    shown = ["?" if of is None else f"{of:,.1f} min" for of in times]
    lines = [f"{of:>8}  {job}" for of, job in zip(shown, jobs, strict=True)]
    return "\n".join([*lines, f"{len(jobs)} to make, {_total(times)}" if jobs else "0 missing"])


def duration(jobs: Sequence[Job], store: Store) -> str:
    """About how long jobs will take, in words."""
    return _total(minutes(jobs, store))


def _total(times: Sequence[float | None]) -> str:
    unknown = times.count(None)
    if unknown == len(times):
        return "of unknown length"
    total = f"about {sum(filter(None, times)):,.0f} minutes on one core"
    return f"{total} and {unknown} of unknown length" if unknown else total


def plan_listing(plans: Iterable[Plan]) -> str:
    """A line for every run set and measurement of some chapters that has records to be made, and the total.

    A record is counted once, in the first set that asks for it. It is running while a process holds the lock
    of its training, or of itself. Hours are those of one core for records that are not done, running ones in
    whole, by :func:`minutes`.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    to_make: dict[Store, list[tuple[tuple[str, str], Job]]] = {}
    seen: set[str] = set()
    for plan in plans:
        for name in (*plan.chapter.runs, *plan.chapter.measured, STATES):
            of = counts.setdefault((plan.chapter.name, name), Counter())
            for job in plan.jobs([name]):
                key = key_of(job.inputs)
                if key in seen:
                    continue
                seen.add(key)
                if plan.store.has(job.inputs):
                    of["done"] += 1
                else:
                    of["running" if held(plan.store.lock_of(next(iter(job.trainings), key))) else "left"] += 1
                    to_make.setdefault(plan.store, []).append(((plan.chapter.name, name), job))
    times: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for store, jobs in to_make.items():
        for (names, _), time in zip(jobs, minutes([job for _, job in jobs], store), strict=True):
            times[names].append(time)
    rows = [(*names, *_cells(of, times[names])) for names, of in counts.items() if names in times]
    total = _cells(sum(counts.values(), Counter()), [time for of in times.values() for time in of])
    rows = [_HEADS, *rows, ("total", "", *total)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    aligned = [[f"{cell:{'<' if i < 2 else '>'}{widths[i]}}" for i, cell in enumerate(row)] for row in rows]
    return "\n".join(map("  ".join, aligned))


def _cells(counts: Counter[str], times: Sequence[float | None]) -> list[str]:
    hours, unknown = f"{sum(filter(None, times)) / 60:.1f}", times.count(None)
    numbers = [counts.total(), *(counts[state] for state in ("done", "running", "left"))]
    return [*(f"{n:,}" for n in numbers), f"{hours} + {unknown} unknown" if unknown else hours]
