"""A predictions file scored from the command line gives what the library gives."""

import json

import pandas as pd
import pytest

from benchlib.datasets import load
from benchlib.linkers import ExactLinker, TfidfLinker
from benchlib.readers.predictions_writing import write_predictions
from benchlib.score import main, score
from benchlib.scoring import Scoring, outcomes, recall


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, mini = tmp_path_factory.mktemp("predictions"), load("mini")
    made = {}
    for system in (ExactLinker(), TfidfLinker()):
        predictions = system.fit(mini.visible()).link(mini.test.hidden().documents, 10)
        made[system.name] = folder / f"{system.name}.jsonl"
        write_predictions(predictions, made[system.name])
    return made


def accuracy(found, scoring: Scoring) -> float:
    [entry] = [m for m in found.metrics if (m["measure"], m["scoring"]) == ("recall@1", str(scoring))]
    return entry["value"]


def test_a_file_scores_as_the_predictions_it_was_written_from(files):
    mini = load("mini")
    found = score(files["tfidf-char-1-2"], mini)
    predictions = TfidfLinker().fit(mini.visible()).link(mini.test.hidden().documents, 10)
    for scoring in (Scoring("strict", "names"), Scoring("lenient", "names"), Scoring()):
        expected = recall(outcomes(predictions, mini.test, mini.ontology), 1, scoring).mean()
        assert accuracy(found, scoring) == pytest.approx(expected, abs=1e-6)
    dropped = sum(found.counts["dropped"].values())
    assert found.counts["n_raw"] == found.counts["n_scored"] + dropped


def test_the_command_prints_compares_and_writes(files, tmp_path, capsys):
    arguments = [str(files["tfidf-char-1-2"]), "--dataset", "mini", "--against", str(files["exact"])]
    assert main([*arguments, "--json", str(tmp_path / "s.json"), "--csv", str(tmp_path / "s.csv")]) == 0
    printed = capsys.readouterr()
    assert "strict/names/any-of" in printed.out and "p = " in printed.out and "could resolve" in printed.out
    # Exact match leaves mentions without an answer, which is said.
    assert "warning:" in printed.err
    content = json.loads((tmp_path / "s.json").read_text())
    assert len(pd.read_csv(tmp_path / "s.csv")) == len(content["metrics"]) == 66
    ahead = content["comparison"]["difference"]["value"]
    values = {name: accuracy(score(path, load("mini")), Scoring()) for name, path in files.items()}
    assert ahead == pytest.approx(values["tfidf-char-1-2"] - values["exact"], abs=1e-5)


def test_a_file_that_cannot_be_scored_is_one_clear_line(tmp_path, capsys):
    (tmp_path / "p.tsv").write_text("document\tstart\tend\tname\n1\tx\t3\tflu\n")
    assert main([str(tmp_path / "p.tsv"), "--dataset", "mini"]) == 1
    assert capsys.readouterr().err.startswith(f"not scored: {tmp_path / 'p.tsv'}:2:")
    assert main([str(tmp_path / "none.tsv"), "--dataset", "mini"]) == 1
    assert main([str(tmp_path / "p.tsv"), "--dataset", "nowhere"]) == 1
    assert "no data set 'nowhere'" in capsys.readouterr().err
