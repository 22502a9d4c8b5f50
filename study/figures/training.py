"""Trainings: how systems learn, what their traces hold, and what they cost."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ..chapters.costs import Cost
from ..chapters.results import SystemResult
from ..chapters.trainings import WARM_UP, norms
from .drawn import Drawn, in_percent
from .style import BLUE, GREY, INK, VERMILLION, band, bars, legend, line_styles, new_axes, not_run, style

WINDOW = 20  # updates of a running mean, each in the middle of its own, of fewer at the ends
KINDS = {
    "positive_cosine": "cosine, pairs of one concept",
    "negative_cosine": "cosine, pairs of two concepts",
    "mined_share": "share of mentions with a pair that is mined",
}


@style()
def learning(title: str, results: Sequence[SystemResult], epochs: float, mark: float, by: str) -> Drawn:
    """Accuracy on held-out mentions in percent along trainings of so many ``epochs``: a line by label, and
    ``by`` says what the labels are.

    A line is the mean over the records that there are (seeds × folds), the band around it one standard
    deviation; ``mark`` draws a vertical line after so many epochs. A label without records is left out.
    Raises ValueError for a label that stands there twice, and for a record without dev scores.
    """
    labels = [runs.label for runs in results]
    if twice := sorted({label for label in labels if labels.count(label) > 1}):
        raise ValueError(f"panel {title!r}: {', '.join(twice)} is there twice; expected one each")
    figure, [axes] = new_axes(height=2.9)
    there = [runs for runs in results if runs.there]
    looks = line_styles(runs.label for runs in there)
    heads = ["panel", "label", "epochs", "accuracy_percent", "deviation_points", "trainings"]
    frames = [pd.DataFrame(columns=heads)]
    for runs in there:
        line = _dev_scores(runs, epochs)
        mean, deviation = line["accuracy_percent"], line["deviation_points"]
        look = looks[runs.label] | {"markersize": 5, "markeredgewidth": 0, "markevery": 0.12}
        axes.plot(line["epochs"], mean, label=runs.label, **look)
        band(axes, line["epochs"], mean - deviation, mean + deviation, look)
        frames.append(line.assign(panel=title, label=runs.label))
    if there:
        axes.axvline(mark, color=GREY, linestyle=":", linewidth=1)
    else:
        not_run(axes)
    axes.set(title=title, xlabel="epochs", ylabel="accuracy on\nheld-out mentions, %")
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    legend(figure, by)
    return Drawn(figure, pd.concat(frames)[heads], {runs.label: runs.there for runs in there})


def _dev_scores(runs: SystemResult, epochs: float) -> pd.DataFrame:
    """A row an evaluation: the epochs done, mean and standard deviation over trainings, and their number."""
    curves = [
        pd.Series({row["step"]: row["dev_score"] for row in record.trace}, dtype=float).dropna()
        for record in runs.there
    ]
    if not all(map(len, curves)):
        raise ValueError(f"{runs.name}, {runs.label}: a trace without dev scores; expected an evaluated one")
    # Folds differ by a step or two in length: what is comparable is the number of the evaluation.
    shortest = min(map(len, curves))
    at = np.mean([curve.index[:shortest] for curve in curves], axis=0)
    at = at * epochs / np.mean([curve.index[-1] for curve in curves])
    scores = 100 * np.concatenate([curve.to_numpy()[:shortest] for curve in curves])
    line = pd.Series(scores, np.tile(at, len(curves))).groupby(level=0).agg(["mean", "std", "count"])
    line.columns = ["accuracy_percent", "deviation_points", "trainings"]
    return line.rename_axis("epochs").reset_index()


@style()
def tradeoff(
    lines: Mapping[str, Sequence[Cost]],
    printed: Mapping[str, tuple[float, float]] | None = None,
    x_label: str = "seconds to link all test mentions",
    y_label: str = "accuracy",
) -> Drawn:
    """Accuracy in percent with its 95 % interval against seconds on a log scale: the points of a label joined
    by a line, each with its value if it has one. A label without points is left out. ``x_label`` says which
    seconds, ``y_label`` which accuracy.

    ``printed`` are a paper's (seconds, accuracy in percent) by label: an open mark in the colour and form of
    ours of that label.
    """
    printed = printed or {}
    there = {label: points for label, points in lines.items() if points}
    figure, [axes] = new_axes(height=3.6)
    heads = ["source", "label", "point", "seconds", "accuracy_percent", "low_percent", "high_percent"]
    rows, records = [], {}
    if not there and not printed:
        not_run(axes)
    looks = line_styles([*there, *printed])
    for i, (label, points) in enumerate(there.items()):
        # A mark on another one is the smaller.
        looks[label]["markersize"] = 9 - 5 * i / len(there)
        of = {"source": "here", "label": label}
        here = [
            of | {"point": one.label, "seconds": one.seconds, **in_percent(one.accuracy)} for one in points
        ]
        bars(axes, pd.DataFrame(here), "seconds", label, looks[label])
        rows += here
        for one in points:
            if one.value:
                at = (one.seconds, 100 * one.accuracy.value)
                axes.annotate(one.value, at, textcoords="offset points", xytext=(6, -14))
        records[label] = [*{record.key: record for one in points for record in one.records}.values()]
    for label, (seconds, percent) in printed.items():
        look = looks[label] | {"linestyle": "none", "markerfacecolor": "none", "markersize": 7}
        alone = f"{label}, printed" if label not in there else None
        axes.plot(seconds, percent, label=alone, **look)
        rows.append({"source": "printed", "label": label, "seconds": seconds, "accuracy_percent": percent})
    if printed:
        open_mark = {"color": INK, "linestyle": "none", "marker": "o", "markerfacecolor": "none"}
        axes.plot([], [], **open_mark, label="open: printed")
    axes.set(xlabel=f"{x_label} (log scale)", ylabel=f"{y_label}, %", xscale="log")
    axes.margins(x=0.12, y=0.12)
    least, most = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if most < 100 * least else (1,)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    legend(figure)
    return Drawn(figure, pd.DataFrame(rows, columns=heads), records)


@style()
def gradients(panels: Mapping[str, Sequence[SystemResult]]) -> Drawn:
    """Gradient norms before clipping along trainings on a log scale: a panel by title, a line by label, which
    is the mean over the trainings of those that are made (PEL, figure 3).

    Each norm is divided by the mean norm of its training after the warm-up, which ends at the dotted line:
    so the scale of a loss is no part of it. Lines are smoothed over ``WINDOW`` updates. Raises ValueError for
    a record without a training.
    """
    figure, stack = new_axes(len(panels), 2.9, sharey=True)
    looks = line_styles(runs.label for found in panels.values() for runs in found if runs.made)
    frames, records = [pd.DataFrame(columns=["panel", "label", "update", "relative_norm"])], {}
    for axes, (title, found) in zip(stack, panels.items(), strict=True):
        made = [runs for runs in found if runs.made]
        if not made:
            not_run(axes)
        for runs in made:
            relative = [_smoothed(norms(record) / norms(record, WARM_UP).mean()) for record in runs.there]
            line = _line(axes, pd.concat(relative, axis=1).mean(axis=1), runs.label, looks[runs.label])
            frames.append(
                line.rename(columns={"mean": "relative_norm"}).assign(panel=title, label=runs.label)
            )
            records[f"{title}, {runs.label}" if len(panels) > 1 else runs.label] = runs.there
        if made:
            axes.axvline(WARM_UP * line["update"].iloc[-1], color=GREY, linestyle=":", linewidth=1)
        axes.set(title=title, xlabel="updates", ylabel="gradient norm\ndivided by its mean", yscale="log")
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    legend(figure)
    return Drawn(figure, pd.concat(frames), records)


@style()
def cosines(panels: Mapping[str, Sequence[SystemResult]]) -> Drawn:
    """The mean cosine of both kinds of pairs in the batch of each update, which a training that learns from
    pairs writes into its trace, and the share of mentions for which mining left any pair: a panel by title,
    three lines, each the mean over the trainings that are made and tell it, smoothed over ``WINDOW`` updates.
    """
    figure, stack = new_axes(1, 3.2, len(panels), sharey=True)
    looks = line_styles(KINDS.values())
    frames, records = [pd.DataFrame(columns=["panel", "line", "update", "mean"])], {}
    for axes, (title, found) in zip(stack, panels.items(), strict=True):
        there = [record for runs in found for record in runs.there]
        if not there:
            not_run(axes)
            continue
        records[title] = there
        traces = [pd.DataFrame(record.trace).set_index("step") for record in there]
        for column, shown in KINDS.items():
            if told := [trace[column] for trace in traces if column in trace]:
                mean = _smoothed(pd.concat(told, axis=1).mean(axis=1))
                line = _line(axes, mean, shown, looks[shown])
                frames.append(line.assign(panel=title, line=shown))
        axes.set(title=title, xlabel="updates")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    stack[0].set_ylabel("mean")
    legend(figure)
    return Drawn(figure, pd.concat(frames), records)


def _smoothed(by_update: pd.Series) -> pd.Series:
    return by_update.rolling(WINDOW, center=True, min_periods=1).mean()


def _line(axes: Axes, mean: pd.Series, label: str, look: Mapping[str, str]) -> pd.DataFrame:
    """Draw a mean by update; returns its points, ``update`` and ``mean``."""
    axes.plot(mean.index, mean, label=label, **look, markersize=5, markevery=0.15)
    return pd.DataFrame({"update": mean.index, "mean": mean})


@style()
def trace(rows: Sequence[Mapping[str, float | None]]) -> dict[str, Drawn]:
    """A figure for each quantity over the updates of a training, by what it shows; ``rows`` are those of a
    record's trace. A quantity that has no value is left out."""
    drawn = {}
    for what, key, scale, look in (
        ("loss", "loss", 1, {"color": BLUE, "linewidth": 1}),
        ("dev score", "dev_score", 100, {"color": VERMILLION, "marker": "o", "markersize": 4}),
    ):
        points = [(row["step"], scale * row[key]) for row in rows if row[key] is not None]
        if points:
            figure, [axes] = new_axes(height=2.6)
            axes.plot(*zip(*points, strict=True), **look)
            axes.set(xlabel="updates", ylabel=what if scale == 1 else f"{what}, %")
            axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
            # A layout that measures the text draws twice, which hundreds of records would feel.
            figure.set_layout_engine(None)
            figure.subplots_adjust(left=0.16, right=0.98, top=0.96, bottom=0.2)
            drawn[what] = Drawn(figure, pd.DataFrame(points, columns=["update", axes.get_ylabel()]))
    return drawn
