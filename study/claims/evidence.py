"""What chapters have on record, by the names that claims use: data set, run set and system."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Literal

from ..chapters.jobs import Job
from ..chapters.plan import Plan, PlannedRow
from ..chapters.results import SystemResult
from ..chapters.run import plan_with
from ..chapters.templates import System
from ..chapters.training_states import UNKNOWN, State, StateRecords
from ..records import MissingRecord, Record
from ..systems import linker


class Evidence:
    """The runs and measurements of chapters, as their notebooks' defaults have them: every plan is made, and
    every record read, once. ``plan`` gives the plan of a chapter."""

    def __init__(self, plan: Callable[[str], Plan] = plan_with):
        self._plan_of = cache(plan)
        self._rows_of = cache(lambda chapter, name: self._plan_of(chapter).rows(name))
        self._found = cache(lambda chapter, job: self._plan_of(chapter).store.find(job.inputs))
        self._state = cache(lambda chapter, of: StateRecords.of(of, partial(self._found, chapter)).state)

    def runs(self, chapter: str, name: str, system: str, data: str, kinds: bool = False) -> SystemResult:
        """A system of a run set on one data set, with the kinds of its mentions if these are asked for.

        Raises MissingRecord where it was not run, and ValueError where the set has not exactly one such
        system there.
        """
        [row] = self._rows(chapter, name, system, data, one=True)
        return self._runs(chapter, name, system, row, kinds)

    def every(
        self, chapter: str, name: str, system: str, data: str, kinds: bool = False
    ) -> list[SystemResult]:
        """As :meth:`runs`, of a system that may stand for several, one for each of its values."""
        rows = self._rows(chapter, name, system, data)
        return [self._runs(chapter, name, system, row, kinds) for row in rows]

    def states(self, chapter: str, name: str, system: str, data: str) -> list[State]:
        """The states of the trainings of a system of a run set on one data set, one for each of its values;
        *unknown* where dev records are missing, or where there are no dev mentions.

        Raises ValueError where the set has no such system there, and for one without training.
        """
        rows = self._rows(chapter, name, system, data)
        if not all(row.jobs and linker(row.system.linker).budget for row in rows):
            raise ValueError(f"{chapter}: runs {name}: expected a trained system, found {system!r} on {data}")
        return [self._state(chapter, row.states) if row.states else State(UNKNOWN) for row in rows]

    def _rows(self, chapter: str, name: str, system: str, data: str, one: bool = False) -> list[PlannedRow]:
        rows = self._rows_of(chapter, name)
        rows = [row for row in rows if system in row.system.keys and row.data.name == data]
        if not rows or (one and len(rows) > 1):
            raise ValueError(
                f"chapter {chapter}: runs {name}: expected one system {system!r} on {data}, found {len(rows)}"
            )
        return rows

    def _runs(self, chapter: str, name: str, system: str, row: PlannedRow, kinds: bool) -> SystemResult:
        if not row.jobs:
            raise ValueError(f"chapter {chapter}: system {system!r} is not run: {row.system.reason}")
        records = tuple(tuple(self._record(chapter, job) for job in of_seed) for of_seed in self._jobs(row))
        if kinds and row.kinds is None:
            raise ValueError(f"chapter {chapter}: runs {name}: expected kinds: true, found false")
        of_kinds = self._record(chapter, row.kinds) if kinds else None
        return SystemResult(row.system, row.data.name, records, of_kinds)

    def _jobs(self, row: PlannedRow) -> tuple[tuple[Job, ...], ...]:
        """The jobs whose records are read, seeds × folds."""
        return row.jobs

    def trainings(self, chapter: str, name: str, system: str, data: str) -> list[frozenset[str]]:
        """The keys of the trainings behind a system, a set for each of its values; empty without one."""
        every = [chain.from_iterable(row.jobs) for row in self._rows(chapter, name, system, data)]
        trained = [[job for job in jobs if linker(job.linker).budget] for jobs in every]
        return [frozenset(key for job in jobs for key in job.trainings[-1:]) for jobs in trained]

    def system(self, chapter: str, key: str) -> System:
        """A system of a chapter; raises ValueError for one that there is not."""
        return self._plan_of(chapter).system(key)

    def measured(self, chapter: str, measurement: str, data: str) -> Record:
        """The record of a measurement on one data set, by its kind or by the name that the chapter gives it.

        Raises MissingRecord, and ValueError where the chapter has not exactly one such measurement there.
        """
        plan = self._plan_of(chapter)
        entries = plan.chapter.measured
        named = {name for name, entry in entries.items() if measurement in (name, entry.measurement)}
        names = {measurement} & named or named
        jobs = [job for name in names for job in plan.measured(name) if job.data.name == data]
        if len(jobs) != 1:
            raise ValueError(
                f"chapter {chapter}: expected one measurement {measurement!r} on {data}, found {len(jobs)}"
            )
        return self._record(chapter, jobs[0])

    def _record(self, chapter: str, job: Job) -> Record:
        return self._found(chapter, job) or job.record(self._plan_of(chapter).store, "never")


class _Instead(Evidence):
    """Other runs of the same systems."""

    def __init__(self, evidence: Evidence):
        vars(self).update(vars(evidence))


class Untrained(_Instead):
    """The same systems with zero updates, which all seeds share; what does not train as it is."""

    def _jobs(self, row: PlannedRow) -> tuple[tuple[Job, ...], ...]:
        if not any(linker(job.linker).budget for job in row.jobs[0]):
            return row.jobs
        return (tuple(replace(job, linker=linker(job.linker).untrained().name) for job in row.jobs[0]),)


class OnDev(_Instead):
    """The same systems on dev after ``when``, "half" or "full", of their updates: the runs behind
    :meth:`Evidence.states`. Measurements, which are of test, are missing, and so are the kinds of mentions of
    several folds."""

    def __init__(self, evidence: Evidence, when: Literal["half", "full"]):
        super().__init__(evidence)
        self._when = when

    def _runs(self, chapter: str, name: str, system: str, row: PlannedRow, kinds: bool) -> SystemResult:
        of_dev = getattr(row.states, self._when, ())
        if not of_dev or (kinds and len(of_dev) > 1):
            raise MissingRecord({"name": system, "dataset": row.data.name})
        return super()._runs(chapter, name, system, replace(row, kinds=of_dev[0].kinds), kinds)

    def _jobs(self, row: PlannedRow) -> tuple[tuple[Job, ...], ...]:
        return (getattr(row.states, self._when),)

    def measured(self, chapter: str, measurement: str, data: str) -> Record:
        raise MissingRecord({"name": measurement, "dataset": data})
