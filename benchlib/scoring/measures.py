"""A measure by its name, under a protocol: the credit of each mention, and which mentions it averages."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from .coding import ANY
from .nil import called_nil, nil_clusters
from .outcomes import ORDERS, Outcomes
from .protocol import Scoring
from .ranking import mrr, recall


class Credits(NamedTuple):
    """Per mention a ``value`` from 0 to 1, its cluster, and whether it is ``counted``: the score is the mean
    over these."""

    values: np.ndarray
    clusters: np.ndarray
    counted: np.ndarray


def credits(
    outcomes: Outcomes,
    measure: str,
    scoring: Scoring,
    strata: pd.DataFrame | None = None,
    threshold: float | None = None,
) -> Credits:
    """The credits of a measure, ``recall@k`` or ``mrr``, under a protocol.

    One per scored mention; under ``with-nil`` one per mention, NIL included, with the top score up to which
    a mention is called NIL as ``threshold``. ``strata`` is one row per mention of the corpus, wanted by the
    protocols that leave mentions out by it. Raises ValueError for an unknown measure and for what is wanted
    and not given.
    """
    if match := re.fullmatch(r"recall@([1-9]\d*)", measure):
        values = recall(outcomes, int(match[1]), scoring)
    elif measure == "mrr":
        values = mrr(outcomes, scoring)
    else:
        raise ValueError(f"no measure {measure!r}; expected recall@k or mrr")
    among = counted(outcomes, scoring, strata)
    if scoring.nil == "without-nil":
        return Credits(values, outcomes.clusters, among)
    if threshold is None:
        raise ValueError(f"scoring {scoring} wants a threshold chosen on dev, found none")
    # NIL is a class of its own: right when called so, while what is known and called NIL is wrong.
    nil, called = outcomes.is_nil, called_nil(outcomes, threshold)
    scores, kept = (nil & called).astype(float), np.ones(len(nil), dtype=bool)
    scores[~nil], kept[~nil] = np.where(called[~nil], 0.0, values), among
    return Credits(scores, nil_clusters(outcomes), kept)


def counted(outcomes: Outcomes, scoring: Scoring, strata: pd.DataFrame | None = None) -> np.ndarray:
    """Mask of the scored mentions that ``scoring`` averages over, shape (n_scored,).

    ``strata`` (one row per mention of the corpus, :func:`benchlib.scoring.strata`) is wanted by
    reachable, unseen-names and refined; raises ValueError where it is wanted and not given.
    """

    def kind(name: str) -> np.ndarray:
        if strata is None:
            raise ValueError(f"scoring {scoring} wants the strata of the mentions, found none")
        return strata[name].to_numpy(bool)[outcomes.scored]

    kept = np.ones(len(outcomes.scored), dtype=bool)
    if scoring.composite == "no-composites":
        kept &= ~outcomes.composite
    if scoring.among == "normalized":
        listed = (outcomes.line_type == ANY) & (outcomes.n_better[:, ORDERS.index("names")] >= 0)
        if scoring.composite not in ("all-parts", "any-part"):
            listed &= outcomes.part == 0
        kept &= np.isin(outcomes.scored, outcomes.mention[listed])
    if scoring.among == "reachable":
        kept &= kind("reachable")
    if scoring.names != "all-names":
        kept &= ~kind("seen name") if scoring.names == "unseen-names" else kind("refined")
    return kept
