"""The tables of the status page: what the build ran on this machine, and with what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .pages import Outcome

TOOLS = ("jupyter-book", "sphinx", "sphinx-book-theme", "myst-nb", "papermill", "ipykernel", "matplotlib")


def status(checks: Sequence[Outcome], renders: Sequence[Outcome], made: Mapping[str, Any]) -> str:
    """Markdown for the status page; ``made`` is the provenance of the build."""
    rendered = {outcome.page: outcome for outcome in renders}
    lines = [
        ":::{table} Every page, run afresh on the embedded corpus, and rendered from the records.",
        ":name: tab-status",
        ":class: sortable short",
        "",
        "| Page | Check | Seconds | Expected | Got | Run at, UTC | Render | Rerun |",
        "| :--- | :--- | ---: | ---: | ---: | :--- | :--- | :--- |",
    ]
    for check in checks:
        render = rendered[check.page]
        cells = (
            f"[{check.page}](../notebooks/{check.page}.ipynb)",
            _verdict(check),
            check.seconds,
            check.expected,
            check.got,
            _when(check.date),
            _verdict(render),
            f'<a href="../notebooks/{check.page}.html#rerun">command</a>',
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join([*lines, ":::", "", *_machine(made)]) + "\n"


def _machine(made: Mapping[str, Any]) -> list[str]:
    hardware = made["hardware"]
    commit = made["commit"] or "not in a git checkout"
    if commit.endswith("+"):
        commit = f"{commit[:-1]}, with uncommitted changes"
    rows = [
        ("Commit", commit),
        ("Built, UTC", _when(made["date"])),
        ("Machine", f"{hardware['machine']}, {hardware['cores']} cores"),
        ("Accelerator", hardware.get("gpu", "none")),
        *made["versions"].items(),
        *((tool, _version(tool)) for tool in TOOLS),
    ]
    head = [
        ":::{table} The machine and the packages of this build.",
        ":name: tab-machine",
        "",
        "| What | Which |",
    ]
    return [*head, "| :--- | :--- |", *(f"| {name} | {value} |" for name, value in rows), ":::"]


def _verdict(outcome: Outcome) -> str:
    return "OK" if outcome.ok else "FAIL"


def _when(date: str) -> str:
    return date[:16].replace("T", " ")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
