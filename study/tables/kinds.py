"""Tables on corpora of names without context: sizes, times, errors by surface form, NIL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from ..runs import Record
from ..scoring import SURFACE, Scoring, difference, estimate, roc_area, roc_area_difference
from . import reported
from .scores import NOT_RUN, in_percent, in_points
from .show import linked, table_from
from .systems import Runs

_COUNTS = {
    "dictionary.concepts": "entities of the list",
    "learn.mentions": "training mentions in the file",
    "learn.distinct": "distinct strings among these",
    "learn.distinct_no_canonical": "distinct strings that are not the canonical name of their entity",
    "learn.folded": "distinct strings, case-folded",
    "test.mentions": "test mentions",
    "test.distinct": "distinct strings among these",
    "test.seen": "test mentions that are a training string, case-folded",
    "test.concepts": "entities with a test mention",
    "test.largest_3": "test mentions of the three most frequent entities",
    "test.nil": "test mentions without an entity",
}


def strings_table(found: Mapping[str, Record | None], printed: Mapping[str, str]) -> pd.DataFrame:
    """The counts of :mod:`benchlib.datasets.strings`, and beside the ones that a paper prints its number;
    ``printed`` is by key of the count."""
    rows = []
    for data, record in found.items():
        for key, text in _COUNTS.items():
            row = {"data": linked(data, record), "count": text}
            row["here"] = f"{record.values[key]:,}" if record else NOT_RUN
            rows.append(row | {"printed": printed.get(key, "")})
    return table_from(rows)


def sizes_table(
    found: Mapping[str, Record | None], printed: pd.DataFrame, names: Mapping[str, str]
) -> pd.DataFrame:
    """Size of dictionary and refined test split by data set, ours beside the printed; ``names`` are those of
    the paper."""
    columns = {
        "KG entities": ("concepts", "dictionary.concepts"),
        "KG mentions": ("names", "dictionary.names"),
        "mentions": ("refined test", "test.refined"),
    }
    rows = []
    for data, record in found.items():
        row: dict[str, object] = {"data": linked(data, record)}
        row["test"] = f"{record.values['test.mentions']:,}" if record else NOT_RUN
        for variant, (head, key) in columns.items():
            there = reported.select(printed, variant=variant, dataset=names.get(data, data))
            row[head] = f"{record.values[key]:,}" if record else NOT_RUN
            row[f"printed {head}"] = f"{int(there['value'].iloc[0]):,}" if len(there) else ""
        rows.append(row)
    return table_from(rows)


def times_table(
    found: Mapping[str, Record | None], printed: pd.DataFrame, timed: Mapping[str, str]
) -> pd.DataFrame:
    """Seconds to link all test mentions and mentions a second, as :mod:`benchlib.linkers.inference` measures
    them, beside the printed seconds; ``timed`` says what was timed for each system of the paper."""
    theirs = {
        timed[row.system]: row.value
        for row in reported.select(printed, metric="inference_seconds").itertuples()
        if row.system in timed
    }
    rows = []
    for data, record in found.items():
        if record is None:
            rows.append({"data": data, "seconds": NOT_RUN})
            continue
        values = record.values
        for key in (name for name in values if f"{name}.runs" in values):
            runs = values[f"{key}.runs"]
            rows.append(
                {
                    "data": linked(data, record),
                    "system": key,
                    "seconds": f"{values[key]:.2f}",
                    "fastest to slowest": f"{min(runs):.2f} to {max(runs):.2f}",
                    "mentions a second": f"{values['n.mentions'] / values[key]:,.0f}",
                    "printed seconds": theirs.get(key, ""),
                }
            )
    return table_from(rows)


def rules_table() -> pd.DataFrame:
    """The classes of surface form and what puts a mention into each."""
    return table_from([{"class": name, "rule": rule} for name, rule in SURFACE.items()])


def examples_table(found: Mapping[str, Record | None]) -> pd.DataFrame:
    """Errors by class: the mention, its gold, and what was answered."""
    rows = []
    for data, record in found.items():
        if record is None:
            rows.append({"class": data, "mention": NOT_RUN})
            continue
        for name, examples in record.values.items():
            rows += [
                {"class": name, "mention": mention, "gold": gold, "answer": answer}
                for mention, gold, answer in examples
            ]
    return table_from(rows)


def classes_table(
    found: Sequence[Runs], classes: Mapping[str, Record | None], scoring: Scoring
) -> pd.DataFrame:
    """Accuracy of every system in percent on each class of mentions, and the share of all its errors that lie
    there; ``classes`` has the numbers of the mentions by data set. A class without any is left out."""
    return pd.concat(
        [
            _classes([runs for runs in found if runs.data == data], record.values if record else {}, scoring)
            for data, record in classes.items()
        ]
    )


def _classes(found: Sequence[Runs], classes: Mapping[str, Sequence[int]], scoring: Scoring) -> pd.DataFrame:
    rows = []
    for name, numbers in classes.items():
        row: dict[str, object] = {"class": name}
        for runs in found:
            label = runs.system.label
            if not runs.made:
                row[label] = NOT_RUN
                continue
            of = np.isin(runs.outcomes[0].scored, numbers)
            if not of.any():
                break
            credit = np.mean(runs.credits(1, scoring), axis=0)
            row["n"] = f"{of.sum():,}"
            row[label] = in_percent(estimate(credit[of], runs.outcomes[0].clusters[of])[0])
            row[f"errors, {label}"] = f"{100 * (1 - credit[of]).sum() / (1 - credit).sum():.1f}"
        if len(row) > 1:
            rows.append(row)
    return table_from(rows)


def changed_table(
    intact: Iterable[Runs],
    changed: Mapping[str, Sequence[Runs]],
    masks: Mapping[str, Record | None],
    scoring: Scoring,
) -> pd.DataFrame:
    """Accuracy in percent on the same mentions intact and changed, by name of the change; ``masks`` has the
    numbers of the mentions that each alters, by data set."""
    rows, before_by = [], {(runs.data, runs.system.label): runs for runs in intact}
    for change, after in ((change, runs) for change, found in changed.items() for runs in found):
        before, mask = before_by[after.data, after.system.label], masks[after.data]
        row = {"change": change, "system": linked(before.system.label, after.record)}
        rows.append(row)
        if not (before.made and after.made and mask):
            row["mentions"] = NOT_RUN
            continue
        outcomes = before.outcomes[0]
        of = np.isin(outcomes.scored, mask.values[change])
        first, second = (np.mean(runs.credits(1, scoring), axis=0) for runs in (before, after))
        apart = difference(second, first, outcomes.clusters, of, of)
        row["mentions"] = f"{of.sum():,}"
        row["intact"] = f"{100 * first[of].mean():.1f}"
        row["changed"] = f"{100 * second[of].mean():.1f}"
        row["difference"] = in_points(apart)
    return table_from(rows)


def areas_table(found: Sequence[Runs], against: str) -> pd.DataFrame:
    """Area under the ROC curve of NIL in percent, the mean over seeds, and its difference from the system
    labelled ``against``, both with intervals over clusters."""
    by_label = {runs.system.label: runs for runs in found}
    rows = []
    for label, runs in by_label.items():
        row: dict[str, object] = {"system": linked(label, runs.record)}
        rows.append(row)
        if not runs.made:
            row["area"] = runs.system.reason or NOT_RUN
            continue
        row["area"] = in_percent(roc_area(runs.outcomes))
        best = by_label.get(against)
        if best is not None and best.made and best is not runs:
            apart = roc_area_difference(best.outcomes, runs.outcomes)
            row[f"{against} minus this"] = in_points(apart)
    return table_from(rows)
