"""The parts of pages that are made at build time: ``book/generated/*.md``, which the pages include."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..claims import read_claims
from ..claims.answers import answer_all, write_csv
from ..claims.table import html
from ..pages.show import Markup, myst_table, table_from
from ..pages.stamp import commit_said, machine
from ..places import ROOT
from ..records.store import published
from . import front
from .claims import changed_rules, sections
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


def write(folder: Path, outcomes: Sequence[Outcome], made: Mapping[str, Any]) -> None:
    """Write every generated part into ``folder``; ``made`` is the provenance of the build."""
    folder.mkdir(parents=True, exist_ok=True)
    claims = read_claims()
    answers = answer_all(claims)
    write_csv(answers, folder / "claims.csv")
    runs = front.compared()
    table = html(answers, claims, "Every claim with both answers.")
    parts = {
        "scale": front.scale(published()),
        "found": front.found(claims, answers, runs),
        "counts": front.counts(runs),
        "forest": front.forest(claims, answers),
        "others": front.others(claims, answers),
        "begin": front.begin(ROOT),
        "claims": f"```{{raw}} html\n{table}\n```\n",
        "sections": sections(claims, answers),
        "changed": changed_rules(claims, answers),
        "status": status(outcomes, made),
    }
    for name, text in parts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def tools() -> dict[str, str]:
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
        myst_table(table_from(pages), "tab-status", "Every page, run from the records.", more="short"),
        myst_table(with_what, "tab-machine", "The machine and the packages of this build."),
    )
    return "\n\n".join(tables)


def _when(date: str) -> str:
    return date[:16].replace("T", " ")
