"""Runs in the exchange format: valid, and with the numbers of the record, worked out by hand."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from toy import BENCHMARK, ONTOLOGY

from benchlib.predictions import Candidate, Predictions, Query
from benchlib.scoring import outcomes
from study.chapters import export as command
from study.command import main as study
from study.places import ROOT
from study.records import Record, Store
from study.records.export import export
from study.records.pack import pack

INPUTS = {"name": "by-hand,k=2", "version": "1", "config": {"k": 2}, "dataset": "toy", "k": 2, "seed": 3}
INPUTS |= {"transforms": ["fold:1/5"], "fingerprint": "ab12", "split": "test"}
MADE = {"date": "2026-11-22T14:32:26+00:00", "commit": "6852", "versions": {"benchlib": "0.2.0"}}
NAMES = [("Cold", "D1"), ("cold", "D2"), ("low temperature", "D2"), ("Fever", "D3")]
LISTS = {  # the gold ties, is second, first, not listed, NIL, and a composite one
    ("3", 0, 4): {0: 0.5, 1: 0.5},
    ("3", 5, 10): {2: 0.9, 3: 0.25},
    ("3", 11, 15): {3: 0.75},
    ("4", 0, 7): {0: 0.125},
    ("4", 8, 15): {0: 0.125},
    ("4", 16, 26): {3: 1.0, 2: 0.5},
}  # fmt: skip
SAMPLES = [  # mention, score, answer, its score, rank, tied; the last one has no list
    ("0", 0.5, ["D1"], 0.5, 1, 2),
    ("1", 0, ["D2"], 0.9, 2, 1),
    ("2", 1, ["D3"], 0.75, 1, 1),
    ("3", 0, ["D1"], 0.125, None, None),
    ("5", 1, ["D3"], 1, 1, 1),
    ("6", 0, [], -np.inf, None, None),
]


def record_of(**inputs: object) -> Record:
    lists = [[*LISTS[query].items(), (-1, 0.0)][:2] for query in LISTS]
    index, scores = np.array(lists).transpose(2, 0, 1)
    candidates = [Candidate(name, (concept,)) for name, concept in NAMES]
    predictions = Predictions([Query(*query) for query in LISTS], candidates, index, scores)
    return Record.of_outcomes(INPUTS | inputs, MADE, outcomes(predictions, BENCHMARK.test, ONTOLOGY))


# What version 0.3.0 of the format says of the fields that are written here.
SCHEMA = json.loads((ROOT / "tests" / "data" / "every-eval-ever-0.3.0.json").read_text())


def read(folder: Path) -> tuple[dict, list[dict]]:
    """The scores and the samples of the only run in a folder, each valid."""
    (path,) = folder.rglob("*.json")
    scores = json.loads(path.read_text())
    jsonschema.validate(scores, SCHEMA["scores"])
    samples_path = folder / scores["detailed_evaluation_results"]["file_path"]
    assert samples_path == path.with_name(f"{path.stem}_samples.jsonl")
    samples = list(map(json.loads, samples_path.read_text().splitlines()))
    for sample in samples:
        jsonschema.validate(sample, SCHEMA["sample"])
    return scores, samples


def test_a_run_has_its_metrics_and_its_samples(tmp_path):
    record = record_of()
    export(record, tmp_path)
    scores, samples = read(tmp_path)
    assert len(scores["evaluation_results"]) == len(record.metrics) > 60
    for result, metric in zip(scores["evaluation_results"], record.metrics, strict=True):
        uncertainty = result["score_details"]["uncertainty"]
        interval = uncertainty["confidence_interval"]
        numbers = (result["score_details"]["score"], interval["lower"], interval["upper"])
        assert (*numbers, uncertainty["num_samples"]) == tuple(
            metric[name] for name in ("value", "low", "high", "n")
        )
        assert result["evaluation_result_id"] == f"{metric['measure']} {metric['scoring']}"
    # 2.5 of 6 mentions; the seventh is NIL.
    headline = {result["evaluation_result_id"]: result for result in scores["evaluation_results"]}
    of_samples = headline[samples[0]["evaluation_result_id"]]
    assert of_samples["score_details"]["score"] == pytest.approx(2.5 / 6, abs=1e-6)
    details = of_samples["source_data"]["additional_details"]
    assert details["n_scored"] == "6" and json.loads(details["dropped"]) == {"nil": 1}
    assert scores["detailed_evaluation_results"]["total_rows"] == 6
    assert scores["retrieved_timestamp"] == "1795357946.0"  # date -u -d 2026-11-22T14:32:26 +%s

    written = []
    for sample in samples:
        of, evaluation = sample["metadata"], sample["evaluation"]
        assert evaluation["is_correct"] == (evaluation["score"] == 1)
        places = [int(of[name]) if name in of else None for name in ("rank", "tied")]
        answer = (sample["output"]["raw"], float(of["top_score"]))
        written.append((sample["sample_id"], evaluation["score"], *answer, *places))
        assert (sample["evaluation_id"], sample["model_id"]) == (record.key, scores["model_info"]["id"])
    assert written == SAMPLES
    clusters = [sample["metadata"]["cluster"] for sample in samples]
    assert clusters[:3] == clusters[:1] * 3 != clusters[3:] == clusters[3:4] * 3


def test_no_text_of_the_corpus_is_written(tmp_path):
    export(record_of(), tmp_path)
    written = "".join(path.read_text() for path in tmp_path.rglob("*.json*"))
    strings = {mention.text for _, mention in BENCHMARK.test.mentions()} | {name for name, _ in NAMES}
    assert [string for string in strings if string in written] == []


def test_the_command_exports_loose_and_packed_records_alike(tmp_path, monkeypatch, capsys):
    store = Store(tmp_path / "records")
    for seed in (0, 1):
        store.write(record_of(seed=seed))
    store.write(Record({"name": "size", "version": "1", "dataset": "toy"}, {}, values={"n": 1}))
    monkeypatch.setattr(command, "published", lambda: store)
    for folder in ("loose", "packed"):
        assert study(["export", str(tmp_path / folder)]) == 0
        pack(store)
    assert capsys.readouterr().out.count("2 runs written") == 2
    loose, packed = (
        {str(path.relative_to(tmp_path / of)): path.read_text() for path in (tmp_path / of).rglob("*.json*")}
        for of in ("loose", "packed")
    )
    assert loose == packed and len(loose) == 4


def test_the_runs_of_a_chapter_are_those_that_it_asks_for(tmp_path, monkeypatch):
    exported, counted = [], []
    monkeypatch.setattr(
        command, "export", lambda record, _: (exported.append(record.inputs), counted.append(record.counts))
    )
    assert study(["export", str(tmp_path), "--chapter", "dual_encoder"]) == 0 and all(counted)
    exported.clear()
    assert study(["export", str(tmp_path), "--chapter", "cosines"]) == 0
    assert {"esappmod", "ncbi-disease"} <= {inputs["dataset"] for inputs in exported}
    assert "tfidf" in {inputs["name"] for inputs in exported}
    assert not any(inputs["name"].startswith("krissbert") for inputs in exported)
