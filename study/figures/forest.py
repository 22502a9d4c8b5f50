"""The measured effects of claims, and printed numbers with ours, each on one axis."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import median

import pandas as pd

from ..claims import Claim
from ..claims.answers import Answer
from ..claims.printed_numbers import NEAR, PrintedNumber
from ..claims.verdicts import FAILS, HOLDS, MIXED, TOO_SMALL
from ..papers import papers
from .drawn import Drawn, in_percent
from .style import BLUE, GREY, INK, PURPLE, VERMILLION, headline, legend, new_rows, not_run, style

_LOOKS: Mapping[str, Mapping[str, object]] = {
    HOLDS: {"color": BLUE, "marker": "o"},
    FAILS: {"color": VERMILLION, "marker": "X"},
    MIXED: {"color": PURPLE, "marker": "s"},
    TOO_SMALL: {"color": GREY, "marker": "o", "facecolors": "none"},
}
_WIDTH = 34  # characters of a wording's line
_REMARK = re.compile(r" \([^)]*\)")  # such as that the direction is tested
_MARKS = {
    "printed": {"marker": "D", "color": VERMILLION, "s": 30, "zorder": 3},
    "ours": {"marker": "o", "color": BLUE, "s": 26, "zorder": 4},
    "zero updates": {"marker": "|", "color": INK, "s": 90, "zorder": 5},
}
LONGEST = 15  # rows that are taken in at one look


@style()
def forest(answers: Sequence[Answer], claims: Sequence[Claim]) -> Drawn:
    """The claims whose effect is in points: a row each with its wording, below the name of its paper, the
    largest effect first. A mark tells the verdict, its line is the 95 % interval, and the shade is what the
    claim asks for. ``claims`` has at least those of the answers; other units are left out."""
    shown = [one for one in answers if one.effect is not None and one.unit == "points"]
    shown.sort(key=lambda one: ([*papers()].index(one.paper), -one.effect))
    rules = {claim.id: claim.rule for claim in claims}
    lines: list[tuple[str, Answer | None]] = []
    for paper, of_paper in groupby(shown, key=lambda one: one.paper):
        lines += [(papers()[paper].name, None), *((_REMARK.sub("", one.wording), one) for one in of_paper)]
    figure, axes, middles = new_rows([(text, one is None) for text, one in lines], _WIDTH)
    numbers = ["effect", "low", "high"]
    frame = pd.DataFrame([*map(vars, shown)], columns=["paper", "id", "wording", *numbers, "verdict"])
    at = middles[[one is not None for _, one in lines]]
    for verdict, look in _LOOKS.items():
        of = (frame["verdict"] == verdict).to_numpy()
        if of.any():
            here = frame[of]
            axes.hlines(at[of], here["low"], here["high"], look["color"], linewidth=2)
            axes.scatter(here["effect"], at[of], s=32, zorder=3, label=f"{verdict} ({len(here)})", **look)
    if shown:
        axes.axvline(0, color=INK, linewidth=1)
        ends = axes.get_xlim()
        asked = [rules[one.id].asked(*ends) for one in shown]
        axes.hlines(at, *zip(*asked, strict=True), BLUE, linewidth=14, alpha=0.12)
        axes.set(xlim=ends, xlabel="effect, points")
    else:
        not_run(axes)
    legend(figure, place="outside upper center")
    heads = {"wording": "claim"} | {name: f"{name}_points" for name in numbers}
    frame["paper"] = frame["paper"].map(lambda paper: papers()[paper].name)
    return Drawn(figure, frame.rename(columns=heads))


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
    return sorted(chosen, key=lambda of: of[1].difference, reverse=True)


def _seen(numbers: Sequence[PrintedNumber]) -> str:
    near = [one for one in numbers if abs(one.difference) <= NEAR]
    lower = sum(one.difference < -NEAR for one in numbers)
    said = f"{len(near)} of {len(numbers)} within {NEAR:g} points of print, {lower} lower"
    gains = [100 * one.gap.value for one in numbers if one.gap]
    return f"{said}; training adds {median(gains):+.1f} points (median)" if gains else said


def _named(one: PrintedNumber, numbers: Sequence[PrintedNumber]) -> str:
    """The row of a number: its system, and what tells it from the others."""
    parts = [one.runs.label]
    if len({other.runs.data for other in numbers}) > 1:
        parts.append(one.runs.data)
    if len({other.metric for other in numbers}) > 1:
        parts.append(one.measure)
    return ", ".join(parts)
