"""Tables of what systems reach: side by side with the printed numbers, in pairs, and over folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ..runs import Record
from ..scoring import (
    Comparison,
    Scoring,
    cluster_means,
    compare,
    disjoint,
    estimate,
    holm,
    over_seeds,
    recall,
)
from . import reported
from .scores import NOT_RUN, in_percent, in_points
from .show import linked, table_from
from .systems import Runs


def table(
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
    ``mentions`` restricts all to a mask by data set (:func:`.systems.stratum`). ``macro`` adds recall@1
    averaged over clusters.
    """
    rows = []
    for runs in found:
        row: dict[str, object] = {"data": runs.data, "system": linked(runs.system.label, runs.record)}
        if not runs.made:
            row[f"@{ks[0]}"] = runs.system.reason or NOT_RUN
        else:
            kept, clusters = runs.among(mentions), runs.outcomes[0].clusters
            row["n"] = f"{kept.sum():,}"
            for k in ks:
                credits = [credit[kept] for credit in runs.credits(k, scoring)]
                one = over_seeds(credits, clusters[kept])
                row[f"@{k}"] = in_percent(one)
                if k == 1 and macro:
                    means = cluster_means(np.mean(credits, axis=0), clusters[kept])
                    row["macro @1"] = in_percent(estimate(means, np.arange(len(means)))[0])
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
    kinds = ("", "printed ", "macro ", "seeds ")
    first = ["data", "system", "n", *(f"{kind}@{k}" for k in ks for kind in kinds)]
    return frame[sorted(frame, key=lambda column: first.index(column) if column in first else len(first))]


def largest(found: Sequence[Runs], scoring: Scoring, n: int = 3) -> pd.DataFrame:
    """Accuracy of every system in percent on each of the ``n`` clusters with the most mentions, of equal ones
    the first, and on all others together, seeds averaged. All of one data set."""
    rows = []
    for runs in found:
        row: dict[str, object] = {"system": linked(runs.system.label, runs.record)}
        rows.append(row)
        if not runs.made:
            row["all others"] = runs.system.reason or NOT_RUN
            continue
        credit, clusters = np.mean(runs.credits(1, scoring), axis=0), runs.outcomes[0].clusters
        numbers, sizes = np.unique(clusters, return_counts=True)
        chosen = numbers[np.argsort(-sizes, kind="stable")[:n]]
        for place, one in enumerate(chosen, 1):
            of = clusters == one
            row[f"{place}: {of.sum():,} mentions"] = f"{100 * credit[of].mean():.1f}"
        others = ~np.isin(clusters, chosen)
        row["all others"] = in_percent(estimate(credit[others], clusters[others])[0]) if others.any() else ""
    frame = table_from(rows)
    return frame[sorted(frame, key=lambda column: (column == "all others", column != "system"))]


def gaps(
    found: Sequence[Runs], pairs: Sequence[tuple[str, str]], scoring: Scoring, macro: bool = False
) -> pd.DataFrame:
    """First against second system of each pair of labels, on every data set, paired mention by mention:
    the difference of accuracy in points, p after Holm over the table, credit gained and lost in mentions,
    and the smallest difference that the corpus could have shown. Credits are averaged over seeds. ``macro``
    adds the difference between averages over clusters, whose p values are adjusted apart."""
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
            made.append((row, credit, first.outcomes[0].clusters))
    rows_made = [row for row, _, _ in made]
    compared = [compare(*credit, clusters) for _, credit, clusters in made]
    _add_gaps(rows_made, compared)
    for row, c in zip(rows_made, compared, strict=True):
        row["gained / lost"] = f"{c.gained:,.0f} / {c.lost:,.0f}"
        row["detectable"] = f"{100 * c.detectable:.1f}"
    if macro:
        means = [[cluster_means(one, clusters) for one in credit] for _, credit, clusters in made]
        _add_gaps(rows_made, [compare(*pair, np.arange(len(pair[0]))) for pair in means], "macro ")
    frame = table_from(rows)
    return frame if len({row["data"] for row in rows}) > 1 else frame.drop(columns="data", errors="ignore")


def folds(lines: Mapping[str, Sequence[Record]], scoring: Scoring) -> pd.DataFrame:
    """Accuracy in percent at the end of trainings over folds, all mentions together, each fold's beside, and
    the paired difference of the first label from each other. A cluster is another one in each fold."""
    rows, credit = [], {}
    for label, found in lines.items():
        if found:
            credit[label] = [recall(record.outcomes, 1, scoring) for record in found]
    first = next(iter(lines))
    for label, found in lines.items():
        row: dict[str, object] = {"training": linked(label, found[0] if found else None)}
        rows.append(row)
        if label not in credit:
            row["accuracy"] = NOT_RUN
            continue
        pooled, clusters = np.concatenate(credit[label]), disjoint([one.outcomes.clusters for one in found])
        row["accuracy"] = in_percent(estimate(pooled, clusters)[0])
        row["each fold"] = ", ".join(f"{100 * one.mean():.1f}" for one in credit[label])
        if label != first and len(found) == len(lines[first]):
            c = compare(np.concatenate(credit[first]), pooled, clusters)
            row[f"{first} minus this"] = in_points(c.difference)
            row["p"] = f"{c.p:.4f}"
    return table_from(rows)


def _add_gaps(rows: Sequence[dict[str, object]], compared: Sequence[Comparison], what: str = "") -> None:
    for row, c, p in zip(rows, compared, holm([c.p for c in compared]), strict=True):
        row[f"{what}difference"] = in_points(c.difference)
        row[f"{what}p (Holm)"] = f"{p:.4f}"


def _printed(rows: pd.DataFrame, runs: Runs, k: int, names: Mapping[str, str]) -> str:
    found = reported.select(rows, system=runs.system.printed, metric=f"recall_at_{k}")
    if names:
        found = reported.select(found, dataset=names.get(runs.data, runs.data))
    return found["value"].iloc[0] if len(found) else ""
