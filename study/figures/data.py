"""What the data itself looks like, from its cards."""

from collections.abc import Mapping

import pandas as pd
import seaborn as sns

from ..records import Record
from .drawn import Drawn
from .style import BLUE, ROW, new_axes, not_run, style


@style()
def ambiguity(cards: Mapping[str, Record | None]) -> Drawn:
    """Share of the distinct names of each dictionary that several concepts carry, in percent; a dictionary
    without a card is left out."""
    there = {name: card for name, card in cards.items() if card is not None}
    shares = [
        100 * card.values["dictionary.ambiguous_names"] / card.values["dictionary.folded_names"]
        for card in there.values()
    ]
    frame = pd.DataFrame({"dictionary": [*there], "ambiguous_percent": shares})
    figure, [axes] = new_axes(height=0.9 + 1.5 * ROW * len(there))
    if there:
        bars = {"color": BLUE, "saturation": 1, "width": 0.6}
        sns.barplot(frame, x="ambiguous_percent", y="dictionary", **bars, ax=axes)
        axes.bar_label(axes.containers[0], fmt="%.2f", padding=3)
        axes.margins(x=0.15)
    else:
        not_run(axes)
    axes.grid(False, axis="y")
    axes.set(xlabel="ambiguous names, %", ylabel="")
    return Drawn(figure, frame, {name: [card] for name, card in there.items()})
