"""Systems on the same mentions: how accurate and how fast, what the scoring rule changes, and hubs."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from benchlib.scoring import Outcomes, Scoring

from ..chapters.results import SystemResult
from ..systems import linker
from ..tables.leaderboard import mentions_a_second
from ..tables.rows import Records, reached, recall_at_1
from .drawn import Drawn, in_percent
from .style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    PURPLE,
    ROW,
    VERMILLION,
    headline,
    legend,
    line_styles,
    new_axes,
    new_rows,
    not_run,
    style,
)

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
# Where both are the same, the smaller mark stands on the larger one.
_ENDS = {
    "strict": {"color": BLUE, "marker": "o", "s": 16, "zorder": 3},
    "lenient": {"color": VERMILLION, "marker": "D", "s": 34, "zorder": 2},
}
_LABEL, _BELOW = 22, 40  # characters of a line beside an axis and below it
_APART = 0.5  # points
_MARKS = {
    "mentions that it answers": {"color": BLUE, "s": 30, "zorder": 3},
    "mentions that it is gold of": {"color": VERMILLION, "marker": "D", "s": 16, "zorder": 4},
}


@style()
def ranked(results: Iterable[SystemResult]) -> Drawn:
    """Accuracy in percent by the strict count, a row a system that is made, the best first, with its 95 %
    interval and the kind of system by its mark; the bar is accuracy by the lenient count. All of one data
    set."""
    made, points = _points(results)
    made.sort(key=lambda runs: -points["accuracy_percent"][runs])
    points = points.loc[made].reset_index(drop=True)
    figure, axes, middles = new_rows([(runs.label, False) for runs in made], 24)
    if not made:
        not_run(axes)
    colours = points["kind"].map(_COLOURS)
    axes.hlines(middles, points["low_percent"], points["high_percent"], colours, alpha=0.4, linewidth=5)
    points["lenient_percent"] = [100 * recall_at_1(runs, _LENIENT) for runs in made]
    _marks(axes, points, "accuracy_percent", middles)
    axes.scatter(points["lenient_percent"], middles, label="lenient count", **_UPRIGHT)
    axes.set_xlabel("Recall@1, %")
    legend(figure)
    return Drawn(figure, points, {runs.label: runs.there for runs in made})


@style()
def speeds(results: Iterable[SystemResult]) -> Drawn:
    """Accuracy in percent by the strict count against mentions a second on a log scale, a panel a data set.
    Named are the fastest system and each slower one that is ``_BETTER`` than the last named. A system whose
    speed was not measured has no mark; its name is below the panels."""
    made, points = _points(results)
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
    told = [fill(f"No speed on some or all of them: {untimed}", _BELOW)] if untimed else []
    stack[-1].set_xlabel("\n".join(["mentions a second (log scale)", *told]))
    legend(figure)
    return Drawn(figure, points, {f"{runs.data}, {runs.label}": runs.there for runs in made})


def _points(results: Iterable[SystemResult]) -> tuple[list[SystemResult], pd.DataFrame]:
    """The systems that are made, and a row of numbers for each."""
    made = [runs for runs in results if runs.made]
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


@style()
def gaps(results: Iterable[SystemResult], least: float = _APART) -> Drawn:
    """Strict and lenient accuracy of the same predictions in percent, joined by a line per system, the
    systems of a data set below its name.

    Thin bars behind the marks are 95 % intervals, of the mean over seeds. Those that are not made are left
    out; data sets on which no system moves by ``least`` points are named below.
    """
    counted = [
        (runs, {match: in_percent(reached(runs, Scoring(match))) for match in _ENDS})
        for runs in results
        if runs.made
    ]
    every = dict.fromkeys(runs.data for runs, _ in counted)
    apart = {runs.data for runs, both in counted if _gap(both) >= least} or {*every}
    lines: list[tuple[str, SystemResult | None, dict[str, dict[str, float]]]] = []
    for name in (name for name in every if name in apart):
        lines += [(name, None, {}), *((of[0].label, *of) for of in counted if of[0].data == name)]
    figure, axes, middles = new_rows([(text, runs is None) for text, runs, _ in lines])
    if not lines:
        not_run(axes)
    columns = ["data", "system", "protocol", "accuracy_percent", "low_percent", "high_percent"]
    rows = []
    for y, (_, runs, both) in zip(middles, lines, strict=True):
        if runs is None:
            continue
        axes.plot([one["accuracy_percent"] for one in both.values()], [y, y], color=GREY, zorder=1)
        for match, one in both.items():
            axes.plot([one["low_percent"], one["high_percent"]], [y, y], color=_ENDS[match]["color"],
                      alpha=0.35, linewidth=5)  # fmt: skip
            axes.scatter(one["accuracy_percent"], y, **_ENDS[match], label=match)
            rows.append({"data": runs.data, "system": runs.label, "protocol": match, **one})
    alike = ", ".join(name for name in every if name not in apart)
    told = [fill(f"Less than {least} points on {alike}", _BELOW)] if alike else []
    axes.set_xlabel("\n".join(["accuracy, %", *told]))
    legend(figure, place="outside upper center")
    records = {f"{runs.data}, {runs.label}": runs.there for _, runs, _ in lines if runs}
    return Drawn(figure, pd.DataFrame(rows, columns=columns), records)


def _gap(both: Mapping[str, Mapping[str, float]]) -> float:
    """Lenient minus strict in points."""
    return both["lenient"]["accuracy_percent"] - both["strict"]["accuracy_percent"]


@style()
def presets(rows: Mapping[str, pd.DataFrame]) -> Drawn:
    """The main measure in percent under every published protocol, with 95 % intervals, a mark a system.

    ``rows`` are those of :func:`benchlib.scoring.by_preset` by system; a protocol that leaves ties to the
    order of rows also has the range that this order can make, as a thin line.
    """
    names = [*dict.fromkeys(name for frame in rows.values() for name in frame["protocol"])]
    figure, [axes] = new_axes(height=0.8 + 2 * ROW * max(len(names), 1))
    if not names:
        not_run(axes)
    numbers = ["value", "low", "high", "worst", "best"]
    percent = {name: f"{name}_percent" for name in numbers}
    frames = [pd.DataFrame(columns=["system", "protocol", "measure", *percent.values()])]
    for i, ((system, frame), look) in enumerate(zip(rows.items(), line_styles(rows).values(), strict=True)):
        first = frame.drop_duplicates("protocol").reindex(columns=["protocol", "measure", *numbers])
        first = first[first["value"].notna()]
        first[numbers] = 100 * first[numbers].astype(float)
        ys = [names.index(name) + 0.66 / len(rows) * (i - (len(rows) - 1) / 2) for name in first["protocol"]]
        axes.hlines(ys, first["worst"], first["best"], color=GREY, linewidth=1)
        axes.hlines(ys, first["low"], first["high"], color=look["color"], alpha=0.4, linewidth=5)
        mark = {"color": look["color"], "marker": look["marker"], "s": 20, "zorder": 3}
        axes.scatter(first["value"], ys, label=system, **mark)
        frames.append(first.rename(columns=percent).assign(system=system))
    axes.set_yticks(range(len(names)), [fill(name, _LABEL) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_xlabel("accuracy under the protocol, %")
    legend(figure, place="outside upper center")
    return Drawn(figure, pd.concat(frames))


@style()
def hubs(results: Sequence[SystemResult], golds: Records) -> Drawn:
    """The most frequent first answer of each seed of a system that is made: the shares of all mentions that
    it answers and that it is gold of, in percent, joined by a line.

    ``golds`` are the records of :func:`study.measurements.golds.frequent_golds` by data set; a concept that
    they do not list, gold of less than one mention in a thousand, is drawn at 0. A vector that is near to
    most mentions, a hub, costs rank 1 and leaves the ranks behind it alone.
    """
    made = [runs for runs in results if runs.made and golds.get(runs.data)]
    figure, axes, middles = new_rows([(runs.label, False) for runs in made])
    rows = []
    for y, runs in zip(middles, made, strict=True):
        counted = golds[runs.data].values
        for seed, (concept, share) in enumerate(map(_most_frequent, runs.outcomes), 1):
            shares = 100 * share, 100 * counted["golds"].get(concept, 0) / counted["mentions"]
            axes.hlines(y, *shares, color=BLUE, alpha=0.4, linewidth=2)
            for x, (label, look) in zip(shares, _MARKS.items(), strict=True):
                axes.scatter(x, y, label=label, **look)
            rows.append((runs.data, runs.label, seed, concept, *shares))
    columns = ["data", "system", "seed", "concept", "answered_percent", "gold_percent"]
    axes.set_xlabel("share of all mentions, %")
    legend(figure)
    if made:
        *_, share, gold = max(rows, key=lambda row: row[-2])
        text = f"One concept answers up to {share:.1f} % of the mentions; it is gold of {gold:.1f} %"
        headline(figure, text)
    else:
        not_run(axes)
    return Drawn(figure, pd.DataFrame(rows, columns=columns), {runs.label: runs.there for runs in made})


def _most_frequent(outcomes: Outcomes) -> tuple[str, float]:
    """The concept that is the first answer to most mentions, of equal ones the first by its id, and the share
    of all mentions, NIL included, that it answers; "" and 0 where no mention is answered."""
    answers = pd.Series(outcomes.top[outcomes.every])
    counts = answers[answers != ""].value_counts().sort_index()
    return (counts.idxmax(), counts.max() / len(answers)) if len(counts) else ("", 0.0)
