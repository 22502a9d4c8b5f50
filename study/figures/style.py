"""The one style of all figures: no background, and colours that do on a light and a dark page.

A figure has the width of a column that a phone shows, and its panels stand one below the other: what is wide
on a desk would be too small to read there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from math import ceil
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Of text: the page replaces it by the colour of its own text (see Drawn.svg), since no colour has 4.5:1 on
# both a light and a dark page.
INK = "#1b1f24"
# Of lines that are not data; it has 4.3:1 on both, where 3:1 is asked for.
GREY = "#757a82"

# Those of Okabe and Ito's colours, told apart by colour-blind readers, that have 3:1 on both pages.
BLUE, VERMILLION, GREEN, PURPLE = COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">", "h", "*")

WIDTH = 4.4  # inches, 422 px: on a phone of 360 px it is shrunk by a quarter
SMALL = 10  # points, 13.3 px: ticks, notes and legends; on that phone 10 px
ROW = 0.21  # inches: a line of text beside others
_KEY = 38  # characters of a line in the key of a panel

_SETTINGS = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    # matplotlib brings this face along, so that a figure is laid out alike everywhere; what a reader has in
    # its place is narrower.
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": SMALL,
    "axes.titlesize": SMALL,
    "axes.titleweight": "bold",
    "legend.title_fontsize": SMALL,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "study",
}


@contextmanager
def style() -> Iterator[None]:
    """The study's style, as a block or as the decorator ``@style()`` of what draws."""
    with rc_context(_SETTINGS):
        yield


def new_axes(
    rows: int = 1, height: float = 3.0, columns: int = 1, **shared: bool
) -> tuple[Figure, list[Axes]]:
    """A figure of rows × columns panels, row after row, each of ``height`` inches with its labels."""
    figure, axes = plt.subplots(
        rows, columns, figsize=(WIDTH, height * rows), squeeze=False, layout="constrained", **shared
    )
    # pyplot tells a notebook how figures are shown; one that is closed is shown once, where it is returned,
    # and not again at the end of the cell.
    plt.close(figure)
    return figure, [*axes.flat]


def new_rows(lines: Sequence[tuple[str, bool]], width: int = 28) -> tuple[Figure, Axes, np.ndarray]:
    """A panel with a row for each of the ``lines``, from above, and the middle of each row. A line is its
    text, wrapped at ``width`` characters, and whether it is a head."""
    told = [fill(text, width, break_on_hyphens=False) for text, _ in lines]
    ends = np.cumsum([1 + text.count("\n") for text in told])  # of the lines of text
    middles = (ends + [0, *ends[:-1]] - 1) / 2
    figure, [axes] = new_axes(height=0.8 + ROW * max([2, *ends[-1:]]))
    axes.set_yticks(middles, told)
    for (_, head), tick in zip(lines, axes.get_yticklabels(), strict=True):
        tick.set_fontweight("bold" if head else "normal")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max([1, *ends[-1:]]) - 0.4, -0.6)
    axes.grid(False, axis="y")
    return figure, axes, middles


def family_axes(
    labels: Sequence[str], height: float
) -> tuple[Figure, dict[str, tuple[Axes, dict[str, Any]]]]:
    """The panel of each label and how it is drawn there: a panel for each family, labels that are alike up to
    a comma or bracket, all on one scale. So no panel has more lines than can be told apart."""
    families: dict[str, list[str]] = {}
    for label in labels:
        families.setdefault(re.split(r",| \(", label)[0], []).append(label)
    figure, stack = new_axes(max(len(families), 1), height, sharex=True, sharey=True)
    lines = sum(1 + len(label) // _KEY for label in labels)
    figure.set_figheight(figure.get_figheight() + ROW * lines)  # for keys_above
    panels = zip(stack, families.values(), strict=False)
    return figure, {label: (axes, look) for axes, of in panels for label, look in line_styles(of).items()}


def keys_above(figure: Figure) -> None:
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        if labels:
            told = [fill(label, _KEY) for label in labels]
            place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 0.98), "borderaxespad": 0}
            axes.legend(handles, told, labelspacing=0.25, **place)


def line_styles(names: Iterable[str]) -> dict[str, dict[str, Any]]:
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


def bars(axes: Axes, frame: pd.DataFrame, x: str, label: str, look: Mapping[str, Any]) -> None:
    """A line through the accuracies of a frame against its column ``x``, with bars of their intervals."""
    middle = frame["accuracy_percent"]
    ends = [middle - frame["low_percent"], frame["high_percent"] - middle]
    axes.plot(frame[x], middle, label=label, **{"markersize": 6} | look)
    axes.errorbar(frame[x], middle, ends, fmt="none", ecolor=look["color"], elinewidth=1, capsize=3)


def band(axes: Axes, x: Sequence[float], low: pd.Series, high: pd.Series, look: Mapping[str, Any]) -> None:
    axes.fill_between(x, low, high, color=look["color"], alpha=0.15, linewidth=0)


def not_run(axes: Axes) -> None:
    """Say in an empty plot why it is empty."""
    axes.set_axis_off()
    axes.text(0.5, 0.5, "NOT RUN: no record", ha="center", va="center", transform=axes.transAxes)


def legend(figure: Figure, title: str | None = None, place: str = "outside lower center") -> None:
    """One legend for all panels, above or below them, where it covers no line; none without anything
    labelled. ``place`` is matplotlib's ``outside …``."""
    found: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if not found:
        return
    # An inch holds some 13 characters; the mark of a label takes the room of 6.
    fit = max(1, int(13 * WIDTH) // (max(map(len, found)) + 6))
    columns = ceil(len(found) / ceil(len(found) / fit))
    rows = ceil(len(found) / columns) + bool(title)
    figure.set_figheight(figure.get_figheight() + ROW * rows)
    figure.legend(found.values(), found.keys(), loc=place, ncols=columns, title=title)


def headline(figure: Figure, text: str) -> None:
    """What is seen in a figure, above it."""
    told = fill(text, 44)
    figure.set_figheight(figure.get_figheight() + ROW * (1 + told.count("\n")))
    figure.suptitle(told, x=0.01, ha="left", fontsize=SMALL, fontweight="bold")
