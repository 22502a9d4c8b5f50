"""CoSiNES on the embedded corpus with an encoder trained from nothing."""

import math
from dataclasses import replace

import numpy as np
import pytest
from linking import MINI, VISIBLE, called, recalled
from toy import BENCHMARK

from benchlib import losses
from benchlib.corpus import Corpus
from benchlib.encoders import NameEncoder
from benchlib.losses import triplet
from benchlib.ontology import fold_name
from benchlib.scoring import Scoring, outcomes, recall
from study.systems import CosinesLinker
from study.systems.training_names import strings_by_entity


def small(encoder, **settings):
    fixed = {"epochs": 8, "size": 4, "learning_rate": 3e-3, "precision": "fp32", "progress": False}
    return CosinesLinker(encoder, **fixed | settings)


def test_groups_are_the_canonical_name_and_the_other_strings_of_an_entity():
    texts, anchors, mentions = strings_by_entity(BENCHMARK)
    groups = [[texts[a], *(texts[i] for i in of)] for a, of in zip(anchors, mentions, strict=True)]
    # D4 has no name. "cold" is a training mention of D1 and of D2, "shivers" of D3; dev gives nothing.
    assert groups == [["cold", "common cold"], ["cold", "low temperature"], ["fever", "pyrexia", "shivers"]]
    # Learning from dev too adds its strings.
    less, more = (set(strings_by_entity(MINI, learns)[0]) for learns in (("train",), ("train", "dev")))
    dev = {fold_name(m.text) for _, m in MINI.dev.mentions() if len(m.gold.parts) == 1}
    assert less < more and more - less <= dev


def test_training_teaches_unseen_strings(encoder):
    before = recalled(small(encoder, epochs=1, learning_rate=1e-12).fit(VISIBLE), kind="no name")
    linker = small(encoder).fit(VISIBLE)
    assert recalled(linker, kind="no name") > before + 0.2
    # 8 epochs of as many groups of 4 as each concept's other strings fill, in batches of 16.
    filled = [math.ceil(len(items) / 3) for items in strings_by_entity(MINI)[2]]
    groups = sum(max(1, n) for n in filled)
    assert linker.trace[-1]["step"] == 8 * math.ceil(groups / 16) and np.isfinite(linker.trace[-1]["loss"])
    # With groups left short, those of entities that have a mention.
    short = small(encoder, filled=False).fit(VISIBLE)
    assert short.trace[-1]["step"] == 8 * math.ceil(sum(filled) / 16) and short.weights != linker.weights
    assert recalled(short, kind="no name") > before + 0.2


def test_the_character_graph_learns_in_the_same_way():
    made = CosinesLinker("character-graph", epochs=20, size=4, learning_rate=1e-3, progress=False)
    before, after = (of.fit(VISIBLE) for of in (replace(made, epochs=1, learning_rate=1e-12), made))
    assert recalled(after, kind="no name") > recalled(before, kind="no name") + 0.1
    assert before.weights != after.weights


def test_dev_accuracy_is_read_along_the_training_and_the_best_is_kept(encoder):
    linker = small(encoder, epochs=4, evaluate_epochs=2, keep="best").fit(VISIBLE)
    scores = [row["dev_score"] for row in linker.trace if row["dev_score"] is not None]
    assert len(scores) == 2
    found = outcomes(linker.link(MINI.dev.hidden().documents, 1), MINI.dev, MINI.ontology, MINI.cluster)
    # What training reports is any owner of the nearest name over all parts: the lenient score.
    assert recall(found, 1, Scoring("lenient", "names")).mean() == pytest.approx(max(scores))
    # Steps take the place of epochs.
    linker = small(encoder, steps=6, evaluate_steps=2).fit(VISIBLE)
    assert [row["step"] for row in linker.trace if row["dev_score"] is not None] == [2, 4, 6]
    with pytest.raises(ValueError, match="no dev mention"):
        small(encoder, evaluate_epochs=1).fit(replace(VISIBLE, dev=Corpus("none", ())))


@pytest.mark.parametrize(
    ("mining", "kinds"),
    [("hybrid", ["batch_all", "batch_hard"]), ("batch-all", ["batch_all"]), ("batch-hard", ["batch_hard"])],
)
def test_a_batch_encodes_a_repeated_string_once_and_counts_it_as_often_as_it_stands(
    encoder, monkeypatch, mining, kinds
):
    read = called(monkeypatch, NameEncoder, "forward")
    mined = {kind: called(monkeypatch, triplet, kind) for kind in ("batch_all", "batch_hard")}
    for kind in mined:
        monkeypatch.setattr(losses, kind, getattr(triplet, kind), raising=False)
    small(encoder, epochs=1, mining=mining).fit(VISIBLE)
    assert [kind for kind, calls in mined.items() if calls] == kinds
    computed = [call for calls in mined.values() for call in calls]
    assert len(read) == len(computed) > 3
    for (texts, _), (distance, labels, *_) in zip(read, computed, strict=True):
        assert len(texts) < len(labels) == len(distance) and len(labels) % 4 == 0
        # A name of two concepts is an item of each; no other string is encoded twice.
        assert len(texts) <= len(set(texts)) + 2
        # As many distances of 0 to others as there are repeats.
        assert (distance == 0).sum() > len(distance)
