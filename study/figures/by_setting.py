"""Accuracy against one setting: the names of the dictionary, the sentences of a name, the neighbours."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator

from benchlib.scoring import Scoring, over_seeds

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.numbers import NONE_LEFT
from .drawn import Drawn, in_percent
from .style import legend, line_styles, new_axes, not_run, style

_SHARE, _ALL = "sample-names", "all"
_BELOW = 44  # characters of a line below an axis, which begins right of its own labels


@style()
def by_setting(
    lines: Mapping[str, Sequence[SystemResult]],
    scoring: Scoring,
    setting: str,
    axis: str,
    mentions: Mapping[str, np.ndarray] | None = None,
    log: bool = False,
) -> Drawn:
    """Recall@1 in percent under a protocol against a setting: a panel for each data set, a line for each
    label, seeds averaged, with bars of 95 % intervals. What is not run is left out and said below its panel.

    ``setting`` is one of :attr:`study.chapters.templates.System.values`, a number or ``all``, which stands
    apart at the right end; or ``sample-names``, the percent of the dictionary's names that this transform
    leaves. ``axis`` says what that is; each value has its tick. ``mentions`` restricts all to a mask by data
    set, such as what is reachable in every dictionary (:func:`study.chapters.results.shared_stratum`).

    Raises ValueError for a system whose setting is neither, and for two of a line at one value.
    """
    points = _points(lines, scoring, setting, mentions, log)
    figure, panels = new_axes(max(points["data"].nunique(), 1), 3.2)
    if points.empty:
        not_run(panels[0])
    ticks = points.drop_duplicates("at").sort_values("at")
    drawn, records = line_styles(lines), {}
    for axes, (data, panel) in zip(panels, points.groupby("data", sort=False), strict=False):
        axes.set_title(data)
        if (panel["left out"] == NOT_RUN).all():
            not_run(axes)
            continue
        for label, line in panel[panel["left out"] == ""].groupby("system", sort=False):
            records[f"{data}, {label}"] = [record for runs in line["runs"] for record in runs.there]
            for _, part in line.sort_values("at").groupby(line[setting] == _ALL):
                middle = part["accuracy_percent"]
                ends = [middle - part["low_percent"], part["high_percent"] - middle]
                axes.plot(part["at"], middle, label=label, **drawn[label], linewidth=1.5, markersize=6)
                bars = {"ecolor": drawn[label]["color"], "elinewidth": 1, "capsize": 3}
                axes.errorbar(part["at"], middle, ends, fmt="none", **bars)
        axes.set(xlabel="\n".join([axis, *_left_out(panel, setting)]), ylabel="Recall@1, %")
        axes.set_xscale("log" if log else "linear")
        axes.set_xticks(ticks["at"], [_text(value) for value in ticks[setting]])
        axes.xaxis.set_minor_locator(NullLocator())
    legend(figure)
    shown = points.loc[points["left out"] == ""].drop(columns=["left out", "runs", "at"])
    return Drawn(figure, shown.rename(columns={_SHARE: "names_percent"}), records)


def _points(
    lines: Mapping[str, Sequence[SystemResult]],
    scoring: Scoring,
    setting: str,
    mentions: Mapping[str, np.ndarray] | None,
    log: bool,
) -> pd.DataFrame:
    """A row a run: its value and where that stands on the axis, its accuracy or why it is left out."""
    rows = []
    for label, found in lines.items():
        for runs in found:
            kept = runs.among(mentions) if runs.made else None
            why = NOT_RUN if kept is None else "" if kept.any() else NONE_LEFT
            row = {"data": runs.data, "system": label, setting: _value(runs, setting, log), "runs": runs}
            if not why:
                row |= in_percent(over_seeds([*runs.credits(1, scoring)[:, kept]], runs.clusters[kept]))
            rows.append(row | {"left out": why})
    columns = ["data", "system", setting, "accuracy_percent", "low_percent", "high_percent", "left out"]
    frame = pd.DataFrame(rows, columns=[*columns, "runs"])
    if len(twice := frame[frame.duplicated(columns[:3])]):
        data, label, value = twice.iloc[0][columns[:3]]
        raise ValueError(f"{label} on {data}: two runs at {_text(value)}; expected one")
    return frame.assign(at=frame[setting].map(_places(frame[setting].unique(), log)))


def _value(runs: SystemResult, setting: str, log: bool) -> float | str:
    if setting == _SHARE:
        kept = [change.split(":")[1] for change in runs.system.changes if change.startswith(f"{_SHARE}:")]
        return float(100 * prod(map(Fraction, kept)))
    value = runs.system.values.get(setting)
    if value != _ALL and (not isinstance(value, int | float) or (log and value <= 0)):
        expected = f"a number{' above 0' if log else ''} or {_ALL!r}"
        raise ValueError(f"{runs.label}: {setting} is {value!r}; expected {expected}")
    return value


def _places(values: Sequence[float | str], log: bool) -> dict[float | str, float]:
    """Where each value stands; "all" a fifth of the axis beyond the largest number."""
    places = {value: float(value) for value in values if value != _ALL}
    if _ALL in values:
        scaled = np.array([*places.values()] or [1.0])
        scaled = np.log(scaled) if log else scaled
        beyond = scaled.max() + (np.ptp(scaled) / 5 or 1)
        places[_ALL] = float(np.exp(beyond) if log else beyond)
    return places


def _left_out(panel: pd.DataFrame, setting: str) -> list[str]:
    """A sentence for each reason, such as ``NOT RUN: TF-IDF at 25, 50``."""
    said = []
    for why, left in panel[panel["left out"] != ""].sort_values("at").groupby("left out", sort=False):
        systems = left.groupby("system", sort=False)[setting]
        at = "; ".join(f"{label} at {', '.join(map(_text, values))}" for label, values in systems)
        said.append(fill(f"{why}: {at}", _BELOW))
    return said


def _text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
