"""``study book``: build the book of this checkout, each step only when what it depends on has changed."""

import argparse
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from benchlib.terminal import write

from ..corpora.files import data_folder
from ..places import ROOT
from ..records.provenance import commit, provenance, versions
from . import check, cite, explorer, generated, light, pages
from .layout import Layout, digest, snapshot
from .reading import documents, sections
from .records import write_records

SOURCES = ("_config.yml", "_toc.yml", "CITATION.cff", "book")
MADE_OF = ("benchlib", "study", "data", "notebooks")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class BuildError(ValueError):
    """The book could not be built; the message is for a terminal."""


def build(layout: Layout, *more: str, jobs: int = 2) -> Path:
    """Run every page from the records, render the book, check it; returns its ``index.html``.

    ``more`` are further things that the pages depend on. Raises BuildError when a page fails (after all have
    been tried), when rendering warns, and when the book is not whole.
    """
    records = snapshot(layout.records)
    installed = [f"{name} {version}" for name, version in (versions() | generated.tools()).items()]
    base = digest(layout.root, layout.code, platform.platform(), *installed, *layout.parameter_cells(), *more)
    outcomes = run_pages(layout, base, records, jobs)
    if failed := [f"  {outcome}; see _build/open" for outcome in outcomes if not outcome.ok]:
        raise BuildError("\n".join(["pages failed:", *failed]))
    key = digest(
        layout.root,
        [layout.root / source for source in SOURCES],
        base,
        commit(*SOURCES, *MADE_OF),
        *(f"{name} {content}" for name, content in records.items()),
        *(f"{outcome.page} {outcome.key} {outcome.date}" for outcome in outcomes),
    )
    mark, index = layout.build / "book.key", layout.html / "index.html"
    if index.exists() and mark.exists() and mark.read_text(encoding="utf-8") == key:
        print("nothing has changed since the last build")
        return index
    mark.unlink(missing_ok=True)
    stage(layout, outcomes)
    for old in (layout.html, layout.build / ".doctrees"):
        shutil.rmtree(old, ignore_errors=True)
    with ThreadPoolExecutor(1) as executor:  # Sphinx takes one core
        data = [
            executor.submit(explorer.write, layout.html / "_static", layout.build / "explorer", *more),
            executor.submit(write_records, layout),
        ]
        render(layout)
        for written in data:
            written.result()
    light.lighten(layout.html)
    pages = {page: sections(layout.root, page) for page in documents(layout.root)}
    if problems := check.problems(layout.html, pages):
        raise BuildError("\n  ".join(["the book is not whole:", *problems]))
    write(mark, key)
    return index


def run_pages(layout: Layout, base: str, records: Mapping[str, str], jobs: int) -> list[pages.Outcome]:
    """The outcome of every page, run where none is kept; ``base`` is the digest of what all pages depend on,
    ``records`` the snapshot of the records."""

    def outcome_of(notebook: Path) -> pages.Outcome:
        key = digest(layout.root, [notebook], base)
        before = pages.cached_outcome(notebook, layout, key, records)
        outcome = before or pages.execute(notebook, layout, key, records)
        took = "kept" if before else f"{outcome.seconds:.1f} s"
        line = f"{'OK' if outcome.ok else 'FAIL':4} {outcome.page:20} {took}\n"
        print(line, end="", flush=True)  # the end with the line, as other threads print too
        return outcome

    notebooks = layout.notebooks()
    with ThreadPoolExecutor(jobs) as executor:  # long pages first, so that all end at about one time
        longest = sorted(notebooks, key=lambda notebook: -notebook.stat().st_size)
        outcomes = {notebook: executor.submit(outcome_of, notebook) for notebook in longest}
    return [outcomes[notebook].result() for notebook in notebooks]


def stage(layout: Layout, outcomes: list[pages.Outcome]) -> None:
    """The site: sources, executed notebooks at the paths they have in the repository, generated parts."""
    shutil.rmtree(layout.site, ignore_errors=True)
    layout.site.mkdir(parents=True)
    for source in SOURCES:
        path = layout.root / source
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, layout.site / source)
    (layout.site / "notebooks").mkdir()
    for notebook in layout.notebooks():
        shutil.copy(layout.executed(notebook), layout.site / "notebooks")
    mathjax = layout.site / "book" / "_static" / "mathjax"
    mathjax.mkdir(parents=True, exist_ok=True)
    shutil.copy(_mathjax(), mathjax)
    made = provenance() | {"commit": commit(*SOURCES, *MADE_OF)}
    cite.configure(layout.site, made)
    generated.write(layout.site / "book" / "generated", outcomes, made)


def render(layout: Layout) -> None:
    """Jupyter Book over the site, with every warning an error."""
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


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="study book", description=__doc__.replace("``", ""))
    parser.add_argument("--jobs", type=int, default=2, help="pages that run side by side (default 2)")
    options, started = parser.parse_args(arguments), time.perf_counter()
    # Which corpora are at hand decides whether a page can show an excerpt of them.
    at_hand = sorted(str(path) for path in data_folder().rglob("*"))
    index = build(Layout(ROOT), *at_hand, jobs=options.jobs)
    print(f"built in {time.perf_counter() - started:.0f} s: {index}")
