"""What a linker is worth, as rows: under every protocol, under every published one, by kind, for NIL."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from .comparison import comparisons
from .measures import Credits, credits
from .nil import area, choose_threshold, nil_or_linkable, nil_scores, pr_areas
from .outcomes import ORDERS, Outcomes
from .presets import PRESETS, Preset
from .protocol import PROTOCOLS
from .ranking import mrr, recall
from .statistics import Estimate, estimate
from .strata import CLASSES, STRATA

KS = (1, 3, 5, 10, 64)
Row = Mapping[str, object]


def by_protocol(outcomes: Outcomes) -> tuple[Row, ...]:
    """Recall@k for ``KS`` under each of ``PROTOCOLS``, MRR under the any-of ones, with 95 % intervals."""
    names, columns = [], []
    for scoring in PROTOCOLS:
        for k in KS:
            names.append((f"recall@{k}", str(scoring)))
            columns.append(recall(outcomes, k, scoring))
        if scoring.gold == "any-of":
            names.append(("mrr", str(scoring)))
            columns.append(mrr(outcomes, scoring))
    # Most protocols agree on most outcomes: each of the different columns is resampled once.
    distinct = {column.tobytes(): column for column in columns}
    estimates = estimate(np.stack(list(distinct.values()), axis=1), outcomes.clusters)
    found = dict(zip(distinct, map(_numbers, estimates), strict=True))
    return tuple(
        {"measure": measure, "scoring": scoring, **found[column.tobytes()]}
        for (measure, scoring), column in zip(names, columns, strict=True)
    )


def by_preset(outcomes: Outcomes, strata: pd.DataFrame, threshold: float | None = None) -> tuple[Row, ...]:
    """Every published protocol with its measures and 95 % intervals; ``worst`` and ``best`` where the order
    of ties decides. Those that count NIL want the ``threshold`` up to which a top score means NIL, chosen on
    dev, and are left out without one."""
    rows = []
    for presets in _groups(threshold):
        asked = [
            (preset, measure, scoring)
            for preset in presets
            for measure in preset.measures
            for scoring in (preset.scoring, *preset.bounds)
        ]
        columns = _columns([credits(outcomes, m, s, strata, threshold) for _, m, s in asked])
        estimates = estimate(columns.values, columns.clusters, counted=columns.counted)
        for (preset, measure, scoring), result in zip(asked, estimates, strict=True):
            if scoring == preset.scoring:
                row = {"protocol": str(preset), "measure": measure, "scoring": str(scoring)}
                rows.append(row | _numbers(result))
            else:
                rows[-1] |= {"worst" if scoring == preset.bounds[0] else "best": round(result.value, 6)}
    return tuple(rows)


def by_stratum(outcomes: Outcomes, strata: pd.DataFrame) -> tuple[Row, ...]:
    """Strict accuracy on each kind of scored mention, and the two kinds of error: ``not_listed``, the gold is
    not among the candidates (candidate generation); ``misranked``, it is, and another stands before it."""
    right = recall(outcomes)
    listed = outcomes.n_better[outcomes.whole][:, ORDERS.index("names")] >= 0
    kinds = strata.iloc[outcomes.scored]
    masks = {("all", ""): np.ones(len(right), dtype=bool)}
    for name in STRATA:
        if name != "nil":
            masks |= {(name, value): kinds[name].to_numpy() == (value == "yes") for value in ("yes", "no")}
    for name in CLASSES:
        masks |= {(name, value): (kinds[name] == value).to_numpy() for value in sorted(set(kinds[name]))}
    masks = {name: mask for name, mask in masks.items() if mask.any()}
    kept = np.stack(list(masks.values()), axis=1) if masks else np.zeros((len(right), 0), dtype=bool)
    estimates = estimate(np.repeat(right[:, None], kept.shape[1], axis=1), outcomes.clusters, counted=kept)
    return tuple(
        {
            "kind": kind,
            "is": value,
            **_numbers(result),
            "not_listed": round(float((~listed)[mask].mean()), 6),
            "misranked": round(float((listed - right)[mask].mean()), 6),
        }
        for ((kind, value), mask), result in zip(masks.items(), estimates, strict=True)
    )


def nil_summary(outcomes: Outcomes, strata: pd.DataFrame, threshold: float | None = None) -> Row | None:
    """How well the top score tells NIL mentions from those that can be linked (:func:`.nil.nil_or_linkable`).

    ``n`` mentions, ``n_nil`` of them NIL, and ``n_unlinkable`` others, which are left out; prevalence (what
    chance would reach) and auPR with its interval; with the threshold chosen on dev also precision, recall
    and F1 of NIL. None where all mentions are NIL, or none. ``strata`` has one row per mention of the corpus.
    """
    scored = nil_or_linkable(outcomes, strata)
    nil = scored.is_nil
    if nil.all() or not nil.any():
        return None
    row = {"n": len(nil), "n_nil": int(nil.sum()), "n_unlinkable": int(outcomes.every.sum()) - len(nil)}
    aupr = area([scored], pr_areas)
    row |= {"prevalence": float(nil.mean())}
    row |= {"aupr": aupr.value, "aupr_low": aupr.low, "aupr_high": aupr.high}
    return row if threshold is None else row | {"threshold": threshold} | nil_scores(scored, threshold)


def nil_threshold(dev: Outcomes, strata: pd.DataFrame) -> float | None:
    """The threshold of NIL chosen on dev, of the mentions that :func:`nil_summary` scores; None where dev has
    no NIL mention, or nothing else. ``strata`` has one row per mention of dev."""
    scored = nil_or_linkable(dev, strata)
    nil = scored.is_nil
    return choose_threshold(scored) if nil.any() and not nil.all() else None


def paired_by_preset(
    first: Outcomes,
    second: Outcomes,
    strata: tuple[pd.DataFrame, pd.DataFrame],
    thresholds: tuple[float, float] | None = None,
) -> tuple[Row, ...]:
    """First minus second under the main measure of every published protocol: the fields of the
    :class:`.Comparison`. ``strata`` and ``thresholds`` are those of the two, which may differ in dictionary
    and training mentions; a threshold is that of NIL, chosen on dev. Both are averaged over the mentions that
    both count: under normalized, those whose gold both list.

    Raises ValueError for outcomes of different mentions.
    """
    if not np.array_equal(first.scored, second.scored):
        sizes = f"{len(first.scored)} and {len(second.scored)}"
        raise ValueError(f"expected outcomes of the same mentions, found {sizes} that are not the same")
    rows = []
    for presets in _groups(thresholds):
        a, b = (
            _columns([credits(of, p.measures[0], p.scoring, kinds, threshold) for p in presets])
            for of, kinds, threshold in zip((first, second), strata, thresholds or (None, None), strict=True)
        )
        both = a.counted & b.counted
        compared = comparisons(a.values, b.values, a.clusters, (both, both))
        for preset, comparison in zip(presets, compared, strict=True):
            numbers = vars(comparison.difference) | vars(comparison)
            names = ("value", "low", "high", "n", "p", "gained", "lost", "detectable")
            row = {"protocol": str(preset), "measure": preset.measures[0]}
            rows.append(row | {name: numbers[name] for name in names})
    return tuple(rows)


def _groups(threshold: object) -> Iterator[list[Preset]]:
    """The presets over the scored mentions, and those over NIL as well, which want a threshold."""
    for nil in ("without-nil", "with-nil") if threshold is not None else ("without-nil",):
        yield [preset for preset in PRESETS.values() if preset.scoring.nil == nil]


def _columns(several: Sequence[Credits]) -> Credits:
    """Credits of the same mentions side by side: values and counted are mentions × columns."""
    values, clusters, counted = zip(*several, strict=True)
    return Credits(np.stack(values, axis=1), clusters[0], np.stack(counted, axis=1))


def _numbers(result: Estimate) -> dict[str, float | int]:
    return {name: round(getattr(result, name), 6) for name in ("value", "low", "high")} | {"n": result.n}
