"""How well the score of the best answer tells mentions that have no concept (NIL)."""

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from benchlib.scoring import (
    Outcomes,
    Scoring,
    area,
    nil_or_linkable,
    pr_areas,
    precision_recall,
    recall,
    risk_coverage,
    roc_areas,
    roc_curve,
)
from benchlib.scoring.nil import AreasOf

from ..chapters.results import SystemResult
from .drawn import Drawn
from .style import GREY, family_axes, keys_above, legend, line_styles, new_axes, not_run, style

_WHOLE = (-2, 102)
_APART = 1  # point of percent, some three pixels: a curve has a point for every score, thousands of them
_CHANCE = {"color": GREY, "linestyle": (0, (2, 3)), "linewidth": 1}
_STEPS = {"drawstyle": "steps-pre"}

Points = Mapping[str, np.ndarray]  # shares from 0 to 1, x then y, by the names of their columns


@style()
def nil(systems: Mapping[str, Outcomes], strata: pd.DataFrame) -> Drawn:
    """Above, precision against recall of NIL as the threshold moves, of mentions that are NIL or can be
    linked, the level line chance; below, the risk of a wrong answer when only the surest of all mentions are
    answered; all in percent. ``strata`` has one row per mention of the corpus that all systems answer."""
    figure, [above, below] = new_axes(2, 3.2)
    frames = [pd.DataFrame(columns=["system"])]
    for axes in (above, below) if not systems else ():
        not_run(axes)
    for (system, found), look in zip(systems.items(), line_styles(systems).values(), strict=True):
        scored = nil_or_linkable(found, strata)
        is_nil = scored.is_nil
        if is_nil.any() and not is_nil.all():
            frames.append(_curve(above, _precision_recall(scored), system, look | _STEPS))
            above.axhline(100 * is_nil.mean(), **_CHANCE)
        hit = np.zeros(len(found.is_nil))
        hit[~found.is_nil] = recall(found, 1, Scoring())
        risk = dict(zip(("answered_percent", "wrong_percent"), risk_coverage(found, hit), strict=True))
        frames.append(_curve(below, risk, system, look))
    if systems and not above.get_lines():
        text = "no NIL mention" if not any(one.is_nil.any() for one in systems.values()) else "only NIL"
        above.text(0.5, 0.5, text, ha="center", transform=above.transAxes)
    above.set(xlabel="recall of NIL, %", ylabel="precision of NIL, %", xlim=_WHOLE, ylim=_WHOLE)
    below.set(xlabel="mentions answered, %", ylabel="of these wrong, %", xlim=_WHOLE, ylim=_WHOLE)
    legend(figure)
    return Drawn(figure, pd.concat(frames))


@style()
def roc(results: Sequence[SystemResult]) -> Drawn:
    """ROC curves of those that are made, of the first seed each, with the area over all seeds beside the
    label, in percent, of mentions that are NIL or can be linked; the dotted line is chance. The latter are
    the positives.

    Raises ValueError for mentions that are all NIL or all known.
    """

    def points(outcomes: Outcomes) -> Points:
        return dict(zip(("nil_percent", "known_percent"), roc_curve(outcomes), strict=True))

    labels = ("NIL mentions at or above the threshold, %", "mentions with a concept there, %")
    shown = _with_areas(results, points, roc_areas, "area_percent", labels)
    for axes in shown.figure.axes if shown.records else ():
        axes.plot([0, 100], [0, 100], **_CHANCE)
    return shown


@style()
def nil_curves(results: Sequence[SystemResult]) -> Drawn:
    """Precision against recall of NIL of those that are made, of the first seed each, as the threshold moves,
    with the area (auPR) over all seeds beside the label; in percent, of mentions that are NIL or can be
    linked. The dotted line is chance.

    Raises ValueError for mentions that are all NIL or all known.
    """
    labels = ("recall of NIL, %", "precision of NIL, %")
    shown = _with_areas(results, _precision_recall, pr_areas, "aupr_percent", labels, _STEPS)
    for chance in {runs.nil_or_linkable[0].is_nil.mean() for runs in results if runs.nil_or_linkable}:
        for axes in shown.figure.axes:
            axes.axhline(100 * chance, **_CHANCE)
    return shown


def _precision_recall(outcomes: Outcomes) -> Points:
    precision, recall, _ = precision_recall(outcomes)
    return {"recall_percent": recall, "precision_percent": precision}


def _with_areas(
    results: Sequence[SystemResult],
    points: Callable[[Outcomes], Points],
    areas_of: AreasOf,
    column: str,
    labels: tuple[str, str],
    more: Mapping[str, str] | None = None,
) -> Drawn:
    """The curve of each system that is made, a panel a family, its area in percent beside its label and in
    ``column``."""
    made = [runs for runs in results if runs.nil_or_linkable]
    # One resample, since the interval is not drawn.
    areas = [100 * area(runs.nil_or_linkable, areas_of, n_resamples=1).value for runs in made]
    names = [f"{runs.label} ({percent:.1f} %)" for runs, percent in zip(made, areas, strict=True)]
    figure, panels = family_axes(names, 1.9)
    frames = [pd.DataFrame(columns=["system"])]
    for runs, percent, name in zip(made, areas, names, strict=True):
        axes, look = panels[name]
        frame = _curve(axes, points(runs.nil_or_linkable[0]), name, look | (more or {}))
        frames.append(frame.assign(**{"system": runs.label, column: percent}))
    for axes in figure.axes if made else ():
        axes.set(ylabel=fill(labels[1], 22), xlim=_WHOLE, ylim=_WHOLE)
    if made:
        figure.axes[-1].set_xlabel(labels[0])
        keys_above(figure)
    else:
        not_run(figure.axes[0])
    return Drawn(figure, pd.concat(frames), {runs.label: runs.there for runs in made})


def _curve(axes: Axes, points: Points, label: str, look: Mapping[str, str]) -> pd.DataFrame:
    """Draw a curve in percent; returns its points."""
    frame = pd.DataFrame({column: 100 * share for column, share in points.items()})
    # Of neighbours in one square of this width the first stands for all.
    step = frame // _APART
    kept = step.ne(step.shift()).any(axis=1)
    kept.iloc[-1] = True
    frame = frame[kept]
    # A curve has as many points as scores: a marker at each would hide it.
    axes.plot(*frame.to_numpy().T, label=label, **look, markersize=5, markevery=0.15)
    frame.insert(0, "system", label)
    return frame
