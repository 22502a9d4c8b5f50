"""The trace of one training: its loss and, where it was evaluated, its dev score."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.ticker import MaxNLocator

from .drawn import Drawn
from .style import BLUE, VERMILLION, new_axes, style


@style()
def trace(rows: Sequence[Mapping[str, float | None]]) -> dict[str, Drawn]:
    """A figure for each quantity over the updates of a training, by what it shows; ``rows`` are those of a
    record's trace. A quantity that has no value is left out."""
    wanted = {
        "loss": ("loss", 1, {"color": BLUE, "linewidth": 1}),
        "dev score": ("dev_score", 100, {"color": VERMILLION, "marker": "o", "markersize": 4}),
    }
    drawn = {}
    for what, (key, scale, look) in wanted.items():
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
