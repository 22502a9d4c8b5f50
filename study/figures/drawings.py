"""Explanatory drawings of the CoSiNES chapter: what the paper's Figures 1, 2 and 7 explain, drawn anew."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .figures import COLOURS, GREY, style

_NAMES = {
    "WebSphere Application Server": ("WAS 8.5", "websphere app server", "IBM Websphere AS", "Websfere"),
    "febrile seizure": ("FS", "seizures with fever", "fever convulsion", "febril seizure"),
}
_MARGIN = 0.8


def mentions_drawing() -> Figure:
    """One entity and what people write for it, in two domains; the strings are examples of ours."""
    with style():
        figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.2), layout="constrained")
        for axis, (entity, written), colour in zip(axes, _NAMES.items(), COLOURS, strict=False):
            _blank(axis, (0, 10), (0, 4))
            _box(axis, 7.6, 2, entity.replace(" Application", "\nApplication"), colour)
            for y, text in zip((3.5, 2.5, 1.5, 0.5), written, strict=True):
                axis.annotate(
                    "", (5.4, 2), (4.2, y), arrowprops={"arrowstyle": "-|>", "color": GREY, "alpha": 0.6}
                )
                axis.text(4.0, y, text, ha="right", va="center", fontsize=9)
    plt.close(figure)
    return figure


def siamese_drawing() -> Figure:
    """Above, training: groups of strings through one encoder, distances, mined triplets. Below, linking: the
    same encoder, the nearest name."""
    rows = {
        "training": (
            "groups of strings,\none entity each",
            "encoder",
            "all distances\nof the batch",
            "triplets:\nall, then hardest",
        ),
        "linking": ("a mention", "encoder,\nthe same", "distances to\nall names", "nearest name"),
    }
    with style():
        figure, axis = plt.subplots(figsize=(7.2, 2.6), layout="constrained")
        _blank(axis, (0, 16.5), (0, 4))
        for y, (label, texts), colour in zip((3, 1), rows.items(), COLOURS, strict=False):
            axis.text(0, y, label, va="center", fontsize=10, color=colour)
            for i, text in enumerate(texts):
                x = 3.4 + 3.8 * i
                _box(axis, x, y, text, colour)
                if i:
                    axis.annotate(
                        "", (x - 1.5, y), (x - 2.3, y), arrowprops={"arrowstyle": "-|>", "color": GREY}
                    )
        arrow = {"arrowstyle": "-|>", "color": GREY}
        axis.annotate("weights", (7.2, 1.65), (7.2, 2.4), ha="center", fontsize=8, arrowprops=arrow)
    plt.close(figure)
    return figure


def triplets_drawing() -> Figure:
    """An anchor, a positive, and where a negative makes the triplet easy, semi-hard or hard."""
    positive = 1.0
    kinds = {
        "hard": (0.62, "nearer than the positive"),
        "semi-hard": (1.42, "farther, but within the margin"),
        "easy": (2.25, "beyond the margin: loss 0"),
    }
    with style():
        figure, axis = plt.subplots(figsize=(7.2, 3.2), layout="constrained")
        _blank(axis, (-2.1, 5.4), (-1.9, 1.9))
        axis.set_aspect("equal")
        for radius, line in ((positive, "-"), (positive + _MARGIN, "--")):
            axis.add_patch(plt.Circle((0, 0), radius, fill=False, color=GREY, linestyle=line, alpha=0.7))
        axis.scatter([0], [0], color=COLOURS[0], s=50, zorder=3)
        axis.text(0, -0.16, "anchor", ha="center", va="top", fontsize=9)
        at = np.deg2rad(130)
        axis.scatter([np.cos(at)], [np.sin(at)], color=COLOURS[0], s=50, zorder=3, marker="s")
        axis.text(np.cos(at) - 0.1, np.sin(at) + 0.1, "positive", ha="right", fontsize=9)
        for i, (kind, (distance, meaning)) in enumerate(kinds.items()):
            at = np.deg2rad(35 - 35 * i)
            x, y = distance * np.cos(at), distance * np.sin(at)
            axis.scatter([x], [y], color=COLOURS[1], s=50, zorder=3, marker="^")
            axis.annotate(
                f"{kind}: {meaning}", (x, y), (2.6, 1.3 - 1.3 * i), va="center", fontsize=9,
                arrowprops={"arrowstyle": "-", "color": GREY, "alpha": 0.6},
            )  # fmt: skip
        axis.text(
            0,
            -positive - _MARGIN - 0.06,
            "distance of the positive + margin",
            ha="center",
            va="top",
            fontsize=8,
        )
    plt.close(figure)
    return figure


def _blank(axis: Axes, x: tuple[float, float], y: tuple[float, float]) -> None:
    axis.set(xlim=x, ylim=y, xticks=[], yticks=[])
    axis.grid(False)
    for spine in axis.spines.values():
        spine.set_visible(False)


def _box(axis: Axes, x: float, y: float, text: str, colour: str) -> None:
    axis.text(
        x, y, text, ha="center", va="center", fontsize=9,
        bbox={"boxstyle": "round,pad=0.4", "facecolor": "none", "edgecolor": colour},
    )  # fmt: skip
