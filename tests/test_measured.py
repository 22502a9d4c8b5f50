"""Effects about trained systems, re-derived from their records; untrained linkers stand for trained ones."""

from dataclasses import replace

import numpy as np
import pytest

from benchlib.datasets import load, transforms
from benchlib.datasets.perturb import changed, perturbed
from benchlib.linkers import linker
from benchlib.report.measured import TESTS
from benchlib.runs import MissingRecord, Store, measure, run
from benchlib.scoring import Scoring, recall, roc_area

PROTOCOL = "strict/names/any-of"
NAMES = ("exact", "prior", "tfidf-char-1-2")


@pytest.fixture(scope="module")
def store(tmp_path_factory) -> Store:
    made = Store(tmp_path_factory.mktemp("records"))
    for name in NAMES:
        for seed in (0, 1):
            run(linker(name), "mini", made, seed=seed)
        for fold in ("fold:1/2", "fold:2/2"):
            run(linker(name), "mini", made, split="dev", changes=(fold,))
        run(linker(name), "mini", made, changes=("misspelt:test",))
        run(linker(name), "mini", made, changes=("acronyms:test",))
    measure("perturbed", perturbed, "mini", made)
    measure("inference", lambda _: TIMES, "mini", made)
    return made


TIMES = {
    "a": 2.0,
    "b": 1.0,
    "c": 4.0,
    "a.runs": [2.0, 2.0, 4.0],
    "b.runs": [1.0, 1.0, 1.0],
    "c.runs": [4.0, 4.0, 4.0],
    "n.mentions": 7,
}


def credit(store: Store, name: str, split: str = "test", changes: tuple[str, ...] = ()) -> np.ndarray:
    record = run(linker(name), "mini", store, split=split, changes=changes, compute="never")
    return recall(record.outcomes, 1, Scoring())


def test_the_best_of_others_is_the_rival_and_seeds_stand_beside(store):
    others = {"exact": [0], "prior": [0]}
    [effect] = TESTS["best_gap"](store, ["mini"], "tfidf-char-1-2", [0, 1], others, PROTOCOL)
    best = max(credit(store, name).mean() for name in others)
    gap = 100 * (credit(store, "tfidf-char-1-2").mean() - best)
    assert effect.value == pytest.approx(gap) and effect.seeds == pytest.approx((gap, gap))
    assert effect.low < effect.value < effect.high and 0 < effect.p <= 1
    with pytest.raises(MissingRecord, match="--seed 2"):
        TESTS["best_gap"](store, ["mini"], "exact", [2], {"prior": [0]}, PROTOCOL)


def test_folds_are_taken_together(store):
    [effect] = TESTS["folds_gap"](store, ["mini"], "tfidf-char-1-2", ["exact", "prior"], 2, PROTOCOL)
    pooled = {
        name: np.concatenate([credit(store, name, "dev", (f"fold:{i}/2",)) for i in (1, 2)]) for name in NAMES
    }
    best = max(("exact", "prior"), key=lambda name: pooled[name].mean())
    expected = 100 * (pooled["tfidf-char-1-2"].mean() - pooled[best].mean())
    assert effect.value == pytest.approx(expected) and effect.n == len(pooled[best])
    assert len(effect.seeds) == 2


def test_steadiness_is_the_spread_of_the_second_half_over_that_of_the_first(store, monkeypatch):
    from benchlib.report import measured

    scores = {"fold:1/2": [0.1, 0.5, 0.6, 0.7], "fold:2/2": [0.2, 0.4, 0.5, 0.5]}

    def with_trace(store, linker, corpus, split, changes):
        record = run(measured.named(linker), corpus, store, split=split, changes=changes, compute="never")
        rows = [{"step": i, "dev_score": one} for i, one in enumerate(scores[changes[0]])]
        return replace(record, trace=(*rows, {"step": 9, "dev_score": None}))

    monkeypatch.setattr(measured, "_record", with_trace)
    [effect] = TESTS["steadiness"](store, ["mini"], "exact", 2)
    # Of two numbers the standard deviation is their distance over the square root of 2.
    assert effect.value == pytest.approx((0.1 / 0.4 + 0.0 / 0.2) / 2)
    assert (effect.low, effect.high, effect.n) == pytest.approx((0.0, 0.25, 2))


def test_areas_are_compared_with_the_largest_of_others(store):
    [effect] = TESTS["area_gap"](store, ["mini"], "prior", [0], {"exact": [0], "tfidf-char-1-2": [0]})
    area = {
        name: roc_area([run(linker(name), "mini", store, compute="never").outcomes]).value for name in NAMES
    }
    assert effect.value == pytest.approx(100 * (area["prior"] - max(area["exact"], area["tfidf-char-1-2"])))


def test_times_are_compared_round_by_round_with_the_fastest(store):
    [effect] = TESTS["time_ratio"](store, ["mini"], "a", ["b", "c"])
    assert effect.value == pytest.approx((2 + 2 + 4) / 3) and effect.n == 7
    assert 2 <= effect.low < effect.value < effect.high <= 4


def test_of_two_perturbations_the_milder_one_decides_on_the_mentions_it_changes(store):
    [effect] = TESTS["perturbed_gap"](store, ["mini"], "exact", [0], ["misspelt", "acronyms"], PROTOCOL)
    mini, gaps = load("mini"), []
    scored = run(linker("exact"), "mini", store, compute="never").outcomes.scored
    for kind in ("misspelt", "acronyms"):
        of = changed(mini.test, transforms.apply(mini, (f"{kind}:test",)).test)[scored]
        after = credit(store, "exact", changes=(f"{kind}:test",))
        gaps.append(100 * (after[of].mean() - credit(store, "exact")[of].mean()))
    assert effect.value == pytest.approx(max(gaps)) and effect.seeds == pytest.approx((max(gaps),))
