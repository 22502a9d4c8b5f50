"""What the page on the learning parts shows: losses on a toy, on the embedded corpus, and what parts cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from ..linkers import CATALOGUE
from ..linkers.tuning import LOSSES
from ..runs import Entry, Record
from ..scoring import Scoring, estimate, recall
from .figures import COLOURS, GREY, style
from .scores import NOT_RUN, in_percent
from .show import linked, table_from

# Three concepts with two texts each, as angles of vectors of length 1: the first concept is close together,
# the second far apart, and the third has a text among those of the second.
_TOY = np.array([[[80, 100], [200, 320], [245, 350]]]) * np.pi / 180
SHORT = tuple(name for name in CATALOGUE if "tuned-minilm-1-layers" in name)
"""The first layer of the default encoder, as it comes and after fifteen steps with each loss."""


def toy_figure() -> Figure:
    """Where each loss would move six vectors of length 1: two texts of each of three concepts."""
    with style():
        figure, axes = plt.subplots(2, 3, figsize=(7.2, 5))
        axes[1, 2].set_visible(False)
        for axis, (name, loss) in zip(axes.flat, LOSSES.items(), strict=False):
            points = torch.tensor(np.stack([np.cos(_TOY), np.sin(_TOY)], axis=-1)[0], requires_grad=True)
            value = loss(torch.nn.functional.normalize(points, dim=-1), 0.0)
            value.backward()
            moves = -points.grad.numpy()
            # One length for the longest arrow of each panel: losses differ in scale, which is not the point.
            moves *= 0.7 / max(np.abs(moves).max(), 1e-12)
            axis.add_patch(plt.Circle((0, 0), 1, fill=False, color=GREY, alpha=0.4))
            for concept, colour in enumerate(COLOURS[:3]):
                x, y = points.detach().numpy()[concept].T
                axis.scatter(x, y, color=colour, s=28, zorder=2)
                axis.quiver(x, y, *moves[concept].T, color=colour, angles="xy", scale_units="xy", scale=1,
                            width=0.012)  # fmt: skip
            axis.set(title=name, xlim=(-1.6, 1.6), ylim=(-1.6, 1.6), aspect="equal", xticks=[], yticks=[])
            axis.grid(False)
            for spine in axis.spines.values():
                spine.set_visible(False)
        figure.tight_layout()
    plt.close(figure)
    return figure


def learning_table(entries: Sequence[Entry]) -> pd.DataFrame:
    """Strict accuracy of the linkers of ``SHORT`` on unseen strings and on names of several concepts."""
    rows = []
    for entry in entries:
        row = {"linker": linked(entry.linker, entry.record)}
        for kind in ("no name", "several concepts"):
            row[kind] = NOT_RUN
            if entry.record is not None and entry.kinds is not None:
                found = entry.record.outcomes
                of = entry.kinds.strata[kind].to_numpy()[found.scored]
                [one] = estimate(recall(found, 1, Scoring()), found.clusters, counted=of)
                row[kind] = in_percent(one)
        rows.append(row)
    return table_from(rows)


def cost_table(records: Mapping[str, Record | None]) -> pd.DataFrame:
    """Texts and mentions a second by way of encoding, as :mod:`benchlib.encoders.cost` measures them."""
    rows = []
    for data, record in records.items():
        if record is None:
            rows.append({"data": data, "a second": NOT_RUN})
            continue
        for name, value in record.values.items():
            of, _, way = name.partition(".")
            if of != "n":
                rate = f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"
                rows.append({"data": linked(data, record), "of": of, "encoder": way, "a second": rate})
    return table_from(rows)


def exactness_table(records: Mapping[str, Record | None]) -> pd.DataFrame:
    """How far each search is from a float64 product, as :mod:`benchlib.retrieval.exactness` measures it."""
    rows = []
    for data, record in records.items():
        if record is None:
            rows.append({"data": data, "search": NOT_RUN})
            continue
        for way in ("search", "faiss", "bare"):
            found = {k.partition(".")[2]: v for k, v in record.values.items() if k.startswith(f"{way}.")}
            if found:
                rows.append(
                    {
                        "data": linked(data, record),
                        "search": way,
                        "same best score, %": f"{found['same_first']:.1f}",
                        f"same {record.values['k']} scores, %": f"{found['same_k']:.1f}",
                        "largest difference": f"{found['worst']:.0e}",
                        "seconds": f"{found['seconds']:.2f}",
                    }
                )
    return table_from(rows)


def pretraining_table(records: Sequence[Record | None]) -> pd.DataFrame:
    """What adapting an encoder took and what it did to held-out perplexity."""
    rows = []
    for record in records:
        if record is None:
            rows.append({"encoder": NOT_RUN})
            continue
        values = record.values
        rows.append(
            {
                "encoder": linked(record.inputs["config"]["encoder"], record),
                "tokens": f"{values['tokens']:,}",
                "steps": f"{values['steps']:,}",
                "minutes": f"{values['seconds'] / 60:.0f}",
                "held-out texts": f"{values['held_out_texts']:,}",
                "perplexity before": f"{values['perplexity_before']:.1f}",
                "after": f"{values['perplexity_after']:.1f}",
            }
        )
    return table_from(rows)
