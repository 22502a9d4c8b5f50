"""Scoring: predictions and a corpus in, one number per protocol out, with its interval."""

from .comparison import Comparison, compare, comparisons, holm
from .measures import Credits, counted, credits
from .nil import (
    area,
    area_difference,
    choose_threshold,
    nil_clusters,
    nil_or_linkable,
    pr_areas,
    precision_recall,
    risk_coverage,
    roc_areas,
    roc_curve,
)
from .outcomes import NEIGHBOURS, Outcomes, outcomes
from .per_mention import per_mention
from .presets import PRESETS, Preset
from .protocol import PROTOCOLS, Scoring
from .ranking import mrr, recall
from .spans import MATCHES, MEASURES, SpanOutcomes, by_match, span_outcomes, spans_against
from .statistics import (
    Estimate,
    canonical_clusters,
    cluster_means,
    difference,
    estimate,
    magnitude_difference,
    over_seeds,
)
from .strata import CLASSES, STRATA, strata
from .summary import by_preset, by_protocol, by_stratum, nil_summary, nil_threshold, paired_by_preset
