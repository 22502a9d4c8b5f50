"""The page that standardises a reader's own list: own files, the example, and the lines it shows."""

import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest

from benchlib.datasets import load
from benchlib.linkers import resumable
from benchlib.report import show
from benchlib.report.own_list import EXAMPLE, inputs
from benchlib.standardize import LEAST, read_mentions, read_names

NOTEBOOK = Path(__file__).resolve().parent.parent / "notebooks" / "cosines_own.ipynb"


def page(**given):
    return SimpleNamespace(**{"scale": "open", "names": "", "mentions": "", "epochs": 2, "layers": 3} | given)


def test_without_files_and_at_scale_mini_the_embedded_corpus_is_the_example(tmp_path):
    for asked in (page(), page(scale="mini", names="n.csv", mentions="m.csv")):
        names, mentions, linker = inputs(asked, tmp_path)
        assert linker == EXAMPLE and linker is not EXAMPLE
        found, mini = read_mentions(mentions, read_names(names)), load("mini")
        assert found.ontology.owners() == mini.ontology.owners()
        assert found.dev.n_mentions >= LEAST
        labelled = {
            (m.text, gold)
            for _, m in mini.train.mentions()
            for gold in (m.gold.ids or {"NIL"})
            if len(m.gold.parts) < 2
        }
        dealt = [(m.text, m.gold.printed) for s in ("train", "dev") for _, m in found.split(s).mentions()]
        assert set(dealt) == labelled and len(dealt) == len(labelled)
        free = {m.text for _, m in mini.test.mentions() if len(m.gold.parts) < 2}
        assert {m.text for _, m in found.test.mentions()} == free


def test_own_files_are_taken_with_the_settings_of_the_page(tmp_path):
    names, mentions, linker = inputs(page(names="n.csv", mentions="m.csv"), tmp_path)
    assert (names, mentions) == (Path("n.csv"), Path("m.csv"))
    assert (linker.epochs, linker.layers, linker.pooling) == (2, 3, "cls")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("given", ["names", "mentions"])
def test_one_file_without_the_other_is_refused(tmp_path, given):
    with pytest.raises(ValueError, match=r"expected names and mentions.*x\.csv"):
        inputs(page(**{given: "x.csv"}), tmp_path)


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """What the page shows of two small files, run cell by cell in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(resumable, "TRAININGS", tmp_path / "trainings")
    texts = []
    monkeypatch.setattr(show, "display", lambda data, **_: texts.append(data["text/markdown"]))
    Path("n.csv").write_text("id,name\n1,Apache Tomcat\n1,Tomcat\n2,MySQL\n3,Db2\n")
    labelled = "tomcat server,1\nmy sql,2\nibm db2,3\nsql server,NIL\nmysql 5,2\n"
    Path("m.csv").write_text(f"mention,id\n{labelled}tomcat 9,\nDB2,\n")
    cells = [cell.source for cell in nbformat.read(NOTEBOOK, 4).cells if cell.cell_type == "code"]
    namespace = {}
    exec(cells[0], namespace)
    namespace |= {"names": "n.csv", "mentions": "m.csv", "epochs": 1, "layers": 1, "out": "made"}
    for source in cells[1:]:
        exec(source, namespace)
    return texts


def test_the_page_shows_what_was_read_and_made_of_own_files(shown):
    text = "\n".join(shown)
    assert "| labelled mentions, learned from | 4 |" in text and "| labelled mentions, held out | 1 |" in text
    assert "No threshold: 1 labelled mentions were held out" in text
    assert "Of 2 mentions 0 are answered." in text
    table = pd.read_csv("made/standardised.csv")
    assert table["mention"].tolist() == ["tomcat 9", "DB2"] and table["id"].tolist()[1] == 3
    assert not list(Path("made").glob(".*"))


def test_the_lines_that_use_the_result_again_run_as_they_are_shown(shown):
    [code] = re.findall(r"```python\n(.*?)```", "\n".join(shown), re.DOTALL)
    Path("new.csv").write_text("mention\nApache TOMCAT\n")
    lines, namespace = code.strip().splitlines(), {}
    exec("\n".join(lines[:-1]), namespace)
    table = eval(lines[-1], namespace)
    assert table["id"].tolist() == ["1"] and table["answered"].tolist() == ["no"]
