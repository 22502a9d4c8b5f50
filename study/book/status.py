"""The tables of the status page: what the build ran on this machine, and with what."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from ..pages.show import Markup, myst_table, table_from
from ..pages.stamp import commit_said, machine
from .pages import Outcome

TOOLS = (
    "jupyter-book",
    "sphinx",
    "sphinx-book-theme",
    "myst-nb",
    "papermill",
    "ipykernel",
    "matplotlib",
    "seaborn",
)
"""What runs, draws and renders the pages."""


def tools() -> dict[str, str]:
    """The versions of :data:`TOOLS`."""
    return {tool: version(tool) for tool in TOOLS}


def status(outcomes: Sequence[Outcome], made: Mapping[str, Any]) -> str:
    """Markdown for the status page; ``made`` is the provenance of the build."""
    pages = [
        {
            "Page": Markup(f"[{outcome.page}](../notebooks/{outcome.page}.ipynb)"),
            "Seconds": outcome.seconds,
            "Expected": outcome.expected,
            "Got": outcome.got,
            "Records": f"{len(outcome.records):,}",
            "Run at, UTC": _when(outcome.date),
            "Rerun": Markup(f'<a href="../notebooks/{outcome.page}.html#rerun">command</a>'),
        }
        for outcome in outcomes
    ]
    facts = {
        "Commit": commit_said(made["commit"]),
        "Built, UTC": _when(made["date"]),
        "Machine": machine(made["hardware"]),
        **made["versions"],
        **tools(),
    }
    with_what = table_from([{"What": name, "Which": value} for name, value in facts.items()])
    tables = (
        myst_table(
            table_from(pages), "tab-status", "Every page, run from the records.", **{"class": "short"}
        ),
        myst_table(with_what, "tab-machine", "The machine and the packages of this build."),
    )
    return "\n\n".join(tables)


def _when(date: str) -> str:
    return date[:16].replace("T", " ")
