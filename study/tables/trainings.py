"""How trainings go: in which state they are, how they steady as they mine triplets, and how much their
gradients vary."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import compare, estimate

from .. import trainings
from ..formats import NOT_RUN, between, percent, points
from ..show import linked, table_from
from ..systems import Runs
from .accuracy import one_data
from .links import each, system

_COLUMNS = ("data", "training", "none", "half", "all", "gain", "late gain", "state")


def states(found: Sequence[Runs]) -> pd.DataFrame:
    """Recall@1 on dev (end to end the strict F1) in percent after none, half and all of the updates of the
    first seed, the gain of all of them and of the second half in points, and the state that follows
    (:func:`study.training_states.state_of`). Each training once, without those that have no such record.
    """
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for runs in found:
        records, state = runs.states, runs.states.state
        row = {"data": runs.data, "training": runs.label}
        for length, reached, of in (
            ("none", state.zero, records.zero),
            ("half", state.half, records.half),
            ("all", state.full, records.full),
        ):
            row |= {length: linked(percent(reached), of[0])} if reached else {}
        row |= {"gain": points(state.gain)} if state.gain else {}
        row |= {"late gain": points(state.late)} if state.late else {}
        if len(row) > 2:
            rows[tuple(row.values())] = row | {"state": state.word}
    frame = table_from([*rows.values()])
    return frame[[name for name in _COLUMNS if name in frame]]


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
        ratios = trainings.steadiness(runs)
        [mean] = estimate(ratios.ravel(), np.arange(ratios.size))
        row["ratio"] = between(mean.value, mean.low, mean.high, digits=2)
        row["each seed"] = ", ".join(f"{value:.2f}" for value in ratios.mean(axis=1))
        if runs is not found[0] and found[0].made:
            c = compare(trainings.steadiness(found[0]).ravel(), ratios.ravel(), np.arange(ratios.size))
            gap = c.difference
            row[f"{found[0].label} minus this"] = between(gap.value, gap.low, gap.high, "+", 2)
            row["p"] = f"{c.p:.4f}"
    return table_from(rows)


def gradients(found: Sequence[Runs], clip: float = 1.0) -> pd.DataFrame:
    """How much gradient norms vary, after the warm-up and over the whole training: coefficient of variation
    (CV) and standard deviation of the logarithm, as :mod:`study.trainings` has them, mean over trainings.

    The norms are those before clipping; beside stand the share of updates that ``clip`` cuts, in percent, and
    the CV of what it leaves. Last comes the CV divided by that of the first system on the data set, seed by
    seed.
    """
    rows = []
    for runs in found:
        row: dict[str, object] = {"data": runs.data, "training": system(runs)}
        rows.append(row)
        base = next(one for one in found if one.data == runs.data)
        if not runs.made:
            row["CV"] = runs.system.reason or NOT_RUN
            continue
        after = trainings.variation(runs)
        row["CV"] = f"{after.mean():.2f}"
        first = [of_seed[0] for of_seed in runs.records]
        row["seeds CV"] = each((f"{value:.2f}" for value in after.mean(axis=1)), first)
        row["CV, with warm-up"] = f"{trainings.variation(runs, 0).mean():.2f}"
        row["SD of log"] = f"{trainings.log_deviation(runs).mean():.2f}"
        row["SD of log, with warm-up"] = f"{trainings.log_deviation(runs, 0).mean():.2f}"
        row[f"above {clip:g}, %"] = f"{100 * trainings.clipped_share(runs, clip):.1f}"
        row["CV, clipped"] = f"{trainings.variation(runs, clip=clip).mean():.2f}"
        if runs is not base and base.made and after.size > 1:
            by = trainings.ratio(after, trainings.variation(base))
            row[f"CV divided by {base.label}"] = between(by.value, by.low, by.high, digits=2)
    return one_data(table_from(rows))
