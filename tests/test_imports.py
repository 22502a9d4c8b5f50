"""Imports go one way: a part imports only what stands before it, and benchlib nothing of study."""

import ast
from pathlib import Path

import pytest

from study.places import ROOT

ORDER = {
    "benchlib": [
        "lazy", "terminal", "corpus", "ontology", "predictions", "benchmark", "mends", "sanity", "formats",
        "datasets", "scoring", "losses", "sampling", "encoders", "retrieval", "matching", "training",
        "encoder", "linker", "memory", "name_linker", "linking", "counts", "results", "evaluation",
        "command", "__main__", "check", "score",
    ],
    "study": [
        "places", "lock", "yaml_file", "papers", "corpora", "systems", "records", "measurements", "printed",
        "chapters", "pages", "claims", "tables", "figures", "book", "command",
    ],
}  # fmt: skip
SCORING = {"corpus", "ontology", "predictions"}  # so that training may use it


def modules(path: str, source: str) -> list[str]:
    """What a module imports, anywhere but for annotations alone, by full names; ``path`` is within the
    repository."""
    package = list(Path(path).parts[:-1])
    tree, names = ast.parse(source), []
    annotations = [
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    ]
    for node in ast.walk(tree):
        if node in annotations:
            continue
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package itself, each further one the package around.
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            names += [".".join([*base, alias.name]) for alias in node.names]
    return names


def imported(path: str, source: str) -> set[tuple[str, str]]:
    """The parts (package, part) that a module imports."""
    parts = [tuple(name.split(".")[:2]) for name in modules(path, source)]
    return {part for part in parts if part[0] in ORDER and len(part) > 1 and part[1] in ORDER[part[0]]}


def allowed(package: str, part: str) -> set[tuple[str, str]]:
    """The parts that a part may import, itself included."""
    order = ORDER[package]
    before = SCORING if (package, part) == ("benchlib", "scoring") else order[: order.index(part)]
    whole = {("benchlib", name) for name in ORDER["benchlib"]} if package == "study" else set()
    return {(package, part)} | {(package, name) for name in before} | whole


MODULES = sorted(str(path.relative_to(ROOT)) for package in ORDER for path in (ROOT / package).rglob("*.py"))


def part_of(path: str) -> tuple[str, str]:
    package, part = Path(path).parts[:2]
    return package, part.removesuffix(".py")


@pytest.mark.parametrize("path", [path for path in MODULES if part_of(path)[1] != "__init__"])
def test_a_module_imports_only_what_stands_before_it(path):
    found = imported(path, (ROOT / path).read_text(encoding="utf-8"))
    wrong = {".".join(part) for part in found - allowed(*part_of(path))}
    assert not wrong, f"{path} imports {', '.join(sorted(wrong))}"


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("benchlib/scoring/a.py", "from ..benchmark import Benchmark", {"benchlib.benchmark"}),
        ("benchlib/scoring/a.py", "from .nil import x\nimport numpy.random", {"benchlib.scoring"}),
        ("benchlib/scoring/__init__.py", "from .nil import x", {"benchlib.scoring"}),
        (
            "study/tables/a.py",
            "from ..records import store\nimport benchlib.linker as e",
            {"study.records", "benchlib.linker"},
        ),
        ("study/places.py", "def f():\n    if 1:\n        from study.book import page", {"study.book"}),
        ("study/places.py", "from study import corpora", {"study.corpora"}),
        (
            "study/places.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import book",
            set(),
        ),
    ],
)
def test_imports_are_seen_however_they_are_written(path, source, expected):
    assert {".".join(part) for part in imported(path, source)} == expected
