"""What tests of linkers share: the embedded corpus, Recall on it, and a training that is killed."""

from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np
import pytest

from benchlib.benchmark import Benchmark
from benchlib.scoring import Scoring, outcomes, recall, strata
from benchlib.training import Training
from study.corpora import load
from study.corpora.transforms import apply

MINI = load("mini")
VISIBLE = MINI.visible()
WITH_TEXT = apply(MINI, ["unlabelled:train"])
DOCUMENTS = MINI.test.hidden().documents


def recalled(fitted, k: int = 1, benchmark: Benchmark = MINI, kind: str = "") -> float:
    """Recall@k of a linker on the test split, or on one of its :data:`STRATA` alone."""
    predictions = fitted.link(benchmark.test.hidden().documents)
    found = outcomes(predictions, benchmark.test, benchmark.ontology, benchmark.cluster)
    right = recall(found, k, Scoring())
    if kind:
        kinds = strata(benchmark.test, benchmark.ontology, (benchmark.train, benchmark.dev))
        right = right[kinds.iloc[found.scored][kind].to_numpy()]
    return right.mean()


def small_dual(kind, encoder: str, **settings):
    """A dual encoder of a class that reads little and learns for a moment."""
    fixed = {"fields": "title", "window": 12, "max_length": 16, "batch": 8, "n_negatives": 16, "steps": 4}
    fixed |= {"learning_rate": 3e-3, "precision": "fp32", "progress": False}
    return kind(encoder, **fixed | settings)


def called(monkeypatch, owner, name: str) -> list[tuple]:
    """The arguments, ``self`` left out where it is a method of a class, and the result of every call of a
    function from now on."""
    calls, work = [], getattr(owner, name)

    def noted(*given, **named):
        result = work(*given, **named)
        calls.append((*given[isinstance(owner, type) :], result))
        return result

    monkeypatch.setattr(owner, name, noted)
    return calls


class Killed(Exception):
    pass


def goes_on_after_a_kill(monkeypatch, made, folder, owner, name: str, step: int):
    """The linker ``made`` fitted, after a check: a training that is killed in a step, of which each calls a
    function once, and has a checkpoint after each, ends bitwise as this one, and makes no step twice."""
    monkeypatch.setattr("benchlib.training.Training", partial(Training, checkpoint_minutes=0))
    whole = replace(made).fit(VISIBLE, seed=1)
    calls, work = count(), getattr(owner, name)

    def until(*given, **named):
        if next(calls) == step:
            raise Killed
        return work(*given, **named)

    monkeypatch.setattr(owner, name, until)
    with pytest.raises(Killed):
        replace(made, checkpoints=folder).fit(VISIBLE, seed=1)
    resumed = replace(made, checkpoints=folder).fit(VISIBLE, seed=1)
    assert resumed.weights == whole.weights
    assert [row["loss"] for row in resumed.trace] == [row["loss"] for row in whole.trace]
    assert next(calls) == len(whole.trace) + 1
    return whole


def descending(scores: np.ndarray, k: int | None = None) -> np.ndarray:
    """Each row in descending order, the first k."""
    return -np.sort(-scores, axis=1)[:, :k]
