"""What stands in a chapter with the parameters of a page and of its scale in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ..systems import linker
from .chapter import Chapter, ScaleEntry, SystemEntry, read_chapter
from .parameters import defaults_of

_SAID = {  # values that a label spells out
    "minilm": "MiniLM", "minilm+pubmed": "PubMed-adapted MiniLM", "random": "random negatives",
    "mixed": "hard negatives", "cls": "[CLS]", "start": "marker", "info-nce": "InfoNCE",
    "proxy": "proxy loss", "multi-similarity": "Multi-Similarity", "triplet": "triplet loss",
    "0.125:0": "an eighth of the names", "0.25:0": "a quarter of the names", "0.5:0": "half of the names",
    "0.25:1": "a quarter of the names, second draw", "0.25:2": "a quarter of the names, third draw",
}  # fmt: skip
_PASSED_ON = ("scale", "encoder", "pool")  # parameters of a page that hold for systems of other chapters too


@dataclass(frozen=True)
class System:
    """A row of a table: a linker by name with its seeds and transforms, or the ``reason`` why there is none.

    ``values`` are those of ``each``. Two systems of a run set with the same linker, transforms and seeds are
    one: the first, which then has the ``keys`` of both.
    """

    keys: tuple[str, ...]
    label: str
    linker: str = ""
    printed: str = ""
    variant: str = ""
    seeds: tuple[int, ...] = (0,)
    changes: tuple[str, ...] = ()
    timed: str = ""
    reason: str = ""
    chosen_by: str = field(default="", compare=False)
    values: Mapping[str, Any] = field(default_factory=dict, compare=False)
    counts: str = ""

    @property
    def in_words(self) -> str:
        """The label, after what it counts: for where no axis and no heading says so."""
        return f"{self.counts}: {self.label}" if self.counts else self.label

    @property
    def identity(self) -> tuple[object, ...]:
        return (self.linker, self.changes, self.seeds) if self.linker else (self.label,)


class Templates:
    """The templates of a chapter filled: ``values`` are the parameters given and those that its ``scale``
    sets, which has what ``open`` sets unless it says otherwise. Raises ValueError, naming file and key, for
    a parameter that there is not."""

    def __init__(self, chapter: Chapter, scale: ScaleEntry, parameters: Mapping[str, Any], run_set: str = ""):
        """``run_set`` is one whose own parameters hold; the scales other than ``open`` pass them over."""
        self.chapter = chapter
        settings = chapter.scales.get("open", ScaleEntry()).set | scale.set
        self.values = dict(parameters) | settings
        own = chapter.runs[run_set].set if run_set and parameters["scale"] == "open" else {}
        for name in own:
            self.filled(f"{{{name}}}", "runs", run_set, "set")
        settings = own | settings | own  # before those that are made of them
        self.values |= own
        for name, value in settings.items():
            self.values[name] = self.filled(value, "scales", parameters["scale"])

    def systems(self, key: str) -> tuple[System, ...]:
        """The systems that an entry stands for. Raises ValueError for a name that makes no linker."""
        entry = self._followed(self.chapter.systems[key])
        lists = {name: _several(self.filled(of, "systems", key)) for name, of in entry.each.items()}
        of = (dict(zip(lists, values, strict=True)) for values in product(*lists.values()))
        return tuple(self._system(key, entry, values) for values in of)

    def _followed(self, entry: SystemEntry) -> SystemEntry:
        """The entry itself, or with the linker and the transforms of the system that it follows."""
        if not entry.follows:
            return entry
        name, *run_set, key = entry.follows.split("/")
        other = read_chapter(name, self.chapter.path.parent)
        if key not in other.systems or len(run_set) > 1 or not {*run_set} <= {*other.runs}:
            where = f"{self.chapter.path.name}: no {entry.follows!r}"
            raise ValueError(f"{where}; expected CHAPTER[/RUNS]/SYSTEM")
        defaults = defaults_of(other.path.parents[2] / "notebooks" / f"{name}.ipynb")
        given = {name: self.values[name] for name in _PASSED_ON if name in self.values and name in defaults}
        scale = other.scales.get(given["scale"], ScaleEntry())
        [system] = Templates(other, scale, defaults | given, *run_set).systems(key)
        return entry.model_copy(update={"linker": system.linker, "changes": entry.changes or system.changes})

    def filled(self, template: Any, *keys: str, more: Mapping[str, Any] | None = None) -> Any:
        """Text with its parameters; a parameter alone keeps its type."""
        if not isinstance(template, str):
            return template
        values = {**self.values, **(more or {})}
        if template[:1] == "{" and template[1:-1] in values and template[-1:] == "}":
            return values[template[1:-1]]
        try:
            return template.format_map(values)
        except (KeyError, ValueError, IndexError, AttributeError) as error:
            where = ": ".join([self.chapter.path.name, *keys])
            there = ", ".join(values)
            raise ValueError(
                f"{where}: {template!r} asks for a parameter that there is not ({error}); there are {there}"
            ) from None

    def _system(self, key: str, entry: SystemEntry, values: Mapping[str, Any]) -> System:
        def filled(template: Any) -> Any:
            return self.filled(template, "systems", key, more=values)

        if (chosen_by := filled(entry.chosen_by)) not in ("", *self.chapter.runs):
            there = ", ".join(self.chapter.runs)
            where = f"{self.chapter.path.name}: systems: {key}: chosen_by"
            raise ValueError(f"{where}: there is no {chosen_by!r}; expected one of {there}")
        said = {of: _SAID[value] for of, value in (self.values | values).items() if value in [*_SAID]}
        return System(
            (key,),
            self.filled(entry.label, "systems", key, more=values | said),
            self._linker(key, filled(entry.linker)),
            entry.printed,
            entry.variant,
            _several(filled(entry.seeds)),
            tuple(filled(change) for change in entry.changes),
            self._linker(key, filled(entry.timed or entry.linker)),
            entry.reason,
            chosen_by,
            values,
            entry.counts,
        )

    def _linker(self, key: str, name: str) -> str:
        """The name as its linker prints it, so that equal linkers are called alike."""
        try:
            return linker(name).name if name else ""
        except ValueError as error:
            raise ValueError(f"{self.chapter.path.name}: systems: {key}: {error}") from None


def _several(value: Any) -> tuple[Any, ...]:
    """A list; a reader who writes ``seeds = 3`` into the parameters cell means a list of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)
