"""How trainings go: how they steady as they mine triplets, and how much their gradients vary."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import compare, estimate

from ..chapters import trainings
from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.numbers import between
from ..pages.show import table_from
from .accuracy import drop_single_dataset
from .links import each, system


def steadiness(found: Sequence[SystemResult]) -> pd.DataFrame:
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


def ends(found: Sequence[SystemResult]) -> pd.DataFrame:
    """How trainings end: loss, the loss of a model that finds all texts equally similar, and the mean cosines
    of pairs of one concept and of two, each over the last tenth of the updates, mean over trainings; empty
    for a column that a training did not watch. Last comes the loss divided by that of chance."""
    columns = {
        "loss": "loss",
        "loss at chance": "chance_loss",
        "cosine, one concept": "positive_cosine",
        "cosine, two concepts": "negative_cosine",
    }
    rows = []
    for runs in found:
        row: dict[str, object] = {"data": runs.data, "training": system(runs)}
        if not runs.made:
            rows.append(row | {"loss": runs.system.reason or NOT_RUN})
        elif runs.record.trace:
            means = {
                name: np.mean([trainings.at_the_end(record, column) for record in runs.there])
                for name, column in columns.items()
            }
            row |= {name: "" if np.isnan(mean) else f"{mean:.3f}" for name, mean in means.items()}
            if row["loss at chance"]:
                row["of chance"] = f"{np.mean([trainings.final_loss(record) for record in runs.there]):.2f}"
            rows.append(row)
    return drop_single_dataset(table_from(rows))


def gradients(found: Sequence[SystemResult], clip: float = 1.0) -> pd.DataFrame:
    """How much gradient norms vary, after the warm-up and over the whole training: coefficient of variation
    (CV) and standard deviation of the logarithm, as :mod:`study.chapters.trainings` has them, mean over
    trainings.

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
    return drop_single_dataset(table_from(rows))
