"""How much the scoring rule changes a score: the same predictions, scored in several ways."""

from collections.abc import Iterable, Mapping
from textwrap import fill

import pandas as pd

from benchlib.scoring import Scoring

from ..chapters.results import SystemResult
from ..tables.rows import reached
from .drawn import Drawn, in_percent
from .style import BLUE, GREY, ROW, VERMILLION, legend, line_styles, new_axes, new_rows, not_run, style

# Where both are the same, the smaller mark stands on the larger one.
_ENDS = {
    "strict": {"color": BLUE, "marker": "o", "s": 16, "zorder": 3},
    "lenient": {"color": VERMILLION, "marker": "D", "s": 34, "zorder": 2},
}
_LABEL, _BELOW = 22, 40  # characters of a line beside an axis and below it
_APART = 0.5  # points


@style()
def gaps(found: Iterable[SystemResult], least: float = _APART) -> Drawn:
    """Strict and lenient accuracy of the same predictions in percent, joined by a line per system, the
    systems of a data set below its name.

    Thin bars behind the marks are 95 % intervals, of the mean over seeds. Those that are not made are left
    out; data sets on which no system moves by ``least`` points are named below.
    """
    counted = [
        (runs, {match: in_percent(reached(runs, Scoring(match))) for match in _ENDS})
        for runs in found
        if runs.made
    ]
    every = dict.fromkeys(runs.data for runs, _ in counted)
    apart = {runs.data for runs, both in counted if _gap(both) >= least} or {*every}
    lines: list[tuple[str, SystemResult | None, dict[str, dict[str, float]]]] = []
    for name in (name for name in every if name in apart):
        lines += [(name, None, {}), *((of[0].label, *of) for of in counted if of[0].data == name)]
    figure, axes, middles = new_rows([(text, runs is None) for text, runs, _ in lines])
    if not lines:
        not_run(axes)
    columns = ["data", "system", "protocol", "accuracy_percent", "low_percent", "high_percent"]
    rows = []
    for y, (_, runs, both) in zip(middles, lines, strict=True):
        if runs is None:
            continue
        axes.plot([one["accuracy_percent"] for one in both.values()], [y, y], color=GREY, zorder=1)
        for match, one in both.items():
            axes.plot([one["low_percent"], one["high_percent"]], [y, y], color=_ENDS[match]["color"],
                      alpha=0.35, linewidth=5)  # fmt: skip
            axes.scatter(one["accuracy_percent"], y, **_ENDS[match], label=match)
            rows.append({"data": runs.data, "system": runs.label, "protocol": match, **one})
    alike = ", ".join(name for name in every if name not in apart)
    told = [fill(f"Less than {least} points on {alike}", _BELOW)] if alike else []
    axes.set_xlabel("\n".join(["accuracy, %", *told]))
    legend(figure, place="outside upper center")
    records = {f"{runs.data}, {runs.label}": runs.there for _, runs, _ in lines if runs}
    return Drawn(figure, pd.DataFrame(rows, columns=columns), records)


def _gap(both: Mapping[str, Mapping[str, float]]) -> float:
    """Lenient minus strict in points."""
    return both["lenient"]["accuracy_percent"] - both["strict"]["accuracy_percent"]


@style()
def presets(rows: Mapping[str, pd.DataFrame]) -> Drawn:
    """The main measure in percent under every published protocol, with 95 % intervals, a mark a system.

    ``rows`` are those of :func:`benchlib.scoring.by_preset` by system; a protocol that leaves ties to the
    order of rows also has the range that this order can make, as a thin line.
    """
    names = [*dict.fromkeys(name for frame in rows.values() for name in frame["protocol"])]
    figure, [axes] = new_axes(height=0.8 + 2 * ROW * max(len(names), 1))
    if not names:
        not_run(axes)
    numbers = ["value", "low", "high", "worst", "best"]
    percent = {name: f"{name}_percent" for name in numbers}
    frames = [pd.DataFrame(columns=["system", "protocol", "measure", *percent.values()])]
    for i, ((system, frame), look) in enumerate(zip(rows.items(), line_styles(rows).values(), strict=True)):
        first = frame.drop_duplicates("protocol").reindex(columns=["protocol", "measure", *numbers])
        first = first[first["value"].notna()]
        first[numbers] = 100 * first[numbers].astype(float)
        ys = [names.index(name) + 0.66 / len(rows) * (i - (len(rows) - 1) / 2) for name in first["protocol"]]
        axes.hlines(ys, first["worst"], first["best"], color=GREY, linewidth=1)
        axes.hlines(ys, first["low"], first["high"], color=look["color"], alpha=0.4, linewidth=5)
        mark = {"color": look["color"], "marker": look["marker"], "s": 20, "zorder": 3}
        axes.scatter(first["value"], ys, label=system, **mark)
        frames.append(first.rename(columns=percent).assign(system=system))
    axes.set_yticks(range(len(names)), [fill(name, _LABEL) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.grid(False, axis="y")
    axes.set_xlabel("accuracy under the protocol, %")
    legend(figure, place="outside upper center")
    return Drawn(figure, pd.concat(frames))
