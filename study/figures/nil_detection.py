"""How well the score of the best answer tells mentions that have no concept (NIL)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchlib.scoring import Outcomes, Scoring, precision_recall, recall, risk_coverage, roc_area, roc_curve

from .style import GREY, blank, legend, not_run, style, ways

if TYPE_CHECKING:
    from ..systems import Runs

_UNIT = (-0.02, 1.02)
_CHANCE = {"color": GREY, "linestyle": (0, (2, 3)), "linewidth": 1}


@style()
def nil(systems: Mapping[str, Outcomes]) -> Figure:
    """Left, precision against recall of NIL as the threshold moves, the level line chance; right, the risk
    of a wrong answer when only the surest mentions are answered."""
    figure, [[left, right]] = blank(2, 3.8)
    for axes in (left, right) if not systems else ():
        not_run(axes)
    for (system, found), drawn in zip(systems.items(), ways(systems).values(), strict=True):
        is_nil = found.is_nil
        if is_nil.any() and not is_nil.all():
            curve = precision_recall(found.top_scores, is_nil)
            _curve(left, curve.recall, curve.precision, system, drawn, drawstyle="steps-pre")
            left.axhline(is_nil.mean(), **_CHANCE)
        hit = np.zeros(len(is_nil))
        hit[~is_nil] = recall(found, 1, Scoring())
        _curve(right, *risk_coverage(found.top_scores, hit), system, drawn)
    if systems and not left.get_lines():
        text = "no NIL mention" if not any(one.is_nil.any() for one in systems.values()) else "only NIL"
        left.text(0.5, 0.5, text, ha="center", transform=left.transAxes)
    left.set(xlabel="recall of NIL", ylabel="precision of NIL", xlim=_UNIT, ylim=_UNIT)
    right.set(xlabel="share of mentions answered", ylabel="share of these answered wrongly")
    right.set(xlim=_UNIT, ylim=_UNIT)
    legend(figure)
    return figure


@style()
def roc(found: Sequence[Runs]) -> Figure:
    """ROC curves of those that are made, of the first seed each, with the area over all seeds beside the
    label; the dotted line is chance. Mentions with a concept are the positives.

    Raises ValueError for mentions that are all NIL or all known.
    """
    made = [runs for runs in found if runs.made]
    figure, [[axes]] = blank(height=4.2)
    if not made:
        not_run(axes)
        return figure
    labels = [f"{runs.label} ({roc_area(runs.outcomes).value:.3f})" for runs in made]
    for runs, label, drawn in zip(made, labels, ways(labels).values(), strict=True):
        curve = roc_curve(runs.outcomes[0])
        _curve(axes, curve.false_positive_rate, curve.true_positive_rate, label, drawn)
    axes.plot([0, 1], [0, 1], **_CHANCE)
    axes.set(xlabel="NIL mentions at or above the threshold", ylabel="mentions with a concept there")
    axes.set(xlim=_UNIT, ylim=_UNIT, aspect="equal")
    legend(figure, "system (area)", "outside right center")
    return figure


def _curve(
    axes: Axes, x: np.ndarray, y: np.ndarray, label: str, drawn: Mapping[str, str], **more: str
) -> None:
    # A curve has as many points as scores: a marker at each would hide it.
    axes.plot(x, y, label=label, **drawn, **more, linewidth=1.5, markersize=5, markevery=0.15)
