"""The control with zero updates: settings of the training change nothing in a linker that is not trained."""

from dataclasses import fields, replace

import numpy as np
import pytest
from linking import DOCUMENTS, VISIBLE, WITH_TEXT

from study.systems import CATALOGUE, linker

OTHER = {  # than by default, of every setting that is named as one of the training alone
    "alpha": 8.0, "batch": 2, "candidates": 4, "concepts": 2, "contrast": False, "delta": 0.1,
    "dense_share": 0.25, "distance": "cosine", "entities": "drawn", "epsilon": 0.5, "evaluate_epochs": 1,
    "evaluate_steps": 1, "fgsm": "fgsm", "groups": 2, "head_rate": 0.5, "in_batch": True, "keep": "best",
    "learning_rate": 0.5, "leave_own_out": True, "margin": 0.5, "masked": 0.0, "mine_every": 7,
    "miner": "triplets", "mining": "batch-all", "ms_alpha": 1.0, "ms_beta": 60.0, "ms_lambda": 0.5,
    "n_negatives": 16, "negatives": "mixed", "own_hard": 2, "replaced": 0.0, "sampling": "names", "size": 3,
    "temperature": 1.0, "weight": 2.0, "filled": False,
    "frozen": 0,  # as by default: with no update all layers are
}  # fmt: skip
OF_BASE = {  # where settings of one name have other values, or a training has no other
    "tuned": {"loss": "proxy"},
    "sapbert": {"loss": "proxy"},
    "cosines": {"schedule": "linear", "learns": "train"},  # what is evaluated on dev does not learn from it
    "biocom": {"schedule": "constant"},
    "krissbert": {"learns": "train"},
    "bi-encoder": {"loss": "ce-cosine", "learns": "train+dev"},
    "frozen-bi-encoder": {
        "loss": "ce-cosine", "learns": "train+dev", "fgsm": "none", "leave_own_out": False,
        "negatives": "random", "own_hard": 0,
    },
    "collective": {"loss": "ce", "learns": "train+dev"},
    "end-to-end": {"loss": "ce", "learns": "train+dev"},
}  # fmt: skip
LENGTHS = {"steps", "epochs"}
TRAINED = sorted({base for base, kind in CATALOGUE.items() if LENGTHS & {one.name for one in fields(kind)}})


@pytest.mark.parametrize("base", [base for base in TRAINED if base != "cross-encoder"])
def test_a_setting_of_the_training_has_no_part_in_an_untrained_linker(base, encoder):
    kind = CATALOGUE[base]
    little = {"model": encoder, "window": 24, "max_length": 12, "precision": "fp32", "progress": False}
    little |= {"references": True} if base == "krissbert" else {}
    names = {one.name for one in fields(kind)}
    control = kind(**{name: value for name, value in little.items() if name in names}).untrained()
    others = OTHER | OF_BASE.get(base, {})
    other = replace(control, **{name: others[name] for name in control.training_only})
    assert other != control and other.untrained() == control and control.budget == other.budget == 0
    one, two = (of.fit(WITH_TEXT.visible()).link(DOCUMENTS[:4], 8) for of in (control, other))
    assert one.queries == two.queries and np.array_equal(one.index, two.index)
    assert np.array_equal(one.scores, two.scores)


@pytest.mark.parametrize("name", ["bi-encoder", "bi-encoder,loss=ce", "bi-encoder,score=dot", "collective"])
def test_vectors_are_compared_as_after_the_training(name, encoder):
    settings = f"model={encoder},window=24,max_length=12,precision=fp32"
    own = replace(linker(f"{name},{settings},steps=0"), progress=False)
    one, two = (of.fit(VISIBLE).link(DOCUMENTS[:4], 8) for of in (own, own.untrained()))
    assert np.array_equal(one.index, two.index) and np.array_equal(one.scores, two.scores)


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
