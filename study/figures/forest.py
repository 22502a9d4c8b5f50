"""The measured effects of claims on one axis."""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby

import pandas as pd

from ..claims import Claim
from ..claims.answers import Answer
from ..claims.verdicts import FAILS, HOLDS, MIXED, TOO_SMALL
from ..papers import papers
from .drawn import Drawn
from .style import BLUE, GREY, INK, PURPLE, VERMILLION, legend, new_rows, not_run, style

_LOOKS: Mapping[str, Mapping[str, object]] = {
    HOLDS: {"color": BLUE, "marker": "o"},
    FAILS: {"color": VERMILLION, "marker": "X"},
    MIXED: {"color": PURPLE, "marker": "s"},
    TOO_SMALL: {"color": GREY, "marker": "o", "facecolors": "none"},
}
_WIDTH = 34  # characters of a wording's line
_REMARK = re.compile(r" \([^)]*\)")  # such as that the direction is tested


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
