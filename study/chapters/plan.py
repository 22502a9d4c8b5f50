"""A chapter resolved: its systems with their linkers, and the records that its runs and measurements need."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchlib.encoders.folders import DEFAULT, model_folder

from ..corpora import refuse_reading_options
from ..records import Store, local, published
from ..systems import linker
from ..systems.encoders import RECIPES
from .chapter import FOLDER, NOT_RUN, STATES, Chapter, RunSetEntry, ScaleEntry, read_chapter
from .jobs import PRETRAINING, DataRef, Job, check_mini, reading_of
from .templates import System, Templates
from .training_states import StateJobs, state_jobs

_LEARN_FROM_MENTIONS = ("prior",)  # and would answer without any as if they had
ELSEWHERE = _PEER, *_PUBLISHED = ("peer", "published", "published-spans")
"""Linkers that read answers: of systems that benchmarks/peers runs on registered data sets, and published."""
# Transforms that name or draw concepts, text or folds by training mentions.
_OF_TRAIN = re.compile(r"fold:.*|(add-names|only-names|unlabelled):([^+]*\+)*train(\+.*)?")
_EVALUATE = ("evaluate_epochs", "evaluate_steps")  # settings of linkers that are evaluated on dev


@dataclass(frozen=True)
class PlannedRow:
    """A system on one data set: its jobs, seeds × folds, the one that says of which kind its mentions are,
    where that is looked at, and those that say in which state its training is, where it has one."""

    system: System
    data: DataRef
    jobs: tuple[tuple[Job, ...], ...]
    kinds: Job | None
    states: StateJobs | None = None


class Plan:
    """What a chapter runs at one scale, with one set of parameters, on the data sets chosen.

    Raises ValueError, naming file and key, for a parameter that there is not, and for a name that makes no
    linker.
    """

    def __init__(
        self, chapter: Chapter, parameters: Mapping[str, Any], data: Iterable[DataRef] | None = None
    ):
        """``data`` are the data sets chosen: None for all that the chapter names."""
        self.chapter = chapter
        scale = chapter.scales.get(parameters["scale"], ScaleEntry())
        self._changed, self._dropped = scale, set(scale.drop)
        templates = Templates(chapter, scale, parameters)
        self.values, self._filled = templates.values, templates.filled
        self.systems = {key: templates.systems(key) for key in chapter.systems if key not in self._dropped}
        own = (name for name, entry in chapter.runs.items() if entry.set)
        self._own = {name: Templates(chapter, scale, parameters, name) for name in own}
        self.data = self.registered() if data is None else tuple(data)

    @property
    def store(self) -> Store:
        """The published records; those of this machine for the embedded corpus and a reader's own."""
        return published() if all(data.registered for data in self.data) else local()

    def system(self, key: str, run_set: str = "") -> System:
        """The one system of a key, as in a run set where that is named; raises ValueError for one that is
        dropped or stands for several."""
        found = self.in_set(run_set, key)
        if len(found) != 1:
            raise ValueError(f"chapter {self.chapter.name}: expected one system {key!r}, found {len(found)}")
        return found[0]

    def of_set(self, name: str) -> tuple[System, ...]:
        """The systems of a run set, each once."""
        entry = self._run_set(name)
        found: dict[tuple[object, ...], System] = {}
        for key in entry.systems:
            for system in self.in_set(name, key):
                system = replace(system, changes=(*system.changes, *entry.changes))
                same = found.get(system.identity)
                keys = dict.fromkeys((*same.keys, *system.keys)) if same else system.keys
                found[system.identity] = replace(same or system, keys=tuple(keys))
        return tuple(found.values())

    def in_set(self, name: str, key: str) -> tuple[System, ...]:
        """Those of a key in a run set, renamed where its parameters change them; none if it is dropped."""
        if not (usual := self.systems.get(key, ())) or name not in self._own:
            return usual
        known = {(of.linker, of.changes) for of in usual}
        own, added = self._own[name].systems(key), self.chapter.runs[name].added
        return tuple(
            of if (of.linker, of.changes) in known else replace(of, label=f"{of.label}{added}") for of in own
        )

    def rows(self, name: str) -> list[PlannedRow]:
        """A run set, data set by data set. A data set without mentions in its split, or without training
        mentions where transforms need them, is passed over; a linker that has nothing to learn from but these
        is not run there, nor one that is evaluated on dev where there is none, nor a system of others on a
        reader's own."""
        entry, systems = self._run_set(name), self.of_set(name)
        folds = self._folds(entry.folds, "runs", name)
        rows = []
        for data in self._among(entry.data):
            for system in systems:
                of_train = any(map(_OF_TRAIN.fullmatch, system.changes))
                if not data.has(entry.split, *(["train"] if of_train else [])):
                    continue
                if lacking := _lacking(system.linker, data):
                    system = replace(system, linker="", reason=f"{NOT_RUN}: needs {lacking}")
                asked = partial(Job, data, linker=system.linker, split=entry.split)
                jobs = tuple(
                    tuple(asked((*system.changes, *fold), seed=seed) for fold in folds)
                    for seed in (system.seeds if system.linker else ())
                )
                kinds = asked((*system.changes, *folds[0])).kinds if entry.kinds else None
                states = None
                if jobs and entry.has_states:
                    of_dev = self._folds(self.chapter.state_folds.get(data.dataset, 0), "state_folds")
                    states = state_jobs(jobs[0], of_dev)
                rows.append(PlannedRow(system, data, jobs, kinds, states))
        return rows

    def measured(self, name: str) -> list[Job]:
        """The jobs of a measurement, one a data set; none of one that is dropped, nor of the pretraining of
        an encoder that comes from elsewhere."""
        entry = self._entry("measurement", self.chapter.measured, name)
        if name in self._dropped:
            return []
        entry = entry.model_copy(update=self._changed.measured.get(name, {}))
        arguments = {key: self._filled(value, "measured", name) for key, value in entry.arguments.items()}
        systems = [self.system(key) for key in entry.of]
        for argument, system in zip(("linker", "other"), systems, strict=False):
            arguments[argument] = system.linker
            if len(systems) == 2 and system.changes:  # each its own, of the same mentions
                arguments[f"{argument}_changes"] = system.changes
        changes = systems[0].changes if len(systems) == 1 else ()
        if entry.timed:
            arguments["linkers"] = tuple(dict.fromkeys(system.timed for system in self.timed(name)))
        if entry.measurement == PRETRAINING and arguments["encoder"] not in RECIPES:
            return []
        return [
            Job(data, changes, measurement=entry.measurement, arguments=tuple(sorted(arguments.items())))
            for data in self._among(entry.data)
        ]

    def timed(self, name: str) -> list[System]:
        """The systems whose time a measurement takes, without those that are dropped."""
        return [self.system(key) for key in self.chapter.measured[name].timed if key not in self._dropped]

    def jobs(self, sets: Iterable[str] | None = None) -> list[Job]:
        """Every record that the chapter needs, or that the run sets and measurements named need, each once.
        Those of ``states``, which say how the trainings of the run sets beside it go, or of all where it
        stands alone, are asked for by name: see :meth:`StateJobs.asked`.

        Raises ValueError for another name.
        """
        there = (*self.chapter.runs, *self.chapter.measured, STATES)
        wanted = there[:-1] if sets is None else tuple(sets)
        if unknown := [name for name in wanted if name not in there]:
            expected = ", ".join(dict.fromkeys(there))
            raise ValueError(
                f"chapter {self.chapter.name}: no runs {', '.join(unknown)}; expected {expected}"
            )
        found: list[Job | None] = []
        for name in wanted:
            rows = [row for row in self.rows(name) if row.jobs] if name in self.chapter.runs else []
            found += [row.kinds for row in rows]
            found += [job for row in rows for of_seed in row.jobs for job in of_seed]
        if STATES in wanted:
            of = [name for name in wanted if name in self.chapter.runs] or self.chapter.runs
            rows = [row for name in of for row in self.rows(name) if row.states]
            alone = (row.states.full[0] for row in rows if row.kinds and len(row.states.full) == 1)
            found += [job.kinds for job in alone]
            found += [job for row in rows for job in row.states.asked(self.store)]
        # Measurements such as examples of errors read linking records, so these come first.
        found += [job for name in wanted if name in self.chapter.measured for job in self.measured(name)]
        return list(dict.fromkeys(filter(None, found)))

    def _run_set(self, name: str) -> RunSetEntry:
        entry, change = self._entry("runs", self.chapter.runs, name), self._changed.runs.get(name, {})
        change = {"systems": change} if isinstance(change, tuple) else change
        return RunSetEntry(**entry.model_dump() | change)

    def _entry(self, kind: str, there: Mapping[str, Any], name: str) -> Any:
        if name not in there:
            expected = ", ".join(there)
            raise ValueError(f"chapter {self.chapter.name}: no {kind} {name!r}; expected one of {expected}")
        return there[name]

    def _among(self, asked: Iterable[str]) -> list[DataRef]:
        """The data sets chosen among those asked for by group or id. The embedded corpus and a reader's
        own stand for any; what is asked for and is no registered data set is always there."""
        ids = self._ids(asked)
        fixed = [DataRef(id) for id in ids if not DataRef(id).registered]
        return fixed or [data for data in self.data if not data.registered or data.dataset in ids]

    def _ids(self, asked: Iterable[str]) -> list[str]:
        names = [self._filled(name, "runs") for name in asked]
        return [id for name in names for id in self.chapter.datasets.get(name, {name: ""})]

    def registered(self) -> tuple[DataRef, ...]:
        """The registered data sets that the chapter names, in the order in which it does."""
        named = [*self.chapter.datasets]
        for entry in (*self.chapter.runs.values(), *self.chapter.measured.values()):
            named += entry.data
        found = dict.fromkeys(DataRef(id) for id in self._ids(named))
        return tuple(data for data in found if data.registered)

    def _folds(self, template: Any, *keys: str) -> list[tuple[str, ...]]:
        folds = self._filled(template, *keys)
        if isinstance(folds, int):
            folds = [f"{number}/{folds}" for number in range(1, folds + 1)]
        return [(f"fold:{one}",) for one in folds] or [()]


def _lacking(name: str, data: DataRef) -> str:
    """What a linker needs to be run on a data set and does not have; "" where there is all."""
    base = name.partition(",")[0]
    if base == _PEER and not data.registered:
        return "answers of that system"
    if base in _PUBLISHED and not linker(name).answered(data.dataset):
        return "published answers"
    if base in _LEARN_FROM_MENTIONS and not data.has("train"):
        return "a train corpus"
    if not name or data.has("dev"):
        return ""
    asked = linker(name)
    on_dev = getattr(asked, "mix", "none") == "dev" or any(getattr(asked, of, None) for of in _EVALUATE)
    return "a dev corpus" if on_dev else ""


def plan_of(name: str, parameters: Mapping[str, Any], folder: Path = FOLDER) -> Plan:
    """The plan of a chapter for a page's parameters: ``dataset`` is ``all``, a registered data set or a path
    with ``ontology``; at scale ``mini`` it is the embedded corpus.

    Raises ValueError for a registered data set that the chapter does not use, for what is for a path and
    given with a registered one, for other data at scale ``mini``, for scale ``paper`` with the study's
    encoder, and for an encoder whose folder is not there.
    """
    check_mini(parameters)
    model_folder(parameters.get("encoder", DEFAULT))
    asked, ontology = parameters.get("dataset", "all"), parameters.get("ontology", "")
    reading = reading_of(parameters)
    data: tuple[DataRef, ...] | None = None
    if parameters["scale"] == "paper" and parameters.get("encoder") == DEFAULT:
        raise ValueError(
            "scale is 'paper', that of the paper's own encoder: expected `encoder`, the id of a model on the "
            f"Hub or a folder, found {DEFAULT!r}, the study's"
        )
    if asked in ("all", "mini") or DataRef(asked).registered:
        refuse_reading_options(asked, ontology, reading)
    if parameters["scale"] == "mini" or asked == "mini":
        data = (DataRef("mini"),)
    elif asked != "all":
        data = (DataRef(asked, ontology, reading),)
    plan = Plan(read_chapter(name, folder), parameters, data)
    known = ["all", "mini", *(one.dataset for one in plan.registered())]
    if DataRef(asked).registered and asked not in known:
        raise ValueError(
            f"dataset is {asked!r}, which chapter {name} does not use; expected {', '.join(known)}, or the "
            "path of a corpus"
        )
    return plan
