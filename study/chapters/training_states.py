"""The state of a training: at chance, no better than zero updates, rising, or at a plateau.

One rule for all trained systems. It is computed on dev from the first seed, from Recall@1 (strict, over
concepts) of the same linker after none, half and all of its updates: three trainings, each with a schedule of
its own, the same index, and the last weights. End to end it is the strict F1 of concepts at spans.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from benchlib.scoring import Estimate, Scoring, by_match, difference, estimate, recall, spans_against

from ..records import Record, Store
from ..systems import linker
from ..systems.settings import Settings
from .jobs import Job

AT_CHANCE = "at chance"
NO_BETTER = "no better than zero updates"
RISING = "rising"
PLATEAU = "plateau"
UNKNOWN = "unknown"
NOT_KNOWN = "not known whether training levelled off"

CHANCE = 0.9  # of the loss with all similarities equal: a loss from there on has learned nothing
RISE, RISE_BOUND = 1.0, 2.0  # points gained in the second half, and the upper bound of that gain
_LAST = 0.9  # of the updates: the loss is that of the last tenth
_ON_TEST = ("misspelt", "acronyms", "dev")  # transforms that change test, or make it dev
_NAMING = ("add-names", "only-names")  # by mention strings, of dev too


@dataclass(frozen=True)
class State:
    """The ``word`` for a training, with Recall@1 on dev after ``zero``, ``half`` and ``full`` updates, its
    ``gain`` full - zero and the ``late`` part of it, full - half; shares with 95 % intervals over clusters,
    None where a record is missing or there is no such control."""

    word: str
    zero: Estimate | None = None
    half: Estimate | None = None
    full: Estimate | None = None
    gain: Estimate | None = None
    late: Estimate | None = None

    @property
    def better_than_none(self) -> bool:
        """Known to be better than zero updates, though perhaps not whether it still rises."""
        gained = self.word == UNKNOWN and self.gain is not None and in_points(self.gain.low) > 0
        return gained or self.word in (RISING, PLATEAU)


class StateJobs(NamedTuple):
    """The dev runs behind a state, fold by fold, and the ``control``: that with zero updates on the split of
    the run that is shown. ``zero`` and ``control`` are empty end to end, where a head that was not trained
    finds nothing, and ``half`` where a budget of one epoch cannot be halved."""

    zero: tuple[Job, ...]
    half: tuple[Job, ...]
    full: tuple[Job, ...]
    control: tuple[Job, ...]

    def asked(self, store: Store) -> tuple[Job, ...]:
        """The runs to be made, and those with a record in the store. Half of the updates come last, and only
        where the others do not tell the state."""
        half = tuple(job for job in self.half if store.has(job.inputs))
        others = all(store.has(job.inputs) for job in (*self.zero, *self.full))
        if others and len(half) < len(self.half):
            there = StateRecords.of(self, lambda job: store.find(job.inputs))
            half = self.half if there.state.word == UNKNOWN else half
        return (*self.zero, *self.control, *self.full, *half)


@dataclass(frozen=True)
class StateRecords:
    """The records of :class:`StateJobs`, None where there is none."""

    zero: tuple[Record | None, ...]
    half: tuple[Record | None, ...]
    full: tuple[Record | None, ...]
    control: tuple[Record | None, ...] = ()

    @classmethod
    def of(cls, jobs: StateJobs, find: Callable[[Job], Record | None]) -> StateRecords:
        """Those that ``find`` gives for the jobs."""
        return cls(*(tuple(map(find, of_length)) for of_length in jobs))

    @cached_property
    def state(self) -> State:
        return state_of(self.zero, self.half, self.full)


def state_jobs(jobs: Sequence[Job], folds: Sequence[tuple[str, ...]] = ((),)) -> StateJobs | None:
    """The dev runs that say in which state the training of a run is; None for a linker that does not train,
    and for data without dev mentions.

    ``jobs`` are those of its first seed, fold by fold. Here a linker that learns from train and dev learns
    from train alone, keeps the last weights in place of the best on dev, and has no ``mix`` with a weight of
    dev. Dev mentions add no names to the dictionary, and dev is never the test split. Where it is too small
    to tell, ``folds`` are transforms that take turns in its place (:func:`study.corpora.transforms.fold`).
    """
    first = jobs[0]
    trained = _on_dev(linker(first.linker))
    if not trained.budget or not first.data.has("dev"):
        return None
    changes = [tuple(filter(None, map(_without_dev, job.changes))) for job in jobs]
    if not any(change.startswith("fold:") for change in first.changes):
        # Before names are added: those of a fold are not to come from its dev.
        changes = [(*fold, *changes[0]) for fold in folds]

    def on_dev(of: Settings) -> tuple[Job, ...]:
        return tuple(replace(first, changes=change, linker=of.name, split="dev") for change in changes)

    half, untrained = trained.budget // 2, None if hasattr(trained, "find") else trained.untrained()
    return StateJobs(
        on_dev(untrained) if untrained else (),
        on_dev(trained.trained_for(half)) if half else (),
        on_dev(trained),
        tuple(replace(job, linker=untrained.name) for job in jobs) if untrained else (),
    )


def _on_dev(trained: Settings) -> Settings:
    """The linker as it is evaluated on dev: nothing learned or chosen there, the last weights."""
    if getattr(trained, "learns", "") == "train+dev":
        trained = replace(trained, learns="train")
    if getattr(trained, "keep", "last") != "last":
        trained = trained.with_defaults(("keep", "evaluate_epochs", "evaluate_steps"))
    return trained.with_defaults(("mix",))


def _without_dev(change: str) -> str:
    """A transform as it is where dev is scored, "" for none."""
    kind, _, text = change.partition(":")
    if kind in _NAMING:
        splits = "+".join(split for split in text.split("+") if split != "dev")
        return splits and f"{kind}:{splits}"
    return "" if kind in _ON_TEST else change


def state_of(
    zero: Sequence[Record | None], half: Sequence[Record | None], full: Sequence[Record | None]
) -> State:
    """The state of a training by its dev records, fold by fold: the first that applies of

    - *at chance*: the mean loss of the last tenth of the updates is at least 0.9 times the loss of the same
      batches with all similarities equal (the column ``chance_loss`` of a trace; without it, passed over);
    - *no better than zero updates*: the paired 95 % interval of full - zero reaches 0 (not asked where
      ``zero`` is empty);
    - *rising*: full - half is above 1 point, or the upper bound of its interval above 2;
    - *plateau*.

    *Unknown* where a record is missing that is needed to tell.
    """
    before, midway, after = (of if of and None not in of else None for of in (zero, half, full))
    values = [of and _value(of) for of in (before, midway, after)]
    gain, late = (_gap(after, other) if after and other else None for other in (before, midway))
    if after is None:
        word = UNKNOWN
    elif _at_chance(after):
        word = AT_CHANCE
    elif zero and gain is None:
        word = UNKNOWN
    elif gain is not None and in_points(gain.low) <= 0:
        word = NO_BETTER
    elif late is None:
        word = UNKNOWN
    else:
        word = RISING if in_points(late.value) > RISE or in_points(late.high) > RISE_BOUND else PLATEAU
    return State(word, *values, gain, late)


def at_the_end(record: Record, column: str) -> float:
    """The mean of a column of the trace over the last tenth of the updates; NaN where it has no value."""
    rows = [row for row in record.trace if row["step"] > _LAST * record.trace[-1]["step"]]
    values = [row[column] for row in rows if row.get(column) is not None]
    return math.fsum(values) / len(values) if values else math.nan


def _at_chance(records: Sequence[Record]) -> bool:
    loss, chance = (math.fsum(at_the_end(of, column) for of in records) for column in ("loss", "chance_loss"))
    return loss >= CHANCE * chance  # False where a trace has no such column


def _value(records: Sequence[Record]) -> Estimate:
    """Recall@1, or the F1 of spans, of records fold by fold."""
    if records[0].spans is not None:
        return span_f1(by_match(records[0].spans))
    return estimate(_credit(records), _clusters(records))[0]


def _gap(records: Sequence[Record], others: Sequence[Record]) -> Estimate:
    """The same, paired, of records minus others on the same mentions."""
    if records[0].spans is not None:
        return span_f1(spans_against(records[0].spans, others[0].spans))
    return difference(_credit(records), _credit(others), _clusters(records))


def span_f1(rows: Sequence, match: str = "strict") -> Estimate:
    """The F1 under one of ``MATCHES`` among rows of :func:`benchlib.scoring.by_match` or
    :func:`benchlib.scoring.spans_against`, as a share."""
    [row] = [row for row in rows if (row["match"], row["measure"]) == (match, "f1")]
    return Estimate(row["value"], row["low"], row["high"], row.get("n", 0))


def _credit(records: Sequence[Record]) -> np.ndarray:
    return np.concatenate([recall(record.outcomes, 1, Scoring()) for record in records])


def _clusters(records: Sequence[Record]) -> np.ndarray:
    return np.concatenate([record.outcomes.clusters for record in records])


def in_points(share: float) -> float:
    """In points, without the last digits of single precision in which intervals are averaged."""
    return round(100 * share, 4)
