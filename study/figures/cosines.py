"""How near to each other the vectors of a training get: of pairs of one concept, and of pairs of two."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.ticker import MaxNLocator

from ..chapters.results import SystemResult
from .drawn import Drawn
from .style import legend, line_styles, new_axes, not_run, style

KINDS = {
    "positive_cosine": "cosine, pairs of one concept",
    "negative_cosine": "cosine, pairs of two concepts",
    "mined_share": "share of mentions with a pair that is mined",
}


@style()
def cosines(panels: Mapping[str, Sequence[SystemResult]], window: int = 20) -> Drawn:
    """The mean cosine of both kinds of pairs in the batch of each update, which a training that learns from
    pairs writes into its trace, and the share of mentions for which mining left any pair: a panel by title,
    three lines, each the mean over the trainings that are made and tell it.

    Lines are smoothed by the running mean of ``window`` updates, each in the middle of its own, of fewer at
    the ends.
    """
    figure, stack = new_axes(1, 3.2, len(panels), sharey=True)
    drawn = line_styles(KINDS.values())
    frames = [pd.DataFrame(columns=["panel", "line", "update", "mean"])]
    records = {}
    for axes, (title, found) in zip(stack, panels.items(), strict=True):
        traces = [pd.DataFrame(record.trace).set_index("step") for runs in found for record in runs.there]
        if not traces:
            not_run(axes)
            continue
        records[title] = [record for runs in found for record in runs.there]
        for column, shown in KINDS.items():
            if not (told := [trace[column] for trace in traces if column in trace]):
                continue
            mean = pd.concat(told, axis=1).mean(axis=1)
            line = mean.rolling(window, center=True, min_periods=1).mean()
            axes.plot(line.index, line, label=shown, **drawn[shown] | {"markersize": 5, "markevery": 0.15})
            frames.append(pd.DataFrame({"panel": title, "line": shown, "update": line.index, "mean": line}))
        axes.set(title=title, xlabel="updates")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    stack[0].set_ylabel("mean")
    legend(figure)
    return Drawn(figure, pd.concat(frames), records)
