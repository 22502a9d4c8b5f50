"""About how long records take to make, by those of like ones."""

from collections.abc import Iterable, Sequence
from statistics import median

from benchlib.runs import Store

from .jobs import Job


class Estimates:
    """Minutes that jobs will take, by the records of like ones: of the same linker, else of its kind."""

    def __init__(self, store: Store):
        self._fit: dict[tuple[str, ...], list[float]] = {}
        self._rest: dict[tuple[str, ...], list[float]] = {}
        for record in store:
            seconds = dict(record.made.get("seconds", {}))
            fit = seconds.pop("fit", 0.0)
            for like in _likeness(record.inputs["name"], record.inputs["dataset"]):
                self._rest.setdefault(like, []).append(sum(seconds.values()))
                if "fitted_for" not in record.made:
                    self._fit.setdefault(like, []).append(fit)

    def minutes(self, jobs: Iterable[Job]) -> list[float | None]:
        """Those of each, a training counted with the first that needs it; None where nothing like it has a
        record."""
        trained: set[str] = set()
        found: list[float | None] = []
        for job in jobs:
            likeness, training = _likeness(job.inputs["name"], job.inputs["dataset"]), job.training
            parts = [self._rest] if training in trained else [self._fit, self._rest]
            told = [next((median(of[like]) for like in likeness if like in of), None) for of in parts]
            found.append(None if None in told else sum(told) / 60)
            trained |= {training} - {""}
        return found


def _likeness(name: str, data: str) -> list[tuple[str, ...]]:
    """What makes runs alike, the closest first."""
    kind = name.partition(",")[0]
    return [(name, data), (kind, "of", data), (kind,)]


def listing(jobs: Sequence[Job], store: Store) -> str:
    """A line a job with its minutes, and the total."""
    if not jobs:
        return "0 missing"
    minutes = Estimates(store).minutes(jobs)
    lines = [f"{_minutes(of):>8}  {job}" for job, of in zip(jobs, minutes, strict=True)]
    return "\n".join([*lines, f"{len(jobs)} missing, {_total(minutes)}"])


def duration(jobs: Sequence[Job], store: Store) -> str:
    """About how long jobs will take, in words."""
    return _total(Estimates(store).minutes(jobs))


def _total(minutes: Sequence[float | None]) -> str:
    unknown = sum(of is None for of in minutes)
    if unknown == len(minutes):
        return "of unknown length"
    told = f"about {sum(of or 0 for of in minutes):,.0f} minutes on one core"
    return f"{told} and {unknown} of unknown length" if unknown else told


def _minutes(of: float | None) -> str:
    return "?" if of is None else f"{of:,.1f} min"
