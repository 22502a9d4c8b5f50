"""Put faults into the code, one at a time, and see which the tests let pass: run by hand, for hours.

``python benchmarks/faults/mutants.py --limit 100 --seed 0`` works on a copy of the last commit. Each fault is
one change of one place (a comparison turned, ``and`` for ``or``, a number off by one, a statement gone …) in
a module of ``TARGETS``, and the tests of that module are run until one fails. What was found is kept, a line
a fault, in ``_build/mutants.jsonl``; faults that are there already are not tried again. A survivor is either
a fault that no test guards or a change that means nothing: that, a reader must judge.
"""

import argparse
import ast
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTE = ROOT / "_build" / "mutants.jsonl"
TIMEOUT = 900  # seconds; a fault that makes the tests run for ever is seen

# Groups of modules, and the tests that belong to all of a group; those of the module's own name come first.
TARGETS = {
    "benchlib/scoring/*.py": ("test_scoring*.py", "test_score.py", "test_refined.py"),
    "study/records/*.py": (
        "test_runs*.py",
        "test_store.py",
        "test_pack.py",
        "test_export.py",
        "test_record_pages.py",
        "test_pretraining.py",
        "test_measurements.py",
        "test_end_to_end_records.py",
    ),
    "study/corpora/*.py": ("test_registry.py", "test_datasets*.py", "test_readers*.py", "test_own_list.py"),
    "benchlib/formats/*.py": ("test_readers*.py", "test_registry.py", "test_datasets_*.py", "test_cases.py"),
    "study/systems/*.py study/systems/*/*.py": ("test_linkers*.py", "test_learning.py", "test_uses.py"),
    "study/claims/*.py": (
        "test_claims.py",
        "test_verdicts.py",
        "test_effects.py",
        "test_plain_verdicts.py",
        "test_compared.py",
        "test_printed_numbers.py",
        "test_history.py",
    ),
}
COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COUNTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult}
NAMED = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Fault:
    """One change of a file: in which line, what stood there and what does now, and the whole file with it."""

    path: str
    line: int
    before: str
    after: str
    source: str

    @property
    def key(self) -> str:
        return hashlib.sha256(f"{self.path}\0{self.source}".encode()).hexdigest()[:16]


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """What could stand in the place of a node by mistake."""
    match node:
        case ast.Compare(left, operators, compared):
            for i, one in enumerate(operators):
                yield ast.Compare(
                    left, [*operators[:i], COMPARED[type(one)](), *operators[i + 1 :]], compared
                )
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, operator, right) if type(operator) in COUNTED:
            yield ast.BinOp(left, COUNTED[type(operator)](), right)
        case ast.Constant(bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(int(value)):
            yield ast.Constant(value + 1)
        case ast.Call(ast.Name(name), arguments, named) if name in NAMED:
            yield ast.Call(ast.Name(NAMED[name]), arguments, named)
        case ast.Call(function, [first, second, *rest], named):
            if not any(isinstance(one, ast.Starred) for one in (first, second)):
                yield ast.Call(function, [second, first, *rest], named)
        case ast.Expr(ast.Constant()):  # a docstring
            pass
        case ast.Expr() | ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break():
            yield ast.Pass()


def places(tree: ast.Module) -> list[tuple[ast.AST, ast.AST]]:
    """Every node that can be another, with that."""
    return [(node, new) for node in ast.walk(tree) for new in variants(node)]


def fault(path: str, source: str, number: int) -> Fault:
    """The change at the ``number``-th of the :func:`places` of a file."""
    tree = ast.parse(source)
    old, new = places(tree)[number]

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    before = ast.unparse(old)
    changed = ast.unparse(ast.fix_missing_locations(Put().visit(tree)))
    return Fault(path, old.lineno, before, ast.unparse(new), changed)


def chosen(root: Path, seed: int) -> Iterator[Fault]:
    """Faults in an order drawn at random, each once: a group of modules, a file of it, a place in that."""
    rng = random.Random(seed)
    groups = [sorted(path for one in of.split() for path in root.glob(one)) for of in TARGETS]
    sources = {path: path.read_text(encoding="utf-8") for group in groups for path in group}
    left = {path: list(range(len(places(ast.parse(source))))) for path, source in sources.items()}
    while groups := [there for group in groups if (there := [path for path in group if left[path]])]:
        path = rng.choice(rng.choice(groups))
        number = left[path].pop(rng.randrange(len(left[path])))
        yield fault(path.relative_to(root).as_posix(), sources[path], number)


def tests_of(root: Path, path: str) -> list[str]:
    """The test files of a module, those of its own name first."""
    package, name = Path(path).parent.name, Path(path).stem
    patterns = next(of for group, of in TARGETS.items() if any(fnmatch(path, one) for one in group.split()))
    found = [file.name for pattern in patterns for file in sorted((root / "tests").glob(pattern))]
    own = (f"test_{package}_{name}", f"test_{name}")
    return sorted(dict.fromkeys(found), key=lambda file: not file.removesuffix(".py").startswith(own))


def run(root: Path, tests: list[str], *options: str) -> subprocess.CompletedProcess:
    """Raises TimeoutExpired."""
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rfE", "--tb=no", *options]
    command += [f"tests/{name}" for name in tests]
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )


def failing(root: Path, tests: list[str]) -> list[str]:
    """The tests that fail without any fault, which can see none."""
    lines = run(root, tests).stdout.splitlines()
    return [line.split(" - ")[0].split(" ", 1)[1] for line in lines if line.startswith(("FAILED ", "ERROR "))]


def outcome(root: Path, tests: list[str], left_out: list[str]) -> str:
    """``killed``, or ``survived`` where all tests pass but those left out."""
    try:
        done = run(root, tests, "-x", *(f"--deselect={name}" for name in left_out))
    except subprocess.TimeoutExpired:
        return "killed"
    return "killed" if done.returncode else "survived"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=100, help="faults in all, earlier ones included")
    parser.add_argument("--seed", type=int, default=0, help="another seed draws other faults")
    parser.add_argument("--again", action="store_true", help="try once more what survived, for new tests")
    options = parser.parse_args()
    NOTE.parent.mkdir(exist_ok=True)
    lines = NOTE.read_text(encoding="utf-8").splitlines() if NOTE.exists() else []
    known = {(one := json.loads(line))["key"]: one for line in lines}
    known = {key: one for key, one in known.items() if not options.again or one["outcome"] == "killed"}
    tried, left_out = [], {}
    with tempfile.TemporaryDirectory() as folder, NOTE.open("a", encoding="utf-8") as note:
        root = Path(folder)
        archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=root, input=archive, check=True)
        for number, fault in zip(range(options.limit), chosen(root, options.seed), strict=False):
            if fault.key not in known:
                tests, file = tests_of(root, fault.path), root / fault.path
                if (group := frozenset(tests)) not in left_out:
                    left_out[group] = failing(root, tests)
                    for name in left_out[group]:
                        print(f"     left out, fails without a fault: {name}", flush=True)
                whole = file.read_text(encoding="utf-8")
                file.write_text(fault.source, encoding="utf-8")
                found = {**vars(fault), "key": fault.key, "outcome": outcome(root, tests, left_out[group])}
                file.write_text(whole, encoding="utf-8")
                del found["source"]
                known[fault.key] = found
                print(json.dumps(found), file=note, flush=True)
            one = known[fault.key]
            tried.append(one)
            print(f"{number + 1:4} {one['outcome']:8} {fault.path}:{fault.line}", flush=True)
    survivors = [one for one in tried if one["outcome"] == "survived"]
    print(f"{len(tried) - len(survivors)} of {len(tried)} faults were seen by the tests")
    for one in survivors:
        print(f"{one['path']}:{one['line']}\n  before: {one['before']}\n  after:  {one['after']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
