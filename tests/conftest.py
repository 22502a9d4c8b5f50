"""What many tests need: the folder of the real data, and an encoder that is read in no time."""

import gzip
import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
if (beside := ROOT.parent / "shared" / "data").is_dir():
    os.environ.setdefault("BENCHLIB_DATA", str(beside))  # so that all tests read what the fixture names


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The mirror of the real corpora; tests on real data are skipped by name without it."""
    folder = Path(os.environ.get("BENCHLIB_DATA", ROOT / "corpora"))
    if not (folder / "ncbi_disease").is_dir():
        pytest.skip(f"real corpora are not in {folder.name}: set BENCHLIB_DATA or run `make data`")
    return folder


@pytest.fixture
def write(tmp_path):
    """Write a text under a name in a folder of the test, gzipped where the name ends so."""

    def write(name: str, text: str | bytes) -> Path:
        path, content = tmp_path / name, text if isinstance(text, bytes) else text.encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content) if name.lower().endswith(".gz") else content)
        return path

    return write


@pytest.fixture
def store(tmp_path):
    """A store of records in a folder of the test."""
    from study.records import Store

    return Store(tmp_path / "records")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """The study without its records, so that those made there go nowhere near the real ones; Python started
    by the tests of the module takes its packages."""
    root = tmp_path_factory.mktemp("checkout")
    for name in ("benchlib", "study", "notebooks", "data"):
        left_out = "records" if name == "data" else "__pycache__"
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns(left_out))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(root))
        yield root


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> str:
    """The folder of an untrained encoder of one layer, for a module of tests."""
    from tiny import tiny_encoder  # it imports PyTorch, which most tests do without

    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def backbone(encoder):
    """That encoder, loaded."""
    from benchlib.encoders import Backbone

    return Backbone.load(encoder)
