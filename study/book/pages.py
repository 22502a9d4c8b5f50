"""Run a page with papermill, and say whether everything it should show is there."""

import ast
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import nbformat

from benchlib.terminal import write

from .layout import Layout

KERNEL = "python3"
# One thread a page: two pages side by side do more than one page on two threads. No progress bars.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TQDM_DISABLE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
_FOLDED = {  # what a folded cell holds, by what stands in it
    "import ": "the imports",
    "figures.": "the code of this figure",
    "tables.": "the code of this table",
    "claims_section(": "the code of this table",
    "page.end()": "the code of the page's foot",
}
_SHOWN = ("display_data", "execute_result")
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


@dataclass(frozen=True)
class Mode:
    """A way to run every page."""

    name: str
    compute: str

    @property
    def parameters(self) -> Mapping[str, str]:
        return {"scale": self.name, "compute": self.compute}


CHECK, RENDER = Mode("mini", "always"), Mode("open", "never")


@dataclass(frozen=True)
class Outcome:
    """What came of one page in one mode.

    ``expected`` is the number of cells that end in something to show, ``got`` how many of them showed
    something; ``error`` names the failing cell, and is empty for a page that ran. ``records`` are the keys
    of the records that a rendered page asked for: their checksums, "" for one that is not published.
    """

    page: str
    mode: str
    key: str
    date: str
    seconds: float
    expected: int
    got: int
    error: str
    records: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.error and self.got == self.expected


def execute(
    notebook: Path, mode: Mode, layout: Layout, key: str, records: Mapping[str, str], timeout: float = 1800
) -> Outcome:
    """Run a page in a mode; never raises for what is wrong with a page.

    ``records`` is the :func:`.layout.snapshot` of the records, taken before. The executed notebook and the
    outcome are left in the build's folder of the mode, a failed one too, for a look at it.
    """
    folder = layout.build / mode.name
    executed, note, looked_for = (folder / f"{notebook.stem}.{end}" for end in ("ipynb", "json", "records"))
    folder.mkdir(parents=True, exist_ok=True)
    for old in (executed, note, looked_for):
        old.unlink(missing_ok=True)
    started = time.perf_counter()
    error = _papermill(notebook, mode, layout, executed, looked_for, timeout)
    expected = got = 0
    if executed.exists():
        page = nbformat.read(executed, as_version=4)
        error = _failure(page) or error
        expected, got = count_outputs(page)
        nbformat.write(stripped(page), executed)
    seconds = round(time.perf_counter() - started, 1)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    # A check makes its own records afresh: published ones are nothing to it.
    names = looked_for.read_text(encoding="utf-8").split("\n")[:-1] if looked_for.exists() else []
    found = {name: records.get(name, "") for name in sorted(names)} if mode == RENDER else {}
    outcome = Outcome(notebook.stem, mode.name, key, now, seconds, expected, got, error, found)
    write(note, json.dumps(asdict(outcome), indent=1) + "\n")
    return outcome


def cached_outcome(
    notebook: Path, mode: Mode, layout: Layout, key: str, records: Mapping[str, str]
) -> Outcome | None:
    """The outcome of an earlier good run for the same ``key`` that looked for the same records, if its
    notebook is still there."""
    executed = layout.build / mode.name / notebook.name
    try:
        before = Outcome(**json.loads(executed.with_suffix(".json").read_text(encoding="utf-8")))
        same = all(records.get(name, "") == found for name, found in before.records.items())
    except (OSError, ValueError, TypeError, AttributeError):  # none, or not a whole one
        return None
    return before if before.key == key and same and before.ok and executed.exists() else None


def tools() -> dict[str, str]:
    """The versions of :data:`TOOLS` that are installed."""
    found = {}
    for tool in TOOLS:
        with suppress(PackageNotFoundError):
            found[tool] = version(tool)
    return found


def kernel_path(folder: Path, *command: str) -> Path:
    """A Jupyter data folder whose kernel ``python3`` is this very Python; nothing is registered.

    ``command`` are the module that is run and its arguments, ``ipykernel_launcher`` if none is given.
    """
    specification = {
        "argv": [sys.executable, "-m", *(command or ("ipykernel_launcher",)), "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
    }
    write(folder / "kernels" / KERNEL / "kernel.json", json.dumps(specification))
    return folder


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
            cell.metadata["mystnb"] = {
                **cell.metadata.get("mystnb", {}),
                "code_prompt_show": f"Show {what}",
                "code_prompt_hide": f"Hide {what}",
            }
    return page


def _papermill(
    notebook: Path, mode: Mode, layout: Layout, executed: Path, looked_for: Path, timeout: float
) -> str:
    chosen = [word for name, value in mode.parameters.items() for word in ("-r", name, value)]
    command = [sys.executable, "-m", "papermill", str(notebook), str(executed), "-k", KERNEL, *chosen]
    command += ["--cwd", str(layout.root), "--no-progress-bar", "--no-log-output"]
    kernels = layout.build / "jupyter" / mode.name / notebook.stem
    kernel_path(kernels, "study.book.kernel", str(looked_for))
    environment = {**os.environ, **ENVIRONMENT, "JUPYTER_PATH": str(kernels)}
    try:
        done = subprocess.run(
            command, cwd=layout.root, env=environment,
            capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"not done after {timeout:.0f} s"
    if done.returncode < 0:
        return f"papermill was killed by signal {-done.returncode}"
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return "" if done.returncode == 0 else (lines[-1] if lines else f"papermill ended with {done.returncode}")


def _failure(page: nbformat.NotebookNode) -> str:
    for number, cell in enumerate(page.cells, start=1):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                return f"cell {number}: {output.ename}: {output.evalue}"
    return ""


def _ends_in_expression(source: str) -> bool:
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    while body and isinstance(body[-1], ast.For | ast.With):
        body = body[-1].body
    return bool(body) and isinstance(body[-1], ast.Expr) and not source.rstrip().endswith(";")
