"""Records that share a training: trained once in its folder, and the same as when each trains for itself."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from linking import MINI, called, small_dual
from toy import BENCHMARK

from benchlib.training import Training
from study.records import Store, linking_inputs, linking_record, trainings_of
from study.records.outcomes import parquet
from study.systems import BiEncoderLinker, CrossEncoderLinker, ExactLinker
from study.systems.contrast import ContrastiveObjective
from study.systems.kept_vectors import KeptVectors
from study.systems.ranker import WEIGHTS
from study.systems.settings import print_nested

keeping = partial(linking_record, keep_training=True)
small = partial(small_dual, BiEncoderLinker, shared=True, steps=3)


@pytest.fixture
def updates(monkeypatch) -> list[tuple]:
    """Every update of a bi-encoder that is made."""
    return called(monkeypatch, ContrastiveObjective, "__call__")


def ranker(encoder: str, first: BiEncoderLinker, **settings) -> CrossEncoderLinker:
    fixed = {"candidates": 4, "window": 12, "steps": 2, "precision": "fp32", "max_length": 16}
    return CrossEncoderLinker(print_nested(first), model=encoder, progress=False, **fixed | settings)


def said(record):
    """What a record says of the computation, but for how long it took."""
    trace = [{**row, "seconds": 0} for row in record.trace]
    return record.inputs, record.counts, record.metrics, record.table, trace, record.made["weights"]


def test_records_of_one_training_train_once_and_are_as_if_each_had_been_trained(encoder, tmp_path, updates):
    store = Store(tmp_path / "shared" / "records")
    asked = [(small(encoder, score=score), split) for split in ("dev", "test") for score in (None, "softmax")]
    shared = [keeping(linker, MINI, store, split=split) for linker, split in asked[:-1]]
    [folder] = store.trainings.iterdir()
    shared.append(linking_record(asked[-1][0], MINI, store, split="test"))
    assert len(updates) == 3 and not list(store.trainings.iterdir())
    assert {record.made["training"] for record in shared} == {folder.name}
    assert [record.made.get("resumed") for record in shared] == [None, True, True, True]
    for i, ((linker, split), record) in enumerate(zip(asked, shared, strict=True)):
        alone = linking_record(linker, MINI, Store(tmp_path / str(i) / "records"), split=split)
        assert said(alone) == said(record) and "resumed" not in alone.made
    assert len(updates) == 15
    # They are not all alike.
    assert len({parquet(record.table) for record in shared}) == 4


def test_a_folder_that_is_deleted_is_made_again(encoder, store, updates):
    first = keeping(small(encoder), MINI, store)
    [folder] = store.trainings.iterdir()
    shutil.rmtree(folder)
    second = keeping(small(encoder), MINI, store, split="dev")
    assert len(updates) == 6 and first.made["weights"] == second.made["weights"] and folder.exists()


def test_a_training_killed_for_one_record_goes_on_for_another(encoder, store, updates, monkeypatch):
    monkeypatch.setattr("benchlib.training.Training", partial(Training, checkpoint_minutes=0))
    whole = linking_record(small(encoder), MINI, Store(store.folder.parent / "whole" / "records"))
    noted = ContrastiveObjective.__call__

    def killed_in_step_2(self, model, batch):
        if len(updates) == 4:
            updates.append(())
            raise KeyboardInterrupt
        return noted(self, model, batch)

    monkeypatch.setattr(ContrastiveObjective, "__call__", killed_in_step_2)
    with pytest.raises(KeyboardInterrupt):
        linking_record(small(encoder, score="softmax"), MINI, store, split="dev")
    resumed = linking_record(small(encoder), MINI, store)
    assert resumed.made["resumed"] is True and said(resumed) == said(whole)
    # One step before the kill, the killed one, and the two that were left.
    assert len(updates) == 3 + 4 and not list(store.trainings.iterdir())


def test_rankers_train_their_first_linker_once_and_a_weight_from_dev_trains_nothing(
    encoder, store, updates, tmp_path
):
    first = small(encoder)
    mixing = ranker(encoder, first, learning_rate=1e-3, mix="dev")
    alone = linking_record(mixing, MINI, Store(tmp_path / "alone" / "records"))
    assert len(updates) == 3
    # The score of the first is not that of the training before.
    before = keeping(small(encoder, score="softmax"), MINI, store, split="dev")
    plain = keeping(ranker(encoder, first), MINI, store)
    other = keeping(ranker(encoder, first, learning_rate=1e-3), MINI, store)
    mixed = keeping(mixing, MINI, store)
    [folder] = store.trainings.iterdir()
    assert folder.name == before.made["training"] and len(updates) == 6
    assert {path.name for path in folder.iterdir() if len(path.name) == 16} == {
        plain.made["training"], other.made["training"],
    }  # fmt: skip
    assert mixed.made["training"] == other.made["training"] and mixed.made["resumed"] is True
    assert said(mixed) == said(alone) and mixed.values == alone.values
    assert mixed.made["weights"] == other.made["weights"] != plain.made["weights"]
    assert other.values == {} and mixed.values["first_weight"] in WEIGHTS
    linking_record(first, MINI, store)
    assert len(updates) == 6 and not list(store.trainings.iterdir())


def test_a_training_is_known_by_all_that_has_a_part_in_it(encoder):
    def key(linker, **more):
        return trainings_of(linker, linking_inputs(linker, BENCHMARK, **more))[-1]

    one = small(encoder)
    assert key(one) == key(one, split="dev") == key(one, k=3) == key(replace(one, score="dot"))
    others = [key(replace(one, steps=9)), key(one, seed=1), key(one, changes=("fold:1/2",))]
    assert len({key(one), *others}) == 4
    both = ranker(encoder, one)
    assert trainings_of(both, linking_inputs(both, BENCHMARK)) == (key(one), key(both))
    lexical = replace(both, first="tfidf")
    assert trainings_of(lexical, linking_inputs(lexical, BENCHMARK)) == (key(lexical),)
    for linker in (ExactLinker(), replace(one, checkpoints=Path("mine"))):
        assert trainings_of(linker, linking_inputs(linker, BENCHMARK)) == ()


def test_vectors_are_encoded_once_for_all_that_share_a_folder(tmp_path):
    asked = []

    def encode(new):
        asked.append(new)
        return np.array([[len(one), 0.1] for one in new], dtype=np.float32)

    first = KeptVectors(tmp_path, "names")
    expected = first.of(["ague", "flu", "ague"], encode)
    assert expected.tolist() == [[4, np.float32(0.1)], [3, np.float32(0.1)], [4, np.float32(0.1)]]
    for kept in (first, KeptVectors(tmp_path, "names")):
        assert np.array_equal(kept.of(["ague", "flu", "ague"], encode), expected)
    assert KeptVectors(tmp_path, "names").of(["flu", "cold"], encode)[:, 0].tolist() == [3, 4]
    assert asked == [["ague", "flu"], ["cold"]]
    assert len(KeptVectors(tmp_path, "names").of(["flu", "cold", "ague"], encode)) == 3 and len(asked) == 2
    KeptVectors(tmp_path, "mentions").of(["flu"], encode)
    KeptVectors(None, "names").of(["flu"], encode)
    assert asked[2:] == [["flu"], ["flu"]]
