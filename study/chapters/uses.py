"""Which chapters ask for a record, and where on their pages it is shown."""

import json
from dataclasses import dataclass
from pathlib import Path

from ..places import ROOT
from ..records.record import stem_of
from .chapter import CHAPTERS, STATES, chapters
from .run import plan_with


@dataclass(frozen=True)
class Use:
    """A run set or measurement ``name`` of a chapter that asks for a record. ``title`` is that of the
    chapter's page, ``places`` are the items that are shown there from it, with their anchors."""

    chapter: str
    name: str
    title: str
    places: tuple[tuple[str, str], ...] = ()

    @property
    def command(self) -> str:
        """What makes its records where they are missing."""
        return f"study run {self.chapter} --set {self.name}"


def uses(root: Path = ROOT) -> dict[str, list[Use]]:
    """By stem, who asks for each record: every run set and measurement of every chapter,
    and the states of its trainings, as the notebooks' defaults have them."""
    found: dict[str, list[Use]] = {}
    for chapter in chapters(root / CHAPTERS):
        plan, title = plan_with(chapter, root=root), _title(root / "notebooks" / f"{chapter}.ipynb")
        for name in (*plan.chapter.runs, *plan.chapter.measured, STATES):
            places = tuple(
                (item, entry.anchor)
                for item, entry in plan.chapter.items.items()
                if entry.anchor and name in (*entry.runs, *entry.measured)
            )
            for job in plan.jobs([name]):
                found.setdefault(stem_of(job.inputs), []).append(Use(chapter, name, title, places))
    return found


def _title(notebook: Path) -> str:
    """The first heading of a page."""
    first = "".join(json.loads(notebook.read_text(encoding="utf-8"))["cells"][0]["source"])
    return first.partition("\n")[0].removeprefix("# ")
