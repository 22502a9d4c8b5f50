"""The files that pages on a reader's own data work on, and what such a page shows of them."""

import re
from functools import partial
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from small_study import page

from benchlib import evaluate
from benchlib.ontology import fold_name
from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import Scoring
from study import tables
from study.chapters.parameters import checked, defaults_of
from study.corpora import load
from study.pages import own_files, show
from study.places import ROOT
from study.systems import CosinesLinker
from study.systems.cosines.own_list import LEAST, read_mentions, read_names

NOTEBOOK = ROOT / "notebooks" / "cosines_own.ipynb"
side_by_side = partial(page, ROOT, "side_by_side")


def predictions_page(**given):
    return checked(given, defaults_of(NOTEBOOK.with_name("score_your_own.ipynb")))


def test_without_predictions_an_example_is_made(tmp_path):
    benchmark, files = own_files.predictions_files(predictions_page(), tmp_path)
    assert benchmark.name == "mini"
    assert list(files) == ["predictions", "predictions_dev", "against", "against_dev"]
    first = evaluate(files["predictions"], benchmark, dev_predictions=files["predictions_dev"])
    assert first.threshold is not None and first.nil is not None
    assert own_files.head(files["predictions"], 1).count("document") == 1
    assert own_files.head(files["predictions"], 2).count("\n") == 3


def test_predictions_that_are_given_are_taken(tmp_path):
    given = predictions_page(predictions="p.jsonl", against="q.jsonl")
    benchmark, files = own_files.predictions_files(given, tmp_path)
    assert files == {"predictions": "p.jsonl", "against": "q.jsonl"} and not list(tmp_path.iterdir())


def test_what_would_be_ignored_of_ones_own_is_refused(tmp_path):
    mini = {"scale": "mini"}
    ignored = "scale is 'mini', the embedded corpus: {} would be ignored; expected scale 'open'"
    for given, told in (
        (mini | {"predictions": "p.jsonl"}, ignored.format("predictions")),
        (mini | {"dataset": "ncbi-disease", "against": "q.jsonl"}, ignored.format("dataset, against")),
        (mini | {"ontology": "n.tsv", "train": "train.txt"}, ignored.format("ontology, train")),
        (
            {"against": "q.jsonl", "predictions_dev": "d.jsonl"},
            "predictions_dev, against without predictions",
        ),
        ({"dataset": "own.txt", "ontology": "names.tsv"}, "dataset, ontology without predictions"),
        ({"train": "train.txt"}, "train without predictions"),
        ({"scale": "paper"}, "scale without predictions"),
    ):
        with pytest.raises(ValueError, match=told):
            own_files.predictions_files(predictions_page(**given), tmp_path)
    for given, told in (
        (mini | {"names": "n.csv", "mentions": "m.csv"}, ignored.format("names, mentions")),
        ({"names": "x.csv"}, r"expected names and mentions, found 'x\.csv' and ''"),
        ({"mentions": "x.csv"}, r"expected names and mentions, found '' and 'x\.csv'"),
    ):
        with pytest.raises(ValueError, match=told):
            own_files.list_files(list_page(**given))
    with pytest.raises(ValueError, match=ignored.format("dataset, predictions, types")):
        side_by_side(scale="mini", dataset="own.txt", predictions="p.jsonl", types=["Disease"])
    assert not list(tmp_path.iterdir())
    assert [data.name for data in side_by_side(scale="mini", dataset="mini").plan.data] == ["mini"]


def list_page(**given):
    return checked({"epochs": 2, "layers": 3} | given, defaults_of(NOTEBOOK))


def test_a_predictions_file_stands_beside_the_records_of_a_page(tmp_path):
    mini = load("mini")
    mentions = [(document.id, mention) for document, mention in mini.test.mentions()]
    rows = [
        {"document": id, "start": one.start, "end": one.end, "score": 1, "ids": sorted(one.gold.ids)[:1]}
        for id, one in mentions
    ]
    path = tmp_path / "mine.jsonl"
    pd.DataFrame(rows).to_json(path, orient="records", lines=True)
    [runs] = own_files.user_system(side_by_side(dataset="mini", scale="open", predictions=str(path)))
    assert (runs.label, runs.data, runs.made, runs.train) == ("yours", "mini", True, True)
    assert runs.credits(1, Scoring()).mean() == 1  # every answer is the gold's
    assert len(runs.kinds.strata) == len(mentions)
    table = tables.accuracy([runs], Scoring(), (1,))
    assert table["@1"].tolist() == ["100.0 [100.0, 100.0]"]
    assert own_files.user_system(side_by_side()) == []
    with pytest.raises(ValueError, match="expected in `dataset` the data set that they answer, found 'all'"):
        own_files.user_system(side_by_side(predictions=str(path)))
    path.write_text("{}\n")
    with pytest.raises(ValueError, match="mine.jsonl:1"):
        own_files.user_system(side_by_side(dataset="mini", predictions=str(path)))


def test_without_lists_and_at_scale_mini_the_embedded_corpus_is_the_example():
    linkers = []
    for asked in (list_page(), list_page(scale="mini")):
        names, mentions, linker = own_files.list_files(asked)
        linkers.append(linker)
        found, mini = read_mentions(mentions, read_names(names)), load("mini")
        assert found.ontology.owners() == mini.ontology.owners()
        assert found.dev.n_mentions >= LEAST
        golds = {}
        for _, m in mini.train.mentions():
            if len(m.gold.parts) < 2:
                golds.setdefault(fold_name(m.text), set()).update(m.gold.ids or {"NIL"})
        # Strings of one concept, and each once whatever its case.
        labelled = {(text, *of) for text, of in golds.items() if len(of) == 1}
        assert 0 < len(labelled) < len(golds)
        every = [m for split in ("train", "dev") for _, m in found.split(split).mentions()]
        dealt = [(fold_name(m.text), m.gold.printed) for m in every]
        assert set(dealt) == labelled and len(dealt) == len(labelled)
        free = {m.text for _, m in mini.test.mentions() if len(m.gold.parts) < 2}
        assert {m.text for _, m in found.test.mentions()} == free
    # One layer, and each page its own, which it may train.
    assert linkers[0] == linkers[1] and linkers[0] is not linkers[1] and linkers[0].layers == 1


def test_lists_that_are_given_are_taken_with_the_settings_of_the_page():
    names, mentions, linker = own_files.list_files(list_page(names="n.csv", mentions="m.csv"))
    assert (names, mentions) == (Path("n.csv"), Path("m.csv"))
    assert linker == CosinesLinker(epochs=2, layers=3) and linker.pooling == "cls"


def test_cosines_that_are_all_alike_are_warned_of():
    def linked(scores, names=2):
        queries = tuple(Query(str(i), 0, 1) for i in range(len(scores)))
        candidates = tuple(Candidate(str(i), (str(i),)) for i in range(names))
        return Predictions(queries, candidates, np.zeros((len(scores), 1)), np.reshape(scores, (-1, 1)))

    alike = own_files.collapse_warning(linked([0.99]), linked([0.995, 0.9875]))
    assert alike.startswith("WARNING: ALL COSINES ARE ALIKE, from 0.9875 to 0.9950.")
    assert own_files.collapse_warning(linked([0.99]), linked([0.97])) == ""
    assert own_files.collapse_warning(linked([]), linked([])) == ""
    assert own_files.collapse_warning(linked([0.99], names=1), linked([])) == ""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the page shows of two small files, run cell by cell in a folder of its own, but for its stamp."""
    folder, texts = tmp_path_factory.mktemp("page"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(show, "display", lambda data, **_: texts.append(data["text/markdown"]))
        Path("n.csv").write_text("id,name\n1,Apache Tomcat\n1,Tomcat\n2,MySQL\n3,Db2\n")
        labelled = "tomcat server,1\nmy sql,2\nibm db2,3\nsql server,NIL\nmysql 5,2\nMySQL 5,2\n"
        Path("m.csv").write_text(f"mention,id\n{labelled}tomcat 9,\nDB2,\n")
        cells = [cell.source for cell in nbformat.read(NOTEBOOK, 4).cells if cell.cell_type == "code"]
        namespace = {}
        exec(cells[0], namespace)
        namespace |= {"names": "n.csv", "mentions": "m.csv", "epochs": 1, "layers": 1, "out": "made"}
        for source in cells[1:-1]:
            exec(source, namespace)
    return folder, "\n".join(texts)


def test_the_page_shows_what_was_read_and_made_of_own_files(shown):
    folder, text = shown
    assert "| labelled strings, learned from | 4 |" in text and "| labelled strings, held out | 1 |" in text
    assert "1 labelled rows repeat a string" in text
    # The one held out is MySQL, which TF-IDF finds too.
    assert text.count("| trained on your list |") == text.count("| untrained MiniLM |") == 1
    assert any(line.startswith("| TF-IDF, char 2-4 in words | 100.0") for line in text.splitlines())
    assert "No threshold: 1 labelled mentions were held out" in text
    assert "0 of 2 mentions are answered." in text
    table = pd.read_csv(folder / "made" / "standardised.csv")
    assert table["mention"].tolist() == ["tomcat 9", "DB2"] and table["id"].tolist()[1] == 3
    assert not list((folder / "made").glob(".*"))


def test_the_lines_that_use_the_result_again_run_as_they_are_shown(shown, monkeypatch):
    folder, text = shown
    monkeypatch.chdir(folder)
    [code] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    Path("new.csv").write_text("mention\nApache TOMCAT\n")
    lines, namespace = code.strip().splitlines(), {}
    exec("\n".join(lines[:-1]), namespace)
    table = eval(lines[-1], namespace)
    assert table["id"].tolist() == ["1"] and table["answered"].tolist() == ["no"]
