"""Run a page with papermill, and say whether everything it should show is there."""

import ast
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import nbformat

from benchlib.terminal import write

from ..records.store import ASKED
from .layout import Layout

RENDER = {"scale": "open", "compute": "never"}
"""The parameters of the pages of the book."""
LONGEST = 1800  # seconds that a page may take
# The kernel of this Python before one of the user's. One thread a page: two pages side by side do more than
# one page on two threads. No progress bars.
ENVIRONMENT = {
    "JUPYTER_PREFER_ENV_PATH": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
_FOLDED = {  # what a folded cell holds, by what stands in it
    "# ---- ": "the parameters",
    "import ": "the imports",
    "figures.": "the code of this figure",
    "tables.": "the code of this table",
    "claims_section(": "the code of this table",
    "page.end()": "the code of the page's foot",
}
_SHOWN = ("display_data", "execute_result")


@dataclass(frozen=True)
class Outcome:
    """What came of one page.

    ``expected`` is the number of cells that end in something to show, ``got`` how many of them showed
    something; ``error`` is the last line of a failure, and empty for a page that ran. ``records`` are the
    keys of the records that the page asked for: their checksums, "" for one that is not published.
    """

    page: str
    key: str
    date: str
    seconds: float
    expected: int
    got: int
    error: str
    records: Mapping[str, str]

    @property
    def ok(self) -> bool:
        return not self.error and self.got == self.expected

    def __str__(self) -> str:
        return f"{self.page}: {self.error or f'{self.expected} cells should show something, {self.got} did'}"


def execute(notebook: Path, layout: Layout, key: str, records: Mapping[str, str]) -> Outcome:
    """Run a page of the book; never raises for what is wrong with a page.

    ``key`` stands for all else that the page depends on, ``records`` is the :func:`.layout.snapshot` of the
    records, taken before. The executed notebook and the outcome are left in the build's folder of the pages,
    a failed one too, for a look at it.
    """
    executed, started = layout.executed(notebook), time.perf_counter()
    for end in (".ipynb", ".json", ".asked"):
        executed.with_suffix(end).unlink(missing_ok=True)
    error, expected, got = papermill(notebook, executed, layout.root, RENDER, executed.with_suffix(".asked"))
    asked = executed.with_suffix(".asked")
    names = sorted({*asked.read_text(encoding="utf-8").split()}) if asked.exists() else []
    now, seconds = datetime.now(UTC).isoformat(timespec="seconds"), round(time.perf_counter() - started, 1)
    found = {name: records.get(name, "") for name in names}
    outcome = Outcome(notebook.stem, key, now, seconds, expected, got, error, found)
    write(executed.with_suffix(".json"), json.dumps(asdict(outcome), indent=1) + "\n")
    return outcome


def cached_outcome(notebook: Path, layout: Layout, key: str, records: Mapping[str, str]) -> Outcome | None:
    """The outcome of an earlier good run for the same ``key`` that asked for the same records, if its
    notebook is still there."""
    executed = layout.executed(notebook)
    try:
        before = Outcome(**json.loads(executed.with_suffix(".json").read_text(encoding="utf-8")))
        same = all(records.get(name, "") == found for name, found in before.records.items())
    except (OSError, ValueError, TypeError, AttributeError):  # none, or not a whole one
        return None
    return before if before.key == key and same and before.ok and executed.exists() else None


def papermill(
    notebook: Path, executed: Path, root: Path, given: Mapping[str, str], asked: Path | str = ""
) -> tuple[str, int, int]:
    """Run a notebook in the folder ``root`` with these parameters and write it to ``executed``; the last line
    of what went wrong, "" where nothing did, and the counts of :func:`count_outputs`.

    Into the file ``asked`` go the keys of the records that the notebook asks for.
    """
    executed.parent.mkdir(parents=True, exist_ok=True)
    chosen = [word for name, value in given.items() for word in ("-r", name, value)]
    command = [sys.executable, "-m", "papermill", str(notebook), str(executed), "-k", "python3", *chosen]
    command += ["--cwd", str(root), "--no-progress-bar", "--no-log-output"]
    environment = {**os.environ, **ENVIRONMENT, ASKED: str(asked)}
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        return f"not done after {LONGEST} s", 0, 0
    lines = [line for line in done.stderr.splitlines() if line.strip()] if done.returncode > 0 else []
    error = lines[-1] if lines else f"papermill ended with {done.returncode}" if done.returncode else ""
    if not executed.exists():
        return error, 0, 0
    page = nbformat.read(executed, as_version=4)
    nbformat.write(stripped(page), executed)
    return error, *count_outputs(page)


def count_outputs(page: nbformat.NotebookNode) -> tuple[int, int]:
    """How many cells end in an expression, so that a reader expects to see something, and how many of
    these did show something."""
    due = [cell for cell in page.cells if cell.cell_type == "code" and _ends_in_expression(cell.source)]
    return len(due), sum(any(out.output_type in _SHOWN for out in cell.outputs) for cell in due)


def stripped(page: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The page without what differs between machines, papermill's paths and times, and without the cell that
    papermill adds: in a downloaded page it would overrule the parameters. A folded cell is named by what it
    shows."""
    page.metadata.pop("papermill", None)
    page.cells = [cell for cell in page.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    for cell in page.cells:
        for name in ("papermill", "execution", "ExecuteTime"):
            cell.metadata.pop(name, None)
        if "hide-input" in cell.metadata.get("tags", []):
            what = next((what for mark, what in _FOLDED.items() if mark in cell.source), "the code")
            prompts = {"code_prompt_show": f"Show {what}", "code_prompt_hide": f"Hide {what}"}
            cell.metadata["mystnb"] = {**cell.metadata.get("mystnb", {}), **prompts}
    return page


def _ends_in_expression(source: str) -> bool:
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    while body and isinstance(body[-1], ast.For | ast.With):
        body = body[-1].body
    return bool(body) and isinstance(body[-1], ast.Expr) and not source.rstrip().endswith(";")
