"""How well mentions without an entity (NIL) are told, and what calling them NIL costs the others."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import (
    Estimate,
    Outcomes,
    Scoring,
    area,
    area_difference,
    credits,
    nil_clusters,
    nil_threshold,
    over_seeds,
    pr_areas,
    ratio_of_sums,
)
from benchlib.scoring.nil import called_nil

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import table_from
from .accuracy import drop_single_dataset, printed_of, system_pairs
from .links import each, system

_METRICS = {"auPR": "aupr", "P": "precision", "R": "recall"}  # as the reported numbers call them


def nil_detection(
    tested: Sequence[SystemResult],
    tuned: Sequence[SystemResult],
    printed: pd.DataFrame | None = None,
    variants: Mapping[str, str] | None = None,
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
    :func:`accuracy`, and ``variants`` say by key which variant a system is in print, where this table
    calls it otherwise. ``mentions`` restricts what is tested to a mask by data set
    (:func:`study.chapters.results.stratum`), not what the threshold is chosen on.
    """
    on_dev = {(runs.name, runs.system.identity): runs for runs in tuned}
    rows = []
    for runs in tested:
        row: dict[str, object] = {"data": runs.data, "system": system(runs)}
        rows.append(row)
        if printed is not None and len(printed) and runs.system.printed:
            metrics = _METRICS | {f"@{k}": f"recall_at_{k}" for k in ks}
            row |= {
                f"printed {head}": printed_of(printed, runs, of, {}, variants) for head, of in metrics.items()
            }
        tested_on = runs.nil_or_linkable
        if tested_on is None or (mentions is not None and runs.data not in mentions):
            row["auPR"] = runs.system.reason or NOT_RUN
            continue
        if mentions is not None:
            tested_on = [one.among(mentions[runs.data]) for one in tested_on]
        nil = tested_on[0].is_nil
        row |= {"n": f"{len(nil):,}", "NIL": f"{nil.sum():,}", "chance": f"{100 * nil.mean():.1f}"}
        if nil.all() or not nil.any():
            row["auPR"] = NONE_LEFT
            continue
        aupr = area(tested_on, pr_areas)
        row["auPR"] = percent(aupr)
        if len(aupr.seeds) > 1:
            row["seeds auPR"] = each((f"{100 * value:.1f}" for value in aupr.seeds), _first(runs))
        dev = on_dev.get((runs.name, runs.system.identity))
        if dev is None or dev.nil_or_linkable is None:
            row["P"] = NOT_RUN if dev else "no threshold"
            continue
        thresholds = [nil_threshold(outcomes, dev.kinds.strata) for outcomes in dev.outcomes]
        if None in thresholds:
            row["P"] = NONE_LEFT
            continue
        row["threshold"] = each((f"{value:.4g}" for value in thresholds), _first(dev))
        row |= at_thresholds(tested_on, thresholds, ks)
    heads = ["auPR", "seeds auPR", "threshold", "P", "R", "F1", *(f"@{k}" for k in ks)]
    first = [
        "data",
        "system",
        "n",
        "NIL",
        "chance",
        *(f"{kind}{head}" for head in heads for kind in ("", "printed ")),
    ]
    frame = drop_single_dataset(table_from(rows))
    return frame[[head for head in first if head in frame]]


def nil_gaps(found: Sequence[SystemResult], pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """auPR of NIL of the first minus that of the second system of each pair of keys in points, on the same
    resamples of documents: the mean over the first ``seeds``, as many as both have. Of the mentions of
    :func:`nil_detection`."""
    rows = []
    for first, second in system_pairs(found, pairs):
        row: dict[str, object] = {"data": first.data, "first": system(first), "second": system(second)}
        rows.append(row)
        scored = first.nil_or_linkable, second.nil_or_linkable
        if None in scored:
            row["difference of auPR"] = NOT_RUN
            continue
        n = row["seeds"] = min(map(len, scored))
        gap = area_difference(*(outcomes[:n] for outcomes in scored), pr_areas)
        row["difference of auPR"] = points(gap)
    return drop_single_dataset(table_from(rows))


def at_thresholds(
    outcomes: Sequence[Outcomes], thresholds: Sequence[float], ks: Sequence[int]
) -> dict[str, str]:
    """Precision, recall and F1 of NIL and Recall@k over all mentions in percent, one threshold a seed."""
    clusters = nil_clusters(outcomes[0])
    nil = outcomes[0].is_nil.astype(float)
    called = np.mean([called_nil(o, at) for o, at in zip(outcomes, thresholds, strict=True)], axis=0)
    right = nil * called
    found: dict[str, Estimate] = {
        "R": ratio_of_sums(right, nil, clusters),
        "F1": ratio_of_sums(2 * right, called + nil, clusters),
    }
    if called.any():
        found = {"P": ratio_of_sums(right, called, clusters)} | found
    with_nil = Scoring(nil="with-nil")
    for k in ks:
        of_seeds = [
            credits(one, f"recall@{k}", with_nil, threshold=at).values
            for one, at in zip(outcomes, thresholds, strict=True)
        ]
        found[f"@{k}"] = over_seeds(of_seeds, clusters)
    return {"P": "none called"} | {head: percent(one) for head, one in found.items()}


def _first(runs: SystemResult) -> list:
    """The record of each seed, of its first fold where there are several."""
    return [of_seed[0] for of_seed in runs.records]
