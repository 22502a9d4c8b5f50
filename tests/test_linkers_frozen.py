"""Linear maps over a frozen encoder, on the embedded corpus."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from linking import DOCUMENTS, VISIBLE, called, goes_on_after_a_kill, recalled, small_dual
from tiny import tiny_encoder

from benchlib import encoders
from study.systems import BiEncoderLinker, FrozenBiEncoderLinker, linker
from study.systems.by_entity import l2_normalize
from study.systems.dual import DualEncoder
from study.systems.pel import frozen
from study.systems.pools import NegativeSampler

small = partial(small_dual, FrozenBiEncoderLinker)


def test_training_teaches_to_link(encoder):
    settings = {"loss": "ce", "shared": True, "batch": 16, "n_negatives": 32}
    before = recalled(small(encoder, steps=0, **settings).fit(VISIBLE), 4)
    fitted = small(encoder, steps=200, **settings).fit(VISIBLE)
    assert recalled(fitted, 4) > before + 0.02
    losses = [row["loss"] for row in fitted.trace]
    assert len(losses) == 200 and np.mean(losses[-10:]) < np.mean(losses[:10])


@pytest.mark.parametrize("shared", [True, False])
def test_untrained_it_is_the_bi_encoder_untrained_and_trained_a_linear_map_of_that(encoder, shared):
    theirs = small_dual(BiEncoderLinker, encoder, steps=0, shared=shared).fit(VISIBLE)
    untrained = small(encoder, steps=0, shared=shared).fit(VISIBLE)
    assert untrained.weights == theirs.weights and untrained.trace == ()
    ours, expected = untrained.link(DOCUMENTS), theirs.link(DOCUMENTS)
    assert (ours.index == expected.index).all() and (ours.scores == expected.scores).all()
    fitted = small(encoder, shared=shared).fit(VISIBLE, seed=5)
    assert fitted.encoder.fingerprint() == theirs.encoder.fingerprint() and fitted.weights != theirs.weights
    maps = [fitted.maps[side].weight.detach().numpy() for side in ("mention", "entity")]
    assert (maps[0] == maps[1]).all() == shared
    mentions = theirs.mention_vectors(DOCUMENTS, ours.queries) @ maps[0].T
    similarity = l2_normalize(mentions) @ l2_normalize(theirs._entities @ maps[1].T).T
    found = fitted.link(DOCUMENTS, k=120)
    assert np.take_along_axis(similarity, found.index, axis=1) == pytest.approx(found.scores, abs=1e-5)


@pytest.mark.parametrize("settings", [{"loss": "ce"}, {"delta": 0.1}])
def test_the_first_step_is_of_the_loss_that_the_bi_encoder_has(encoder, monkeypatch, settings):
    monkeypatch.setattr(DualEncoder, "train", lambda self, mode=True: self)  # without its dropout
    one, other = (
        small_dual(kind, encoder, steps=1, **settings).fit(VISIBLE, seed=3)
        for kind in (FrozenBiEncoderLinker, BiEncoderLinker)
    )
    assert one.trace[0]["loss"] == pytest.approx(other.trace[0]["loss"], rel=1e-4)


def test_texts_are_encoded_once_for_all_trainings_that_read_the_same(encoder, monkeypatch, tmp_path):
    read = called(monkeypatch, encoders, "encode")
    frozen._kept.clear()
    first = small(encoder, steps=0).fit(VISIBLE).link(DOCUMENTS)
    assert len(read) == 2
    weights = set()
    for settings in ({}, {"alpha": 8.0}, {"loss": "ce"}, {"n_negatives": 8}):
        fitted = small(encoder, **settings).fit(VISIBLE, seed=len(weights))
        fitted.link(DOCUMENTS)
        weights.add(fitted.weights)
    # Entities and test mentions; with a training its mentions.
    assert len(read) == 3 and len(weights) == 4
    again = small(encoder, steps=0).fit(VISIBLE).link(DOCUMENTS)
    assert (again.scores == first.scores).all(), "what is kept is not changed"
    # Also other weights in the same folder are read anew.
    folder = tiny_encoder(tmp_path / "tiny", width=32)
    small(folder, steps=0).fit(VISIBLE)
    tiny_encoder(tmp_path / "tiny", width=16)
    settings = ({"max_length": 4}, {"pooling": "cls"}, {"precision": "bf16"}, {"model": folder})
    for other in settings:
        read.clear()
        fitted = replace(small(encoder, steps=0), **other).fit(VISIBLE)
        assert len(read) == 1
    assert fitted._entities.shape[1] == 16


def test_a_killed_training_goes_on_to_the_same_end(encoder, tmp_path, monkeypatch):
    made = small(encoder, steps=5)
    other = replace(made).fit(VISIBLE, seed=2)
    assert (
        goes_on_after_a_kill(monkeypatch, made, tmp_path, NegativeSampler, "at", 3).weights != other.weights
    )


@pytest.mark.parametrize(
    "setting", ["fgsm=fgsm", "leave_own_out=True", "frozen=1", "negatives=mixed", "own_hard=1"]
)
def test_settings_are_those_of_the_bi_encoder_but_for_how_an_encoder_is_trained(setting):
    assert set(linker("frozen-bi-encoder").config) == set(linker("bi-encoder").config)
    with pytest.raises(ValueError, match="where no encoder is trained"):
        linker(f"frozen-bi-encoder,{setting}")
