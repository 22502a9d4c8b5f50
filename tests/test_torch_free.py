"""What computes nothing loads neither torch nor transformers: lists, plans, claims and pages."""

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


def refusing(source: str) -> subprocess.CompletedProcess:
    """Python run in the repository on a source, with both packages refused."""
    command = [sys.executable, "-c", REFUSE + source]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def page_source(name: str) -> str:
    """The code cells of a notebook with its default parameters but ``compute``."""
    cells = json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    given = '# Parameters\ncompute = "never"\n'
    return "\n".join([code[0], given, f"In = {['', code[0], given]!r}", *code[1:]])


def test_torch_is_refused():
    assert "torch is refused" in refusing("import benchlib.losses\nbenchlib.losses.info_nce_loss").stderr


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
    done = refusing(source)
    assert done.returncode == 0, done.stderr
