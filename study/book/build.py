"""The steps of a build, each done only when what it depends on has changed."""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from benchlib.terminal import write

from ..records.provenance import commit, provenance, versions
from . import check, cite, generated, pages
from .layout import Layout, digest, snapshot
from .pages import CHECK, RENDER, Outcome, tools
from .records import write_records
from .verified import verify_new

SOURCES = ("_config.yml", "_toc.yml", "CITATION.cff", "book")
MADE_OF = ("benchlib", "study", "data", "notebooks")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class BuildError(Exception):
    """The book could not be built; the message is for a terminal."""


def build(layout: Layout, *more: str, jobs: int = 2) -> Path:
    """Verify the records, run every page, render the book, check it; returns its ``index.html``.

    ``more`` are further things that the rendered pages depend on. Raises BuildError when a page fails (after
    all have been tried), when rendering warns, and when the book is not whole; BrokenRecord for a record
    whose metrics do not follow from its outcomes.
    """
    records = snapshot(layout.records)
    print(f"{verify_new(layout, jobs)} records verified", flush=True)
    installed = [f"{name} {version}" for name, version in (versions() | tools()).items()]
    base = digest(layout.root, layout.code, platform.platform(), *installed, *layout.parameter_cells())
    outcomes = run_pages(layout, {CHECK: base, RENDER: digest(layout.root, [], base, *more)}, records, jobs)
    if failed := [outcome for outcome in outcomes if not outcome.ok]:
        raise BuildError("pages failed:\n" + "\n".join(map(_failed, failed)))
    key = digest(
        layout.root,
        [layout.root / source for source in SOURCES],
        base,
        commit(*SOURCES, *MADE_OF),
        *(f"{name} {content}" for name, content in records.items()),
        *(f"{outcome.page} {outcome.mode} {outcome.key} {outcome.date}" for outcome in outcomes),
    )
    mark, index = layout.build / "book.key", layout.html / "index.html"
    if index.exists() and mark.exists() and mark.read_text(encoding="utf-8") == key:
        print("nothing has changed since the last build")
        return index
    mark.unlink(missing_ok=True)
    stage(layout, outcomes)
    render(layout)
    write_records(layout)
    if found := check.problems(layout.html, check.documents(layout.root / "_toc.yml")):
        raise BuildError("the book is not whole:\n" + "\n".join(f"  {problem}" for problem in found))
    write(mark, key)
    return index


def run_pages(
    layout: Layout, inputs: Mapping[pages.Mode, str], records: Mapping[str, str], jobs: int
) -> list[Outcome]:
    """Every page in both modes; the outcomes of all checks, then of all renders.

    ``inputs`` is the digest of what all pages depend on in a mode, ``records`` the snapshot of the records.
    """
    work = [(notebook, mode) for mode in (CHECK, RENDER) for notebook in layout.notebooks()]

    def one(job: tuple[Path, pages.Mode]) -> Outcome:
        notebook, mode = job
        key = digest(layout.root, [notebook], inputs[mode], mode.name)
        before = pages.cached_outcome(notebook, mode, layout, key, records)
        outcome = before or pages.execute(notebook, mode, layout, key, records)
        told = "kept" if before else f"{outcome.seconds:.1f} s"
        line = f"{'OK' if outcome.ok else 'FAIL':4} {mode.name:4} {outcome.page:20} {told}\n"
        print(line, end="", flush=True)  # the end with the line, as other threads print too
        return outcome

    with ThreadPoolExecutor(jobs) as executor:
        return list(executor.map(one, work))


def stage(layout: Layout, outcomes: list[Outcome]) -> None:
    """The site: sources, executed notebooks at the paths they have in the repository, generated parts."""
    shutil.rmtree(layout.site, ignore_errors=True)
    layout.site.mkdir(parents=True)
    for source in SOURCES:
        path = layout.root / source
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, layout.site / source)
    (layout.site / "notebooks").mkdir()
    for notebook in layout.notebooks():
        shutil.copy(layout.build / RENDER.name / notebook.name, layout.site / "notebooks")
    mathjax = layout.site / "book" / "_static" / "mathjax"
    mathjax.mkdir(parents=True, exist_ok=True)
    shutil.copy(_mathjax(), mathjax)
    checks = [outcome for outcome in outcomes if outcome.mode == CHECK.name]
    renders = [outcome for outcome in outcomes if outcome.mode == RENDER.name]
    made = provenance() | {"commit": commit(*SOURCES, *MADE_OF)}
    cite.configure(layout.site, made)
    generated.write(layout.generated, layout.build / "claims.csv", checks, renders, made)


def render(layout: Layout) -> None:
    """Jupyter Book over the site, from nothing, with every warning an error."""
    for old in (layout.html, layout.build / ".doctrees"):
        shutil.rmtree(old, ignore_errors=True)
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build"]
    command += [str(layout.site), "--path-output", str(layout.root), "-W", "-n", "--keep-going"]
    done = subprocess.run(command, cwd=layout.root, capture_output=True, text=True, check=False)
    output = _COLOUR.sub("", done.stdout + done.stderr)
    log = layout.build / "sphinx.log"
    log.write_text(output, encoding="utf-8")
    if done.returncode:
        lines = output.splitlines()
        told = [line for line in lines if "WARNING" in line or "ERROR" in line] or lines[-20:]
        raise BuildError("\n".join(["rendering failed:", *told, f"all of it is in _build/{log.name}"]))


def _mathjax() -> Path:
    """The one self-contained file of MathJax in the wheel."""
    found = find_spec("sphinx-mathjax-offline")
    if found is None or found.origin is None:
        raise BuildError("sphinx-mathjax-offline is not installed: pip install -e '.[book]'")
    return Path(found.origin).parent / "static" / "mathjax" / "tex-svg.js"


def _failed(outcome: Outcome) -> str:
    reason = outcome.error or f"{outcome.expected} cells should show something, {outcome.got} did"
    return f"  {outcome.page} ({outcome.mode}): {reason}; see _build/{outcome.mode}/{outcome.page}.ipynb"
