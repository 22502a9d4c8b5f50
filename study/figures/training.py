"""How trained systems learn, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .style import GREY, SMALL, blank, legend, not_run, style, ways

if TYPE_CHECKING:
    from benchlib.runs import Record

    from ..systems import Runs


@style()
def learning(
    panels: Mapping[str, Sequence[Runs]], epochs: float | None = None, mark: float | None = None
) -> Figure:
    """Accuracy on held-out mentions in percent along trainings: a panel by title, a line by label.

    A line is the mean over the records that there are (folds or seeds), the band around it one standard
    deviation. The x axis is in epochs where ``epochs`` says how many a training has, else in updates;
    ``mark`` draws a vertical line there. A label without records is left out. Raises ValueError for a label
    that a panel has twice, and for a record without dev scores.
    """
    figure, [row] = blank(len(panels), 3.7, sharey=True)
    drawn = ways(runs.label for found in panels.values() for runs in found if runs.there)
    for axes, (title, found) in zip(row, panels.items(), strict=True):
        labels = [runs.label for runs in found]
        if twice := sorted({label for label in labels if labels.count(label) > 1}):
            raise ValueError(f"panel {title!r}: {', '.join(twice)} stands there twice; expected one each")
        there = [runs for runs in found if runs.there]
        if not there:
            not_run(axes)
        for runs in there:
            sns.lineplot(
                _curves(runs, epochs), x="at", y="accuracy", errorbar="sd", err_kws={"alpha": 0.15, "lw": 0},
                label=runs.label, legend=False, markersize=5, markeredgewidth=0, **drawn[runs.label], ax=axes,
            )  # fmt: skip
        if mark is not None and there:
            axes.axvline(mark, color=GREY, linestyle=":", linewidth=1)
        axes.set(title=title, xlabel="epochs" if epochs else "updates")
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    # The first panel that is not empty has the labels of the axis that all share.
    first = next((axes for axes in row if axes.axison), row[0])
    first.tick_params(labelleft=True)
    first.set_ylabel("accuracy on held-out mentions, %")
    legend(figure)
    return figure


def dev_curve(record: Record) -> pd.Series:
    """The dev scores along a training, by step."""
    found = {row["step"]: row["dev_score"] for row in record.trace if row["dev_score"] is not None}
    return pd.Series(found, dtype=float)


def _curves(runs: Runs, epochs: float | None) -> pd.DataFrame:
    """A row a record and evaluation: ``at``, the updates or epochs done, and ``accuracy`` in percent."""
    curves = [dev_curve(record) for record in runs.there]
    if not all(map(len, curves)):
        raise ValueError(f"{runs.name}, {runs.label}: a trace without dev scores; expected an evaluated one")
    # Folds differ by a step or two in length: what is comparable is the number of the evaluation.
    shortest = min(map(len, curves))
    at = np.mean([curve.index[:shortest] for curve in curves], axis=0)
    if epochs:
        at = at * epochs / np.mean([curve.index[-1] for curve in curves])
    scores = np.concatenate([100 * curve.to_numpy()[:shortest] for curve in curves])
    return pd.DataFrame({"at": np.tile(at, len(curves)), "accuracy": scores})


@style()
def tradeoff(lines: Mapping[str, Sequence[tuple[str, float, float]]]) -> Figure:
    """Accuracy in percent against seconds on a log scale: points (text, seconds, share of right answers) by
    label, those of a label joined by a line. A label without points is left out."""
    figure, [[axes]] = blank(height=4.0)
    there = {label: points for label, points in lines.items() if points}
    if not there:
        not_run(axes)
    for (label, points), drawn in zip(there.items(), ways(there).values(), strict=True):
        texts, seconds, right = zip(*points, strict=True)
        right = 100 * np.asarray(right)
        axes.plot(seconds, right, markersize=6, label=label, **drawn)
        # A point on its own is named by the legend.
        for text, x, y in zip(texts, seconds, right, strict=True) if len(points) > 1 else ():
            axes.annotate(text, (x, y), textcoords="offset points", xytext=(6, -11), fontsize=SMALL)
    axes.set(xlabel="seconds to link all test mentions (log scale)", ylabel="accuracy, %", xscale="log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.margins(x=0.12, y=0.12)
    legend(figure)
    return figure
