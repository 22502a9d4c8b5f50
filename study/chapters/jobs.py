"""A job: one record that a chapter asks for, said in text alone, so that any machine can make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from benchlib.benchmark import Benchmark
from benchlib.formats.own import DEFAULT_READING, ReadingOptions

from .. import records as runs
from ..corpora import loaded, registry
from ..measurements import TIMINGS, measure, measurement_inputs
from ..records import Record, Store
from ..systems import linker

STRATA = "strata"  # of which kind each mention is
PRETRAINING = "pretraining"  # an adapted encoder, made where it is missing
_TEXT = "unlabelled:"  # a transform that leaves mentions and dictionary, and so their kinds, as they are
_NAME_DATA = ("ontology", "predictions", "predictions_dev", "against", "against_dev", "names", "mentions")


@dataclass(frozen=True)
class DataRef:
    """A registered data set, ``mini``, a source of text, or the path of a PubTator file with that of its
    ontology and how both are read."""

    dataset: str
    ontology: str = ""
    reading: ReadingOptions = DEFAULT_READING

    @property
    def registered(self) -> bool:
        return self.dataset in registry.benchmarks()

    @property
    def name(self) -> str:
        return self.benchmark.name if self.ontology else self.dataset

    @property
    def benchmark(self) -> str | Benchmark:
        """What :func:`study.records.linking_record` takes: a registered id, whose key is known without the
        corpus, or the corpus itself."""
        return self.dataset if self.registered else self.load()

    @property
    def fingerprint(self) -> str:
        """That of its parsed content."""
        return registry.pinned(self.dataset) or self.load().fingerprint()

    def load(self) -> Benchmark:
        """The corpus itself; raises MissingFile where it is not at hand."""
        return loaded(self.dataset, self.ontology or None, self.reading)

    def has(self, *splits: str) -> bool:
        """Whether there are mentions in all these splits; registered data sets have them all."""
        return self.registered or all(self.benchmark.split(split).n_mentions for split in splits)


def reading_of(parameters: Mapping[str, Any]) -> ReadingOptions:
    """How files of a reader's own are read by a page's parameters: as usual in what the page does not ask."""
    # A parameter as usual is not given, so that one separator may take a character of the other.
    usual = {one.name: getattr(DEFAULT_READING, one.name) for one in fields(ReadingOptions)}
    asked = {name: parameters[name] for name in usual if name in parameters}
    return ReadingOptions(**{name: value for name, value in asked.items() if value != usual[name]})


def check_mini(parameters: Mapping[str, Any]) -> None:
    """Raises ValueError where scale ``mini``, which is about the embedded corpus, would leave a page's
    parameter unread that names data."""
    if parameters["scale"] == "mini":
        given = ["dataset"] if parameters.get("dataset", "all") not in ("all", "mini") else []
        given += [name for name in _NAME_DATA if parameters.get(name)]
        given += reading_of(parameters).unusual()
        if given:
            raise ValueError(
                f"scale is 'mini', the embedded corpus: {', '.join(given)} would be ignored; expected scale "
                "'open' with these"
            )


@dataclass(frozen=True)
class Job:
    """A linking run of ``linker``, or a ``measurement`` with its arguments."""

    data: DataRef
    changes: tuple[str, ...] = ()
    linker: str = ""
    measurement: str = ""
    arguments: tuple[tuple[str, Any], ...] = ()
    split: str = "test"
    seed: int = 0

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What identifies the record."""
        identify, _, of, how = self._made_by()
        return identify(*of, **how)

    @property
    def timing(self) -> bool:
        """Whether it is a measurement of times, which ``benchmarks/timings`` take."""
        return self.measurement in TIMINGS

    @property
    def trainings(self) -> tuple[str, ...]:
        """The keys of the trainings behind the record, of which jobs with the same first one share the
        folder; none of a linker whose class cannot train."""
        return runs.trainings_of(linker(self.linker), self.inputs) if self.linker else ()

    @property
    def kinds(self) -> Job:
        """The job that says of which kinds the mentions of its split are, by its own transforms: what is
        reachable depends on the dictionary."""
        changes = tuple(change for change in self.changes if not change.startswith(_TEXT))
        return Job(self.data, changes, measurement=STRATA, split=self.split)

    def record(self, store: Store, compute: str = "missing", keep_training: bool = False) -> Record:
        """The record, found or made as ``compute`` says; raises MissingRecord under ``never``."""
        _, make, of, how = self._made_by()
        kept = {"keep_training": keep_training} if self.linker else {}
        return make(*of, store, compute=compute, **how, **kept)

    def _made_by(self) -> tuple[Callable[..., Any], Callable[..., Record], tuple[Any, ...], dict[str, Any]]:
        """What identifies the record and what makes it, with the arguments that both take."""
        if self.measurement == PRETRAINING:
            return runs.adaptation_inputs, runs.adaptation, (dict(self.arguments)["encoder"],), {}
        of, how = self.data.benchmark, {"changes": self.changes}
        if self.linker:
            how |= {"seed": self.seed, "split": self.split}
            return runs.linking_inputs, runs.linking_record, (linker(self.linker), of), how
        if self.measurement == STRATA:
            return runs.strata_inputs, runs.strata_record, (of,), how | {"split": self.split}
        how |= {"arguments": dict(self.arguments)}
        return measurement_inputs, measure, (self.measurement, of), how

    def __str__(self) -> str:
        """``cosines,layers=2 on esappmod, fold:1/5, dev, seed 0``"""
        of = [self.data.name, *self.changes]
        if self.linker:
            return ", ".join([f"{self.linker} on {of[0]}", *of[1:], self.split, f"seed {self.seed}"])
        said = "".join(f",{name}={value}" for name, value in self.arguments)
        split = [self.split] if self.measurement == STRATA else []
        return ", ".join([f"{self.measurement}{said} on {of[0]}", *of[1:], *split])
