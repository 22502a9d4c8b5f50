"""The tables of the status page: what the build ran on this machine, and with what."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..pages.show import Markup, myst_table, table_from
from ..pages.stamp import commit_said, machine
from .pages import Outcome, tools


def status(checks: Sequence[Outcome], renders: Sequence[Outcome], made: Mapping[str, Any]) -> str:
    """Markdown for the status page; ``made`` is the provenance of the build."""
    rendered = {outcome.page: outcome for outcome in renders}
    pages = [
        {
            "Page": Markup(f"[{check.page}](../notebooks/{check.page}.ipynb)"),
            "Check": _verdict(check),
            "Seconds": check.seconds,
            "Expected": check.expected,
            "Got": check.got,
            "Run at, UTC": _when(check.date),
            "Render": _verdict(rendered[check.page]),
            "Rerun": Markup(f'<a href="../notebooks/{check.page}.html#rerun">command</a>'),
        }
        for check in checks
    ]
    facts = {
        "Commit": commit_said(made["commit"]),
        "Built, UTC": _when(made["date"]),
        "Machine": machine(made["hardware"]),
        **made["versions"],
        **tools(),
    }
    told = "Every page, run afresh on the embedded corpus, and rendered from the records."
    with_what = table_from([{"What": name, "Which": value} for name, value in facts.items()])
    return "\n\n".join(
        (
            myst_table(table_from(pages), "tab-status", told, **{"class": "short"}),
            myst_table(with_what, "tab-machine", "The machine and the packages of this build."),
        )
    )


def _verdict(outcome: Outcome) -> str:
    return "OK" if outcome.ok else "FAIL"


def _when(date: str) -> str:
    return date[:16].replace("T", " ")
