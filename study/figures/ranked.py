"""All systems on the same mentions: how accurate, and how fast."""

from collections.abc import Iterable, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from benchlib.scoring import Scoring

from ..chapters.results import SystemResult
from ..systems import linker
from ..tables.leaderboard import mentions_a_second
from ..tables.rows import mean_credit, reached
from .drawn import Drawn, in_percent
from .style import BLUE, GREEN, INK, PURPLE, VERMILLION, legend, new_axes, new_rows, not_run, style

_KINDS = {
    "trained here": {"color": BLUE, "marker": "o"},
    "without training": {"color": GREEN, "marker": "s"},
    "published": {"color": VERMILLION, "marker": "D"},
    "yours": {"color": PURPLE, "marker": "^"},
}
_COLOURS = {kind: look["color"] for kind, look in _KINDS.items()}
_UPRIGHT = {"marker": "|", "color": INK, "s": 110, "zorder": 2}
_BETTER = 2  # points
_STRICT, _LENIENT = Scoring(), Scoring("lenient")
_HEADS = ["data", "system", "kind", "accuracy_percent", "low_percent", "high_percent"]


@style()
def ranked(found: Iterable[SystemResult]) -> Drawn:
    """Accuracy in percent by the strict count, a row a system that is made, the best first, with its 95 %
    interval and the kind of system by its mark; the bar is accuracy by the lenient count. All of one data
    set."""
    made, points = _points(found)
    made.sort(key=lambda runs: -points["accuracy_percent"][runs])
    points = points.loc[made].reset_index(drop=True)
    figure, axes, middles = new_rows([(runs.label, False) for runs in made], 24)
    if not made:
        not_run(axes)
    colours = points["kind"].map(_COLOURS)
    axes.hlines(middles, points["low_percent"], points["high_percent"], colours, alpha=0.4, linewidth=5)
    points["lenient_percent"] = [100 * mean_credit(runs, _LENIENT).mean() for runs in made]
    _marks(axes, points, "accuracy_percent", middles)
    axes.scatter(points["lenient_percent"], middles, label="lenient count", **_UPRIGHT)
    axes.set_xlabel("Recall@1, %")
    legend(figure)
    return Drawn(figure, points, {runs.label: runs.there for runs in made})


@style()
def speeds(found: Iterable[SystemResult]) -> Drawn:
    """Accuracy in percent by the strict count against mentions a second on a log scale, a panel a data set.
    Named are the fastest system and each slower one that is ``_BETTER`` than the last named. A system whose
    speed was not measured has no mark; its name is below the panels."""
    made, points = _points(found)
    points["mentions_a_second"] = [mentions_a_second(runs) for runs in made]
    points = points.reset_index(drop=True)
    timed = points["mentions_a_second"].notna()
    figure, stack = new_axes(max(points.loc[timed, "data"].nunique(), 1), 2.7, sharex=True)
    if points.empty:
        not_run(stack[0])
    for axes, (data, panel) in zip(stack, points[timed].groupby("data", sort=False), strict=False):
        _marks(axes, panel, "mentions_a_second", panel["accuracy_percent"])
        last = -np.inf
        for one in panel.sort_values("mentions_a_second", ascending=False).itertuples():
            if one.accuracy_percent >= last + _BETTER:
                last, at = one.accuracy_percent, (one.mentions_a_second, one.accuracy_percent)
                axes.annotate(one.system, at, textcoords="offset points", xytext=(0, 6), ha="right")
        axes.set(title=data, ylabel="Recall@1, %", xscale="log")
        axes.margins(y=0.15)
        axes.xaxis.set_major_locator(LogLocator(numticks=5))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter("{x:,.0f}")
    untimed = ", ".join(dict.fromkeys(points.loc[~timed, "system"]))
    told = [fill(f"No speed on some or all of them: {untimed}", 40)] if untimed else []
    stack[-1].set_xlabel("\n".join(["mentions a second (log scale)", *told]))
    legend(figure)
    return Drawn(figure, points, {f"{runs.data}, {runs.label}": runs.there for runs in made})


def _points(found: Iterable[SystemResult]) -> tuple[list[SystemResult], pd.DataFrame]:
    """The systems that are made, and a row of numbers for each."""
    made = [runs for runs in found if runs.made]
    rows = [
        {"data": runs.data, "system": runs.label, "kind": _kind(runs), **in_percent(reached(runs, _STRICT))}
        for runs in made
    ]
    return made, pd.DataFrame(rows, made, _HEADS)


def _kind(runs: SystemResult) -> str:
    if runs.recounted or not runs.system.linker:
        return "published" if runs.recounted else "yours"
    return "trained here" if linker(runs.system.linker).budget else "without training"


def _marks(axes: Axes, points: pd.DataFrame, x: str, ys: Sequence[float]) -> None:
    for kind, look in _KINDS.items():
        of = (points["kind"] == kind).to_numpy()
        if of.any():
            axes.scatter(points.loc[of, x], np.asarray(ys)[of], s=22, zorder=3, label=kind, **look)
