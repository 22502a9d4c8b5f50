"""A page at work: its parameters, the records of its chapter, and what it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd
from IPython.display import HTML

from benchlib.benchmark import Benchmark

from ..chapters.jobs import PRETRAINING, STRATA, Job
from ..chapters.listing import duration
from ..chapters.parameters import Parameters, checked, defaults_of
from ..chapters.plan import Plan, plan_of
from ..chapters.results import SystemResult
from ..chapters.run import by_training
from ..chapters.training_states import StateRecords
from ..papers import RESULTS, results_page
from ..places import ROOT
from ..printed import reported
from ..records import MissingRecord, Record
from .literal import block, in_markdown
from .notebook import parameters
from .show import markdown, table
from .stamp import costs, run_command, stamp

_COMPUTE = {
    ("always", STRATA): "missing",  # what the mentions are does not depend on the run
    ("always", PRETRAINING): "never",  # takes an hour, which a page never does unasked
    ("missing", PRETRAINING): "never",
}


@dataclass
class Page:
    """A notebook's view of its chapter: ``page = Page.of("cosines", globals())`` in its second cell.

    ``name`` is that of the chapter, ``notebook`` that of the file, and ``trained`` gathers the runs whose
    states of training are looked at.
    """

    name: str
    parameters: Parameters
    plan: Plan
    notebook: str = ""
    trained: list[SystemResult] = field(default_factory=list)
    _found: dict[Job, Record | None] = field(default_factory=dict, repr=False)
    _ahead: dict[Job, Record | None] = field(default_factory=dict, repr=False)
    _on_dev: dict[Job, Record | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, notebook: str, namespace: Mapping[str, Any]) -> Page:
        """The page of a notebook, whose head it shows (:meth:`banner`); raises ValueError for parameters that
        the notebook does not have or cannot use."""
        given, name = parameters(notebook, namespace), notebook.removesuffix(RESULTS)
        page = cls(name, given, plan_of(name, given.values()), notebook)
        markdown(page.banner())
        return page

    @classmethod
    def published(cls, name: str) -> Page:
        """The page as the book has it, which shows what there is and runs nothing."""
        given = checked({"compute": "never"}, defaults_of(ROOT / "notebooks" / f"{name}.ipynb"))
        return cls(name, given, plan_of(name, given.values()))

    def banner(self) -> str:
        """A note in Markdown that names the parameters that differ from the published ones, because the prose
        speaks of those; empty for a page as published. Of what the scale sets, its value counts; how records
        are come by makes no difference. What reading a corpus of the reader's own found odd follows."""
        asked, differing = self.parameters.values(), []
        for name, published in self.parameters.defaults().items():
            if name != "compute" and (value := self.plan.values[name]) != published:
                passed_over = asked[name] not in (published, value)
                instead = f", as the scale sets it, not {_said(asked[name])}" if passed_over else ""
                differing.append(f"`{name}` is {_said(value)}{instead} (published: {_said(published)})")
        if not differing:
            return ""
        full = results_page(self.name)
        summary = self.notebook and self.notebook != full
        below = (
            f"Findings, verdicts and figures below are the published ones; the notebook `{full}` shows these."
            if summary
            else "Tables and figures below show these; sentences about results describe the published ones."
        )
        told = f"> **Not the published parameters.** {'; '.join(differing)}. {below}"
        odd = (notes(data.load()) for data in self.plan.data if data.ontology)
        return "\n\n".join(filter(None, [told, *odd]))

    @property
    def real(self) -> bool:
        """Whether the page is about registered corpora: not the embedded one, nor a reader's own."""
        return all(data.registered for data in self.plan.data)

    def value(self, name: str) -> Any:
        return self.plan.values[name]

    def datasets(self, group: str) -> Mapping[str, str]:
        """What the paper calls the data sets of a group, by our id."""
        return self.plan.chapter.datasets[group]

    def printed(self, item: str) -> pd.DataFrame:
        """The rows of one of the paper's tables; none beside results on corpora that it does not have. What
        it calls accuracy or P@1 is Recall@1; its MAP, of one gold a mention, the reciprocal rank."""
        rows = reported.table(self.name, item)[: None if self.real else 0]
        ours = {"accuracy": "recall_at_1", "p_at_1": "recall_at_1", "map": "mrr"}
        return rows.replace({"metric": ours})

    def runs(self, name: str) -> list[SystemResult]:
        """A run set of the chapter, data set by data set; records are loaded or made as ``compute`` says, but
        those of states only loaded."""
        runs = [
            SystemResult(
                row.system,
                row.data.name,
                tuple(tuple(self.record(job) for job in of_seed) for of_seed in row.jobs),
                self.record(row.kinds) if row.jobs and row.kinds else None,
                row.data.has("train"),
                StateRecords.of(row.states, self._of_state) if row.states else None,
            )
            for row in self.plan.rows(name)
        ]
        self.trained += [of_system for of_system in runs if of_system.states]
        return runs

    def measured(self, name: str) -> dict[str, Record | None]:
        """The records of a measurement of the chapter by data set, None where there is none."""
        return {job.data.name: self.record(job) for job in self.plan.measured(name)}

    def record(self, job: Job) -> Record | None:
        """The record of a job, None where there is none; made once, however often it is shown."""
        if job not in self._found:
            if job not in self._ahead:
                together = self._of_one_training(job)
                self._ahead |= {one: self._made(one, one != together[-1]) for one in together}
            self._found[job] = self._ahead[job]
        return self._found[job]

    def _of_state(self, job: Job) -> Record | None:
        """The record of a job that this page does not make, None where there is none."""
        if job not in self._on_dev:
            self._on_dev[job] = self.plan.store.find(job.inputs)
        return self._on_dev[job]

    @property
    def missing(self) -> list[Job]:
        """The jobs that were asked for and have no record."""
        return [job for job, record in self._found.items() if record is None]

    @property
    def shown(self) -> list[Mapping[str, Any]]:
        """The provenance of every record that the page used, once each."""
        used = {**self._on_dev, **{job: record for job, record in self._found.items() if record is not None}}
        return [record.made for record in used.values() if record is not None]

    def _made(self, job: Job, keep_training: bool = False) -> Record | None:
        compute = _COMPUTE.get((self.parameters.compute, job.measurement), self.parameters.compute)
        try:
            return job.record(self.plan.store, compute, keep_training)
        except MissingRecord:
            return None

    def _of_one_training(self, job: Job) -> list[Job]:
        """The job with all others of the chapter that its training serves and that are made here, so that
        its folder stays until the last of them."""
        compute = self.parameters.compute
        if compute == "never" or not job.trainings:
            return [job]
        others = (one for one in self._by_training.get(job, ()) if one != job)
        return [job, *(one for one in others if compute == "always" or not self.plan.store.has(one.inputs))]

    @cached_property
    def _by_training(self) -> dict[Job, tuple[Job, ...]]:
        """Each job of the chapter with all that its training serves."""
        return {job: together for together in by_training(self.plan.jobs()) for job in together}

    def editions(self) -> dict[str, str]:
        """Each data set shown with the fingerprint of its parsed content."""
        return {data.name: data.fingerprint for data in self.plan.data}

    def end(self) -> HTML:
        """What closes the page: what was not run, about how long it would take and the one command that runs
        it; what the records shown have cost; and the stamp."""
        notebook = self.notebook or self.name
        if runs := [job for job in self.missing if not job.timing]:
            several = "records are" if len(runs) > 1 else "record is"
            markdown(
                f"{len(runs)} {several} missing here: {duration(runs, self.plan.store)}, "
                "estimated from similar runs. This command computes them and what else the chapter lacks:\n\n"
                + block(run_command(self.parameters, self.name), "console")
            )
        if len(runs) < len(self.missing):
            take = block(f"python -m benchmarks.timings {self.name}", "console")
            markdown(f"Run this in a checkout of the study to take the times:\n\n{take}")
        if self.shown:
            told = "The cost of the records of this page, by machine: core-hours are threads times hours."
            table(costs(self.shown), f"tab-{notebook}-costs", told)
        return stamp(self.parameters, notebook, self.editions(), self.shown, used=self.plan.values)


def notes(benchmark: Benchmark) -> str:
    """What reading the corpus and its ontology found odd, as a list in Markdown; empty where nothing was."""
    return "\n".join(f"- {in_markdown(note)}" for note in benchmark.notes)


def _said(value: object) -> str:
    return in_markdown(", ".join(map(str, value)) if isinstance(value, tuple) else value) or "empty"
