"""Figures in one style, readable on a light and on a dark page: no background, mid-grey text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..runs import Entry
from ..scoring import Outcomes, Scoring, precision_recall, recall, risk_coverage

GREY = "#7a7f87"
STRICT, LENIENT = "#2a7fba", "#e07b39"
COLOURS = (STRICT, LENIENT, "#4f9d69", "#a45ea8", "#b59a2c", "#c2556b")


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


def line_styles() -> Iterator[dict[str, str]]:
    """Ways to draw line after line that can be told apart: the colours, then dashed, then dotted."""
    return ({"color": colour, "linestyle": line} for line in ("-", "--", ":") for colour in COLOURS)


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


def presets_figure(rows: Mapping[str, pd.DataFrame]) -> Figure:
    """The main measure under every published protocol, a colour for each system, with 95 % intervals.

    ``rows`` are those of :func:`benchlib.scoring.by_preset` by system; a protocol that leaves ties to the
    order of rows also has the range that this order can make, as a thin line.
    """
    with style():
        names = [name for name in next(iter(rows.values()))["protocol"].unique()]
        figure, axes = plt.subplots(figsize=(7.2, 1.2 + 0.3 * len(names)))
        for i, (system, frame) in enumerate(rows.items()):
            shift = 0.22 * (i - (len(rows) - 1) / 2)
            for y, name in enumerate(names):
                row = (
                    100 * frame[frame["protocol"] == name].iloc[0][["value", "low", "high", "worst", "best"]]
                )
                if pd.isna(row["value"]):
                    continue
                if not pd.isna(row["worst"]):
                    axes.plot([row["worst"], row["best"]], [y + shift] * 2, color=GREY, linewidth=1)
                axes.plot(
                    [row["low"], row["high"]], [y + shift] * 2, color=COLOURS[i], alpha=0.4, linewidth=5
                )
                axes.scatter(row["value"], y + shift, color=COLOURS[i], s=20, zorder=2)
            axes.scatter([], [], color=COLOURS[i], s=20, label=system)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel("accuracy under the protocol, %")
        axes.legend(frameon=False, loc="lower right", bbox_to_anchor=(1, 1), ncols=len(rows))
        figure.tight_layout()
    plt.close(figure)
    return figure


def nil_figure(systems: Mapping[str, Outcomes]) -> Figure:
    """Left, precision against recall of NIL as the threshold moves, the dashed line chance; right, the risk
    of a wrong answer when only the surest mentions are answered."""
    with style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.2))
        for (system, found), colour in zip(systems.items(), COLOURS, strict=False):
            nil = found.is_nil
            if nil.any() and not nil.all():
                curve = precision_recall(found.top_scores, nil)
                left.plot(curve.recall, curve.precision, color=colour, drawstyle="steps-pre", label=system)
                left.axhline(nil.mean(), color=GREY, linestyle="--", linewidth=1)
            else:
                left.text(0.5, 0.5, "no NIL mention", ha="center", transform=left.transAxes)
            hit = np.zeros(len(nil))
            hit[~nil] = recall(found, 1, Scoring())
            coverage, risk = risk_coverage(found.top_scores, hit)
            right.plot(coverage, risk, color=colour, label=system)
        left.set(xlabel="recall of NIL", ylabel="precision of NIL", xlim=(0, 1.02), ylim=(0, 1.02))
        right.set(xlabel="share of mentions answered", ylabel="share of these answered wrongly")
        right.set(xlim=(0, 1.02), ylim=(0, 1.02))
        right.legend(frameon=False, fontsize=8)
        figure.tight_layout()
    plt.close(figure)
    return figure
