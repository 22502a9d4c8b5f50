"""Hubs: concepts that answer far more mentions than they are gold of."""

from collections.abc import Mapping, Sequence

import pandas as pd

from benchlib.scoring import Outcomes

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.show import linked, table_from
from ..records import Record
from .accuracy import drop_single_dataset
from .links import each


def most_predicted(found: Sequence[SystemResult], golds: Mapping[str, Record | None]) -> pd.DataFrame:
    """The most frequent first answer of each seed of a system: the share of all mentions that it answers, and
    the share that it is gold of, both in percent, and which concept it is.

    ``golds`` are the records of :func:`study.measurements.golds.frequent_golds` by data set; a concept that
    they do not list is gold of less than one mention in a thousand. A vector that is near to most mentions, a
    hub, costs rank 1 and leaves the ranks behind it alone.
    """
    rows = []
    for runs in found:
        rows.append(row := {"data": runs.data, "system": linked(runs.label, runs.record)})
        if not runs.made:
            row["answer to, %"] = runs.system.reason or NOT_RUN
            continue
        answers = [most_frequent(outcomes) for outcomes in runs.outcomes]
        first = [of_seed[0] for of_seed in runs.records]
        row["answer to, %"] = each((f"{100 * share:.1f}" for _, share in answers), first)
        counted = golds.get(runs.data)
        shares = ", ".join(_gold_share(concept, counted) for concept, _ in answers) if counted else NOT_RUN
        row["gold of, %"] = linked(shares, counted)
        row["concept"] = ", ".join(concept or "none" for concept, _ in answers)
    return drop_single_dataset(table_from(rows))


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
