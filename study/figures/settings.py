"""What two settings do together: accuracy as heat maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from benchlib.scoring import Scoring

from .style import SMALL, blank, not_run, style

if TYPE_CHECKING:
    from ..systems import Runs


@style()
def grid(panels: Mapping[str, Sequence[Runs]], scoring: Scoring) -> Figure:
    """Accuracy in percent under a protocol, seeds averaged, a panel by title: of the two settings of a system
    the first is a row, the second a column. All panels have one scale; a cell that is not made has a dash.

    Raises ValueError for a system that has not two settings, the same as the others of its panel, and for two
    runs of one cell.
    """
    figure, [row] = blank(len(panels), 3.2)
    frames = {title: cells(title, found, scoring) for title, found in panels.items()}
    values = np.concatenate([frame.to_numpy().ravel() for frame in frames.values()])
    values = values[~np.isnan(values)]
    for axes, (title, frame) in zip(row, frames.items(), strict=True):
        axes.set_title(title)
        if frame.isna().all(axis=None):
            not_run(axes)
            continue
        sns.heatmap(
            frame, vmin=values.min(), vmax=values.max(), cmap="viridis", cbar=False, ax=axes,
            annot=True, fmt=".1f", annot_kws={"fontsize": SMALL},
        )  # fmt: skip
        for y, x in np.argwhere(frame.isna().to_numpy()):
            axes.text(x + 0.5, y + 0.5, "–", ha="center", va="center")
        axes.grid(False)
        axes.tick_params(length=0, labelsize=SMALL)
        axes.set_yticklabels(axes.get_yticklabels(), rotation=0)
    return figure


def cells(title: str, found: Sequence[Runs], scoring: Scoring) -> pd.DataFrame:
    """The numbers of one panel, rows and columns in the order in which they come; NaN where not made."""
    settings = {tuple(runs.system.values) for runs in found}
    if len(settings) > 1 or any(len(names) != 2 for names in settings):
        raise ValueError(
            f"panel {title!r}: settings {sorted(settings)}; expected the same two of every system"
        )
    accuracy = {}
    for runs in found:
        place = tuple(f"{value:g}" for value in runs.system.values.values())
        if place in accuracy:
            raise ValueError(f"panel {title!r}: two runs at {', '.join(place)}; expected one a cell")
        accuracy[place] = 100 * float(runs.credits(1, scoring).mean()) if runs.made else np.nan
    row, column = settings.pop() if settings else ("", "")
    index = pd.Index(dict.fromkeys(first for first, _ in accuracy), name=row)
    columns = pd.Index(dict.fromkeys(second for _, second in accuracy), name=column)
    frame = pd.DataFrame(np.nan, index, columns)
    for place, value in accuracy.items():
        frame.loc[place] = value
    return frame
