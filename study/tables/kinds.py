"""How systems do on kinds of mentions: by surface form, by stratum, and damaged."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring, difference

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import linked, table_from
from ..records import Record
from .rows import Records, Row, frame, mean_credit, reached, system, why_not


def classes(results: Sequence[SystemResult], sorted_by: Records, scoring: Scoring) -> pd.DataFrame:
    """Accuracy of every system in percent on each class of mentions, and the share of all its errors that lie
    there; ``sorted_by`` has the numbers of the mentions by data set. A class without any is left out."""
    rows = []
    for data, record in sorted_by.items():
        here = [runs for runs in results if runs.data == data]
        for name, numbers in (record.values if record else {}).items():
            row: Row = {"class": linked(name, record)}
            for runs in here:
                row |= _on_class(runs, numbers, scoring)
            if "n" in row:
                rows.append(row)
    return table_from(rows)


def _on_class(runs: SystemResult, numbers: Sequence[int], scoring: Scoring) -> Row:
    if not runs.made:
        return {runs.label: NOT_RUN}
    of = np.isin(runs.outcomes[0].scored, numbers)
    if not of.any():
        return {}
    wrong = 1 - mean_credit(runs, scoring)
    return {
        "n": f"{of.sum():,}",
        runs.label: linked(percent(reached(runs, scoring, kept=of)), runs.record),
        f"errors, {runs.label}": f"{100 * wrong[of].sum() / wrong.sum():.1f}" if wrong.any() else "",
    }


def by_kind(
    results: Sequence[SystemResult], masks: Mapping[str, Mapping[str, np.ndarray]], scoring: Scoring
) -> pd.DataFrame:
    """Accuracy of every system in percent on all mentions and on those of each mask, a mask by data set; the
    first row of a data set has their numbers."""
    rows: list[Row] = []
    for runs in results:
        row: Row = {"data": runs.data, "system": system(runs), "all": why_not(runs)}
        if runs.made:
            kept = {"all": np.ones(len(runs.clusters), dtype=bool)}
            kept |= {kind: of for kind, mask in masks.items() if (of := runs.among(mask)) is not None}
            if runs.data not in [row["data"] for row in rows]:
                sizes = {kind: f"{of.sum():,}" for kind, of in kept.items()}
                rows.append({"data": runs.data, "system": "mentions"} | sizes)
            for kind, of in kept.items():
                row[kind] = percent(reached(runs, scoring, kept=of)) if of.any() else NONE_LEFT
        rows.append(row)
    return frame(rows, ["data", "system", "all", *masks])


def examples(records: Records) -> pd.DataFrame:
    """Errors by class: the mention, its gold, and what was answered."""
    rows = []
    for data, record in records.items():
        rows += [
            {"class": linked(name, record), "mention": mention, "gold": gold, "answer": answer}
            for name, listed in (record.values if record else {data: [(NOT_RUN, "", "")]}).items()
            for mention, gold, answer in listed
        ]
    return table_from(rows)


def perturbation_table(
    intact: Sequence[SystemResult],
    changed: Mapping[str, Sequence[SystemResult]],
    masks: Mapping[str, Record | None],
    scoring: Scoring,
) -> pd.DataFrame:
    """Accuracy in percent on the same mentions intact and changed, by name of the change; ``masks`` has the
    numbers of the mentions that each alters, by data set."""
    rows = []
    for change, after in ((change, runs) for change, of in changed.items() for runs in of):
        [before] = by_key([runs for runs in intact if runs.data == after.data], *after.system.keys)
        mask = masks.get(after.data)
        row: Row = {"change": linked(change, mask), "system": system(after), "mentions": NOT_RUN}
        rows.append(row)
        if not (before.made and after.made and mask):
            continue
        of = np.isin(before.outcomes[0].scored, mask.values[change])
        row["mentions"] = f"{of.sum():,}"
        if of.any():
            first, second = mean_credit(before, scoring), mean_credit(after, scoring)
            row["intact"] = linked(f"{100 * first[of].mean():.1f}", before.record)
            row["changed"] = linked(f"{100 * second[of].mean():.1f}", after.record)
            row["difference"] = points(difference(second, first, before.clusters, (of, of)))
    return table_from(rows)
