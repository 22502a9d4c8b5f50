"""How systems do on kinds of mentions: by surface form, by stratum, damaged, and answered by hubs."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Outcomes, Scoring, difference

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key
from ..measurements.surface import SURFACE
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import linked, table_from
from ..records import Record
from .rows import Records, Row, by_system, each, first_linked, firsts, frame, mean_credit, reached, system


def rules() -> pd.DataFrame:
    """The classes of surface form and what puts a mention into each."""
    return table_from([{"class": name, "rule": rule} for name, rule in SURFACE.items()])


def classes(found: Sequence[SystemResult], sorted_by: Records, scoring: Scoring) -> pd.DataFrame:
    """Accuracy of every system in percent on each class of mentions, and the share of all its errors that lie
    there; ``sorted_by`` has the numbers of the mentions by data set. A class without any is left out."""
    rows = []
    for data, record in sorted_by.items():
        here = [runs for runs in found if runs.data == data]
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
    found: Sequence[SystemResult], masks: Mapping[str, Mapping[str, np.ndarray]], scoring: Scoring
) -> pd.DataFrame:
    """Accuracy of every system in percent on all mentions and on those of each mask, a mask by data set; the
    first row of a data set has their numbers."""
    rows: list[Row] = []
    for runs in found:
        row: Row = {"data": runs.data, "system": system(runs), "all": runs.system.reason or NOT_RUN}
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


def examples(found: Records) -> pd.DataFrame:
    """Errors by class: the mention, its gold, and what was answered."""
    rows = []
    for data, record in found.items():
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


def most_predicted(found: Sequence[SystemResult], golds: Records) -> pd.DataFrame:
    """The most frequent first answer of each seed of a system: the share of all mentions that it answers, and
    the share that it is gold of, both in percent, and which concept it is.

    ``golds`` are the records of :func:`study.measurements.golds.frequent_golds` by data set; a concept that
    they do not list is gold of less than one mention in a thousand. A vector that is near to most mentions, a
    hub, costs rank 1 and leaves the ranks behind it alone.
    """

    def cells(runs: SystemResult) -> Row:
        concepts, shares = zip(*map(most_frequent, runs.outcomes), strict=True)
        counted = golds.get(runs.data)
        gold = ", ".join(_gold_share(concept, counted) for concept in concepts) if counted else NOT_RUN
        return {
            "answer to, %": each((f"{100 * share:.1f}" for share in shares), firsts(runs)),
            "gold of, %": linked(gold, counted),
            "concept": ", ".join(concept or "none" for concept in concepts),
        }

    return by_system(found, cells, "answer to, %", label=first_linked)


def most_frequent(outcomes: Outcomes) -> tuple[str, float]:
    """The concept that is the first answer to most mentions, of equal ones the first by its id, and the share
    of all mentions, NIL included, that it answers; "" and 0 where no mention is answered."""
    answers = pd.Series(outcomes.top[outcomes.every])
    counts = answers[answers != ""].value_counts().sort_index()
    return (counts.idxmax(), counts.max() / len(answers)) if len(counts) else ("", 0.0)


def _gold_share(concept: str, counted: Record) -> str:
    count, mentions = counted.values["golds"].get(concept), counted.values["mentions"]
    if count is None:
        return "< 0.1" if concept else "0.0"
    return f"{100 * count / mentions:.1f}"
