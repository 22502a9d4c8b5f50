"""Accuracy against settings: one on an axis or in steps, two as a heat map, and the number of candidates."""

import shlex
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from textwrap import fill

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import NullLocator
from seaborn.utils import relative_luminance

from benchlib.scoring import Scoring

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.literal import in_html
from ..pages.numbers import NONE_LEFT
from ..pages.page import Page
from ..pages.show import linked
from ..pages.stamp import run_command
from ..tables.rows import reached
from .drawn import Drawn, in_percent
from .style import band, bars, family_axes, keys_above, legend, line_styles, new_axes, not_run, style

KS = (1, 2, 4, 8, 16, 32, 64)
_SHARE, _ALL = "sample-names", "all"
_BELOW = 44  # characters of a line below an axis, which begins right of its own labels
_BLACK = "#010101"  # an SVG leaves out black itself, which then is the colour of the page's text
_HALF = 0.179  # the luminance on which black and white have the same contrast, 4.6:1


@style()
def by_setting(
    lines: Mapping[str, Sequence[SystemResult]],
    scoring: Scoring,
    setting: str,
    axis: str,
    mentions: Mapping[str, np.ndarray] | None = None,
    log: bool = False,
) -> Drawn:
    """Recall@1 in percent under a protocol against a setting: a panel for each data set, all on one scale, a
    line for each label, seeds averaged, with bars of 95 % intervals. What is not run is left out and said
    below its panel.

    ``setting`` is one of :attr:`study.chapters.templates.System.values`, a number or ``all``, which stands
    apart at the right end; or ``sample-names``, the percent of the dictionary's names that this transform
    leaves. ``axis`` says what that is; each value has its tick. ``mentions`` restricts all to a mask by data
    set, such as what is reachable in every dictionary (:func:`study.chapters.results.shared_stratum`).

    Raises ValueError for a system whose setting is neither, and for two of a line at one value.
    """
    points = points_of(lines, scoring, setting, mentions, log)
    figure, panels = new_axes(max(points["data"].nunique(), 1), 3.2, sharey=True)
    if points.empty:
        not_run(panels[0])
    ticks = points.drop_duplicates("at").sort_values("at")
    looks, records = line_styles(lines), {}
    for axes, (data, panel) in zip(panels, points.groupby("data", sort=False), strict=False):
        axes.set_title(data)
        if (panel["left out"] == NOT_RUN).all():
            not_run(axes)
            continue
        for label, line in panel[panel["left out"] == ""].groupby("system", sort=False):
            records[f"{data}, {label}"] = [record for runs in line["runs"] for record in runs.there]
            for _, part in line.sort_values("at").groupby(line[setting] == _ALL):
                bars(axes, part, "at", label, looks[label])
        axes.set(xlabel="\n".join([axis, *_left_out(panel, setting)]), ylabel="Recall@1, %")
        axes.set_xscale("log" if log else "linear")
        axes.set_xticks(ticks["at"], [value_text(value) for value in ticks[setting]])
        axes.xaxis.set_minor_locator(NullLocator())
    legend(figure)
    shown = points.loc[points["left out"] == ""].drop(columns=["left out", "runs", "at"])
    return Drawn(figure, shown.rename(columns={_SHARE: "names_percent"}), records)


def points_of(
    lines: Mapping[str, Sequence[SystemResult]],
    scoring: Scoring,
    setting: str,
    mentions: Mapping[str, np.ndarray] | None,
    log: bool = False,
) -> pd.DataFrame:
    """A row a run: its value and where that stands on the axis, its accuracy or why it is left out."""
    rows = {}
    for label, runs in ((label, runs) for label, found in lines.items() for runs in found):
        value = _value(runs, setting, log)
        if (place := (runs.data, label, value)) in rows:
            raise ValueError(f"{label} on {runs.data}: two runs at {value_text(value)}; expected one")
        kept = runs.among(mentions) if runs.made else None
        why = NOT_RUN if kept is None else "" if kept.any() else NONE_LEFT
        accuracy = {} if why else in_percent(reached(runs, scoring, kept=kept))
        row = {"data": runs.data, "system": label, setting: value, **accuracy}
        rows[place] = row | {"left out": why, "runs": runs}
    heads = ["accuracy_percent", "low_percent", "high_percent", "left out", "runs"]
    frame = pd.DataFrame(rows.values(), columns=["data", "system", setting, *heads])
    places = {value: float(value) for value in frame[setting] if value != _ALL}
    # "all" stands a fifth of the axis beyond the largest number.
    scaled = np.array([*places.values()] or [1.0])
    scaled = np.log(scaled) if log else scaled
    beyond = scaled.max() + (np.ptp(scaled) / 5 or 1)
    places[_ALL] = float(np.exp(beyond) if log else beyond)
    return frame.assign(at=frame[setting].map(places))


def _value(runs: SystemResult, setting: str, log: bool) -> float | str:
    if setting == _SHARE:
        kept = [change.split(":")[1] for change in runs.system.changes if change.startswith(f"{_SHARE}:")]
        return float(100 * prod(map(Fraction, kept)))
    value = runs.system.values.get(setting)
    if value != _ALL and (not isinstance(value, int | float) or (log and value <= 0)):
        expected = f"a number{' above 0' if log else ''} or {_ALL!r}"
        raise ValueError(f"{runs.label}: {setting} is {value!r}; expected {expected}")
    return value


def _left_out(panel: pd.DataFrame, setting: str) -> list[str]:
    """A sentence for each reason, such as ``NOT RUN: TF-IDF at 25, 50``."""
    said = []
    for why, left in panel[panel["left out"] != ""].sort_values("at").groupby("left out", sort=False):
        systems = left.groupby("system", sort=False)[setting]
        at = "; ".join(f"{label} at {', '.join(map(value_text, values))}" for label, values in systems)
        said.append(fill(f"{why}: {at}", _BELOW))
    return said


def value_text(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


@style()
def recall_curve(results: Sequence[SystemResult], scoring: Scoring) -> Drawn:
    """Recall@k in percent under a protocol against k on a log scale: a line a system that is made, seeds
    averaged, in the band of its 95 % interval, a panel a family. All of one data set, with lists of 64."""
    made = [runs for runs in results if runs.made]
    figure, panels = family_axes([runs.label for runs in made], 1.5)
    frames = [pd.DataFrame(columns=["system", "k", "recall_percent", "low_percent", "high_percent"])]
    if not made:
        not_run(*figure.axes)
        return Drawn(figure, *frames)
    for runs in made:
        axes, look = panels[runs.label]
        frame = pd.DataFrame(in_percent(reached(runs, scoring, k), "recall") for k in KS)
        axes.plot(KS, frame["recall_percent"], label=runs.label, **look, markersize=5)
        band(axes, KS, frame["low_percent"], frame["high_percent"], look)
        frames.append(frame.assign(system=runs.label, k=KS))
    for axes in figure.axes:
        axes.set(ylabel="Recall@k, %", xscale="log")
        axes.set_xticks(KS, [f"{k}" for k in KS])
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("k, candidates (log scale)")
    keys_above(figure)
    return Drawn(figure, pd.concat(frames), {runs.label: runs.there for runs in made})


@style()
def grid(panels: Mapping[str, Sequence[SystemResult]], scoring: Scoring) -> Drawn:
    """Accuracy in percent under a protocol, seeds averaged, a panel by title: of the two settings of a system
    the first is a row, the second a column. All panels have one scale; a cell that is not made has a dash.

    Raises ValueError for a system that has not two settings, the same as the others of its panel, and for two
    runs of one cell.
    """
    frames = {title: _cells(title, found, scoring) for title, found in panels.items()}
    figure, stack = new_axes(len(panels), 0.9 + 0.32 * max(len(frame) for frame in frames.values()))
    made = {title: frame.stack().dropna() for title, frame in frames.items()}
    values = pd.concat(made.values())
    tables = [pd.DataFrame(columns=["panel"])]
    for axes, (title, frame) in zip(stack, frames.items(), strict=True):
        axes.set_title(title)
        if made[title].empty:
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
        tables.append(made[title].rename("accuracy_percent").reset_index().assign(panel=title))
    shown = pd.concat(tables).assign(accuracy_percent=values.to_numpy())
    shown = shown[[name for name in shown if name != "accuracy_percent"] + ["accuracy_percent"]]
    records = {title: [record for runs in found for record in runs.there] for title, found in panels.items()}
    return Drawn(figure, shown, records)


def _cells(title: str, results: Sequence[SystemResult], scoring: Scoring) -> pd.DataFrame:
    """The numbers of one panel, rows and columns in the order in which they come; NaN where not made."""
    settings = {tuple(runs.system.values) for runs in results}
    if len(settings) > 1 or any(len(names) != 2 for names in settings):
        raise ValueError(
            f"panel {title!r}: settings {sorted(settings)}; expected the same two of every system"
        )
    accuracy = {}
    for runs in results:
        place = tuple(f"{value:g}" for value in runs.system.values.values())
        if place in accuracy:
            raise ValueError(f"panel {title!r}: two runs at {', '.join(place)}; expected one a cell")
        accuracy[place] = 100 * float(runs.credits(1, scoring).mean()) if runs.made else np.nan
    row, column = settings.pop() if settings else ("", "")
    index = pd.Index(dict.fromkeys(first for first, _ in accuracy), name=row)
    columns = pd.Index(dict.fromkeys(second for _, second in accuracy), name=column)
    return pd.DataFrame([[accuracy.get((a, b), np.nan) for b in columns] for a in index], index, columns)


def steps(
    page: Page,
    run_sets: Sequence[str],
    lines: Mapping[str, Sequence[SystemResult]],
    scoring: Scoring,
    setting: str,
    axis: str,
    mentions: Mapping[str, np.ndarray] | None = None,
) -> str:
    """The numbers of :func:`.by_setting` as HTML, a section for each value: Recall@1 in percent
    with its interval, *not run* where there is no record, and the command that makes the records again."""
    found = points_of(lines, scoring, setting, mentions)
    command = shlex.split(run_command(page.parameters, page.name))
    command += [word for run_set in run_sets for word in ("--set", run_set)]
    sections = []
    for value, state in found.sort_values("at", kind="stable").groupby(setting, sort=False):
        cells: dict[str, dict[str, str]] = {}
        keys = []
        for row in state.to_dict("records"):
            told = row["left out"].lower()
            told = told or "{accuracy_percent:.1f} [{low_percent:.1f}, {high_percent:.1f}]".format_map(row)
            keys += [word for record in row["runs"].there for word in ("--again", record.short_key)]
            cells.setdefault(row["data"], {})[row["system"]] = linked(told, row["runs"].record)
        heads = [f"<th scope=col>{in_html(label)}</th>" for label in lines]
        rows = [f"<tr><th></th>{''.join(heads)}</tr>"]
        for data, told in cells.items():
            numbers = "".join(f"<td>{told.get(label, '')}</td>" for label in lines)
            rows.append(f"<tr><th scope=row>{in_html(data)}</th>{numbers}</tr>")
        sections.append(
            f"<section><p><strong>{value_text(value)}</strong> {in_html(axis)}: Recall@1 in percent</p>"
            f"<table><tbody>{''.join(rows)}</tbody></table>"
            "<details><summary>The command that makes these records</summary><div class='highlight'>"
            f"<pre>{in_html(shlex.join([*command, *keys]))}</pre></div></details></section>"
        )
    return f'<div class="steps" data-axis="{in_html(axis)}">{"".join(sections)}</div>' if sections else ""
