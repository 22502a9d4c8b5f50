"""Tables of the pages, as frames of text cells: the same functions for every chapter."""

from . import data, measured, own
from .accuracy import accuracy, folds, largest, paired
from .glance import glance, setup
from .kinds import areas, by_stratum, classes, damaged, examples, rules
from .printed_counts import statistics
from .protocols import by_scoring, counts, nil, printed, published, scores, strata, under_published

__all__ = [
    "accuracy",
    "areas",
    "by_scoring",
    "by_stratum",
    "classes",
    "counts",
    "damaged",
    "data",
    "examples",
    "folds",
    "glance",
    "largest",
    "measured",
    "nil",
    "own",
    "paired",
    "printed",
    "published",
    "rules",
    "scores",
    "setup",
    "statistics",
    "strata",
    "under_published",
]
