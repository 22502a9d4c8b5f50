"""A measure by its name, under a protocol: the credit of each mention, and which mentions it averages."""

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from .areas import units
from .denominator import counted
from .nil import recall_with_nil
from .outcomes import Outcomes
from .protocol import Scoring
from .ranking import average_precision, mrr, recall


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
    """The credits of a measure, ``recall@k``, ``mrr`` or ``map``, under a protocol.

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
    nil = outcomes.is_nil
    reached, kept = np.zeros(len(nil)), np.ones(len(nil), dtype=bool)
    reached[~nil], kept[~nil] = values, among
    scores = recall_with_nil(reached, outcomes.top_scores, nil, threshold)
    return Credits(scores, units(outcomes), kept)


def _values(outcomes: Outcomes, measure: str, scoring: Scoring) -> np.ndarray:
    if found := re.fullmatch(r"recall@([1-9]\d*)", measure):
        return recall(outcomes, int(found[1]), scoring)
    if measure == "mrr":
        return mrr(outcomes, scoring)
    if measure == "map":
        if (scoring.match, scoring.over, scoring.gold, scoring.composite) != _MAP:
            raise ValueError(f"map is over concepts and strict; expected {'/'.join(_MAP[:3])}, not {scoring}")
        return average_precision(outcomes)
    raise ValueError(f"no measure {measure!r}; expected recall@k, mrr or map")


_MAP = ("strict", "concepts", "any-of", "whole")
