"""What a paper gains and what we gain, pair by pair."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring, difference
from benchlib.scoring.comparison import detectable_difference

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.numbers import points
from .accuracy import printed_of
from .rows import by_pair, frame, mean_credit


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
    for row, first, second in by_pair(found, pairs, ("of", "over")):
        rows.append(row)
        there = _printed_gain(first, second, printed, names or {}, stated or {})
        row["printed gain"] = "" if there is None else f"{there:+.2f}"
        kept = first.among(mentions) if first.made and second.made else None
        if kept is None:
            row["our gain"] = first.system.reason or second.system.reason or NOT_RUN
            continue
        credits = [mean_credit(runs, scoring) for runs in (first, second)]
        ours = difference(*credits, first.clusters, (kept, kept))
        row["our gain"] = points(ours)
        row["ours / printed"] = f"{100 * ours.value / there:.2f}" if there is not None and there > 0 else ""
        if it_takes and there:
            least = 100 * detectable_difference(*credits, first.clusters, (kept, kept))[0]
            row |= {"mentions": f"{kept.sum():,}", "it takes": f"{kept.sum() * (least / there) ** 2:,.0f}"}
    return frame(rows)


def _printed_gain(
    first: SystemResult,
    second: SystemResult,
    printed: pd.DataFrame | None,
    names: Mapping[str, str],
    stated: Mapping[tuple[str, str], str],
) -> float | None:
    """The gain between two printed numbers, else one that the text states; None for equal numbers."""
    if printed is not None and first.system.printed and second.system.printed:
        a, b = (printed_of(printed, runs, "recall_at_1", names) for runs in (first, second))
        if a and b and float(a) != float(b):
            return float(a) - float(b)
    gaps = (gap for (a, b), gap in stated.items() if a in first.system.keys and b in second.system.keys)
    return next(map(float, gaps), None)
