"""Scoring: predictions and a corpus in, one number per protocol out, with its interval."""

from .comparison import Comparison, compare, holm
from .outcomes import Outcomes, outcomes
from .protocol import PROTOCOLS, Scoring
from .ranking import mrr, recall
from .statistics import Estimate, difference, estimate
from .strata import STRATA, strata

__all__ = [
    "PROTOCOLS",
    "STRATA",
    "Comparison",
    "Estimate",
    "Outcomes",
    "Scoring",
    "compare",
    "difference",
    "estimate",
    "holm",
    "mrr",
    "outcomes",
    "recall",
    "strata",
]
