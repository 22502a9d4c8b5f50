"""Figures in one style, readable on a light and on a dark page: no background, mid-grey text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..runs import Entry
from ..scoring import Scoring

GREY = "#7a7f87"
STRICT, LENIENT = "#2a7fba", "#e07b39"


@contextmanager
def style() -> Iterator[None]:
    """The study's figure style."""
    settings = {
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "savefig.transparent": True,
        "text.color": GREY,
        "axes.labelcolor": GREY,
        "axes.edgecolor": GREY,
        "xtick.color": GREY,
        "ytick.color": GREY,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.grid.axis": "x",
        "grid.color": GREY,
        "grid.alpha": 0.25,
        "font.size": 10,
        "figure.dpi": 130,
    }
    with plt.rc_context(settings):
        yield


def not_run(axes: Axes) -> None:
    """Say in an empty plot why it is empty."""
    axes.text(0.5, 0.5, "NOT RUN: no record", ha="center", va="center", transform=axes.transAxes)


def gap_figure(entries: Iterable[Entry], over: str = "names") -> Figure:
    """Strict and lenient accuracy of the same predictions, joined by a line per system and data set.

    Thin bars behind the dots are 95 % intervals. Entries without a record are left out.
    """
    made = [entry for entry in entries if entry.record is not None]
    with style():
        figure, axes = plt.subplots(figsize=(7.2, 1.1 + 0.24 * len(made)))
        if not made:
            not_run(axes)
        labels, previous, y = [], None, 0.0
        for entry in made:
            y += 0.6 if entry.data != previous and previous is not None else 0.0
            ends = [entry.record.metric("recall@1", Scoring(m, over)) for m in ("strict", "lenient")]
            axes.plot([100 * end["value"] for end in ends], [y, y], color=GREY, linewidth=1.5, zorder=1)
            for end, colour in zip(ends, (STRICT, LENIENT), strict=True):
                axes.plot(
                    [100 * end["low"], 100 * end["high"]], [y, y], color=colour, alpha=0.35, linewidth=5
                )
                axes.scatter(100 * end["value"], y, color=colour, s=22, zorder=2)
            labels.append((y, f"{entry.data}  ·  {entry.linker}"))
            previous, y = entry.data, y + 1
        axes.set_yticks([at for at, _ in labels], [label for _, label in labels], fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel("accuracy, %")
        for colour, label in ((STRICT, "strict"), (LENIENT, "lenient")):
            axes.scatter([], [], color=colour, s=22, label=label)
        axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=2)
        figure.tight_layout()
    # A closed figure is shown once, where it is returned, and not again at the end of the cell.
    plt.close(figure)
    return figure
