"""A predictions file scored from the command line gives what the library gives."""

import json
import re

import pandas as pd
import pytest
from toy import DEV_TELLS

from benchlib.datasets import load
from benchlib.linkers import ExactLinker, TfidfLinker
from benchlib.readers.predictions_writing import write_predictions
from benchlib.score import main, score
from benchlib.scoring import PRESETS, Scoring, choose_threshold, outcomes, recall


def linked(system, split: str):
    mini = load("mini")
    return system.fit(mini.visible()).link(mini.split(split).hidden().documents, 10)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("predictions"), {}
    for system in (ExactLinker(), TfidfLinker()):
        for split in ("test", "dev"):
            made[system.name, split] = folder / f"{system.name}.{split}.jsonl"
            write_predictions(linked(system, split), made[system.name, split])
    return made


def value(rows, **keys) -> float:
    [row] = [row for row in rows if all(row[name] == key for name, key in keys.items())]
    return row["value"]


def test_a_file_scores_as_the_predictions_it_was_written_from(files):
    mini = load("mini")
    found = score(files["tfidf", "test"], mini)
    direct = outcomes(linked(TfidfLinker(), "test"), mini.test, mini.ontology)
    for scoring in (Scoring("strict", "names"), Scoring("lenient", "names"), Scoring()):
        expected = recall(direct, 1, scoring).mean()
        assert value(found["grid"], measure="recall@1", scoring=str(scoring)) == pytest.approx(
            expected, abs=1e-6
        )
    expected = recall(direct, 1, Scoring()).mean()
    assert value(found["published"], protocol="krissbert", measure="recall@1") == pytest.approx(
        expected, abs=1e-6
    )
    assert value(found["kinds"], kind="all") == pytest.approx(expected, abs=1e-6)
    dropped = sum(found["counts"]["dropped"].values())
    assert found["counts"]["n_raw"] == found["counts"]["n_scored"] + dropped


def test_dev_counts_as_seen(tmp_path):
    predictions = TfidfLinker().fit(DEV_TELLS.visible()).link(DEV_TELLS.test.hidden().documents)
    write_predictions(predictions, tmp_path / "p.jsonl")
    rows = score(tmp_path / "p.jsonl", DEV_TELLS)["kinds"]
    # Of four strings two stand in train or dev, one in train; of their concepts likewise.
    seen = {row["kind"]: row["n"] for row in rows if row["is"] == "yes"}
    assert (seen["seen name"], seen["seen concept"], seen["refined"]) == (2, 2, 2)


def test_the_threshold_of_nil_is_that_of_dev(files):
    mini = load("mini")
    without = score(files["tfidf", "test"], mini)
    assert without["nil"]["n_nil"] == without["counts"]["dropped"]["nil"]
    assert "threshold" not in without["nil"]
    assert {row["protocol"] for row in without["published"]} == set(PRESETS) - {"pel-with-nil"}
    found = score(files["tfidf", "test"], mini, dev=files["tfidf", "dev"])
    dev = outcomes(linked(TfidfLinker(), "dev"), mini.dev, mini.ontology)
    assert found["nil"]["threshold"] == pytest.approx(choose_threshold(dev.top_scores, dev.is_nil), abs=1e-6)
    assert {row["protocol"] for row in found["published"]} == set(PRESETS)


def test_the_command_prints_compares_and_writes(files, tmp_path, capsys):
    first, second = files["tfidf", "test"], files["exact", "test"]
    arguments = [str(first), "--dataset", "mini", "--against", str(second)]
    assert main([*arguments, "--json", str(tmp_path / "s.json"), "--csv", str(tmp_path / "s.csv")]) == 0
    printed = capsys.readouterr()
    assert all(word in printed.out for word in ("strict/names/any-of", "biosyn-sapbert", "p_holm", "NIL:"))
    # Exact match leaves mentions without an answer, which is said; and mini is no finding.
    assert "warning:" in printed.err and "note: synthetic" in printed.err
    content = json.loads((tmp_path / "s.json").read_text(), parse_constant=pytest.fail)
    assert len(pd.read_csv(tmp_path / "s.csv")) == len(content["grid"]) + len(content["published"])
    ahead = value(content["against"], protocol="krissbert")
    values = [value(score(path, load("mini"))["published"], protocol="krissbert", measure="recall@1")
              for path in (first, second)]  # fmt: skip
    assert ahead == pytest.approx(values[0] - values[1], abs=1e-5)


def test_a_linker_that_ranks_ids_and_one_that_answers_once_are_scored(tmp_path):
    mini = load("mini")
    mentions = [(d.id, m) for d, m in mini.test.mentions() if not m.gold.nil]
    for columns in (["name"], ["ids"], ["name", "ids"]):
        rows = []
        for document, m in mentions:
            id = sorted(m.gold.parts[0])[0]
            name = mini.ontology.concepts[id].names[0]
            row = {"document": document, "start": m.start, "end": m.end, "name": name, "ids": [id]}
            rows.append({key: row[key] for key in ("document", "start", "end", *columns)})
        path = tmp_path / f"{'-'.join(columns)}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        found = score(path, mini)
        expected = 1.0 if "ids" in columns else pytest.approx(1.0, abs=0.35)
        assert value(found["published"], protocol="krissbert", measure="recall@1") == expected
        assert value(found["published"], protocol="biosyn-sapbert", measure="recall@1") == 1.0


def test_a_file_that_cannot_be_scored_is_one_clear_line(tmp_path, capsys):
    (tmp_path / "p.tsv").write_text("document\tstart\tend\tname\n1\tx\t3\tflu\n")
    assert main([str(tmp_path / "p.tsv"), "--dataset", "mini"]) == 1
    note, error = capsys.readouterr().err.splitlines()
    assert note.startswith("note: synthetic") and error.startswith(f"not scored: {tmp_path / 'p.tsv'}:2:")
    assert main([str(tmp_path / "none.tsv"), "--dataset", "mini"]) == 1
    assert main([str(tmp_path / "p.tsv"), "--dataset", "nowhere"]) == 1
    assert "no data set 'nowhere'" in capsys.readouterr().err


def test_an_own_corpus_is_scored_by_its_path_and_its_oddities_are_said(tmp_path, capsys):
    corpus = "1|t|Flu and\n1|a|a cold.\n1\t0\t3\tFlu\tD\tX1\n1\t10\t14\tcold\tD\tX2\n1\t4\t7\tand\tD\tX9\n"
    (tmp_path / "own.pubtator").write_text(corpus)
    (tmp_path / "names.tsv").write_text("X1\tflu\nX2\tcold\tchill\n")
    rows = [(0, 3, "flu", "X1"), (10, 14, "flu", "X1"), (10, 14, "chill", "X2"), (4, 7, "flu", "X7")]
    lines = [f"1\t{a}\t{b}\t{name}\t{id}\t{-i}" for i, (a, b, name, id) in enumerate(rows)]
    predictions = tmp_path / "p.tsv"
    predictions.write_text("\n".join(["document\tstart\tend\tname\tids\tscore", *lines]) + "\n")
    named = ["--dataset", str(tmp_path / "own.pubtator"), "--ontology", str(tmp_path / "names.tsv")]
    assert main([str(predictions), *named, "--json", str(tmp_path / "s.json")]) == 0
    said = capsys.readouterr().err
    assert "1 gold ids of own.pubtator are not in names.tsv: X9 (document 1)" in said
    assert re.search(r"p\.tsv: 1 rows with ids outside \S+: 5 \(X7\)", said)
    found = json.loads((tmp_path / "s.json").read_text())
    # Of three mentions one is right at once, one at the second place, one has no concept in the dictionary.
    assert value(found["published"], protocol="krissbert", measure="recall@1") == pytest.approx(
        1 / 3, abs=1e-6
    )
    assert value(found["published"], protocol="dual-encoder", measure="mrr") == pytest.approx(
        1.5 / 3, abs=1e-6
    )
    assert value(found["published"], protocol="biocom", measure="recall@1") == pytest.approx(1 / 2, abs=1e-6)
    kind = {(row["kind"], row["is"]): row for row in found["kinds"]}["all", ""]
    assert (kind["not_listed"], kind["misranked"]) == (pytest.approx(1 / 3, abs=1e-6),) * 2
