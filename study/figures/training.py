"""Figures of trained systems: how they learn, what they cost, and how well they tell NIL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..runs import Record
from ..scoring import Outcomes, roc_area, roc_curve
from .figures import GREY, line_styles, not_run, style


def dev_curve(record: Record) -> pd.Series:
    """The dev scores along a training, by step."""
    found = {row["step"]: row["dev_score"] for row in record.trace if row["dev_score"] is not None}
    return pd.Series(found, dtype=float)


def learning_figure(
    panels: Mapping[str, Mapping[str, Sequence[Record]]],
    epochs: float | None = None,
    mark: float | None = None,
) -> Figure:
    """Accuracy on held-out mentions along trainings: a panel by title, a line by label.

    A line is the mean over its records (folds or seeds), the band around it one standard deviation. The x
    axis is in epochs where ``epochs`` says how many a training has, else in updates; ``mark`` draws a
    vertical line there. A label without records is left out.
    """
    with style():
        figure, axes = plt.subplots(
            1, len(panels), figsize=(7.2, 3.4), sharey=True, squeeze=False, layout="constrained"
        )
        for axis, (title, lines) in zip(axes[0], panels.items(), strict=True):
            if not any(lines.values()):
                not_run(axis)
            for (label, records), drawn in zip(lines.items(), line_styles(), strict=False):
                if records:
                    _line(axis, label, records, drawn, epochs)
            if mark is not None:
                axis.axvline(mark, color=GREY, linestyle=":", linewidth=1)
            axis.set(title=title, xlabel="epochs" if epochs else "updates")
            axis.xaxis.get_major_locator().set_params(integer=True)
            axis.grid(axis="both")
        axes[0, 0].set_ylabel("accuracy on held-out mentions, %")
        for axis in axes[0]:
            if axis.get_legend_handles_labels()[0]:
                axis.legend(frameon=False, fontsize=8, loc="lower right")
    plt.close(figure)
    return figure


def _line(
    axis: Axes, label: str, records: Sequence[Record], drawn: Mapping[str, str], epochs: float | None
) -> None:
    # Folds differ by a step or two in length: what is comparable is the number of the evaluation.
    curves = [dev_curve(record) for record in records]
    shortest = min(map(len, curves))
    scores = 100 * np.stack([curve.to_numpy()[:shortest] for curve in curves])
    at = np.mean([curve.index.to_numpy()[:shortest] for curve in curves], axis=0)
    if epochs:
        at = at * epochs / np.mean([curve.index[-1] for curve in curves])
    mean = scores.mean(axis=0)
    axis.plot(at, mean, label=label, marker="o", markersize=3, **drawn)
    if len(records) > 1:
        spread = scores.std(axis=0, ddof=1)
        axis.fill_between(at, mean - spread, mean + spread, color=drawn["color"], alpha=0.15, linewidth=0)


def tradeoff_figure(lines: Mapping[str, Sequence[tuple[str, float, float]]]) -> Figure:
    """Accuracy against seconds: points (text, seconds, share of right answers) by label, those of a label
    joined by a line, seconds on a log scale."""
    with style():
        figure, axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
        if not any(lines.values()):
            not_run(axes)
        for (label, points), drawn in zip(lines.items(), line_styles(), strict=False):
            if points:
                texts, seconds, right = zip(*points, strict=True)
                right = 100 * np.asarray(right)
                axes.plot(seconds, right, marker="o", markersize=5, label=label, **drawn)
                # A point on its own is named by the legend.
                for text, x, y in zip(texts, seconds, right, strict=True) if len(points) > 1 else ():
                    axes.annotate(text, (x, y), textcoords="offset points", xytext=(6, -9), fontsize=8)
        axes.set(xlabel="seconds to link all test mentions (log scale)", ylabel="accuracy, %", xscale="log")
        axes.grid(axis="both")
        if any(lines.values()):
            axes.legend(frameon=False, fontsize=8)
            axes.margins(x=0.12, y=0.12)
    plt.close(figure)
    return figure


def roc_figure(systems: Mapping[str, Sequence[Outcomes]]) -> Figure:
    """ROC curves by label, the first run of each, with the area over all its runs; the dashed line is
    chance."""
    with style():
        figure, axes = plt.subplots(figsize=(5.2, 4.4), layout="constrained")
        for (label, runs), drawn in zip(systems.items(), line_styles(), strict=False):
            curve, area = roc_curve(runs[0]), roc_area(runs).value
            rates = curve.false_positive_rate, curve.true_positive_rate
            axes.plot(*rates, label=f"{label} ({area:.3f})", **drawn)
        if not systems:
            not_run(axes)
        axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
        axes.set(xlabel="NIL mentions at or above the threshold", ylabel="mentions with a concept there")
        axes.grid(axis="both")
        if systems:
            axes.legend(frameon=False, fontsize=8, loc="lower right", title="area")
    plt.close(figure)
    return figure


def grid_figure(panels: Mapping[str, pd.DataFrame]) -> Figure:
    """Heat maps of accuracy in percent, a panel by title: one setting a row, another a column, NaN where
    there is no run."""
    with style():
        figure, axes = plt.subplots(1, len(panels), figsize=(7.2, 3.2), squeeze=False, layout="constrained")
        values = np.concatenate([frame.to_numpy(float).ravel() for frame in panels.values()])
        span = {"vmin": np.nanmin(values), "vmax": np.nanmax(values)} if not np.isnan(values).all() else {}
        for axis, (title, frame) in zip(axes[0], panels.items(), strict=True):
            if frame.isna().all(axis=None):
                not_run(axis)
                axis.set(title=title, xticks=[], yticks=[])
                continue
            cells = frame.to_numpy(float)
            axis.imshow(cells, cmap="viridis", aspect="auto", **span)
            axis.grid(False)
            axis.set(title=title, xlabel=frame.columns.name, ylabel=frame.index.name)
            axis.set_xticks(range(frame.shape[1]), frame.columns)
            axis.set_yticks(range(frame.shape[0]), frame.index)
            middle = (span["vmin"] + span["vmax"]) / 2
            for (y, x), value in np.ndenumerate(cells):
                text = "–" if np.isnan(value) else f"{value:.1f}"
                colour = GREY if np.isnan(value) else ("black" if value > middle else "white")
                axis.text(x, y, text, ha="center", va="center", fontsize=8, color=colour)
    plt.close(figure)
    return figure
