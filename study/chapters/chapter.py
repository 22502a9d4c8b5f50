"""A chapter as data: ``data/chapters/<name>.yaml`` says which systems there are and what is run.

Text in braces takes a parameter of the page, or of the scale: ``{encoder}``, ``{rate:g}``. What a page shows
of it, in which words, stands in its notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, NonNegativeInt, field_validator, model_validator

from benchlib.scoring import PROTOCOLS, STRATA

from ..places import ROOT
from ..yaml_file import YamlModel, read_yaml, validated

CHAPTERS = "data/chapters"
FOLDER = ROOT / CHAPTERS
NOT_RUN = "NOT RUN"  # stands in a page in the place of a number
SCALES = ("mini", "open", "paper")
Seeds = Annotated[tuple[NonNegativeInt, ...], Field(min_length=1)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]
OneOrMore = Annotated[tuple[str, ...], BeforeValidator(lambda of: (of,) if isinstance(of, str) else of)]
STATES = "states"  # the records that say how trainings go are asked for by it, like a run set
MATCHED = ("ambiguous", "unique")
"""Strata made of those in a record: ``ambiguous`` is a mention that, as it is, matches no name or that of
several concepts (KRISSBERT, section 4.5, footnote 4), ``unique`` any other."""
Protocol = Literal[tuple(map(str, PROTOCOLS))]
"""One of the protocols that every record stores."""
Stratum = Literal["", *STRATA, *MATCHED]
"""One of the strata, or "" for all mentions."""


class SystemEntry(YamlModel):
    """A row of a paper's table, or with ``each`` one for every combination of the values listed there. Where
    ``each`` names the values of a parameter (``{k: {three-votes: 3}}``), every name is a system.

    ``label`` is its one name in the book; where that is only a value, ``counts`` says of what. ``printed`` is
    its name in the paper's own table, and ``variant`` what tells it there from others of that name. Without a
    ``linker`` the row shows what is printed, and ``reason`` says why it is not run. ``timed`` names a linker
    that is as fast and is timed in its place. ``chosen_by`` names the runs on dev of which it has the
    settings of the best: their records are older than its own. ``follows``, ``CHAPTER[/RUNS]/SYSTEM``, takes
    the linker of another chapter, and transforms where it has none of its own, as that page or run set has
    them, with this page's scale, encoder and text.
    """

    label: str
    counts: str = ""
    linker: str = ""
    printed: str = ""
    variant: str = ""
    seeds: str | Seeds = (0,)
    changes: tuple[str, ...] = ()
    each: dict[str, str | tuple[Any, ...]] = {}
    timed: str = ""
    reason: str = ""
    chosen_by: str = ""
    follows: str = ""

    @model_validator(mode="after")
    def _run_or_reason(self) -> SystemEntry:
        if sum(map(bool, (self.linker, self.reason, self.follows))) != 1:
            raise ValueError("a system has a linker, follows another, or has a reason why it is not run")
        return self


class RunSetEntry(YamlModel):
    """Systems on data sets: ``data`` names groups of the chapter or registered data sets, ``changes`` are
    further transforms, ``folds`` the number of folds, or some of them (``[1/5]``). ``kinds`` says that the
    kinds of the mentions are looked at, which are a record of their own for each list of transforms, and
    ``states`` that the states of trainings are, as always on test: grids on dev are many. ``set`` has the
    parameters of these runs at the scale ``open``, before those of page and scale; ``added`` ends the labels
    of the systems that are others by them."""

    data: OneOrMore
    systems: Names
    split: str = "test"
    folds: str | NonNegativeInt | Names = 0
    changes: tuple[str, ...] = ()
    kinds: bool = False
    states: bool = False
    set: dict[str, Any] = {}
    added: str = ""

    @property
    def has_states(self) -> bool:
        return self.states or self.split == "test"


class MeasuredEntry(YamlModel):
    """A measurement that is no linking run; ``of`` is the system whose linker is its argument, or two of
    them. ``timed`` are systems whose ``timed`` linkers are its ``linkers``, each once."""

    measurement: str
    data: OneOrMore
    arguments: dict[str, Any] = {}
    of: OneOrMore = ()
    timed: tuple[str, ...] = ()

    @field_validator("of")
    @classmethod
    def _one_or_two(cls, systems: tuple[str, ...]) -> tuple[str, ...]:
        if len(systems) > 2:
            raise ValueError("one system or two")
        return systems


class ScaleEntry(YamlModel):
    """What a scale changes: parameters set (those that ``open`` sets are unless it says otherwise), systems
    and measurements dropped, run sets changed."""

    set: dict[str, Any] = {}
    drop: tuple[str, ...] = ()
    runs: dict[str, tuple[str, ...] | dict[str, Any]] = {}
    measured: dict[str, dict[str, Any]] = {}


class HeadlineEntry(YamlModel):
    """Printed numbers that our row of a system of ``runs`` is held against, named before it is run: of each
    of the ``metrics``, ``recall_at_<k>`` or ``mrr``, by a protocol, on a stratum if one is named, on each
    data set; end to end the micro F1 under a match, ``strict f1`` or ``partial f1``, of all claims and golds.
    ``printed`` selects them among those reported of the item. A printed number has one such row in the whole
    book, and so has a number of ours. ``other`` says why the two cannot be compared. ``before`` are the
    stratum and the reason as they were, where they were changed after ours had been seen."""

    runs: str
    system: str
    printed: dict[str, str] = {}
    metrics: tuple[Annotated[str, Field(pattern=r"^(recall_at_\d+|mrr|(strict|partial) f1)$")], ...] = (
        "recall_at_1",
    )
    protocol: Protocol = "strict/names/any-of"
    stratum: Stratum = ""
    other: str = ""
    before: dict[Literal["stratum", "other"], str] = {}

    @model_validator(mode="after")
    def _spans_have_no_stratum(self) -> HeadlineEntry:
        if self.stratum and any(metric.endswith(" f1") for metric in self.metrics):
            raise ValueError("a stratum is of given mentions; expected none with strict f1 or partial f1")
        return self


class ItemEntry(YamlModel):
    """A table or figure of the paper: shown from ``runs`` or ``measured``, drawn, or not, with the reason;
    ``as_printed`` where what is shown are the paper's numbers alone. ``anchor`` is its place on the page; its
    headline numbers and the claims that it stands for are what a reader sees first."""

    runs: OneOrMore = ()
    measured: OneOrMore = ()
    drawing: str = ""
    reason: str = ""
    as_printed: bool = False
    anchor: str = ""
    reported: str = ""
    headlines: tuple[HeadlineEntry, ...] = ()
    claims: tuple[str, ...] = ()

    @property
    def as_before(self) -> ItemEntry:
        """The item with its headline numbers compared as they were before a change."""
        headlines = (headline.model_copy(update=headline.before) for headline in self.headlines)
        return self.model_copy(update={"headlines": (*headlines,)})


class SettingEntry(YamlModel):
    """A setting of the paper's main system and ours, in which braces take settings of our linker."""

    paper: str
    here: str


class SetupEntry(YamlModel):
    """How the system ``of`` was set up, setting by setting, in the run set ``runs`` where that is named."""

    of: str
    runs: str = ""
    settings: dict[str, SettingEntry]


class Chapter(YamlModel):
    """What a file of ``data/chapters`` holds, which is ``path``; ``name`` is that of the file and of the
    notebook. What is printed of the data sets in ``other_knowledge_base`` is of another than theirs here:
    shown, not compared. ``state_folds`` are the ``folds`` by which a training is looked at on data sets whose
    dev split is too small to tell its state."""

    name: str
    path: Path
    datasets: dict[str, dict[str, str]] = {}
    other_knowledge_base: tuple[str, ...] = ()
    scales: dict[str, ScaleEntry] = {}
    systems: dict[str, SystemEntry] = {}
    runs: dict[str, RunSetEntry] = {}
    state_folds: dict[str, str | NonNegativeInt | Names] = {}
    measured: dict[str, MeasuredEntry] = {}
    items: dict[str, ItemEntry] = {}
    setup: SetupEntry | None = None

    @field_validator("systems", mode="before")
    @classmethod
    def _each_by_name(cls, systems: Any) -> Any:
        """Each system whose values have names as one system a name."""
        if not isinstance(systems, dict):
            return systems
        found = {}
        for key, entry in systems.items():
            each = entry.get("each") if isinstance(entry, dict) else None
            for parameter, values in each.items() if isinstance(each, dict) else ():
                if isinstance(values, dict):
                    of = {name: {**each, parameter: [value]} for name, value in values.items()}
                    found |= {name: {**entry, "each": each} for name, each in of.items()}
                    break
            else:
                found[key] = entry
        return found

    @model_validator(mode="after")
    def _names_are_known(self) -> Chapter:
        if STATES in (*self.runs, *self.measured):
            raise ValueError(f"runs: {STATES!r} is the name of all records that say how trainings go")
        for place, name, known in self._references():
            if name not in known:
                raise ValueError(f"{place}: there is no {name!r}; expected one of {', '.join(known)}")
        return self

    def _references(self) -> Iterator[tuple[str, str, Any]]:
        """(where, name, the names there are) of everything that is called by name."""
        data = {one: None for group in self.datasets.values() for one in group}
        runs, measured, systems = self.runs, self.measured, self.systems
        places: list[tuple[str, Iterable[str], Any]] = [
            ("state_folds", self.state_folds, data),
            ("other_knowledge_base", self.other_knowledge_base, data),
            ("setup: of", [self.setup.of] if self.setup else [], systems),
            ("setup: runs", [self.setup.runs] if self.setup and self.setup.runs else [], runs),
            ("scales", self.scales, SCALES),
        ]
        places += [(f"runs: {name}", entry.systems, systems) for name, entry in runs.items()]
        for name, entry in measured.items():
            places.append((f"measured: {name}", [*entry.of, *entry.timed], systems))
        for name, scale in self.scales.items():
            places.append((f"scales: {name}: drop", scale.drop, {**systems, **measured}))
            places.append((f"scales: {name}: runs", scale.runs, runs))
            places.append((f"scales: {name}: measured", scale.measured, measured))
        for name, item in self.items.items():
            shown = [*item.runs, *(headline.runs for headline in item.headlines)]
            places.append((f"items: {name}", shown, runs))
            places.append((f"items: {name}", item.measured, measured))
            places.append((f"items: {name}", (headline.system for headline in item.headlines), systems))
        return ((place, name, known) for place, names, known in places for name in names)


def chapters(folder: Path = FOLDER) -> list[str]:
    """The names of the chapters that there are."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


def read_chapter(name: str, folder: Path = FOLDER) -> Chapter:
    """A chapter by name; raises ValueError naming file and key, or listing the chapters there are."""
    path = folder / f"{name}.yaml"
    if not path.exists():
        raise ValueError(f"no chapter {name!r}; expected one of {', '.join(chapters(folder))}")
    return validated(Chapter, read_yaml(path), path.name, name=name, path=path)
