"""Where the real data lies, for the tests that need it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The mirror of the real corpora; tests on real data are skipped by name without it."""
    folder = Path(os.environ.get("BENCHLIB_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "ncbi_disease").is_dir():
        pytest.skip(f"real corpora are not in {folder.name}: set BENCHLIB_DATA or run `make data`")
    return folder
