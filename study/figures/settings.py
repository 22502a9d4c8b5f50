"""What two settings do together: accuracy as heat maps."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import seaborn as sns
from seaborn.utils import relative_luminance

from benchlib.scoring import Scoring

from ..chapters.results import SystemResult
from .drawn import Drawn
from .style import new_axes, not_run, style

_BLACK = "#010101"  # an SVG leaves out black itself, which then is the colour of the page's text
_HALF = 0.179  # the luminance on which black and white have the same contrast, 4.6:1


@style()
def grid(panels: Mapping[str, Sequence[SystemResult]], scoring: Scoring) -> Drawn:
    """Accuracy in percent under a protocol, seeds averaged, a panel by title: of the two settings of a system
    the first is a row, the second a column. All panels have one scale; a cell that is not made has a dash.

    Raises ValueError for a system that has not two settings, the same as the others of its panel, and for two
    runs of one cell.
    """
    frames = {title: cells(title, found, scoring) for title, found in panels.items()}
    figure, stack = new_axes(len(panels), 0.9 + 0.32 * max(len(frame) for frame in frames.values()))
    values = np.concatenate([frame.to_numpy().ravel() for frame in frames.values()])
    values = values[~np.isnan(values)]
    for axes, (title, frame) in zip(stack, frames.items(), strict=True):
        axes.set_title(title)
        if frame.isna().all(axis=None):
            not_run(axes)
            continue
        scale = {"vmin": values.min(), "vmax": values.max(), "cmap": "viridis"}
        sns.heatmap(frame, **scale, cbar=False, ax=axes, annot=True, fmt=".1f")
        # seaborn's own choice of black and white has as little as 3.7:1.
        filled = [one for one in axes.texts if one.get_text()]
        behind = axes.collections[0].get_facecolors()[~frame.isna().to_numpy().ravel()]
        for text, colour in zip(filled, behind, strict=True):
            text.set_color(_BLACK if relative_luminance(colour) > _HALF else "#ffffff")
        for y, x in np.argwhere(frame.isna().to_numpy()):
            axes.text(x + 0.5, y + 0.5, "–", ha="center", va="center")
        axes.grid(False)
        axes.tick_params(length=0)
        axes.set_yticklabels(axes.get_yticklabels(), rotation=0)
    records = {title: [record for runs in found for record in runs.there] for title, found in panels.items()}
    return Drawn(figure, _tidy(frames), records)


def cells(title: str, found: Sequence[SystemResult], scoring: Scoring) -> pd.DataFrame:
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


def _tidy(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """A row a cell that is made, with a column for each setting that a panel has."""
    there = {title: frame for title, frame in frames.items() if not frame.isna().all(axis=None)}
    rows = [
        {"panel": title, frame.index.name: row, frame.columns.name: column, "accuracy_percent": value}
        for title, frame in there.items()
        for (row, column), value in frame.stack().items()
        if not np.isnan(value)
    ]
    found = pd.DataFrame(rows, columns=None if rows else ["panel", "accuracy_percent"])
    return found[[name for name in found if name != "accuracy_percent"] + ["accuracy_percent"]]
