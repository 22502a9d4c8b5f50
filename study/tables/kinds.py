"""How systems do on kinds of mentions: by surface form, damaged on purpose, and without an entity."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring, area, area_difference, difference, estimate, roc_areas

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key
from ..measurements.surface import SURFACE
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import linked, table_from
from ..records import Record
from .links import system


def rules() -> pd.DataFrame:
    """The classes of surface form and what puts a mention into each."""
    return table_from([{"class": name, "rule": rule} for name, rule in SURFACE.items()])


def classes(
    found: Sequence[SystemResult], sorted_by: Mapping[str, Record | None], scoring: Scoring
) -> pd.DataFrame:
    """Accuracy of every system in percent on each class of mentions, and the share of all its errors that lie
    there; ``sorted_by`` has the numbers of the mentions by data set. A class without any is left out."""
    rows = []
    for data, record in sorted_by.items():
        here = [runs for runs in found if runs.data == data]
        for name, numbers in (record.values if record else {}).items():
            row: dict[str, object] = {"class": linked(name, record)}
            for runs in here:
                row |= _on_class(runs, numbers, scoring)
            if "n" in row:
                rows.append(row)
    return table_from(rows)


def _on_class(runs: SystemResult, numbers: Sequence[int], scoring: Scoring) -> dict[str, str]:
    if not runs.made:
        return {runs.label: NOT_RUN}
    of = np.isin(runs.outcomes[0].scored, numbers)
    if not of.any():
        return {}
    credit = runs.credits(1, scoring).mean(axis=0)
    wrong = 1 - credit
    return {
        "n": f"{of.sum():,}",
        runs.label: linked(percent(estimate(credit[of], runs.clusters[of])[0]), runs.record),
        f"errors, {runs.label}": f"{100 * wrong[of].sum() / wrong.sum():.1f}" if wrong.any() else "",
    }


def by_stratum(found: Sequence[SystemResult], names: Sequence[str], scoring: Scoring) -> pd.DataFrame:
    """Accuracy of every system in percent on the mentions in each stratum of ``STRATA``."""
    rows = []
    for runs in found:
        row: dict[str, object] = {"linker": system(runs)}
        for name in names:
            row[name] = NOT_RUN
            if runs.made and runs.kinds is not None:
                of = runs.kinds.strata[name].to_numpy()[runs.outcomes[0].scored]
                credit = runs.credits(1, scoring).mean(axis=0)
                one = estimate(credit, runs.clusters, counted=of)[0]
                row[name] = percent(one) if of.any() else NONE_LEFT
        rows.append(row)
    return table_from(rows)


def examples(found: Mapping[str, Record | None]) -> pd.DataFrame:
    """Errors by class: the mention, its gold, and what was answered."""
    rows = []
    for data, record in found.items():
        if record is None:
            rows.append({"class": data, "mention": NOT_RUN})
            continue
        for name, listed in record.values.items():
            rows += [
                {"class": linked(name, record), "mention": mention, "gold": gold, "answer": answer}
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
        row = {"change": linked(change, masks.get(after.data)), "system": system(after)}
        rows.append(row)
        mask = masks.get(after.data)
        if not (before.made and after.made and mask):
            row["mentions"] = NOT_RUN
            continue
        of = np.isin(before.outcomes[0].scored, mask.values[change])
        first, second = (runs.credits(1, scoring).mean(axis=0) for runs in (before, after))
        row["mentions"] = f"{of.sum():,}"
        if not of.any():
            continue
        row["intact"] = linked(f"{100 * first[of].mean():.1f}", before.record)
        row["changed"] = linked(f"{100 * second[of].mean():.1f}", after.record)
        row["difference"] = points(difference(second, first, before.clusters, (of, of)))
    return table_from(rows)


def areas(found: Sequence[SystemResult], against: str) -> pd.DataFrame:
    """Area under the ROC curve of NIL in percent, the mean over seeds, and its difference from that of the
    system with the key ``against``, both with intervals over clusters; of mentions that are NIL or can be
    linked."""
    best = next(iter(by_key(found, against)), None)
    rows = []
    for runs in found:
        row: dict[str, object] = {"system": system(runs)}
        rows.append(row)
        scored = runs.nil_or_linkable
        if scored is None:
            row["area"] = runs.system.reason or NOT_RUN
            continue
        row["area"] = percent(area(scored, roc_areas))
        if best is not None and best.nil_or_linkable and best is not runs:
            apart = area_difference(best.nil_or_linkable, scored, roc_areas)
            row[f"{best.label} minus this"] = points(apart)
    return table_from(rows)
