"""How trained systems learn, and what they cost."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ..chapters.results import Cost, SystemResult
from ..records import Record
from .drawn import Drawn, in_percent
from .style import GREY, INK, legend, line_styles, new_axes, not_run, style

_MARKS = {"markersize": 5, "markeredgewidth": 0, "markevery": 0.12}
_PRINTED = {"color": INK, "linestyle": "none", "marker": "o", "markerfacecolor": "none"}


@style()
def learning(title: str, found: Sequence[SystemResult], epochs: float, mark: float, by: str) -> Drawn:
    """Accuracy on held-out mentions in percent along trainings of so many ``epochs``: a line by label, and
    ``by`` says what the labels are.

    A line is the mean over the records that there are (seeds × folds), the band around it one standard
    deviation; ``mark`` draws a vertical line after so many epochs. A label without records is left out.
    Raises ValueError for a label that stands there twice, and for a record without dev scores.
    """
    labels = [runs.label for runs in found]
    if twice := sorted({label for label in labels if labels.count(label) > 1}):
        raise ValueError(f"panel {title!r}: {', '.join(twice)} stands there twice; expected one each")
    figure, [axes] = new_axes(height=2.9)
    there = [runs for runs in found if runs.there]
    drawn = line_styles(runs.label for runs in there)
    frames = [pd.DataFrame(columns=["label", "epochs", "accuracy_percent", "deviation_points", "trainings"])]
    for runs in there:
        curves = _curves(runs, epochs)
        sns.lineplot(
            curves, x="at", y="accuracy", errorbar="sd", err_kws={"alpha": 0.15, "lw": 0}, ax=axes,
            label=runs.label, legend=False, **drawn[runs.label], **_MARKS,
        )  # fmt: skip
        line = curves.groupby("at")["accuracy"].agg(["mean", "std", "count"]).reset_index()
        line.columns = frames[0].columns[1:]
        frames.append(line.assign(label=runs.label))
    if there:
        axes.axvline(mark, color=GREY, linestyle=":", linewidth=1)
    else:
        not_run(axes)
    axes.set(title=title, xlabel="epochs", ylabel="accuracy on\nheld-out mentions, %")
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    legend(figure, by)
    frame = pd.concat(frames)
    frame.insert(0, "panel", title)
    return Drawn(figure, frame, {runs.label: runs.there for runs in there})


def dev_curve(record: Record) -> pd.Series:
    """The dev scores along a training, by step."""
    found = {row["step"]: row["dev_score"] for row in record.trace if row["dev_score"] is not None}
    return pd.Series(found, dtype=float)


def _curves(runs: SystemResult, epochs: float) -> pd.DataFrame:
    """A row a record and evaluation: ``at``, the epochs done, and ``accuracy`` in percent."""
    curves = [dev_curve(record) for record in runs.there]
    if not all(map(len, curves)):
        raise ValueError(f"{runs.name}, {runs.label}: a trace without dev scores; expected an evaluated one")
    # Folds differ by a step or two in length: what is comparable is the number of the evaluation.
    shortest = min(map(len, curves))
    at = np.mean([curve.index[:shortest] for curve in curves], axis=0)
    at = at * epochs / np.mean([curve.index[-1] for curve in curves])
    scores = np.concatenate([100 * curve.to_numpy()[:shortest] for curve in curves])
    return pd.DataFrame({"at": np.tile(at, len(curves)), "accuracy": scores})


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
    rows = []
    if not there and not printed:
        not_run(axes)
    drawn = line_styles([*there, *printed])
    for label, points in there.items():
        frame = pd.DataFrame([{"seconds": one.seconds, **in_percent(one.accuracy)} for one in points])
        middle = frame["accuracy_percent"]
        ends = [middle - frame["low_percent"], frame["high_percent"] - middle]
        axes.plot(frame["seconds"], middle, markersize=6, label=label, **drawn[label])
        bars = {"ecolor": drawn[label]["color"], "elinewidth": 1, "capsize": 3}
        axes.errorbar(frame["seconds"], middle, ends, fmt="none", **bars)
        names = [one.label for one in points]
        for one, x, y in zip(points, frame["seconds"], middle, strict=True):
            if one.value:
                axes.annotate(one.value, (x, y), textcoords="offset points", xytext=(6, -14))
        rows += frame.assign(source="here", label=label, point=names).to_dict("records")
    for label, (seconds, percent) in printed.items():
        way = drawn[label] | {"linestyle": "none", "markerfacecolor": "none"}
        alone = f"{label}, printed" if label not in there else None
        axes.plot(seconds, percent, markersize=7, label=alone, **way)
        rows.append({"source": "printed", "label": label, "seconds": seconds, "accuracy_percent": percent})
    if printed:
        axes.plot([], [], **_PRINTED, label="open: printed")
    axes.set(xlabel=f"{x_label} (log scale)", ylabel=f"{y_label}, %", xscale="log")
    axes.margins(x=0.12, y=0.12)
    least, most = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if most < 100 * least else (1,)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    legend(figure)
    columns = ["source", "label", "point", "seconds", "accuracy_percent", "low_percent", "high_percent"]
    records = {
        label: [*{record.key: record for one in points for record in one.records}.values()]
        for label, points in there.items()
    }
    return Drawn(figure, pd.DataFrame(rows, columns=columns), records)
