"""CoSiNES on the embedded corpus with an encoder trained from nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tiny import tiny_encoder
from toy import BENCHMARK

from benchlib.corpus import Corpus
from benchlib.datasets import load
from benchlib.linkers import CosinesLinker, resumable
from benchlib.linkers.cosines import strings_of_entities
from benchlib.scoring import Scoring, outcomes, recall, strata


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return tiny_encoder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(autouse=True)
def trainings(tmp_path, monkeypatch):
    monkeypatch.setattr(resumable, "TRAININGS", tmp_path)


def small(encoder, **settings):
    fixed = {"epochs": 8, "size": 4, "learning_rate": 3e-3, "precision": "fp32", "progress": False}
    return CosinesLinker(encoder, **fixed | settings)


def unseen(fitted, mini) -> float:
    found = outcomes(fitted.link(mini.test.hidden().documents), mini.test, mini.ontology, mini.cluster)
    kinds = strata(mini.test, mini.ontology, (mini.train, mini.dev)).iloc[found.scored]
    return recall(found, 1, Scoring())[kinds["no name"].to_numpy()].mean()


def test_groups_are_the_canonical_name_and_the_other_strings_of_an_entity():
    texts, anchors, mentions = strings_of_entities(BENCHMARK)
    groups = [[texts[a], *(texts[i] for i in of)] for a, of in zip(anchors, mentions, strict=True)]
    # D4 has no name. "cold" is a training mention of D1 and of D2, "shivers" of D3; dev gives nothing.
    assert groups == [["cold", "common cold"], ["cold", "low temperature"], ["fever", "pyrexia", "shivers"]]


def test_training_teaches_unseen_strings_and_leaves_no_checkpoint(encoder, tmp_path):
    mini = load("mini")
    before = unseen(small(encoder, epochs=1, learning_rate=1e-12).fit(mini.visible()), mini)
    linker = small(encoder)
    after = unseen(linker.fit(mini.visible()), mini)
    assert after > before + 0.2
    # 8 epochs of as many groups of 4 as each concept's other strings fill, in batches of 16.
    _, _, mentions = strings_of_entities(mini)
    groups = sum(max(1, math.ceil(len(items) / 3)) for items in mentions)
    assert linker.trace[-1]["step"] == 8 * math.ceil(groups / 16) and np.isfinite(linker.trace[-1]["loss"])
    assert list(tmp_path.iterdir()) == []


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
