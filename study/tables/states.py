"""In which state trainings are: a table of their dev records, and the cells of a trained system in others."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring, estimate

from ..chapters.results import SystemResult
from ..pages.numbers import percent, points
from ..pages.show import linked, table_from

_COLUMNS = ("data", "training", "none", "half", "all", "gain", "late gain", "state")


def states(found: Sequence[SystemResult]) -> pd.DataFrame:
    """Recall@1 on dev (end to end the strict F1) in percent after none, half and all of the updates of the
    first seed, the gain of all of them and of the second half in points, and the state that follows
    (:func:`study.chapters.training_states.state_of`). Each training once, without those that have no such
    record.
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


def trained(runs: SystemResult, k: int, scoring: Scoring, kept: np.ndarray) -> dict[str, str]:
    """The cells of a trained system in a table of Recall@k on the mentions ``kept``: the state of its
    training, and the control with zero updates where it was run. None of another system."""
    cells = state(runs)
    if (control := runs.control) is not None:
        [reached] = estimate(control.credits(k, scoring)[0, kept], runs.clusters[kept])
        cells[f"zero updates @{k}"] = linked(percent(reached), control.record)
    return cells


def state(runs: SystemResult) -> dict[str, str]:
    """The cell with the state of a training, leading to its dev record; none of a system without one."""
    return {"state": linked(runs.states.state.word, runs.states.full[0])} if runs.states else {}
