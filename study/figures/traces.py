"""What trainings write into their traces: norms of gradients, cosines of pairs, losses and dev scores."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ..chapters.results import SystemResult
from ..chapters.trainings import WARM_UP, norms
from .drawn import Drawn
from .style import BLUE, GREY, VERMILLION, legend, line_styles, new_axes, not_run, style

WINDOW = 20  # updates of a running mean, each in the middle of its own, of fewer at the ends
KINDS = {
    "positive_cosine": "cosine, pairs of one concept",
    "negative_cosine": "cosine, pairs of two concepts",
    "mined_share": "share of mentions with a pair that is mined",
}


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
