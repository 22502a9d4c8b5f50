"""How trainings that mine triplets in other ways steady as they go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import compare, estimate

from ..effects import steadiness as ratios_of
from ..formats import NOT_RUN, between
from ..show import table_from
from ..systems import Runs
from .links import system


def steadiness(found: Sequence[Runs]) -> pd.DataFrame:
    """The standard deviation of held-out accuracy over the epochs of the second half of a training divided by
    that of the first: the mean over trainings with its interval, of each seed, and the paired difference of
    the first system from each other, training by training."""
    rows = []
    for runs in found:
        row: dict[str, object] = {"training": system(runs)}
        rows.append(row)
        if not runs.made:
            row["ratio"] = NOT_RUN
            continue
        ratios = ratios_of(runs)
        [mean] = estimate(ratios.ravel(), np.arange(ratios.size))
        row["ratio"] = between(mean.value, mean.low, mean.high, digits=2)
        row["each seed"] = ", ".join(f"{value:.2f}" for value in ratios.mean(axis=1))
        if runs is not found[0] and found[0].made:
            c = compare(ratios_of(found[0]).ravel(), ratios.ravel(), np.arange(ratios.size))
            gap = c.difference
            row[f"{found[0].label} minus this"] = between(gap.value, gap.low, gap.high, "+", 2)
            row["p"] = f"{c.p:.4f}"
    return table_from(rows)
