"""Every page runs at scale mini, from no record at all, and shows all that it should."""

import shutil
from pathlib import Path

import pytest

from study.book.pages import papermill
from study.chapters.parameters import defaults_of

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """The study without its records; pages that ask for the same record share it."""
    root = tmp_path_factory.mktemp("checkout")
    for name, left_out in (("benchlib", "__pycache__"), ("study", "__pycache__"), ("data", "records")):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns(left_out))
    shutil.copytree(ROOT / "notebooks", root / "notebooks")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(root))
        yield root


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_page_runs_on_the_embedded_corpus_and_shows_all_that_it_should(notebook, checkout, encoder):
    given = {"scale": "mini", "encoder": encoder} if "encoder" in defaults_of(notebook) else {"scale": "mini"}
    executed = checkout / "_build" / "mini" / notebook.name
    error, expected, got = papermill(checkout / "notebooks" / notebook.name, executed, checkout, given)
    assert error == "" and 0 < expected == got
