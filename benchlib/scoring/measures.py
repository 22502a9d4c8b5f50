"""A measure by its name, under a protocol: the credit of each mention, and which mentions it averages."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from .denominator import counted
from .nil import called_nil, nil_clusters
from .outcomes import Outcomes
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
    values = _values(outcomes, measure, scoring)
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


def _values(outcomes: Outcomes, measure: str, scoring: Scoring) -> np.ndarray:
    if match := re.fullmatch(r"recall@([1-9]\d*)", measure):
        return recall(outcomes, int(match[1]), scoring)
    if measure == "mrr":
        return mrr(outcomes, scoring)
    raise ValueError(f"no measure {measure!r}; expected recall@k or mrr")
