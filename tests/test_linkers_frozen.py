"""Linear maps over a frozen encoder, on the embedded corpus."""

from dataclasses import replace

import numpy as np
import pytest
from tiny import tiny_encoder

from benchlib.encoders import encode
from benchlib.scoring import Scoring, outcomes, recall
from study.corpora import load
from study.systems import BiEncoderLinker, FrozenBiEncoderLinker, linker
from study.systems.by_entity import l2_normalize
from study.systems.dual import DualEncoder
from study.systems.pel import frozen


@pytest.fixture(scope="module")
def mini():
    return load("mini")


@pytest.fixture
def read(monkeypatch):
    """How many texts were encoded, each time."""
    sizes = []
    monkeypatch.setattr(
        "benchlib.encoders.encode",
        lambda one, inputs, *a, **k: sizes.append(len(inputs)) or encode(one, inputs, *a, **k),
    )
    frozen._vectors.cache_clear()
    return sizes


def small(encoder, kind=FrozenBiEncoderLinker, **settings):
    fixed = {"fields": "title", "window": 12, "max_length": 16, "batch": 8, "n_negatives": 16, "steps": 4}
    fixed |= {"learning_rate": 3e-3, "precision": "fp32", "progress": False}
    return kind(encoder, **fixed | settings)


def recalls(fitted, benchmark, k: int) -> float:
    found = outcomes(fitted.link(benchmark.test.hidden().documents), benchmark.test, benchmark.ontology)
    return recall(found, k, Scoring()).mean()


@pytest.mark.parametrize("negatives", ["random", "mixed"])
@pytest.mark.parametrize("loss", ["ce", "proxy", "ce-cosine"])
def test_training_teaches_to_link(encoder, mini, loss, negatives):
    settings = {"loss": loss, "negatives": negatives, "shared": True, "batch": 16, "n_negatives": 32}
    before = recalls(small(encoder, steps=0, **settings).fit(mini.visible()), mini, 4)
    fitted = small(encoder, steps=200, **settings).fit(mini.visible())
    assert recalls(fitted, mini, 4) > before + 0.02
    losses = [row["loss"] for row in fitted.trace]
    assert len(losses) == 200 and np.mean(losses[-10:]) < np.mean(losses[:10])


@pytest.mark.parametrize("shared", [True, False])
def test_untrained_it_is_the_bi_encoder_untrained_and_trained_a_linear_map_of_that(encoder, mini, shared):
    documents = mini.test.hidden().documents
    theirs = small(encoder, BiEncoderLinker, steps=0, shared=shared).fit(mini.visible())
    untrained = small(encoder, steps=0, shared=shared).fit(mini.visible())
    assert untrained.weights == theirs.weights and untrained.trace == ()
    ours, expected = untrained.link(documents), theirs.link(documents)
    assert (ours.index == expected.index).all() and (ours.scores == expected.scores).all()
    fitted = small(encoder, shared=shared).fit(mini.visible(), seed=5)
    assert fitted.encoder.fingerprint() == theirs.encoder.fingerprint() and fitted.weights != theirs.weights
    maps = [fitted.maps[side].weight.detach().numpy() for side in ("mention", "entity")]
    assert (maps[0] == maps[1]).all() == shared
    mentions = theirs.mention_vectors(documents, ours.queries) @ maps[0].T
    similarity = l2_normalize(mentions) @ l2_normalize(theirs._entities @ maps[1].T).T
    found = fitted.link(documents, k=120)
    assert np.take_along_axis(similarity, found.index, axis=1) == pytest.approx(found.scores, abs=1e-5)


def test_the_first_step_is_of_the_loss_that_the_bi_encoder_has(encoder, mini, monkeypatch):
    monkeypatch.setattr(DualEncoder, "train", lambda self, mode=True: self)  # without its dropout
    for settings in ({"loss": "ce"}, {"delta": 0.1}, {"negatives": "mixed", "mine_every": 2}):
        one = small(encoder, steps=1, **settings).fit(mini.visible(), seed=3)
        other = small(encoder, BiEncoderLinker, steps=1, **settings).fit(mini.visible(), seed=3)
        assert one.trace[0]["loss"] == pytest.approx(other.trace[0]["loss"], rel=1e-4)


def test_texts_are_encoded_once_for_all_trainings_that_read_the_same(encoder, mini, read):
    documents = mini.test.hidden().documents
    first = small(encoder, steps=0).fit(mini.visible()).link(documents)
    assert len(read) == 2
    weights = set()
    for settings in (
        {},
        {"alpha": 8.0},
        {"loss": "ce", "negatives": "mixed"},
        {"n_negatives": 8, "learning_rate": 1e-2},
    ):
        fitted = small(encoder, **settings).fit(mini.visible(), seed=len(weights))
        fitted.link(documents)
        weights.add(fitted.weights)
    # Entities and test mentions; with a training its mentions.
    assert len(read) == 3 and len(weights) == 4
    again = small(encoder, steps=0).fit(mini.visible()).link(documents)
    assert (again.scores == first.scores).all(), "what is kept is not changed"
    for settings in ({"max_length": 4}, {"pooling": "cls"}, {"precision": "bf16"}):
        read.clear()
        small(encoder, steps=0, **settings).fit(mini.visible())
        assert len(read) == 1


def test_other_weights_in_the_same_folder_are_read_anew(tmp_path, mini, read):
    folder = tiny_encoder(tmp_path / "tiny")
    small(folder, steps=0).fit(mini.visible())
    tiny_encoder(tmp_path / "tiny", width=32)
    fitted = small(folder, steps=0).fit(mini.visible())
    assert len(read) == 2 and fitted._entities.shape[1] == 32


def test_a_training_goes_on_from_its_checkpoints(encoder, mini, tmp_path):
    made = small(encoder, negatives="mixed")
    without = made.fit(mini.visible(), 1).weights
    assert without == replace(made).fit(mini.visible(), 1).weights != made.fit(mini.visible(), 2).weights
    kept = replace(made, checkpoints=tmp_path)
    trace = kept.fit(mini.visible(), 1).trace
    again = replace(kept).fit(mini.visible(), 1)
    assert again.trace == trace and again.weights == without


def test_settings_are_those_of_the_bi_encoder():
    name = "frozen-bi-encoder,alpha=8,negatives=mixed,n_negatives=32,learning_rate=0.01"
    assert linker(name).name == name
    assert set(linker(name).config) == set(linker("bi-encoder").config)
    with pytest.raises(ValueError, match="fgsm is 'fgsm'; expected none, where no encoder is trained"):
        linker("frozen-bi-encoder,fgsm=fgsm")
    with pytest.raises(ValueError, match="leave_own_out is True; expected False, where no encoder is"):
        linker("frozen-bi-encoder,leave_own_out=True")
    with pytest.raises(ValueError, match="loss is 'triplet'"):
        linker("frozen-bi-encoder,loss=triplet")
