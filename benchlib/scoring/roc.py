"""How well the score of the best answer tells mentions with a concept from NIL ones: the ROC curve.

Known mentions are the positive class and the score of the best answer is theirs, -inf for no answer and
for the answer NIL. The area under the curve is the chance that a known mention scores higher than a NIL
one, equal scores counting half (CoSiNES, section 5.4 and figure 6: the false positives are the NIL
mentions at or above the threshold). Unlike auPR it does not move with the share of NIL.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .areas import Areas, units
from .nil import both_kinds
from .outcomes import Outcomes
from .statistics import resample_weights


class Roc(NamedTuple):
    """One point per distinct top score, highest first, after the point (0, 0) at the threshold inf."""

    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray
    thresholds: np.ndarray


def roc_curve(outcomes: Outcomes) -> Roc:
    """At every threshold the shares of NIL mentions and of known ones whose top score reaches it.

    Raises ValueError where all mentions are NIL, or none.
    """
    nil = both_kinds(outcomes)
    thresholds, step = np.unique(-outcomes.top_scores, return_inverse=True)
    rates = (np.bincount(step, weights=kind).cumsum() / kind.sum() for kind in (nil, ~nil))
    return Roc(*(np.append(0.0, rate) for rate in rates), np.append(np.inf, -thresholds))


def roc_areas(runs: Sequence[Outcomes], n_resamples: int) -> Areas:
    """The areas of runs on the same mentions, some of them NIL and others not: for :func:`.areas.area` and
    :func:`.areas.area_difference`, which check that."""
    nil = runs[0].is_nil
    won = np.stack([_won(run.top_scores, nil) for run in runs])
    _, cluster = np.unique(units(runs[0]), return_inverse=True)
    n = cluster.max() + 1
    # Every pair of a known and a NIL mention counts as often as both their clusters are drawn.
    pairs = np.zeros((n, n), dtype=np.float32)
    np.add.at(pairs, (cluster[~nil][:, None], cluster[nil]), won.mean(axis=0))
    weights = resample_weights(int(n), n_resamples)
    known, unknown = (
        weights @ np.bincount(cluster[kind], minlength=n).astype(np.float32) for kind in (~nil, nil)
    )
    total, drawn = ((weights @ pairs) * weights).sum(axis=1), known * unknown
    resampled = np.divide(total, drawn, out=np.full_like(total, np.nan), where=drawn > 0)
    return Areas(won.mean(axis=(1, 2)), resampled)


def _won(scores: np.ndarray, nil: np.ndarray) -> np.ndarray:
    """Known × NIL mentions: 1 where the known one scores higher, a half where both score the same."""
    known, unknown = scores[~nil][:, None], scores[nil]
    return (known > unknown) + 0.5 * (known == unknown)
