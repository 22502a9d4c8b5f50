"""Runs: computed once, by whoever comes first, under a name of their own; kept with where they were made."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from linking import called
from tiny import tiny_encoder
from toy import BENCHMARK, DEV_TELLS, ONTOLOGY, document

from benchlib.corpus import Corpus, Document, Mention
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import load, registry
from study.measurements import measure, measurement_inputs
from study.measurements.card import card
from study.places import ROOT
from study.records import (
    BrokenRecord,
    MissingRecord,
    Store,
    linking_inputs,
    linking_record,
    local,
    published,
    strata_inputs,
    strata_record,
    trainings_of,
    verify,
)
from study.records.outcomes import outcomes_in_table, table_of_outcomes
from study.records.pack import pack
from study.records.record import key_of
from study.systems import CATALOGUE, EncoderLinker, ExactLinker, PriorLinker, TfidfLinker
from study.systems import encoders as adapted


@dataclass
class Training(ExactLinker):
    """Exact match that keeps a checkpoint, as a linker does that trains."""

    checkpoints: Path | None = None
    fail: str = ""
    name, version = "training", "1"
    config = {"step": 1}

    def fit(self, benchmark, seed=0):
        if self.fail == "link":
            self.link = None
        (self.checkpoints / "step").write_text("7")
        return super().fit(benchmark, seed)


def test_a_record_is_computed_once_and_then_loaded(store, monkeypatch):
    fits = called(monkeypatch, ExactLinker, "fit")
    first, again = (linking_record(ExactLinker(), BENCHMARK, store) for _ in range(2))
    assert len(fits) == 1 and again.key == first.key and again.metrics == first.metrics
    linking_record(ExactLinker(), BENCHMARK, store, compute="always")
    assert len(fits) == 2


def test_metrics_are_those_of_the_outcomes(store):
    record = linking_record(ExactLinker(), BENCHMARK, store)
    # By hand: of six scored mentions Cold is half right under strict, FEVER right.
    assert record.metric("recall@1", Scoring("strict", "names"))["value"] == pytest.approx(1.5 / 6, abs=1e-6)
    assert record.metric("recall@1", "lenient/names/any-of")["value"] == pytest.approx(2 / 6, abs=1e-6)
    assert recall(record.outcomes).mean() == pytest.approx(0.25)
    verify(record)
    with pytest.raises(KeyError, match="recall@1"):
        record.metric("accuracy", "strict/names/any-of")


def test_never_does_not_compute_and_says_what_is_missing(store):
    with pytest.raises(MissingRecord) as missing:
        linking_record(ExactLinker(), BENCHMARK, store, compute="never")
    assert str(missing.value) == "no record of exact on toy (test, seed 0, k 64)"
    assert missing.value.inputs == linking_inputs(ExactLinker(), BENCHMARK)
    with pytest.raises(MissingRecord, match=r"of strata on mini \(fold:1/2, dev\)$"):
        strata_record("mini", store, split="dev", changes=("fold:1/2",), compute="never")
    assert not store.folder.exists() and not store.trainings.exists()
    with pytest.raises(ValueError, match="missing, never, always"):
        linking_record(ExactLinker(), BENCHMARK, store, compute="perhaps")


def test_what_identifies_a_computation_says_whether_there_is_a_record(store):
    asked = linking_inputs(ExactLinker(), "mini", split="dev", changes=("fold:1/2",), seed=1, k=3)
    assert not store.has(asked)
    record = linking_record(ExactLinker(), "mini", store, split="dev", changes=("fold:1/2",), seed=1, k=3)
    assert store.has(asked) and record.inputs == asked
    assert record.stem.startswith("exact--mini--fold-1-2--dev--seed1--k3--")
    assert not store.has(linking_inputs(ExactLinker(), "mini"))
    assert store.has(strata_record("mini", store).inputs) and store.has(strata_inputs("mini"))
    assert not store.has(strata_inputs("mini", split="dev"))
    card = measure("card", "mini", store)
    assert card.inputs == measurement_inputs("card", "mini") and card.values["all.documents"] > 0


@pytest.mark.parametrize(
    "other",
    [
        {"linker": PriorLinker("train+dev")},
        {"seed": 1},
        {"split": "dev"},
        {"k": 3},
        {"dataset": replace(BENCHMARK, train=BENCHMARK.dev, dev=BENCHMARK.train)},
        {"dataset": replace(BENCHMARK, cluster="gold")},
    ],
)
def test_every_input_is_part_of_the_key(other):
    usual = {"linker": PriorLinker(), "dataset": BENCHMARK}
    assert key_of(linking_inputs(**usual | other)) != key_of(linking_inputs(**usual))


def test_every_system_and_setting_is_a_computation_whatever_the_order_of_its_inputs():
    made = [
        EncoderLinker(max_length=8),
        EncoderLinker(max_length=9),
        *(kind() for kind in CATALOGUE.values()),
    ]
    assert len({key_of(linking_inputs(linker, BENCHMARK)) for linker in made}) == len(made)
    assert key_of({"name": "exact", "seed": 0}) == key_of({"seed": 0, "name": "exact"})


class Named(ExactLinker):
    name = version = config = None

    def __init__(self, name: str = "exact", version: str = "1", length: int = 8):
        self.name, self.version, self.config = name, version, {"length": length}


def test_only_an_older_version_or_older_data_are_superseded_when_records_are_packed(store, monkeypatch):
    for linker in (Named(length=8), Named(length=32), Named("other")):
        linking_record(linker, BENCHMARK, store)
    linking_record(Named(), BENCHMARK, store, k=3)
    assert pack(store) == 4
    newer = linking_record(Named(version="2"), BENCHMARK, store)
    assert len(list(store)) == 5 and pack(store) == 1
    kept = {
        (r.inputs["name"], r.inputs["version"], r.inputs["config"]["length"], r.inputs["k"]) for r in store
    }
    assert kept == {
        ("exact", "2", 8, 64),
        ("exact", "1", 32, 64),
        ("other", "1", 8, 64),
        ("exact", "1", 8, 3),
    }
    # Other data of the same name are somebody's own; another edition is only what is registered.
    grown = replace(BENCHMARK, train=BENCHMARK.dev)
    linking_record(Named(version="2"), grown, store)
    assert pack(store) == 1 and len(list(store)) == 5 and store.has(newer.inputs)
    latest = replace(BENCHMARK, train=BENCHMARK.test)
    monkeypatch.setattr(registry, "pinned", {BENCHMARK.name: latest.fingerprint()}.get)
    linking_record(Named(version="2"), latest, store)
    assert pack(store) == 1 and len(list(store)) == 4 and not store.has(newer.inputs)


def test_any_name_makes_a_record_of_its_own_and_is_packed(store):
    names = ["*", "[a-z]*", "a/../../b", "..", "CON:\\?|\n", "a--b"]
    made = [linking_record(Named(name), BENCHMARK, store) for name in [*names, "x" * 1000, "ä" * 400]]
    made += [linking_record(ExactLinker(), replace(BENCHMARK, name=name), store) for name in names]
    assert len(list(store.folder.glob("new/*"))) == 2 * len(made) == 2 * pack(store)
    assert [store.find(record.inputs).metrics for record in made] == [record.metrics for record in made]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", path.name) for path in store.folder.rglob("*"))


def test_a_store_that_cannot_be_written_fails_before_anything_is_fitted(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    fits = called(monkeypatch, ExactLinker, "fit")
    for broken in (Store(tmp_path / "file"), Store(tmp_path / "file" / "records")):
        with pytest.raises(OSError, match="cannot write to .*file"):
            linking_record(ExactLinker(), BENCHMARK, broken)
    closed = Store(tmp_path / "closed")
    closed.folder.mkdir(mode=0o500)
    if os.geteuid():  # nothing is closed to root
        with pytest.raises(OSError, match="cannot write to .*closed"):
            linking_record(ExactLinker(), BENCHMARK, closed)
    with pytest.raises(ValueError, match="split"):
        linking_record(ExactLinker(), BENCHMARK, Store(tmp_path / "good"), split="nowhere")
    assert not fits


def test_the_callers_linker_stays_as_it_is(store):
    for linker in (ExactLinker(), Training()):
        before = dict(vars(linker))
        linking_record(linker, BENCHMARK, store)
        assert vars(linker) == before


def test_a_training_stays_until_the_record_is_written(store, monkeypatch):
    [key] = trainings_of(Training(), linking_inputs(Training(), BENCHMARK))
    folder = store.training_of(key)
    assert folder.parent == store.folder.parent / "trainings"
    with monkeypatch.context() as patch:
        patch.setattr("study.records.store.LIMIT", 100)
        with pytest.raises(RuntimeError, match="over 100.*stays in " + str(folder)):
            linking_record(Training(), BENCHMARK, store)
    assert (folder / "step").read_text() == "7" and not list(store)
    with pytest.raises(TypeError):
        linking_record(Training(fail="link"), BENCHMARK, store)
    assert (folder / "step").exists()
    record = linking_record(Training(), BENCHMARK, store)
    assert record.made["resumed"] is True and record.made["training"] == folder.name
    assert not list(store.trainings.iterdir())
    assert "resumed" not in linking_record(Training(), BENCHMARK, store, compute="always").made
    own = store.folder.parent / "own"
    own.mkdir()
    assert "training" not in linking_record(Training(own), BENCHMARK, store, compute="always").made
    assert (own / "step").exists()


def test_trainings_of_the_published_records_lie_out_of_gits_way():
    assert published().trainings == local().trainings == ROOT / "_build" / "trainings"


def test_the_score_of_an_answer_is_kept_to_four_decimals_or_digits(store):
    data = load("mini")
    predictions = TfidfLinker().fit(data.visible(), 0).link(data.test.hidden().documents, 64)
    found = outcomes(predictions, data.test, data.ontology, data.cluster)
    kept = linking_record(TfidfLinker(), "mini", store).outcomes.top_score
    assert (np.abs(found.top_score * 1e4 - np.round(found.top_score * 1e4)) > 0.01).any()
    np.testing.assert_allclose(kept * 1e4, np.round(found.top_score * 1e4), atol=0.01)
    given = np.resize([87.43219, -123.4567, 1.23456, 0.123456, -np.inf], len(found.top_score))
    kept = outcomes_in_table(table_of_outcomes(replace(found, top_score=given)), found.counts).top_score
    np.testing.assert_allclose(kept[:5], [87.43, -123.5, 1.235, 0.1235, -np.inf], rtol=1e-6)


def test_a_record_says_where_it_was_made(store):
    made = linking_record(TfidfLinker(), BENCHMARK, store).made
    assert set(made) == {"commit", "date", "hardware", "versions", "peak_memory_mb", "seconds"}
    assert set(made["seconds"]) == {"fit", "link"}
    hardware = made["hardware"]
    total = next(int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines())  # KiB
    assert hardware["memory_gb"] == pytest.approx(total * 1024 / 1e9, abs=1)
    assert hardware["cores"] == os.cpu_count() and hardware["threads"] >= 1 and hardware["cpu"]
    peak = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) * 1024 / 1e6
    assert 0.5 * peak < made["peak_memory_mb"] <= 1.01 * peak


def test_the_seconds_of_a_fit_are_without_those_of_an_encoder_that_it_is_the_first_to_need(
    store, tmp_path, monkeypatch
):
    hours, clock = [], time.perf_counter
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + 3600 * len(hours))
    monkeypatch.setattr(adapted, "adapt", cache(hours.append))
    monkeypatch.setattr(adapted, "ENCODERS", tmp_path)
    tiny_encoder(tmp_path / "minilm+pubmed")
    made = linking_record(EncoderLinker("minilm+pubmed"), BENCHMARK, store).made
    assert hours == ["minilm+pubmed"] and made["seconds"]["fit"] < 3600


SLOW = """if True:
    import sys, time
    from pathlib import Path
    sys.path.insert(0, "tests")
    from toy import BENCHMARK
    from study.systems import ExactLinker
    from study.records import Store, linking_record

    folder = Path(sys.argv[1])

    class Slow(ExactLinker):
        def fit(self, benchmark, seed=0):
            with (folder / "fits").open("a") as file:
                file.write("fit\\n")
            while not (folder / "go").exists():
                time.sleep(0.01)
            return super().fit(benchmark, seed)

    print(linking_record(Slow(), BENCHMARK, Store(folder / "records")).key)
"""


def start(folder: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, str(folder)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def wait_until(holds) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_of_two_processes_one_computes_and_the_other_waits_even_after_a_kill(tmp_path):
    fits, processes = tmp_path / "fits", [start(tmp_path)]
    wait_until(fits.exists)
    processes += [start(tmp_path), start(tmp_path)]
    waiting = [process.stderr.readline() for process in processes[1:]]
    assert all(
        "waiting for another process that makes the record of exact on toy" in line for line in waiting
    )
    assert fits.read_text() == "fit\n"
    # The kernel gives the lock of a killed process to one of those that wait.
    processes[0].send_signal(signal.SIGKILL)
    wait_until(lambda: fits.read_text() == "fit\nfit\n")
    (tmp_path / "go").touch()
    keys = {process.communicate(timeout=120)[0].strip() for process in processes[1:]}
    processes[0].communicate()
    assert keys == {key_of(linking_inputs(ExactLinker(), BENCHMARK))}
    assert {record.key for record in Store(tmp_path / "records")} == keys
    assert fits.read_text() == "fit\nfit\n" and not list((tmp_path / "trainings").iterdir())


def test_a_broken_record_is_not_computed_over(store):
    record = linking_record(ExactLinker(), BENCHMARK, store)
    path = store.path_of(record.inputs)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(BrokenRecord, match=f"{record.key}.*delete it and run again"):
        linking_record(ExactLinker(), BENCHMARK, store)
    path.unlink()
    assert linking_record(ExactLinker(), BENCHMARK, store).metrics == record.metrics
    assert json.loads(path.read_text())["format"] == 5


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_linker_is_given_nothing_of_test_to_fit_and_no_gold_or_type_to_link(store, split, monkeypatch):
    secret = Corpus("toy test", (document("doc-77", ("plague", "OMIM:77")),))
    fits, links = (called(monkeypatch, ExactLinker, name) for name in ("fit", "link"))
    data = replace(BENCHMARK, test=secret)
    linking_record(ExactLinker(), data, store, seed=5, split=split, k=3)
    [(given, seed, _)], [(documents, k, _)] = fits, links
    assert (given.train, given.dev, given.ontology) == (BENCHMARK.train, BENCHMARK.dev, ONTOLOGY)
    assert seed == 5 and given.test.n_raw == 0
    # All that can be reached from it is printed: strings of train are, those of test are not.
    reached = repr([vars(one) for one in (given, given.train, given.dev, given.test, given.ontology)])
    assert "shivers" in reached
    assert not [part for part in ("doc-77", "plague", "OMIM:77") if part in reached]
    assert k == 3 and list(documents) == [
        Document(d.id, d.text, tuple(Mention(m.start, m.end, m.text, type="", gold=None) for m in d.mentions))
        for d in data.split(split).documents
    ]


def test_dev_counts_as_seen_for_test_and_train_alone_for_dev(store):
    def told(split: str) -> list[list[int]]:
        found = strata_record(DEV_TELLS, store, split=split).strata
        return found[["seen name", "seen concept", "refined"]].astype(int).to_numpy().tolist()

    # Ague and D3 (OMIM:3) stand in dev, chill and D2 in train and dev; grippe and D1 in neither.
    assert told("test") == [[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]]
    # In train stand only chill and D2.
    assert told("dev") == [[0, 0, 1], [1, 1, 0], [0, 1, 1]]
    assert card(DEV_TELLS)["test.refined"] == 2
