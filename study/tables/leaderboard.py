"""One table of all systems on a data set: strict and lenient, all and unseen strings, speed and memory."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring

from ..chapters.plan import ELSEWHERE
from ..chapters.results import SystemResult
from ..pages.literal import in_markdown
from ..pages.numbers import NONE_LEFT, percent
from ..records import Record
from .rows import Row, first_linked, frame, reached, recall_at_1, why_not
from .trainings import state

NOT_MEASURED = "not measured"
_LEARNS, _UNLABELLED = "learns from", ("nothing", "names", "text")
_STRICT = Scoring()
_SCORINGS = {"strict": _STRICT, "lenient": Scoring("lenient")}
_CLOCK = 0.01  # seconds: what a record can tell from none


def leaderboard(results: Sequence[SystemResult], unseen: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """Recall@1 in percent of every system, the best by the strict count first, those not run last.

    Strict and lenient, of all test mentions and of those ``unseen``, a mask by data set. Mentions a second
    and memory (MB, 10^6 bytes) are bounds from the runs that made the records: the fastest linking of all
    test mentions, with what a system encodes for its index while it links, and the least peak of a process,
    training included, which may have made other records before. Neither is known of systems that others ran.
    The state of a training stands last.
    """
    rows: list[Row] = []
    for runs in sorted(results, key=lambda runs: -recall_at_1(runs, _STRICT) if runs.made else np.inf):
        row: Row = {"data": runs.data, "system": first_linked(runs)}
        row[_LEARNS] = str(runs.system.values.get(_LEARNS, ""))
        rows.append(row | (_cells(runs, unseen) if runs.made else {"strict": why_not(runs), "lenient": ""}))
    return frame(rows, ["data", "system", _LEARNS, "n"])


def leaders(results: Sequence[SystemResult]) -> str:
    """A bullet a data set, in Markdown: the three best by the strict count, and the best of the systems that
    learn from no labelled mention, with Recall@1 in percent."""
    lines = []
    for data in dict.fromkeys(runs.data for runs in results):
        here = [runs for runs in results if runs.data == data and runs.made]
        here.sort(key=lambda runs: -recall_at_1(runs, _STRICT))
        told = {runs: f"{in_markdown(runs.label)} {100 * recall_at_1(runs, _STRICT):.1f} %" for runs in here}
        alone = [told[runs] for runs in here if runs.system.values.get(_LEARNS) in _UNLABELLED]
        if alone:
            best = ", ".join([*told.values()][:3])
            lines.append(f"- **{in_markdown(data)}**: {best}; without a labelled mention {alone[0]}.")
    return "\n".join(lines) or "Nothing has run on these data."


def _cells(runs: SystemResult, unseen: Mapping[str, np.ndarray]) -> Row:
    every, new = runs.among(None), runs.among(unseen)
    row: Row = {"n": f"{every.sum():,}"}
    for kept, which in ((every, ""), (new, ", unseen")):
        if kept is not None:
            row |= {
                f"{name}{which}": percent(reached(runs, how, 1, kept)) if kept.any() else NONE_LEFT
                for name, how in _SCORINGS.items()
            }
    return row | _cost(runs) | state(runs)


def _cost(runs: SystemResult) -> Row:
    rate = mentions_a_second(runs)
    peaks = [one.made["peak_memory_mb"] for one in _made_here(runs) if "peak_memory_mb" in one.made]
    return {
        "mentions a second": f"{float(f'{rate:.2g}'):,.0f}" if rate else NOT_MEASURED,
        "memory, MB": f"{min(peaks):,}" if peaks else NOT_MEASURED,
    }


def mentions_a_second(runs: SystemResult) -> float | None:
    """The fastest linking of all test mentions; None where none was timed, and for a system of others."""
    # A run that shares its training may find the vectors of its index there.
    timed = [one for one in _made_here(runs) if "seconds" in one.made and not one.shares_training]
    rates = [one.outcomes.every.sum() / max(one.made["seconds"]["link"], _CLOCK) for one in timed]
    return max(rates, default=None)


def _made_here(runs: SystemResult) -> list[Record]:
    return [] if runs.system.linker.partition(",")[0] in ELSEWHERE else runs.there
