"""What the chapter of a paper shows: its systems side by side, ours and the printed numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..runs import Entry, Record
from ..scoring import (
    Estimate,
    Outcomes,
    Scoring,
    compare,
    estimate,
    holm,
    over_seeds,
    recall,
)
from . import reported
from .scores import NOT_RUN
from .session import Session
from .show import linked, table_from


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


def results_table(
    found: Sequence[Runs],
    scoring: Scoring,
    ks: Sequence[int] = (1, 3, 5),
    printed: pd.DataFrame | None = None,
    names: Mapping[str, str] | None = None,
    mentions: Mapping[str, np.ndarray] | None = None,
    macro: bool = False,
) -> pd.DataFrame:
    """Recall@k of every system in percent: the mean over seeds with the interval over clusters.

    ``printed`` has the rows of the paper's own table, whose data sets ``names`` calls as the paper does.
    ``mentions`` restricts all to a mask by data set (:func:`stratum`). ``macro`` adds recall@1 averaged
    over clusters.
    """
    rows = []
    for runs in found:
        row: dict[str, object] = {"data": runs.data, "system": linked(runs.system.label, runs.record)}
        if not runs.made:
            row["n"] = runs.system.reason or NOT_RUN
        else:
            kept, clusters = runs.among(mentions), runs.outcomes[0].clusters
            row["n"] = f"{kept.sum():,}"
            for k in ks:
                credits = [credit[kept] for credit in runs.credits(k, scoring)]
                one = over_seeds(credits, clusters[kept])
                row[f"@{k}"] = in_percent(one)
                if k == 1 and macro:
                    row["macro @1"] = in_percent(_over_clusters(np.mean(credits, axis=0), clusters[kept]))
                if k == 1 and len(credits) > 1:
                    row["seeds @1"] = ", ".join(f"{100 * value:.1f}" for value in one.seeds)
        if printed is not None and len(printed) and runs.system.printed:
            for k in ks:
                row[f"printed @{k}"] = _printed(printed, runs, k, names or {})
        rows.append(row)
    frame = table_from(rows)
    if len({runs.data for runs in found}) == 1:
        frame = frame.drop(columns="data")
    # What is printed stands beside what was measured.
    first = ["data", "system", "n", *(column for k in ks for column in (f"@{k}", f"printed @{k}"))]
    return frame[sorted(frame, key=lambda column: first.index(column) if column in first else len(first))]


def gaps_table(found: Sequence[Runs], pairs: Sequence[tuple[str, str]], scoring: Scoring) -> pd.DataFrame:
    """First against second system of each pair of labels, on every data set, paired mention by mention:
    the difference of accuracy in points, p after Holm over the table, credit gained and lost in mentions,
    and the smallest difference that the corpus could have shown. Credits are averaged over seeds."""
    by_label = {(runs.data, runs.system.label): runs for runs in found}
    made, rows = [], []
    for data in dict.fromkeys(runs.data for runs in found):
        for pair in pairs:
            first, second = (by_label[data, label] for label in pair)
            row = {"data": data, "first": linked(pair[0], first.record)}
            row["second"] = linked(pair[1], second.record)
            rows.append(row)
            if not (first.made and second.made):
                row["difference"] = NOT_RUN
                continue
            credit = [np.mean(runs.credits(1, scoring), axis=0) for runs in (first, second)]
            made.append((row, compare(*credit, first.outcomes[0].clusters)))
    for (row, c), p in zip(made, holm([c.p for _, c in made]), strict=True):
        d = c.difference
        row["difference"] = f"{100 * d.value:+.1f} [{100 * d.low:+.1f}, {100 * d.high:+.1f}]"
        row["p (Holm)"] = f"{p:.4f}"
        row["gained / lost"] = f"{c.gained:,.0f} / {c.lost:,.0f}"
        row["detectable"] = f"{100 * c.detectable:.1f}"
    frame = table_from(rows)
    return frame if len({row["data"] for row in rows}) > 1 else frame.drop(columns="data", errors="ignore")


def per_fold_table(lines: Mapping[str, Sequence[Record]], scoring: Scoring) -> pd.DataFrame:
    """Accuracy in percent at the end of trainings over folds, all mentions together, each fold's beside, and
    the paired difference of the first label from each other. An entity is another cluster in each fold."""
    rows, credit, clusters = [], {}, {}
    for label, found in lines.items():
        if found:
            credit[label] = [recall(record.outcomes, 1, scoring) for record in found]
            clusters[label] = np.concatenate(
                [record.outcomes.clusters + 1_000_000 * i for i, record in enumerate(found)]
            )
    first = next(iter(lines))
    for label, found in lines.items():
        row: dict[str, object] = {"mining": linked(label, found[0] if found else None)}
        rows.append(row)
        if label not in credit:
            row["accuracy"] = NOT_RUN
            continue
        pooled = np.concatenate(credit[label])
        row["accuracy"] = in_percent(estimate(pooled, clusters[label])[0])
        row["each fold"] = ", ".join(f"{100 * one.mean():.1f}" for one in credit[label])
        if label != first and first in credit and len(found) == len(lines[first]):
            c = compare(np.concatenate(credit[first]), pooled, clusters[label])
            d = c.difference
            row[f"{first} minus this"] = f"{100 * d.value:+.1f} [{100 * d.low:+.1f}, {100 * d.high:+.1f}]"
            row["p"] = f"{c.p:.4f}"
    return table_from(rows)


def in_percent(one: Estimate) -> str:
    """``51.7 [48.0, 55.3]``"""
    return f"{100 * one.value:.1f} [{100 * one.low:.1f}, {100 * one.high:.1f}]"


def _over_clusters(credit: np.ndarray, clusters: np.ndarray) -> Estimate:
    """The mean over clusters of their own mean: every cluster counts the same, however many its mentions."""
    _, cluster = np.unique(clusters, return_inverse=True)
    means = np.bincount(cluster, weights=credit) / np.bincount(cluster)
    return estimate(means, np.arange(len(means)))[0]


def _printed(rows: pd.DataFrame, runs: Runs, k: int, names: Mapping[str, str]) -> str:
    found = reported.select(rows, system=runs.system.printed, metric=f"recall_at_{k}")
    if names:
        found = reported.select(found, dataset=names.get(runs.data, runs.data))
    return found["value"].iloc[0] if len(found) else ""
