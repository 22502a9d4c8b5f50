"""What the data itself looks like, from its cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from .style import BLUE, SMALL, blank, not_run, style

if TYPE_CHECKING:
    from benchlib.runs import Record


@style()
def ambiguity(cards: Mapping[str, Record | None]) -> Figure:
    """Share of the distinct names of each dictionary that several concepts carry, in percent; a dictionary
    without a card is left out."""
    shares = {
        name: 100 * card.values["dictionary.ambiguous_names"] / card.values["dictionary.folded_names"]
        for name, card in cards.items()
        if card is not None
    }
    figure, [[axes]] = blank(height=0.9 + 0.32 * len(shares))
    if shares:
        frame = pd.Series(shares, name="share").rename_axis("name").reset_index()
        sns.barplot(frame, x="share", y="name", color=BLUE, saturation=1, width=0.6, ax=axes)
        axes.bar_label(axes.containers[0], fmt="%.2f", padding=3, fontsize=SMALL)
        axes.margins(x=0.1)
    else:
        not_run(axes)
    axes.grid(False, axis="y")
    axes.set(xlabel="ambiguous names, % of distinct names", ylabel="")
    return figure
