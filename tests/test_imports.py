"""Imports go one way: a part of benchlib imports only what stands before it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "benchlib"
ORDER = (
    "terminal",
    "corpus",
    "ontology",
    "predictions",
    "readers",
    "datasets",
    "matching",
    "scoring",
    "encoders",
    "losses",
    "retrieval",
    "sampling",
    "training",
    "pretraining",
    "linkers",
    "runs",
    "scored",
    "score",
    "check",
    "standardize",
)
SCORING = {"corpus", "ontology", "predictions"}  # so that training may use it
LEAVING = {"report", "book"}  # what is moving out to the package of the study


def imported(path: str, source: str) -> set[str]:
    """The parts of benchlib that a module imports, anywhere in it; ``path`` is within benchlib."""
    package = ["benchlib", *Path(path).parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package itself, each further one the package around.
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            names = [".".join([*base, alias.name]) for alias in node.names]
        else:
            continue
        parts = [name.split(".") for name in names]
        found |= {name[1] for name in parts if name[0] == "benchlib" and len(name) > 1}
    return found & ({*ORDER} | LEAVING)


def allowed(part: str) -> set[str]:
    """What a part may import, itself included."""
    return {part, *(SCORING if part == "scoring" else ORDER[: ORDER.index(part)])}


MODULES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py"))
PARTS = {path: Path(path).parts[0].removesuffix(".py") for path in MODULES}


def test_every_module_belongs_to_a_part():
    assert {*PARTS.values()} <= {*ORDER, *LEAVING, "__init__"}
    assert {"corpus", "scoring", "runs", "score"} <= {*PARTS.values()}


@pytest.mark.parametrize("path", [path for path in MODULES if PARTS[path] in ORDER])
def test_a_module_imports_only_what_stands_before_it(path):
    found = imported(path, (ROOT / path).read_text(encoding="utf-8"))
    wrong = found - allowed(PARTS[path])
    assert not wrong, f"benchlib/{path} imports {', '.join(sorted(wrong))}"


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("scoring/a.py", "from ..datasets.benchmark import Benchmark", {"datasets"}),
        ("scoring/a.py", "from .. import datasets, __version__", {"datasets"}),
        ("scoring/a.py", "from .nil import x\nimport numpy.random", {"scoring"}),
        ("scoring/__init__.py", "from .nil import x", {"scoring"}),
        ("score.py", "from .runs import store\nimport benchlib.linkers.exact as e", {"runs", "linkers"}),
        ("corpus.py", "def f():\n    if 1:\n        from benchlib.report import page", {"report"}),
        ("corpus.py", "from benchlib import ontology", {"ontology"}),
        (
            "corpus.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import runs",
            {"runs"},
        ),
        ("corpus.py", "import benchlib\nfrom benchmarks import datasets", set()),
    ],
)
def test_imports_are_seen_however_they_are_written(path, source, expected):
    assert imported(path, source) == expected


def test_scoring_may_not_import_what_merely_stands_before_it():
    assert "readers" not in allowed("scoring") and "readers" in allowed("datasets")
    assert "report" not in allowed("standardize") and "runs" not in allowed("linkers")
