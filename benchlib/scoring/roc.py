"""How well the score of the best answer tells mentions with a concept from NIL ones: the ROC curve.

Known mentions are the positive class and the score of the best answer is theirs, -inf for no answer and
for the answer NIL. The area under the curve is the chance that a known mention scores higher than a NIL
one, equal scores counting half (CoSiNES, section 5.4 and figure 6: the false positives are the NIL
mentions at or above the threshold). Unlike auPR it does not move with the share of NIL.

A system is its runs, one per seed. Every function raises ValueError for mentions that are all NIL or all
known; those of several outcomes also without any, and for outcomes of different mentions.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from .areas import Areas, area, area_difference, both_kinds, units
from .outcomes import Outcomes
from .statistics import RESAMPLES, Estimate, resample_weights


class Roc(NamedTuple):
    """One point per distinct top score, highest first, after the point (0, 0) at the threshold inf."""

    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray
    thresholds: np.ndarray


def roc_curve(outcomes: Outcomes) -> Roc:
    """At every threshold the shares of NIL mentions and of known ones whose top score reaches it."""
    nil = both_kinds(outcomes)
    thresholds, step = np.unique(-outcomes.top_scores, return_inverse=True)
    rates = (np.bincount(step, weights=kind).cumsum() / kind.sum() for kind in (nil, ~nil))
    return Roc(*(np.append(0.0, rate) for rate in rates), np.append(np.inf, -thresholds))


def roc_area(runs: Sequence[Outcomes], n_resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """The area under the curve, from 0 to 1, averaged over the runs of a system; ``n`` counts NIL as well.

    Clusters are resampled whole, NIL and known together. Where the cluster is the gold entity, NIL mentions
    have none in common: each is then a cluster of its own.
    """
    return area(runs, partial(_areas, n_resamples=n_resamples, seed=seed))


def roc_area_difference(
    first: Sequence[Outcomes], second: Sequence[Outcomes], n_resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """The area of the first system minus that of the second, on the same resamples.

    ``seeds`` are the runs of the first, each less the mean of the second.
    """
    return area_difference(first, second, partial(_areas, n_resamples=n_resamples, seed=seed))


def _areas(runs: Sequence[Outcomes], n_resamples: int, seed: int) -> Areas:
    nil = runs[0].is_nil
    won = np.stack([_won(run.top_scores, nil) for run in runs])
    _, cluster = np.unique(units(runs[0]), return_inverse=True)
    n = cluster.max() + 1
    # Every pair of a known and a NIL mention counts as often as both their clusters are drawn.
    pairs = np.zeros((n, n), dtype=np.float32)
    np.add.at(pairs, (cluster[~nil][:, None], cluster[nil]), won.mean(axis=0))
    weights = resample_weights(int(n), n_resamples, seed)
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
