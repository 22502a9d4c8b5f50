"""What a protocol is worth: the same predictions, scored in several ways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.figure import Figure

from benchlib.scoring import Scoring, over_seeds

from .style import BLUE, GREY, SMALL, VERMILLION, blank, legend, not_run, style, ways

if TYPE_CHECKING:
    from ..systems import Runs

# Where both are the same, the smaller mark stands on the larger one.
_ENDS = {
    "strict": {"color": BLUE, "marker": "o", "s": 16, "zorder": 3},
    "lenient": {"color": VERMILLION, "marker": "D", "s": 34, "zorder": 2},
}


@style()
def gaps(found: Iterable[Runs], over: str = "names") -> Figure:
    """Strict and lenient accuracy of the same predictions in percent, joined by a line per system and data
    set.

    Thin bars behind the marks are 95 % intervals, of the mean over seeds. Those that are not made are left
    out.
    """
    made = [runs for runs in found if runs.made]
    figure, [[axes]] = blank(height=1.3 + 0.24 * len(made))
    if not made:
        not_run(axes)
    ticks, previous, y = [], None, 0.0
    for runs in made:
        y += 0.6 if previous not in (None, runs.name) else 0.0
        ends = [over_seeds([*runs.credits(1, Scoring(match, over))], runs.clusters) for match in _ENDS]
        axes.plot([100 * end.value for end in ends], [y, y], color=GREY, linewidth=1.5, zorder=1)
        for end, (match, drawn) in zip(ends, _ENDS.items(), strict=True):
            axes.plot([100 * end.low, 100 * end.high], [y, y], color=drawn["color"], alpha=0.35, linewidth=5)
            axes.scatter(100 * end.value, y, **drawn, label=match)
        ticks.append((y, f"{runs.name} · {runs.label}"))
        previous, y = runs.name, y + 1
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=SMALL)
    axes.set_ylim(y - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_xlabel("accuracy, %")
    legend(figure, place="outside upper right")
    return figure


@style()
def presets(rows: Mapping[str, pd.DataFrame]) -> Figure:
    """The main measure in percent under every published protocol, with 95 % intervals, a mark a system.

    ``rows`` are those of :func:`benchlib.scoring.by_preset` by system; a protocol that leaves ties to the
    order of rows also has the range that this order can make, as a thin line.
    """
    names = [*dict.fromkeys(name for frame in rows.values() for name in frame["protocol"])]
    figure, [[axes]] = blank(height=1.4 + 0.3 * len(names))
    if not names:
        not_run(axes)
    for i, ((system, frame), drawn) in enumerate(zip(rows.items(), ways(rows).values(), strict=True)):
        first = frame.drop_duplicates("protocol").set_index("protocol")
        first = 100 * first.reindex(columns=["value", "low", "high", "worst", "best"]).astype(float)
        first = first[first["value"].notna()]
        ys = [names.index(name) + 0.66 / len(rows) * (i - (len(rows) - 1) / 2) for name in first.index]
        axes.hlines(ys, first["worst"], first["best"], color=GREY, linewidth=1)
        axes.hlines(ys, first["low"], first["high"], color=drawn["color"], alpha=0.4, linewidth=5)
        axes.scatter(
            first["value"], ys, color=drawn["color"], marker=drawn["marker"], s=20, zorder=3, label=system
        )
    axes.set_yticks(range(len(names)), names, fontsize=SMALL)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_xlabel("accuracy under the protocol, %")
    legend(figure, place="outside upper right")
    return figure
