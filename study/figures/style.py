"""The one style of all figures: no background, grey text and colours that do on a light and a dark page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import product
from math import ceil
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# No grey reaches 4.5:1 on both pages: L + 0.05 would have to be at most 1.05 / 4.5 on white (#ffffff) and at
# least 4.5 * 0.056 on the dark one (#121212). The best for both is 4.33; this one has 4.32 and 4.34.
GREY = "#757a82"

# Those of Okabe and Ito's colours, told apart by colour-blind readers, that have 3:1 on both pages.
BLUE, VERMILLION, GREEN, PURPLE = COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">", "h", "*")

WIDTH = 7.2  # inches: the text of a page
SMALL = 8  # points: notes and ticks beside many rows

_SETTINGS = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": GREY,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "font.size": 10,
    "figure.dpi": 130,
}


@contextmanager
def style() -> Iterator[None]:
    """The study's style, as a block or as the decorator ``@style()`` of what draws."""
    with rc_context(_SETTINGS):
        yield


def blank(
    columns: int = 1, height: float = 3.4, rows: int = 1, width: float = WIDTH, **shared: bool
) -> tuple[Figure, np.ndarray]:
    """A figure of ``width`` × ``height`` inches and its axes, rows × columns."""
    figure, axes = plt.subplots(
        rows, columns, figsize=(width, height), squeeze=False, layout="constrained", **shared
    )
    # pyplot tells a notebook how figures are shown; one that is closed is shown once, where it is returned,
    # and not again at the end of the cell.
    plt.close(figure)
    return figure, axes


def ways(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How each of these is drawn: neighbours differ in colour, marker and dashes, the first twelve all in
    their markers, so that colour is never needed to tell one from another."""
    # In the second four, each colour has another way of dashing than before.
    pairs = [(i, (i + turn) % 4) for turn, i in product(range(4), range(4))]
    found = {}
    for i, name in enumerate(dict.fromkeys(names)):
        colour, dashes = pairs[i % len(pairs)]
        drawn = {"color": COLOURS[colour], "linestyle": ("-", "--", "-.", ":")[dashes]}
        found[name] = drawn | {"marker": MARKERS[i % len(MARKERS)]}
    return found


def not_run(axes: Axes) -> None:
    """Say in an empty plot why it is empty."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "NOT RUN: no record", ha="center", va="center", transform=axes.transAxes)


def bare(axes: Axes) -> None:
    """Take the frame, the grid and the ticks away."""
    axes.grid(False)
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def legend(figure: Figure, title: str | None = None, place: str = "outside lower center") -> None:
    """One legend for all panels, outside them, where it covers no line; none without anything labelled.
    ``place`` is matplotlib's ``outside …``; at the right, labels stand one below the other."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if not found:
        return
    columns = 1
    if not place.startswith("outside right"):
        # An inch holds some 14 characters; the mark of a label takes the room of 5.
        fit = max(1, int(14 * figure.get_figwidth()) // (max(map(len, found)) + 5))
        columns = ceil(len(found) / ceil(len(found) / fit))
    figure.legend(
        found.values(), found.keys(), loc=place, ncols=columns, title=title,
        fontsize=SMALL, title_fontsize=SMALL,
    )  # fmt: skip
