"""How trainings go: their state, how they end, how they steady, and how much their gradients vary."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring, compare, estimate

from ..chapters import trainings
from ..chapters.results import SystemResult
from ..pages.numbers import between, percent, points
from ..pages.show import linked, table_from
from .rows import Row, by_system, each, firsts

CLIP = 1.0  # the gradient norm at which trainings clip
_STATES = ("data", "training", "none", "half", "all", "gain", "late gain", "state")
_ENDS = {
    "loss": "loss",
    "loss at chance": "chance_loss",
    "cosine, one concept": "positive_cosine",
    "cosine, two concepts": "negative_cosine",
}


def states(results: Sequence[SystemResult]) -> pd.DataFrame:
    """Recall@1 on dev (end to end the strict F1) in percent after none, half and all of the updates of the
    first seed, the gain of all of them and of the second half in points, and the state that follows
    (:func:`study.chapters.training_states.state_of`). Each training once, without those that have no such
    record.
    """
    rows: dict[tuple[object, ...], Row] = {}
    for runs in results:
        records, state = runs.states, runs.states.state
        numbers = {"none": (state.zero, records.zero), "half": (state.half, records.half)}
        numbers["all"] = (state.full, records.full)
        row = {head: linked(percent(one), of[0]) for head, (one, of) in numbers.items() if one}
        row |= {head: points(gap) for head, gap in (("gain", state.gain), ("late gain", state.late)) if gap}
        if row:
            row = {"data": runs.data, "training": runs.label} | row
            rows[tuple(row.values())] = row | {"state": state.word}
    table = table_from([*rows.values()])
    return table[[head for head in _STATES if head in table]]


def trained(runs: SystemResult, k: int, scoring: Scoring, kept: np.ndarray) -> Row:
    """The cells of a trained system in a table of Recall@k on the mentions ``kept``: the state of its
    training, and the control with zero updates where it was run. None of another system."""
    cells = state(runs)
    if (control := runs.control) is not None:
        [zero] = estimate(control.credits(k, scoring)[0, kept], runs.clusters[kept])
        cells[f"zero updates @{k}"] = linked(percent(zero), control.record)
    return cells


def state(runs: SystemResult) -> Row:
    """The cell with the state of a training, leading to its dev record; none of a system without one."""
    return {"state": linked(runs.states.state.word, runs.states.full[0])} if runs.states else {}


def steadiness(results: Sequence[SystemResult]) -> pd.DataFrame:
    """The standard deviation of held-out accuracy over the epochs of the second half of a training divided by
    that of the first: the mean over trainings with its interval, of each seed, and the paired difference of
    the first system from each other, training by training."""

    def cells(runs: SystemResult) -> Row:
        ratios = trainings.steadiness(runs)
        each_alone = np.arange(ratios.size)
        [mean] = estimate(ratios.ravel(), each_alone)
        told: Row = {"ratio": between(mean.value, mean.low, mean.high, digits=2)}
        told["each seed"] = ", ".join(f"{value:.2f}" for value in ratios.mean(axis=1))
        if runs is not results[0] and results[0].made:
            c = compare(trainings.steadiness(results[0]).ravel(), ratios.ravel(), each_alone)
            gap = between(c.difference.value, c.difference.low, c.difference.high, "+", 2)
            told |= {f"{results[0].label} minus this": gap, "p": f"{c.p:.4f}"}
        return told

    return by_system(results, cells, "ratio", "training")


def ends(results: Sequence[SystemResult]) -> pd.DataFrame:
    """How trainings end: loss, the loss of a model that finds all texts equally similar, and the mean cosines
    of pairs of one concept and of two, each over the last tenth of the updates, mean over trainings; empty
    for a column that a training did not watch. Last comes the loss divided by that of chance."""

    def cells(runs: SystemResult) -> Row | None:
        if not runs.record.trace:
            return None
        told: Row = {}
        for head, column in _ENDS.items():
            mean = np.mean([trainings.at_the_end(record, column) for record in runs.there])
            told[head] = "" if np.isnan(mean) else f"{mean:.3f}"
        if told["loss at chance"]:
            told["of chance"] = f"{np.mean([trainings.final_loss(record) for record in runs.there]):.2f}"
        return told

    return by_system(results, cells, "loss", "training")


def gradients(results: Sequence[SystemResult]) -> pd.DataFrame:
    """How much gradient norms vary, after the warm-up and over the whole training: coefficient of variation
    (CV) and standard deviation of the logarithm, as :mod:`study.chapters.trainings` has them, mean over
    trainings.

    The norms are those before clipping; beside stand the share of updates that ``CLIP`` cuts, in percent, and
    the CV of what it leaves. Last comes the CV divided by that of the first system on the data set, seed by
    seed.
    """

    def cells(runs: SystemResult) -> Row:
        base = next(one for one in results if one.data == runs.data)
        after = trainings.variation(runs)
        told: Row = {
            "CV": f"{after.mean():.2f}",
            "seeds CV": each((f"{value:.2f}" for value in after.mean(axis=1)), firsts(runs)),
            "CV, with warm-up": f"{trainings.variation(runs, 0).mean():.2f}",
            "SD of log": f"{trainings.log_deviation(runs).mean():.2f}",
            "SD of log, with warm-up": f"{trainings.log_deviation(runs, 0).mean():.2f}",
            f"above {CLIP:g}, %": f"{100 * trainings.clipped_share(runs, CLIP):.1f}",
            "CV, clipped": f"{trainings.variation(runs, clip=CLIP).mean():.2f}",
        }
        if runs is not base and base.made and after.size > 1:
            by = trainings.ratio(after, trainings.variation(base))
            told[f"CV divided by {base.label}"] = between(by.value, by.low, by.high, digits=2)
        return told

    return by_system(results, cells, "CV", "training")
