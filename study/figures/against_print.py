"""The numbers that a paper prints, and ours, on one axis."""

from collections.abc import Mapping, Sequence
from statistics import median

import pandas as pd

from ..claims.printed_numbers import NEAR, PrintedNumber
from .drawn import Drawn, in_percent
from .style import BLUE, GREY, INK, VERMILLION, headline, legend, new_rows, not_run, style

_MARKS = {
    "printed": {"marker": "D", "color": VERMILLION, "s": 30, "zorder": 3},
    "ours": {"marker": "o", "color": BLUE, "s": 26, "zorder": 4},
    "zero updates": {"marker": "|", "color": INK, "s": 90, "zorder": 5},
}
LONGEST = 15  # rows that are taken in at one look


@style()
def against_print(items: Mapping[str, Sequence[PrintedNumber]]) -> Drawn:
    """Printed numbers that have one of ours, in percent: printed, ours with its 95 % interval, and the
    control with zero updates where there is one. The highest above print is first.

    Of a system on a data set the first number in the order of the items is drawn. Systems with a control are
    chosen first, each with all its data sets, as long as these are no more than ``LONGEST`` rows.
    """
    shown = _chosen(items)
    numbers = [one for _, one in shown]
    figure, axes, middles = new_rows([(_named(one, numbers), False) for one in numbers])
    if not shown:
        not_run(axes)
    rows = []
    for y, (item, one) in zip(middles, shown, strict=True):
        ours = in_percent(one.ours, "ours")
        row = {"item": item, "system": one.runs.label, "data": one.runs.data, "metric": one.metric}
        row |= {"printed_percent": float(one.value), **ours, "verdict": one.verdict}
        row["zero_updates_percent"] = 100 * one.control.value if one.control else None
        axes.plot([row["printed_percent"], row["ours_percent"]], [y, y], color=GREY, linewidth=1, zorder=1)
        axes.plot([row["low_percent"], row["high_percent"]], [y, y], color=BLUE, alpha=0.4, linewidth=5)
        for name, look in _MARKS.items():
            axes.scatter(row[f"{name.replace(' ', '_')}_percent"], y, label=name, **look)
        rows.append(row)
    axes.set_xlabel("%")
    legend(figure)
    if shown:
        headline(figure, _seen(numbers))
    records = {f"{one.runs.label}, {one.runs.data}": one.runs.there for one in numbers}
    return Drawn(figure, pd.DataFrame(rows), records)


def _chosen(items: Mapping[str, Sequence[PrintedNumber]]) -> list[tuple[str, PrintedNumber]]:
    """The numbers to draw with their items, in the order in which they are drawn."""
    systems: dict[str, dict[str, tuple[str, PrintedNumber]]] = {}
    for item, one in ((item, one) for item, numbers in items.items() for one in numbers):
        if one.value and one.ours:
            systems.setdefault(one.runs.label, {}).setdefault(one.runs.data, (item, one))
    chosen: list[tuple[str, PrintedNumber]] = []
    for of in sorted(systems.values(), key=lambda of: next(iter(of.values()))[1].control is None):
        chosen += of.values() if len(chosen) + len(of) <= LONGEST else ()
    return sorted(chosen, key=lambda of: _above(of[1]), reverse=True)


def _above(one: PrintedNumber) -> float:
    """Ours minus the printed one in points."""
    return 100 * one.ours.value - float(one.value)


def _seen(numbers: Sequence[PrintedNumber]) -> str:
    """What the figure shows, in words."""
    near = [one for one in numbers if abs(_above(one)) <= NEAR]
    lower = sum(_above(one) < -NEAR for one in numbers)
    said = f"{len(near)} of {len(numbers)} within {NEAR:g} points of print, {lower} lower"
    gains = [100 * one.gap.value for one in numbers if one.gap]
    return f"{said}; training adds {median(gains):+.1f} points (median)" if gains else said


def _named(one: PrintedNumber, numbers: Sequence[PrintedNumber]) -> str:
    """The row of a number: its system, and what tells it from the others."""
    parts = [one.runs.label]
    if len({other.runs.data for other in numbers}) > 1:
        parts.append(one.runs.data)
    if len({other.metric for other in numbers}) > 1:
        parts.append(one.metric.replace("recall_at_", "Recall@").replace("mrr", "MRR").replace("f1", "F1"))
    return ", ".join(parts)
