"""Published systems by protocol and by kind of mention, and which mentions nobody gets right."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring

from ..chapters.results import SystemResult, listed, stratum
from ..pages.numbers import percent
from .rows import Records, Row, by_system, frame, mean_credit, reached

RULES = {
    "outside the dictionary": "no concept of the gold has a name in our dictionary",
    "composite": "the gold has several concepts",
    "annotation": "train or dev mentions have the string, letter case ignored, and none has this gold",
    "ambiguous name": "the string is a name of several concepts",
    "unknown string": "the string is not a name of the dictionary",
    "context": "the string is a name of one concept",
}
"""Why no system has a mention right: the first rule that fits, the last where no other does."""
_MATCHES = {"unique": "strict (one owner)", "strict": "expected tie", "lenient": "lenient"}


def by_protocol(found: Sequence[SystemResult], recounted: Records, scoring: Scoring) -> pd.DataFrame:
    """Recall@1 in percent by BELB's modes, and Recall@5 by ``scoring``, which no shorter list can answer."""

    def cells(runs: SystemResult) -> Row:
        row: Row = {"n": f"{len(runs.clusters):,}"}
        row |= {head: percent(reached(runs, Scoring(match, "names"))) for match, head in _MATCHES.items()}
        _, _, published = runs.system.linker.partition("published,system=")
        record = recounted.get(runs.data)
        short = published and record and record.values["systems"][published]["depth"] < 5
        return row | {"expected tie @5": "not applicable" if short else percent(reached(runs, scoring, 5))}

    return by_system(found, cells, _MATCHES["strict"])


def right_by_system(found: Sequence[SystemResult], scoring: Scoring) -> np.ndarray:
    """Which mentions each of the systems has right at rank 1: systems × mentions, all of one data set. A
    mention is right where its credit is at least one half."""
    return np.array([mean_credit(runs, scoring) >= 0.5 for runs in found])


def unsolved(found: Sequence[SystemResult], kinds: Records, scoring: Scoring) -> pd.DataFrame:
    """The mentions that no system has right, by the first of :data:`RULES` that fits: how many, and the share
    of them in percent; a column a data set."""
    names = ("reachable", "composite", "several concepts", "no name")
    masks = [stratum(found, name, name != "reachable") for name in names]
    masks.insert(2, listed(kinds, "annotated otherwise"))
    rows: dict[str, Row] = {reason: {"reason": reason, "rule": rule} for reason, rule in RULES.items()}
    rows["all"] = {"reason": "all", "rule": "of all mentions compared"}
    for data in dict.fromkeys(runs.data for runs in found if runs.made):
        there = [runs for runs in found if runs.data == data and runs.made]
        left = none = ~right_by_system(there, scoring).any(axis=0)
        among = [there[0].among(mask) for mask in masks]
        for reason, of in zip(RULES, [*among, np.ones_like(none)], strict=True):
            fits = left & (False if of is None else of)
            rows[reason][data] = f"{fits.sum():,} ({100 * fits.sum() / max(none.sum(), 1):.0f} %)"
            left = left & ~fits
        rows["all"][data] = f"{none.sum():,} ({100 * none.mean():.1f} %)"
    return frame([*rows.values()])


def found_by(joint: Sequence[SystemResult]) -> dict[str, np.ndarray]:
    """The mentions that systems found, NIL or not: a mask by data set."""
    masks = {}
    for runs in filter(lambda runs: runs.made, joint):
        outcomes = runs.outcomes[0]
        masks[runs.data] = np.zeros(outcomes.mention.max() + 1, dtype=bool)
        masks[runs.data][outcomes.mention[np.isfinite(outcomes.top_score)]] = True
    return masks
