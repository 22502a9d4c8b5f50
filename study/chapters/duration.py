"""About how long records take to make, by those of like ones."""

from collections.abc import Iterable, Sequence
from statistics import median

from ..records import Store
from .jobs import Job


def minutes(jobs: Iterable[Job], store: Store) -> list[float | None]:
    """Those that each of the jobs will take, by the records of like ones: of the same linker, else of its
    kind. A training is counted with the first that needs it; None where nothing like it has a record."""
    fits: dict[tuple[str, ...], list[float]] = {}
    rests: dict[tuple[str, ...], list[float]] = {}
    for record in store:
        seconds = dict(record.made.get("seconds", {}))
        fit = seconds.pop("fit", 0.0)
        for like in _likeness(record.inputs["name"], record.inputs["dataset"]):
            rests.setdefault(like, []).append(sum(seconds.values()))
            if not {"fitted_for", "resumed"} & record.made.keys():
                fits.setdefault(like, []).append(fit)
    trained: set[tuple[str, ...]] = set()
    found: list[float | None] = []
    for job in jobs:
        likeness, training = _likeness(job.inputs["name"], job.inputs["dataset"]), job.trainings[-1:]
        parts = [rests] if training in trained else [fits, rests]
        told = [next((median(of[like]) for like in likeness if like in of), None) for of in parts]
        found.append(None if None in told else sum(told) / 60)
        trained |= {training} - {()}
    return found


def _likeness(name: str, data: str) -> list[tuple[str, ...]]:
    """What makes runs alike, the closest first."""
    kind = name.partition(",")[0]
    return [(name, data), (kind, "of", data), (kind,)]


def listing(jobs: Sequence[Job], store: Store) -> str:
    """A line a job with its minutes, and the total."""
    if not jobs:
        return "0 missing"
    each = minutes(jobs, store)
    lines = [f"{_shown(of):>8}  {job}" for job, of in zip(jobs, each, strict=True)]
    return "\n".join([*lines, f"{len(jobs)} missing, {_total(each)}"])


def duration(jobs: Sequence[Job], store: Store) -> str:
    """About how long jobs will take, in words."""
    return _total(minutes(jobs, store))


def _total(each: Sequence[float | None]) -> str:
    unknown = sum(of is None for of in each)
    if unknown == len(each):
        return "of unknown length"
    told = f"about {sum(of or 0 for of in each):,.0f} minutes on one core"
    return f"{told} and {unknown} of unknown length" if unknown else told


def _shown(of: float | None) -> str:
    return "?" if of is None else f"{of:,.1f} min"
