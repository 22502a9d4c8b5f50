"""The control with zero updates: settings of the training change nothing in a linker that is not trained."""

from dataclasses import fields, replace

import numpy as np
import pytest

from study.corpora import load
from study.corpora.transforms import apply
from study.systems import CATALOGUE, linker

OTHER = {  # than by default, of every setting that is named as one of the training alone
    "loss": {"tuned": "proxy", "sapbert": "proxy"},
    "alpha": 8.0,
    "delta": 0.1,
    "negatives": "mixed",
    "n_negatives": 16,
    "mine_every": 7,
    "fgsm": "fgsm",
    "epsilon": 0.5,
    "weight": 2.0,
    "learns": {"krissbert": "train"},
    "batch": 2,
    "learning_rate": 0.5,
    "concepts": 2,
    "groups": 2,
    "size": 3,
    "margin": 0.5,
    "schedule": {"cosines": "linear", "biocom": "constant"},
    "mining": "batch-all",
    "distance": "cosine",
    "evaluate_epochs": 1,
    "keep": "best",
    "evaluate_steps": 1,
    "candidates": 4,
    "dense_share": 0.25,
    "entities": "drawn",
    "temperature": 1.0,
    "masked": 0.0,
    "replaced": 0.0,
    "contrast": False,
    "head_rate": 0.5,
    "leave_own_out": True,
    "in_batch": True,
    "own_hard": 2,
    "frozen": {},  # with no update all layers are
    "ms_alpha": 1.0,
    "ms_beta": 60.0,
    "ms_lambda": 0.5,
    "miner": "triplets",
    "sampling": "names",
}
LENGTHS = {"steps", "epochs"}
TRAINED = sorted({base for base, kind in CATALOGUE.items() if LENGTHS & {one.name for one in fields(kind)}})


def small(base: str, encoder: str):
    """An untrained linker of a base that reads little."""
    kind = CATALOGUE[base]
    there = {one.name for one in fields(kind)}
    little = {"model": encoder, "window": 24, "max_length": 12, "precision": "fp32", "progress": False}
    settings = {name: value for name, value in little.items() if name in there}
    settings |= {"references": True} if base == "krissbert" else {}
    return kind(**settings).untrained()


def changed(of, name: str):
    """The linker with another value of a setting, None where its training has no other."""
    value = OTHER[name].get(of.base) if isinstance(OTHER[name], dict) else OTHER[name]
    if name in ("fgsm", "leave_own_out") and of.base == "frozen-bi-encoder":
        return None  # they change what a trained encoder reads
    if name == "learns" and of.base != "krissbert":
        value = "train+dev"
    if name == "loss" and value is None:
        value = "ce-cosine" if of.contrast.cosine else None
    return None if value is None else replace(of, **{name: value})


@pytest.mark.parametrize("base", [base for base in TRAINED if base != "cross-encoder"])
def test_a_setting_of_the_training_has_no_part_in_an_untrained_linker(base, encoder):
    mini = apply(load("mini"), ["unlabelled:train"])
    documents = mini.test.hidden().documents[:4]
    control = small(base, encoder)
    names = {one.name for one in fields(control)}
    assert {*control.training_only} <= names
    settings = {name: getattr(changed(control, name) or control, name) for name in control.training_only}
    if "evaluate_epochs" in settings:
        settings |= {"learns": "train"}  # what is evaluated on dev does not learn from it
    other = replace(control, **settings)
    assert other != control and other.untrained() == control and control.budget == other.budget == 0
    one, two = (of.fit(mini.visible()).link(documents, 8) for of in (control, other))
    assert one.queries == two.queries and np.array_equal(one.index, two.index)
    assert np.array_equal(one.scores, two.scores)


@pytest.mark.parametrize("name", ["bi-encoder", "bi-encoder,loss=ce", "bi-encoder,score=dot", "collective"])
def test_vectors_are_compared_as_after_the_training(name, encoder):
    mini = load("mini").visible()
    settings = f"model={encoder},window=24,max_length=12,precision=fp32"
    own = replace(linker(f"{name},{settings},steps=0"), progress=False)
    documents = mini.dev.hidden().documents[:4]
    ranked = [of.fit(mini).link(documents, 8) for of in (own, own.untrained())]
    assert np.array_equal(ranked[0].index, ranked[1].index)
    assert np.array_equal(ranked[0].scores, ranked[1].scores)


@pytest.mark.parametrize(
    ("name", "budget", "half", "untrained"),
    [
        ("tuned,steps=9", 9, "tuned,steps=4", "tuned,steps=0"),
        ("cosines", 20, "cosines,epochs=4", "cosines,epochs=0"),
        ("cosines,steps=9,epochs=3", 9, "cosines,epochs=3,steps=4", "cosines,epochs=0"),
        ("biosyn", 2, "biosyn,epochs=4", "biosyn,epochs=0"),
        ("cross-encoder,first=bm25", 400, "cross-encoder,first=bm25,steps=4", "bm25"),
    ],
)
def test_a_budget_is_of_updates_or_of_epochs(name, budget, half, untrained):
    of = linker(name)
    assert of.budget == budget and of.trained_for(4).name == half and of.untrained().name == untrained


@pytest.mark.parametrize("base", sorted({*CATALOGUE} - {*TRAINED}))
def test_a_linker_without_a_training_has_no_budget(base):
    assert CATALOGUE[base]().budget == 0
