"""Records that share a training: trained once, and the same as when each is trained for itself."""

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import pytest
from toy import BENCHMARK

from benchlib.training import Training, train
from study.corpora import load
from study.places import ROOT
from study.records import Store, linking_inputs, linking_record, training_inputs
from study.records import training as module
from study.records.outcomes import parquet
from study.records.record import key_of
from study.systems import BiEncoderLinker, ExactLinker
from study.systems import linker as named
from study.systems.contrast import ContrastiveObjective
from study.systems.dual import DualEncoder
from study.systems.ranker import WEIGHTS


@pytest.fixture(autouse=True)
def nothing_kept():
    module._last.clear()


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path / "records")


def small(encoder: str, **settings) -> BiEncoderLinker:
    fixed = {"shared": True, "fields": "title", "window": 12, "max_length": 16, "batch": 8, "n_negatives": 16}
    fixed |= {"steps": 3, "learning_rate": 3e-3, "precision": "fp32", "progress": False}
    return BiEncoderLinker(encoder, **fixed | settings)


@pytest.fixture
def trainings(monkeypatch):
    """The seed of every training of a bi-encoder that is done."""
    seeds = []

    def counted(*arguments, **named):
        if isinstance(arguments[0], DualEncoder):
            seeds.append(arguments[3].seed)
        return train(*arguments, **named)

    monkeypatch.setattr("benchlib.training.train", counted)
    return seeds


def told(record):
    """What a record says of the computation, but for how long it took."""
    trace = [{**row, "seconds": 0} for row in record.trace]
    return record.inputs, record.counts, record.metrics, record.table, trace, record.made["weights"]


def test_splits_and_scores_of_one_training_train_once_and_are_as_if_each_had_been_trained(
    encoder, tmp_path, trainings
):
    mini, store = load("mini"), Store(tmp_path / "shared" / "records")
    asked = [(small(encoder, score=score), split) for split in ("dev", "test") for score in (None, "softmax")]
    shared = [linking_record(linker, mini, store, split=split) for linker, split in asked]
    assert trainings == [0]
    assert [record.made.get("fitted_for") for record in shared] == [None] + 3 * [shared[0].stem]
    assert shared[0].made["seconds"]["fit"] > 0 and not any(r.made["seconds"]["fit"] for r in shared[1:])
    assert not list(store.trainings.iterdir())
    for i, ((linker, split), record) in enumerate(zip(asked, shared, strict=True)):
        module._last.clear()
        alone = linking_record(linker, mini, Store(tmp_path / str(i) / "records"), split=split)
        assert told(alone) == told(record) and "fitted_for" not in alone.made
    assert trainings == 5 * [0]
    # They are not all alike.
    assert len({parquet(record.table) for record in shared}) == 4


def test_the_trace_of_a_training_stands_in_one_file_and_is_that_of_all_its_records(encoder, store):
    mini = load("mini")
    first, second = (linking_record(small(encoder), mini, store, split=split) for split in ("dev", "test"))
    there = [json.loads(store.path_of(one.inputs).read_text()) for one in (first, second)]
    assert ["trace" in one for one in there] == [True, False]
    read = store.find(second.inputs)
    assert len(read.trace) == 3 and read.trace == store.find(first.inputs).trace == second.trace
    written = store.path_of(second.inputs).read_bytes()
    assert store.write(read).read_bytes() == written

    # Another training in the place of the first, or none: its trace is not that of the second record.
    store.write(replace(first, made=first.made | {"weights": "others"}))
    assert store.find(second.inputs).trace == ()
    store.path_of(first.inputs).unlink()
    assert store.find(second.inputs).trace == () and store.find(second.inputs).outcomes is not None


def test_a_linker_that_ranks_anew_takes_its_first_where_that_was_fitted_last(encoder, tmp_path, trainings):
    mini, store = load("mini"), Store(tmp_path / "shared" / "records")
    first = small(encoder, score="softmax")
    within = "".join(f";{part}" for part in first.name.split(",")[1:])
    both = named(f"cross-encoder,first=bi-encoder{within},model={encoder},candidates=4,window=12,steps=2")
    both = replace(both, precision="fp32", max_length=16, progress=False)
    alone = linking_record(both, mini, Store(tmp_path / "alone" / "records"))
    assert trainings == [0] and "first_fitted_for" not in alone.made
    module._last.clear()
    # The score of the first is not that of the training before.
    before = linking_record(small(encoder), mini, store, split="dev")
    after = linking_record(both, mini, store)
    assert trainings == [0, 0] and after.made["first_fitted_for"] == before.stem
    assert told(after) == told(alone)
    # It is the last now, and serves as any other; of another seed nothing was fitted.
    assert linking_record(both, mini, store, split="dev").made["fitted_for"] == after.stem
    assert "first_fitted_for" not in linking_record(both, mini, store, seed=1).made and trainings == [0, 0, 1]


def test_rankers_of_one_first_linker_train_it_once_and_a_weight_from_dev_trains_nothing(
    encoder, store, trainings
):
    mini, first = load("mini"), small(encoder)
    within = "".join(f";{part}" for part in first.name.split(",")[1:])
    both = named(f"cross-encoder,first=bi-encoder{within},model={encoder},candidates=4,window=12,steps=2")
    both = replace(both, precision="fp32", max_length=16, progress=False)
    before = linking_record(first, mini, store, split="dev")
    plain, other = (linking_record(replace(both, learning_rate=rate), mini, store) for rate in (1e-4, 1e-3))
    assert trainings == [0] and plain.made["weights"] != other.made["weights"]
    assert [one.made["first_fitted_for"] for one in (plain, other)] == [before.stem] * 2
    mixed = linking_record(replace(both, learning_rate=1e-3, mix="dev"), mini, store)
    assert mixed.made["fitted_for"] == other.stem and mixed.made["weights"] == other.made["weights"]
    assert other.values == {} and store.find(mixed.inputs).values == mixed.values
    # The first is there still for another split.
    assert linking_record(first, mini, store).made["fitted_for"] == before.stem and trainings == [0]
    module._last.clear()
    mixing = replace(both, learning_rate=1e-3, mix="dev")
    alone = linking_record(mixing, mini, Store(store.folder.parent / "alone" / "records"))
    assert told(alone) == told(mixed) and alone.values == mixed.values
    assert mixed.values == mixing.fit(mini.visible()).chosen and mixed.values["first_weight"] in WEIGHTS


def test_another_training_is_another_one(encoder, store, trainings):
    mini = load("mini")
    linking_record(small(encoder), mini, store)
    for linker, more in (
        (small(encoder), {"seed": 1}),
        (small(encoder), {"changes": ("fold:1/2",)}),
        (small(encoder, loss="ce"), {}),
    ):
        assert "fitted_for" not in linking_record(linker, mini, store, split="dev", **more).made
    # The first is no longer kept.
    assert "fitted_for" not in linking_record(small(encoder), mini, store, split="dev").made
    assert trainings == [0, 1, 0, 0, 0]
    assert "fitted_for" in linking_record(small(encoder), mini, store, k=3).made


def test_a_training_is_known_by_all_that_has_a_part_in_it(encoder):
    def key(linker, **more):
        return key_of(training_inputs(linker, linking_inputs(linker, BENCHMARK, **more)))

    one = small(encoder)
    assert key(one) == key(one, split="dev") == key(one, k=3) == key(replace(one, score="dot"))
    others = [key(replace(one, steps=9)), key(one, seed=1), key(one, changes=("fold:1/2",))]
    assert len({key(one), *others}) == 4
    assert training_inputs(ExactLinker(), linking_inputs(ExactLinker(), BENCHMARK)) is None
    own = replace(one, checkpoints=Path("mine"))
    assert training_inputs(own, linking_inputs(own, BENCHMARK)) is None


@dataclass
class Counting(ExactLinker):
    """Exact match that trains, and counts how often."""

    fits: list = field(default_factory=list)
    checkpoints: Path | None = None
    broken: bool = False
    name, version, config = "counting", "1", {}  # noqa: RUF012

    def fit(self, benchmark, seed=0):
        self.fits.append(seed)
        return super().fit(benchmark, seed)

    def link(self, documents, k=64):
        if self.broken:
            raise RuntimeError("no memory")
        return super().link(documents, k)


def test_a_record_asked_for_afresh_is_fitted_afresh(store):
    linker = Counting()
    for n_fits, split in ((1, "dev"), (1, "test"), (2, "test"), (2, "dev"), (3, "dev")):
        record = linking_record(linker, BENCHMARK, store, split=split, compute="always")
        assert len(linker.fits) == n_fits
    assert "fitted_for" not in record.made


def test_the_record_that_has_the_seconds_is_there(store):
    linker = Counting()
    with pytest.raises(RuntimeError, match="no memory"):
        linking_record(replace(linker, broken=True), BENCHMARK, store)
    assert "fitted_for" not in linking_record(linker, BENCHMARK, store, split="dev").made
    store.path_of(linking_inputs(linker, BENCHMARK, split="dev")).unlink()
    assert "fitted_for" not in linking_record(linker, BENCHMARK, store).made
    assert len(linker.fits) == 3


def test_a_training_killed_for_one_record_goes_on_for_another(encoder, store, monkeypatch):
    monkeypatch.setattr("benchlib.training.Training", partial(Training, checkpoint_minutes=0))
    mini, steps, loss = load("mini"), [], ContrastiveObjective.__call__
    whole = linking_record(small(encoder), mini, Store(store.folder.parent / "whole" / "records"))
    module._last.clear()

    def killed_in_step_2(self, model, batch):
        steps.append(1)
        if len(steps) == 2:
            raise KeyboardInterrupt
        return loss(self, model, batch)

    monkeypatch.setattr(ContrastiveObjective, "__call__", killed_in_step_2)
    with pytest.raises(KeyboardInterrupt):
        linking_record(small(encoder, score="softmax"), mini, store, split="dev")
    resumed = linking_record(small(encoder), mini, store)
    assert resumed.made["resumed"] is True and told(resumed) == told(whole)
    # One step before the kill, the killed one, and the two that were left.
    assert len(steps) == 4 and not list(store.trainings.iterdir())


TWO = """if True:
    import json, sys
    from pathlib import Path
    sys.path.insert(0, "tests")
    from test_runs_training import small
    from study.corpora import load
    from study.records import Store, linking_record

    record = linking_record(small(sys.argv[1]), load("mini"), Store(Path(sys.argv[2])), split=sys.argv[3])
    print(json.dumps([record.key, record.made["weights"]]))
"""


def test_two_processes_that_need_one_training_at_once_both_end_right(encoder, store):
    both = [
        subprocess.Popen(
            [sys.executable, "-c", TWO, encoder, str(store.folder), split],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )
        for split in ("dev", "test")
    ]  # fmt: skip
    ended = [json.loads(process.communicate(timeout=200)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert not list(store.trainings.iterdir())
    for (key, weights), split in zip(ended, ("dev", "test"), strict=True):
        found = store.find(linking_inputs(small(encoder), load("mini"), split=split))
        module._last.clear()
        alone = linking_record(small(encoder), load("mini"), Store(store.folder.parent / split), split=split)
        assert found.key == key and weights == alone.made["weights"] and told(found) == told(alone)
