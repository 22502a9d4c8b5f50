"""What a paper gains and what we gain, pair by pair; and one system on several lists."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring, difference, over_seeds
from benchlib.scoring.comparison import detectable_difference

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key
from ..pages.numbers import percent, points
from ..pages.show import linked, table_from
from .accuracy import drop_single_dataset, printed_of, system_pairs
from .links import system


def gains(
    found: Sequence[SystemResult],
    pairs: Sequence[tuple[str, str]],
    scoring: Scoring,
    printed: pd.DataFrame | None = None,
    names: Mapping[str, str] | None = None,
    stated: Mapping[tuple[str, str], str] | None = None,
    mentions: Mapping[str, np.ndarray] | None = None,
    it_takes: bool = False,
) -> pd.DataFrame:
    """The printed gain of the first over the second system of each pair in accuracy, ours with its interval,
    both in points, and ours divided by the printed.

    ``printed`` has the rows of the paper's own table, whose data sets ``names`` calls as the paper does;
    ``stated`` has gains that stand in its text alone, by pair of keys. ``mentions`` restricts ours to a mask
    by data set (:func:`study.chapters.results.stratum`). With ``it_takes`` stands beside them how many
    mentions, in documents like these, would show the printed gain four times in five, see
    :func:`benchlib.scoring.comparison.detectable_difference`: the interval falls with the root of their
    number. A pair of which one is dropped has no row.
    """
    rows = []
    for first, second in system_pairs(found, pairs):
        there = _gain(first, second, printed, names or {}) or _stated(first, second, stated or {})
        row: dict[str, object] = {
            "data": first.data,
            "of": system(first),
            "over": system(second),
            "printed gain": "" if there is None else f"{there:+.2f}",
        }
        rows.append(row)
        if not (first.made and second.made):
            row["our gain"] = first.system.reason or second.system.reason or NOT_RUN
            continue
        kept = first.among(mentions)
        if kept is None:
            row["our gain"] = NOT_RUN
            continue
        credits = [runs.credits(1, scoring).mean(axis=0) for runs in (first, second)]
        ours = difference(*credits, first.clusters, (kept, kept))
        row["our gain"] = points(ours)
        row["ours / printed"] = f"{100 * ours.value / there:.2f}" if there is not None and there > 0 else ""
        if it_takes and there:
            least = 100 * detectable_difference(*credits, first.clusters, (kept, kept))[0]
            row |= {"mentions": f"{kept.sum():,}", "it takes": f"{kept.sum() * (least / there) ** 2:,.0f}"}
    return drop_single_dataset(table_from(rows))


def _gain(
    first: SystemResult, second: SystemResult, printed: pd.DataFrame | None, names: Mapping[str, str]
) -> float | None:
    if printed is None or not (first.system.printed and second.system.printed):
        return None
    values = [printed_of(printed, runs, "recall_at_1", names) for runs in (first, second)]
    return float(values[0]) - float(values[1]) if all(values) else None


def _stated(first: SystemResult, second: SystemResult, stated: Mapping[tuple[str, str], str]) -> float | None:
    found = (
        float(value)
        for (of, over), value in stated.items()
        if of in first.system.keys and over in second.system.keys
    )
    return next(found, None)


def side_by_side(
    lists: Mapping[str, Sequence[SystemResult]], keys: Sequence[str], scoring: Scoring, printed: pd.DataFrame
) -> pd.DataFrame:
    """Accuracy in percent of the systems with the keys, a column for each list that is searched; what the
    paper prints stands in the last."""
    rows: dict[str, dict[str, object]] = {}
    for name, found in lists.items():
        for runs in by_key(found, *keys):
            row = rows.setdefault(runs.label, {"system": runs.label})
            value = percent(over_seeds([*runs.credits(1, scoring)], runs.clusters)) if runs.made else NOT_RUN
            row[name] = linked(value, runs.record)
            if runs.system.printed and len(printed):
                row["printed"] = printed_of(printed, runs, "recall_at_1", {})
    return table_from([*rows.values()])
