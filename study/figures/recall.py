"""How many candidates it takes to have the gold among them."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.ticker import NullLocator

from benchlib.scoring import Scoring, over_seeds

from ..chapters.results import SystemResult
from .drawn import Drawn
from .style import legend, line_styles, new_axes, not_run, style

KS = (1, 2, 4, 8, 16, 32, 64)


@style()
def recall_curve(found: Sequence[SystemResult], scoring: Scoring, ks: Sequence[int] = KS) -> Drawn:
    """Recall@k in percent under a protocol against k on a log scale: a line a system that is made, seeds
    averaged, in the band of its 95 % interval. All of one data set, with lists as long as the largest k."""
    made = [runs for runs in found if runs.made]
    figure, [axes] = new_axes(height=3.6)
    frames = [pd.DataFrame(columns=["system", "k", "recall_percent", "low_percent", "high_percent"])]
    if not made:
        not_run(axes)
        return Drawn(figure, *frames)
    for runs, drawn in zip(made, line_styles(runs.label for runs in made).values(), strict=True):
        at = [over_seeds([*runs.credits(k, scoring)], runs.clusters) for k in ks]
        columns = {"recall_percent": "value", "low_percent": "low", "high_percent": "high"}
        frame = pd.DataFrame({head: [100 * getattr(one, of) for one in at] for head, of in columns.items()})
        frames.append(frame.assign(system=runs.label, k=ks))
        axes.plot(ks, frame["recall_percent"], label=runs.label, **drawn, linewidth=1.5, markersize=5)
        band = {"color": drawn["color"], "alpha": 0.15, "linewidth": 0}
        axes.fill_between(ks, frame["low_percent"], frame["high_percent"], **band)
    axes.set(xlabel="k, candidates (log scale)", ylabel="Recall@k, %", xscale="log")
    axes.set_xticks(ks, [f"{k}" for k in ks])
    axes.xaxis.set_minor_locator(NullLocator())
    legend(figure)
    return Drawn(figure, pd.concat(frames), {runs.label: runs.there for runs in made})
