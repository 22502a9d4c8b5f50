"""Installed without ``-e``, both packages have their data, their programs and what the README shows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from study.corpora import MINI_FINGERPRINT, registry

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
[DICTIONARY] = re.findall(r"^```text\n(.*?)^```", README, re.M | re.S)
EXAMPLES = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
ASKED = """
import benchlib
from study.corpora import data_folder, load, registry
print(benchlib.__file__, data_folder(), load("mini").fingerprint(), *sorted(registry.benchmarks()), sep="\\n")
print(*(source.id for source in registry.sources()), sep="\\n")
"""


def run(command: list[str], cwd: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that a wheel is installed into, a folder outside the checkout, and how to run there."""
    pytest.importorskip("setuptools")
    folder = tmp_path_factory.mktemp("installed")
    source, site = folder / "source", folder / "site"
    source.mkdir()
    for name in ("benchlib", "study", "data/registry", "data/mini"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md"):
        shutil.copy(ROOT / name, source / name)
    pip = [sys.executable, "-m", "pip"]
    run([*pip, "wheel", ".", "--no-deps", "--no-build-isolation", "--quiet", "-w", str(folder)], source)
    [wheel] = folder.glob("*.whl")
    run([*pip, "install", str(wheel), "--no-deps", "--no-index", "--quiet", "--target", str(site)], folder)
    environment = {name: value for name, value in os.environ.items() if name != "BENCHLIB_DATA"}
    return site, folder, environment | {"PYTHONPATH": str(site), "HOME": str(folder)}


def test_a_wheel_carries_the_registry_and_the_embedded_corpus(installed):
    site, *where = installed
    module, corpora, mini, *ids = run([sys.executable, "-c", ASKED], *where).split()
    assert Path(module).is_relative_to(site) and not Path(corpora).is_relative_to(site)
    assert mini == MINI_FINGERPRINT
    assert ids == [*sorted(registry.benchmarks()), *(source.id for source in registry.sources())]


def test_the_programs_are_there_and_know_the_registered_data_sets(installed):
    site, *where = installed
    link = [str(site / "bin" / "benchlib"), "link", "mini", "-o", "p.jsonl"]
    assert "linked: p.jsonl" in run(link, *where)
    as_module = [sys.executable, "-m", "benchlib.score"]
    printed = [run([*program, "p.jsonl", "--dataset", "mini"], *where)
               for program in ([str(site / "bin" / "benchlib"), "score"], as_module)]  # fmt: skip
    assert "krissbert" in printed[0] and printed[0] == printed[1]
    assert "usage: study data" in run([str(site / "bin" / "study"), "data", "--help"], *where)


RESULTS = """
assert explained["ids"].tolist() == [("D2",), ("D1",), ("D1",), ("D1",)]
assert linked["ids"].tolist() == [("D2",), ("D1",)]
assert gain["value"].notna().any()
assert answers["document"].eq("0").all() and len(answers) == 6
assert answers["ids"].iloc[0] == ("D3",)
"""


def test_the_examples_of_the_readme_run_outside_the_checkout(installed):
    _, folder, environment = installed
    (folder / "dictionary.tsv").write_text(DICTIONARY, encoding="utf-8")
    assert [len(example.split("\n\n")[1].splitlines()) <= 3 for example in EXAMPLES] == [True] * 4
    source = "\n".join([*EXAMPLES, RESULTS])
    assert "krissbert" in run([sys.executable, "-c", source], folder, environment)
