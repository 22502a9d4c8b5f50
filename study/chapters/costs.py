"""What accuracy costs: the seconds that systems take, measured side by side or printed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from benchlib.scoring import Estimate, Scoring, over_seeds

from ..printed import reported
from ..records import Record
from .results import SystemResult


class Cost(NamedTuple):
    """A system with the seconds that it takes, its accuracy, and the records of both; ``value`` is that of
    the setting by which it differs from others of its kind."""

    label: str
    seconds: float
    accuracy: Estimate
    records: Sequence[Record] = ()
    value: str = ""


def cost_points(
    results: Iterable[SystemResult], times: Mapping[str, Record | None], scoring: Scoring, k: int = 1
) -> list[Cost]:
    """The cost of each system that has a record and was timed, with its Recall@k; ``times`` are records of
    ``benchmarks.timings.linking`` or ``benchmarks.timings.learning`` by data set.

    The seconds of a training of so many ``updates`` are these times what one takes side by side: those of the
    training itself would depend on what else its machine did.
    """
    costs = []
    for runs in results:
        timed, key = times.get(runs.data), runs.system.timed
        if not (runs.made and timed and key in timed.values):
            continue
        seconds = timed.values[key]
        if f"{key}.updates" in timed.values:
            seconds = runs.system.values["updates"] * seconds / timed.values[f"{key}.updates"]
        accuracy = over_seeds([*runs.credits(k, scoring)], runs.clusters)
        value = ", ".join(map(str, runs.system.values.values()))
        costs.append(Cost(runs.label, seconds, accuracy, (*runs.there, timed), value))
    return costs


def printed_costs(results: Iterable[SystemResult], printed: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """The printed (seconds, accuracy in percent) by our label of each system that a paper prints both of."""
    seconds, accuracy = (
        reported.select(printed, metric=metric).set_index("system")["value"]
        for metric in ("inference_seconds", "recall_at_1")
    )
    return {
        runs.label: (float(seconds[name]), float(accuracy[name]))
        for runs in results
        if (name := runs.system.printed) in seconds.index and name in accuracy.index
    }
