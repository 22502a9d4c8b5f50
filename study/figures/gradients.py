"""How gradient norms go along trainings whose losses are of other scales."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from ..chapters.results import SystemResult
from ..chapters.trainings import WARM_UP, norms
from ..records import Record
from .drawn import Drawn
from .style import GREY, legend, line_styles, new_axes, not_run, style


@style()
def gradients(panels: Mapping[str, Sequence[SystemResult]], window: int = 20) -> Drawn:
    """Gradient norms before clipping along trainings on a log scale: a panel by title, a line by label, which
    is the mean over the trainings of those that are made (PEL, figure 3).

    Each norm is divided by the mean norm of its training after the warm-up, which ends at the dotted line:
    so the scale of a loss is no part of it. Lines are smoothed by the running mean of ``window`` updates,
    each in the middle of its own, of fewer at the ends. Raises ValueError for a record without a training.
    """
    figure, stack = new_axes(len(panels), 2.9, sharey=True)
    drawn = line_styles(runs.label for found in panels.values() for runs in found if runs.made)
    frames = [pd.DataFrame(columns=["panel", "label", "update", "relative_norm"])]
    for axes, (title, found) in zip(stack, panels.items(), strict=True):
        made = [runs for runs in found if runs.made]
        if not made:
            not_run(axes)
        for runs in made:
            line = pd.concat([smoothed(record, window) for record in runs.there], axis=1).mean(axis=1)
            way = drawn[runs.label] | {"linewidth": 1.5, "markersize": 5, "markevery": 0.15}
            axes.plot(line.index, line, label=runs.label, **way)
            shown = {"panel": title, "label": runs.label, "update": line.index, "relative_norm": line}
            frames.append(pd.DataFrame(shown))
        if made:
            axes.axvline(WARM_UP * line.index[-1], color=GREY, linestyle=":", linewidth=1)
        axes.set(title=title, xlabel="updates", ylabel="gradient norm\ndivided by its mean", yscale="log")
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    legend(figure)
    records = {
        f"{title}, {runs.label}" if len(panels) > 1 else runs.label: runs.there
        for title, found in panels.items()
        for runs in found
        if runs.made
    }
    return Drawn(figure, pd.concat(frames), records)


def smoothed(record: Record, window: int) -> pd.Series:
    """The relative norms of one training by update, smoothed."""
    relative = norms(record) / norms(record, WARM_UP).mean()
    return relative.rolling(window, center=True, min_periods=1).mean()
