"""How well mentions without an entity (NIL) are told, and what calling them NIL costs the others."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import (
    Outcomes,
    Scoring,
    area,
    area_difference,
    credits,
    nil_clusters,
    nil_threshold,
    over_seeds,
    pr_areas,
    roc_areas,
)
from benchlib.scoring.nil import called_nil

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key, share_of
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import table_from
from .accuracy import printed_of
from .rows import Row, by_pair, each, firsts, frame, system, why_not

_METRICS = {"auPR": "aupr", "P": "precision", "R": "recall"}  # as the reported numbers call them


def nil_detection(
    tested: Sequence[SystemResult],
    tuned: Sequence[SystemResult],
    printed: pd.DataFrame | None = None,
    ks: Sequence[int] = (1, 64),
    mentions: Mapping[str, np.ndarray] | None = None,
) -> pd.DataFrame:
    """NIL detection by every system in percent, with intervals over clusters (PEL, table 4).

    auPR is the mean over seeds, that of each beside; chance is the share of NIL. Precision, recall and F1 of
    NIL are at the top score with the best F1 on dev: ``tuned`` are the same systems there, and each seed has
    the threshold of its own; the calls of all seeds are taken together. A system that is not among them on a
    data set, such as one without dev, has no threshold there. At the same thresholds stands
    Recall@k over all mentions, for which NIL is a class of its own, strict over concepts. All of it is of
    mentions that are NIL or can be linked (:func:`benchlib.scoring.nil_or_linkable`). ``printed`` is as of
    :func:`accuracy`. ``mentions`` restricts what is tested to a mask by data set
    (:func:`study.chapters.results.stratum`), not what the threshold is chosen on.
    """
    on_dev = {(runs.name, runs.system.identity): runs for runs in tuned}
    metrics = _METRICS | {f"@{k}": f"recall_at_{k}" for k in ks}
    rows = []
    for runs in tested:
        row: Row = {"data": runs.data, "system": system(runs)}
        rows.append(row)
        if printed is not None and len(printed) and runs.system.printed:
            for head, metric in metrics.items():
                row[f"printed {head}"] = printed_of(printed, runs, metric, {})
        scored = runs.nil_or_linkable
        if scored is None or (mentions is not None and runs.data not in mentions):
            row["auPR"] = why_not(runs)
            continue
        if mentions is not None:
            scored = [one.among(mentions[runs.data]) for one in scored]
        nil = scored[0].is_nil
        row |= {"n": f"{len(nil):,}", "NIL": f"{nil.sum():,}", "chance": f"{100 * nil.mean():.1f}"}
        if nil.all() or not nil.any():
            row["auPR"] = NONE_LEFT
            continue
        aupr = area(scored, pr_areas)
        row["auPR"] = percent(aupr)
        if len(aupr.seeds) > 1:
            row["seeds auPR"] = each((f"{100 * value:.1f}" for value in aupr.seeds), firsts(runs))
        row |= _at_dev_thresholds(scored, on_dev.get((runs.name, runs.system.identity)), ks)
    heads = ["auPR", "seeds auPR", "threshold", "P", "R", "F1", *(f"@{k}" for k in ks)]
    heads = [f"{kind}{head}" for head in heads for kind in ("", "printed ")]
    return frame(rows, ["data", "system", "n", "NIL", "chance", *heads])


def _at_dev_thresholds(scored: Sequence[Outcomes], dev: SystemResult | None, ks: Sequence[int]) -> Row:
    """Precision, recall and F1 of NIL and Recall@k over all mentions in percent, at the threshold that each
    seed has on dev."""
    if dev is None or dev.nil_or_linkable is None:
        return {"P": NOT_RUN if dev else "no threshold"}
    thresholds = [nil_threshold(outcomes, dev.kinds.strata) for outcomes in dev.outcomes]
    if None in thresholds:
        return {"P": NONE_LEFT}
    clusters, nil = nil_clusters(scored[0]), scored[0].is_nil.astype(float)
    seeds = [*zip(scored, thresholds, strict=True)]
    called = np.mean([called_nil(one, at) for one, at in seeds], axis=0)
    right = nil * called
    numbers = {"P": share_of(right, called, clusters)} if called.any() else {}
    numbers["R"] = share_of(right, nil, clusters)
    numbers["F1"] = share_of(2 * right, called + nil, clusters)
    with_nil = Scoring(nil="with-nil")
    for k in ks:
        of_seeds = [credits(one, f"recall@{k}", with_nil, threshold=at).values for one, at in seeds]
        numbers[f"@{k}"] = over_seeds(of_seeds, clusters)
    row: Row = {"threshold": each((f"{value:.4g}" for value in thresholds), firsts(dev)), "P": "none called"}
    return row | {head: percent(number) for head, number in numbers.items()}


def nil_gaps(results: Sequence[SystemResult], pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """auPR of NIL of the first minus that of the second system of each pair of keys in points, on the same
    resamples of documents: the mean over the first ``seeds``, as many as both have. Of the mentions of
    :func:`nil_detection`."""
    rows = []
    for row, first, second in by_pair(results, pairs):
        rows.append(row)
        scored = first.nil_or_linkable, second.nil_or_linkable
        if None in scored:
            row["difference of auPR"] = NOT_RUN
            continue
        n = row["seeds"] = min(map(len, scored))
        row["difference of auPR"] = points(area_difference(*(of[:n] for of in scored), pr_areas))
    return frame(rows)


def areas(results: Sequence[SystemResult], against: str) -> pd.DataFrame:
    """Area under the ROC curve of NIL in percent, the mean over seeds, and its difference from that of the
    system with the key ``against``, both with intervals over clusters; of mentions that are NIL or can be
    linked."""
    best = next(iter(by_key(results, against)), None)
    rows = []
    for runs in results:
        scored = runs.nil_or_linkable
        row: Row = {
            "system": system(runs),
            "area": percent(area(scored, roc_areas)) if scored else why_not(runs),
        }
        if scored and best is not None and best.nil_or_linkable and best is not runs:
            row[f"{best.label} minus this"] = points(area_difference(best.nil_or_linkable, scored, roc_areas))
        rows.append(row)
    return table_from(rows)
