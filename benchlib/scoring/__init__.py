"""Scoring: predictions and a corpus in, one number per protocol out, with its interval."""

from .outcomes import Outcomes, outcomes
from .protocol import PROTOCOLS, Scoring
from .ranking import mrr, recall
from .statistics import Estimate, difference, estimate
from .strata import STRATA, strata

__all__ = [
    "PROTOCOLS",
    "STRATA",
    "Estimate",
    "Outcomes",
    "Scoring",
    "difference",
    "estimate",
    "mrr",
    "outcomes",
    "recall",
    "strata",
]
