"""The systems of a chapter and their runs: a row of a paper's table, an entry for every seed and data set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..runs import Entry, Record
from ..scoring import Outcomes, Scoring, recall
from .session import Session


@dataclass(frozen=True)
class System:
    """A row of a paper's table: its label here, the linker that plays its part, and its name in the paper's
    own table. Without a linker the row shows what is printed, and ``reason`` says why there is no run."""

    label: str
    linker: str = ""
    printed: str = ""
    seeds: tuple[int, ...] = (0,)
    changes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Runs:
    """A system on one data set: an entry per seed, or none for a system without a linker."""

    system: System
    data: str
    entries: tuple[Entry, ...]

    @property
    def made(self) -> bool:
        """Whether every seed has a record."""
        return bool(self.entries) and all(entry.record is not None for entry in self.entries)

    @property
    def outcomes(self) -> list[Outcomes]:
        return [entry.record.outcomes for entry in self.entries]

    @property
    def record(self) -> Record | None:
        return self.entries[0].record if self.entries else None

    def credits(self, k: int, scoring: Scoring) -> list[np.ndarray]:
        """Recall@k of every counted mention, an array per seed."""
        return [recall(found, k, scoring) for found in self.outcomes]

    def among(self, mentions: Mapping[str, np.ndarray] | None) -> np.ndarray:
        """Which counted mentions are looked at: all, or those of a mask by data set."""
        scored = self.outcomes[0].scored
        return np.ones(len(scored), dtype=bool) if mentions is None else mentions[self.data][scored]


def runs_of(
    session: Session, systems: Iterable[System], only: Sequence[str], split: str = "test"
) -> list[Runs]:
    """The runs of every system on every data set that the page shows, data set by data set."""
    found: dict[str, dict[str, list[Entry]]] = {}
    systems = list(systems)
    for system in systems:
        for seed in system.seeds if system.linker else ():
            for entry in session.linked([system.linker], only, system.changes, split, seed):
                found.setdefault(entry.dataset, {}).setdefault(system.label, []).append(entry)
    return [
        Runs(system, data, tuple(by_label.get(system.label, ())))
        for data, by_label in found.items()
        for system in systems
    ]


def trainings(
    session: Session,
    linkers: Mapping[str, str],
    only: Sequence[str],
    folds: Sequence[tuple[str, ...]] = ((),),
) -> dict[str, list[Record]]:
    """The records that there are on dev, by label of the linker, one for each of ``folds``: transforms that
    hold out a part of the training mentions."""
    return {
        label: [
            entry.record
            for changes in folds
            for entry in session.linked([name], only, changes, "dev")
            if entry.record is not None
        ]
        for label, name in linkers.items()
    }


def points(
    found: Iterable[Runs], times: Iterable[Record | None], timed: Mapping[str, str], scoring: Scoring
) -> list[tuple[str, float, float]]:
    """(label, seconds, accuracy) of each system with a record and a time; ``timed`` says by label what was
    timed."""
    seconds = {key: value for record in times if record is not None for key, value in record.values.items()}
    return [
        (
            runs.system.label,
            seconds[timed[runs.system.label]],
            float(np.mean([credit.mean() for credit in runs.credits(1, scoring)])),
        )
        for runs in found
        if runs.made and timed.get(runs.system.label) in seconds
    ]


def grid(
    session: Session,
    cells: Mapping[tuple[str, str], str],
    only: Sequence[str],
    scoring: Scoring,
    axes: tuple[str, str],
) -> pd.DataFrame:
    """Accuracy on dev in percent by two settings, NaN without a record: ``cells`` gives the linker of each
    (row, column), ``axes`` the names of the two."""
    frame = pd.DataFrame(
        index=pd.Index(dict.fromkeys(row for row, _ in cells), name=axes[0]),
        columns=pd.Index(dict.fromkeys(column for _, column in cells), name=axes[1]),
        dtype=float,
    )
    for (row, column), found in trainings(session, cells, only).items():
        for record in found:
            frame.loc[row, column] = 100 * recall(record.outcomes, 1, scoring).mean()
    return frame


def stratum(found: Iterable[Runs], name: str, holds: bool = True) -> dict[str, np.ndarray]:
    """The mentions in a stratum of ``STRATA``, or those not in it: a mask by data set."""
    return {
        runs.data: runs.entries[0].kinds.strata[name].to_numpy() == holds
        for runs in found
        if runs.made and not runs.system.changes
    }
