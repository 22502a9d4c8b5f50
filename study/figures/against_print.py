"""The numbers that a paper prints, and ours, on one axis."""

from collections.abc import Mapping, Sequence

import pandas as pd

from ..claims.printed_numbers import PrintedNumber
from .drawn import Drawn, in_percent
from .style import BLUE, GREY, INK, VERMILLION, legend, new_rows, not_run, style

_METRICS = {"mrr": "MRR", "recall_at_1": "Recall@1"}


@style()
def against_print(items: Mapping[str, Sequence[PrintedNumber]]) -> Drawn:
    """The printed numbers of each item that have one of ours, in percent, a row each below the item's name:
    printed, ours with its 95 % interval, and the control with zero updates where there is one."""
    shown = {item: [one for one in numbers if one.value and one.ours] for item, numbers in items.items()}
    lines = [
        line
        for item, numbers in shown.items()
        if numbers
        for line in ((item, None), *((_named(one, numbers), one) for one in numbers))
    ]
    figure, axes, middles = new_rows([(text, one is None) for text, one in lines])
    if not lines:
        not_run(axes)
    marks = {
        "printed": {"marker": "D", "color": VERMILLION, "s": 30, "zorder": 3},
        "ours": {"marker": "o", "color": BLUE, "s": 26, "zorder": 4},
        "zero updates": {"marker": "|", "color": INK, "s": 90, "zorder": 5},
    }
    rows = []
    for y, (text, one) in zip(middles, lines, strict=True):
        if one is None:
            item = text
            continue
        ours = in_percent(one.ours, "ours")
        row = {"item": item, "system": one.runs.label, "data": one.runs.data, "metric": one.metric}
        row |= {"printed_percent": float(one.value), **ours, "verdict": one.verdict}
        row["zero_updates_percent"] = 100 * one.control.value if one.control else None
        axes.plot([row["printed_percent"], row["ours_percent"]], [y, y], color=GREY, linewidth=1, zorder=1)
        axes.plot([row["low_percent"], row["high_percent"]], [y, y], color=BLUE, alpha=0.4, linewidth=5)
        for name, look in marks.items():
            axes.scatter(row[f"{name.replace(' ', '_')}_percent"], y, label=name, **look)
        rows.append(row)
    axes.set_xlabel("%")
    legend(figure, place="outside upper center")
    numbers = [one for _, one in lines if one is not None]
    records = {f"{one.runs.label}, {one.runs.data}": one.runs.there for one in numbers}
    return Drawn(figure, pd.DataFrame(rows), records)


def _named(one: PrintedNumber, numbers: Sequence[PrintedNumber]) -> str:
    """The row of a number: its system, and what tells it from the others of its item."""
    parts = [one.runs.label]
    if len({other.runs.data for other in numbers}) > 1:
        parts.append(one.runs.data)
    if len({other.metric for other in numbers}) > 1:
        parts.append(_METRICS.get(one.metric, one.metric))
    return ", ".join(parts + ([one.headline.stratum] if one.headline.stratum else []))
