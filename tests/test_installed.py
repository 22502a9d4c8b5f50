"""Installed without ``-e``, the library has the registry and the embedded corpus."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from study.corpora import MINI_FINGERPRINT, registry

ROOT = Path(__file__).resolve().parent.parent
ASKED = """
import benchlib
from study.corpora import data_folder, load, registry
print(benchlib.__file__, data_folder(), load("mini").fingerprint(), *sorted(registry.benchmarks()), sep="\\n")
print(*(source.id for source in registry.sources()), sep="\\n")
"""


def test_a_wheel_carries_the_registry_and_the_embedded_corpus(tmp_path):
    pytest.importorskip("setuptools")
    source, site = tmp_path / "source", tmp_path / "site"
    source.mkdir()
    for name in ("benchlib", "study", "data/registry", "data/mini"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md"):
        shutil.copy(ROOT / name, source / name)
    build = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation", "--quiet"]
    done = subprocess.run(
        [*build, "-w", str(tmp_path)], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    environment = {name: value for name, value in os.environ.items() if name != "BENCHLIB_DATA"}
    environment |= {"PYTHONPATH": str(site), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    module, corpora, mini, *ids = done.stdout.split()
    assert Path(module).is_relative_to(site) and not Path(corpora).is_relative_to(site)
    assert mini == MINI_FINGERPRINT
    assert ids == [*sorted(registry.benchmarks()), *(source.id for source in registry.sources())]
