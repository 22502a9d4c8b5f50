"""What is loaded: no torch for lists, plans, claims and pages, and of each part only what it needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
REFUSE = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "transformers"):
            raise ImportError(f"{name} is refused")

sys.meta_path.insert(0, Refuse())
"""
CLAIMS = "from study.claims.answers import of_chapter; assert of_chapter('cosines')"


def python(source: str) -> subprocess.CompletedProcess:
    """Python run in the repository on a source."""
    command = [sys.executable, "-c", source]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def page_source(name: str) -> str:
    """The code cells of a notebook with its default parameters but ``compute``."""
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    given = '# Parameters\ncompute = "never"\n'
    return "\n".join([code[0], given, f"In = {['', code[0], given]!r}", *code[1:]])


def test_torch_is_refused():
    source = "import benchlib.losses\nbenchlib.losses.info_nce_loss"
    assert "torch is refused" in python(REFUSE + source).stderr


@pytest.mark.parametrize(
    "source",
    [
        "from study.chapters.run import main; assert main(['cosines', '--list']) == 0",
        "from study.chapters.run import main; assert main(['--plan']) == 0",
        CLAIMS,
        page_source("side_by_side"),
    ],
    ids=["list", "plan", "claims", "page"],
)
def test_what_computes_nothing_loads_no_torch(source):
    done = python(REFUSE + source)
    assert done.returncode == 0, done.stderr


PACKAGE = """
import types, benchlib
assert not {"torch", "pandas"} & set(sys.modules)
import benchlib.evaluation, benchlib.command
from benchlib import Concept, Corpus, Document, Mention, Ontology, Predictions, Scoring
benchlib.link(["Flu"], Ontology("o", [Concept("X1", ("flu",))]), "exact")
assert isinstance(benchlib.link, types.FunctionType) and isinstance(benchlib.evaluate, types.FunctionType)
"""
ASKING = """
from study.measurements import measurement_inputs
from study.records import Store, strata_inputs
assert not Store("nowhere").has(strata_inputs("bc2gn"))
assert not Store("nowhere").has(measurement_inputs("inference", "bc2gn"))
"""
ALL_MODULES = """
import importlib, pkgutil, benchlib
for module in pkgutil.walk_packages(benchlib.__path__, "benchlib."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert "torch" in sys.modules
"""
NOT_IN_THE_LIBRARY = "study matplotlib seaborn papermill IPython nbformat joblib dask"


@pytest.mark.parametrize(
    ("source", "unneeded"),
    [(PACKAGE, "torch"), (ASKING, "torch pandas scipy pyarrow"), (ALL_MODULES, NOT_IN_THE_LIBRARY)],
    ids=["package", "asking for records", "all of the library"],
)
def test_only_what_is_needed_is_loaded(source, unneeded):
    done = python(f"import sys\n{source}\nprint(*{{name.partition('.')[0] for name in sys.modules}})")
    assert done.returncode == 0, done.stderr
    assert "benchlib" in (found := done.stdout.split()) and not {*unneeded.split()} & {*found}
