"""Which mentions a protocol averages over, and why the others are left out."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from .coding import ANY
from .outcomes import ORDERS, Outcomes
from .protocol import Scoring


def counted(outcomes: Outcomes, scoring: Scoring, strata: pd.DataFrame | None = None) -> np.ndarray:
    """Mask of the scored mentions that ``scoring`` averages over, shape (n_scored,).

    ``strata`` (one row per mention of the corpus, :func:`benchlib.scoring.strata`) is wanted by
    reachable, unseen-names and refined; raises ValueError where it is wanted and not given.
    """
    kept = np.ones(len(outcomes.scored), dtype=bool)
    for reason in _reasons(outcomes, scoring, strata).values():
        kept &= ~reason
    return kept


def dropped(outcomes: Outcomes, scoring: Scoring, strata: pd.DataFrame | None = None) -> dict[str, int]:
    """How many mentions left the denominator, by reason, each under its first: with ``counted`` these close
    to the raw count. Raises ValueError as :func:`counted`."""
    counts = dict(outcomes.counts["dropped"])
    if scoring.nil == "with-nil":
        del counts["nil"]
    remaining = np.ones(len(outcomes.scored), dtype=bool)
    for name, reason in _reasons(outcomes, scoring, strata).items():
        counts[name] = int((remaining & reason).sum())
        remaining &= ~reason
    return counts


def _reasons(outcomes: Outcomes, scoring: Scoring, strata: pd.DataFrame | None) -> Mapping[str, np.ndarray]:
    """Masks of the scored mentions to leave out, by reason."""

    def kind(name: str) -> np.ndarray:
        if strata is None:
            raise ValueError(f"scoring {scoring} wants the strata of the mentions, found none")
        return strata[name].to_numpy(bool)[outcomes.scored]

    reasons = {}
    if scoring.composite == "no-composites":
        reasons["composite"] = outcomes.composite
    if scoring.among == "reachable":
        reasons["gold not in the dictionary"] = ~kind("reachable")
    if scoring.among == "normalized":
        reasons["gold not among the candidates"] = ~_listed(outcomes)
    if scoring.names != "all-names":
        reasons["string seen in train or dev"] = kind("seen name")
    if scoring.names == "refined":
        reasons["string and id repeated"] = ~kind("refined")
    return reasons


def _listed(outcomes: Outcomes) -> np.ndarray:
    """Whether any list of the mention holds a gold."""
    listed = (outcomes.line_type == ANY) & (outcomes.n_better[:, ORDERS.index("names")] >= 0)
    return np.isin(outcomes.scored, outcomes.mention[listed])
