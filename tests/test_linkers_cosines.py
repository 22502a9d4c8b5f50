"""CoSiNES on the embedded corpus with an encoder trained from nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest
from toy import BENCHMARK

from benchlib.corpus import Corpus
from benchlib.encoders import NameEncoder
from benchlib.ontology import fold_name
from benchlib.scoring import Scoring, outcomes, recall, strata
from study.corpora import load
from study.systems import CosinesLinker, EncoderLinker
from study.systems.cosines import linker as cosines
from study.systems.training_names import strings_by_entity


def small(encoder, **settings):
    fixed = {"epochs": 8, "size": 4, "learning_rate": 3e-3, "precision": "fp32", "progress": False}
    return CosinesLinker(encoder, **fixed | settings)


def unseen(fitted, mini) -> float:
    found = outcomes(fitted.link(mini.test.hidden().documents), mini.test, mini.ontology, mini.cluster)
    kinds = strata(mini.test, mini.ontology, (mini.train, mini.dev)).iloc[found.scored]
    return recall(found, 1, Scoring())[kinds["no name"].to_numpy()].mean()


def test_groups_are_the_canonical_name_and_the_other_strings_of_an_entity():
    texts, anchors, mentions = strings_by_entity(BENCHMARK)
    groups = [[texts[a], *(texts[i] for i in of)] for a, of in zip(anchors, mentions, strict=True)]
    # D4 has no name. "cold" is a training mention of D1 and of D2, "shivers" of D3; dev gives nothing.
    assert groups == [["cold", "common cold"], ["cold", "low temperature"], ["fever", "pyrexia", "shivers"]]


def test_training_teaches_unseen_strings(encoder):
    mini = load("mini")
    before = unseen(small(encoder, epochs=1, learning_rate=1e-12).fit(mini.visible()), mini)
    linker = small(encoder)
    after = unseen(linker.fit(mini.visible()), mini)
    assert after > before + 0.2
    # 8 epochs of as many groups of 4 as each concept's other strings fill, in batches of 16.
    _, _, mentions = strings_by_entity(mini)
    groups = sum(max(1, math.ceil(len(items) / 3)) for items in mentions)
    assert linker.trace[-1]["step"] == 8 * math.ceil(groups / 16) and np.isfinite(linker.trace[-1]["loss"])


def test_dev_accuracy_is_read_along_the_training_and_the_best_is_kept(encoder):
    mini = load("mini")
    linker = small(encoder, epochs=4, evaluate_epochs=2, keep="best")
    predictions = linker.fit(mini.visible()).link(mini.dev.hidden().documents, 1)
    scores = [row["dev_score"] for row in linker.trace if row["dev_score"] is not None]
    assert len(scores) == 2
    found = outcomes(predictions, mini.dev, mini.ontology, mini.cluster)
    # What training reports is any owner of the nearest name over all parts: the lenient score.
    assert recall(found, 1, Scoring("lenient", "names")).mean() == pytest.approx(max(scores))


def test_what_cannot_be_is_refused(encoder):
    with pytest.raises(ValueError, match="expected one of hybrid"):
        CosinesLinker(mining="semi-hard")
    with pytest.raises(ValueError, match="learns"):
        CosinesLinker(learns="test")
    with pytest.raises(ValueError, match="train alone"):
        CosinesLinker(learns="train+dev", evaluate_epochs=1)
    empty = load("mini").visible()
    with pytest.raises(ValueError, match="no dev mention"):
        small(encoder, evaluate_epochs=1).fit(replace(empty, dev=Corpus("none", ())))


def test_a_batch_encodes_a_repeated_string_once_and_counts_it_as_often_as_it_stands(encoder, monkeypatch):
    read = []
    forward = NameEncoder.forward
    monkeypatch.setattr(
        NameEncoder, "forward", lambda self, texts: read.append(texts) or forward(self, texts)
    )
    losses = []
    monkeypatch.setitem(
        cosines.MINING,
        "hybrid",
        lambda distance, labels, margin, share: losses.append((distance, labels)) or distance.mean(),
    )
    small(encoder, epochs=1, size=4).fit(load("mini").visible())
    for texts, (distance, labels) in zip(read, losses, strict=True):
        assert len(texts) < len(labels) == len(distance) and len(labels) % 4 == 0
        # A name of two concepts is an item of each; no other string is encoded twice.
        assert len(texts) <= len(set(texts)) + 2
        # As many distances of 0 to others as there are repeats.
        assert (distance == 0).sum() > len(distance)


def test_the_character_graph_learns_in_the_same_way():
    mini = load("mini")
    linker = CosinesLinker("character-graph", epochs=20, size=4, learning_rate=1e-3, progress=False)
    before = replace(linker, epochs=1, learning_rate=1e-12).fit(mini.visible())
    after = linker.fit(mini.visible())
    assert unseen(after, mini) > unseen(before, mini) + 0.1
    assert before.weights != after.weights


def test_a_saved_encoder_links_as_before_by_its_path(encoder, tmp_path):
    mini = load("mini")
    fitted = small(encoder, epochs=1).fit(mini.visible())
    fitted.save(tmp_path / "trained")
    again = EncoderLinker(str(tmp_path / "trained"), pooling="cls", precision="fp32", progress=False)
    documents = mini.test.hidden().documents
    one, other = fitted.link(documents), again.fit(mini.visible()).link(documents)
    assert np.allclose(one.scores, other.scores, atol=1e-5)


def test_steps_take_the_place_of_epochs(encoder):
    fitted = small(encoder, steps=6, evaluate_steps=2).fit(load("mini").visible())
    assert [r["step"] for r in fitted.trace if r["dev_score"] is not None] == [2, 4, 6]


def test_learning_from_dev_too_adds_its_strings():
    mini = load("mini")
    texts, _, _ = strings_by_entity(mini)
    more, _, _ = strings_by_entity(mini, ("train", "dev"))
    dev = {fold_name(m.text) for _, m in mini.dev.mentions() if len(m.gold.parts) == 1}
    assert set(texts) < set(more) and set(more) - set(texts) <= dev
