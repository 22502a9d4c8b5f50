"""What systems reach: beside the printed numbers, in pairs, on the largest clusters, over folds."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Comparison, Scoring, cluster_means, compare, estimate, holm, over_seeds

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key, ceiling
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import linked, table_from
from ..printed import reported
from .links import each, joined, system
from .states import trained


def accuracy(
    found: Sequence[SystemResult],
    scoring: Scoring,
    ks: Sequence[int] = (1, 3, 5),
    printed: pd.DataFrame | None = None,
    names: Mapping[str, str] | None = None,
    mentions: Mapping[str, np.ndarray] | None = None,
    macro: bool = False,
    mrr: bool = False,
    values: Sequence[str] = (),
) -> pd.DataFrame:
    """Recall@k of every system in percent: the mean over seeds with the interval over clusters.

    ``printed`` has the rows of the paper's own table, whose data sets ``names`` calls as the paper does.
    ``mentions`` restricts all to a mask by data set (:func:`study.chapters.results.stratum`). ``macro`` adds
    recall@1 averaged over clusters, ``mrr`` the mean reciprocal rank; ``values`` are those of a system's own
    (:attr:`study.chapters.templates.System.values`) that have a column. Beside printed numbers stands the
    ceiling, where a dictionary lacks a gold: what is printed above it is not comparable. Beside a trained
    system stand the control with zero updates, on the same mentions, and the state of its training
    (:mod:`study.chapters.training_states`). Where nothing has run on a data set and nothing is printed about
    it, one row says so. Raises LookupError where several printed numbers fit one cell.
    """
    rows = []
    for runs in found:
        row: dict[str, object] = {"data": runs.data, "system": linked(runs.label, runs.record)}
        row |= {name: str(runs.system.values.get(name, "")) for name in values}
        kept = runs.among(mentions) if runs.made else None
        if kept is None:
            row[f"@{ks[0]}"] = runs.system.reason or NOT_RUN
        elif not kept.any():
            row |= {"n": "0", f"@{ks[0]}": NONE_LEFT}
        else:
            clusters = runs.clusters
            row["n"] = f"{kept.sum():,}"
            for k in ks:
                credits = runs.credits(k, scoring)[:, kept]
                one = over_seeds(list(credits), clusters[kept])
                row[f"@{k}"] = percent(one)
                if k == 1 and macro:
                    means = cluster_means(credits.mean(axis=0), clusters[kept])
                    row["macro @1"] = percent(estimate(means, np.arange(len(means)))[0])
                if k == 1 and len(credits) > 1:
                    first = [of_seed[0] for of_seed in runs.records]
                    row["seeds @1"] = each((f"{100 * value:.1f}" for value in one.seeds), first)
            row |= trained(runs, ks[0], scoring, kept)
            if mrr:
                ranks = runs.reciprocal(scoring)[:, kept]
                row["MRR"] = percent(over_seeds(list(ranks), clusters[kept]))
        if printed is not None and len(printed) and runs.system.printed:
            for k in ks:
                row[f"printed @{k}"] = printed_of(printed, runs, f"recall_at_{k}", names or {})
            if mrr:
                row["printed MRR"] = printed_of(printed, runs, "mrr", names or {})
            if kept is not None and (top := ceiling(runs, kept)) is not None and top < 1:
                row["ceiling"] = f"{100 * top:.1f}"
        rows.append(row)
    # What is printed stands beside what was measured.
    kinds = ("", "printed ", "macro ", "seeds ")
    first = ["data", "system", *values, "n", "ceiling", *(f"{kind}@{k}" for k in ks for kind in kinds)]
    first += ["MRR", "printed MRR", f"zero updates @{ks[0]}", "state"]
    frame = drop_single_dataset(
        table_from(_collapse_not_run(rows, "systems", ("system", *values), f"@{ks[0]}"))
    )
    return frame[sorted(frame, key=lambda column: first.index(column) if column in first else len(first))]


def largest(found: Sequence[SystemResult], scoring: Scoring, n: int = 3) -> pd.DataFrame:
    """Accuracy of every system in percent on each of the ``n`` clusters with the most mentions, of equal ones
    the first, and on all others together, seeds averaged. All of one data set."""
    rows = []
    for runs in found:
        row: dict[str, object] = {"system": system(runs)}
        rows.append(row)
        if not runs.made:
            row["all others"] = runs.system.reason or NOT_RUN
            continue
        credit, clusters = runs.credits(1, scoring).mean(axis=0), runs.clusters
        numbers, sizes = np.unique(clusters, return_counts=True)
        most = numbers[np.argsort(-sizes, kind="stable")[:n]]
        for place, one in enumerate(most, 1):
            of = clusters == one
            row[f"{place}: {of.sum():,} mentions"] = f"{100 * credit[of].mean():.1f}"
        others = ~np.isin(clusters, most)
        row["all others"] = percent(estimate(credit[others], clusters[others])[0]) if others.any() else ""
    frame = table_from(rows)
    return frame[sorted(frame, key=lambda column: (column == "all others", column != "system"))]


def paired(
    found: Sequence[SystemResult], pairs: Sequence[tuple[str, str]], scoring: Scoring, macro: bool = False
) -> pd.DataFrame:
    """First against second system of each pair of keys, on every data set, paired mention by mention.

    The difference of accuracy in points, p after Holm over the table, credit gained and lost in mentions,
    and the smallest difference that the corpus could have shown, in points and in mentions. Credits are
    averaged over seeds. ``macro`` adds the difference between averages over clusters, whose p values are
    adjusted apart. A pair of which one is dropped has no row. Both names lead to all the records compared.
    """
    made, rows = [], []
    for first, second in system_pairs(found, pairs):
        row = {"data": first.data, "first": system(first), "second": system(second)}
        rows.append(row)
        if not (first.made and second.made):
            row["difference"] = NOT_RUN
            continue
        credit = [runs.credits(1, scoring).mean(axis=0) for runs in (first, second)]
        made.append((row, credit, first.clusters))
    rows_made = [row for row, _, _ in made]
    compared = [compare(*credit, clusters) for _, credit, clusters in made]
    _add_gaps(rows_made, compared)
    for row, c in zip(rows_made, compared, strict=True):
        row["gained / lost"] = f"{c.gained:,.0f} / {c.lost:,.0f}"
        row["detectable"] = f"{100 * c.detectable:.1f}"
        row["in mentions"] = f"{c.detectable * c.difference.n:,.0f}"
    if macro:
        means = [[cluster_means(one, clusters) for one in credit] for _, credit, clusters in made]
        _add_gaps(rows_made, [compare(*pair, np.arange(len(pair[0]))) for pair in means], "macro ")
    return drop_single_dataset(
        table_from(_collapse_not_run(rows, "pairs", ("first", "second"), "difference"))
    )


def folds(found: Sequence[SystemResult], scoring: Scoring) -> pd.DataFrame:
    """Accuracy in percent at the end of trainings over folds, all mentions together, seeds averaged; that of
    each fold beside, seed by seed; and the paired difference of the first system from each other."""
    rows = []
    for runs in found:
        row: dict[str, object] = {"training": linked(runs.label, runs.record)}
        rows.append(row)
        if not runs.made:
            row["accuracy"] = NOT_RUN
            continue
        credits, clusters = runs.credits(1, scoring), runs.clusters
        row["accuracy"] = percent(over_seeds(list(credits), clusters))
        ends = np.cumsum([len(record.outcomes.clusters) for record in runs.records[0]])[:-1]
        row["each fold"] = joined(
            [
                each((f"{100 * part.mean():.1f}" for part in np.split(credit, ends)), of_seed)
                for credit, of_seed in zip(credits, runs.records, strict=True)
            ],
            "; ",
        )
        if runs is not found[0] and found[0].made:
            c = compare(found[0].credits(1, scoring).mean(axis=0), credits.mean(axis=0), clusters)
            row[f"{found[0].label} minus this"] = points(c.difference)
            row["p"] = f"{c.p:.4f}"
    return table_from(rows)


def system_pairs(
    found: Sequence[SystemResult], pairs: Sequence[tuple[str, str]]
) -> list[tuple[SystemResult, SystemResult]]:
    """The runs of each pair of keys, data set by data set; no pair twice, none of a system with itself."""
    couples: dict[tuple[SystemResult, SystemResult], None] = {}
    for data in dict.fromkeys(runs.data for runs in found):
        here = [runs for runs in found if runs.data == data]
        for a, b in pairs:
            for first in by_key(here, a):
                couples |= {(first, second): None for second in by_key(here, b) if second is not first}
    return list(couples)


def drop_single_dataset(frame: pd.DataFrame) -> pd.DataFrame:
    """Without the column of the data set where there is but one."""
    return frame.drop(columns="data") if "data" in frame and frame["data"].nunique() == 1 else frame


def _collapse_not_run(
    rows: Sequence[dict[str, object]], what: str, names: Sequence[str], value: str
) -> list[dict[str, object]]:
    """The rows, but one alone for a data set of which four or more say nothing besides their ``names`` but
    NOT RUN in ``value``: what is not there should not take a page."""
    kept = []
    for data in dict.fromkeys(row["data"] for row in rows):
        here = [row for row in rows if row["data"] == data]
        told = [
            {key: cell for key, cell in row.items() if cell and key not in ("data", *names)} for row in here
        ]
        if len(here) > 3 and all(cells == {value: NOT_RUN} for cells in told):
            here = [{"data": data, names[0]: f"all {len(here)} {what}", value: NOT_RUN}]
        kept += here
    return kept


def _add_gaps(rows: Sequence[dict[str, object]], compared: Sequence[Comparison], what: str = "") -> None:
    for row, c, p in zip(rows, compared, holm([c.p for c in compared]), strict=True):
        row[f"{what}difference"] = points(c.difference)
        row[f"{what}p (Holm)"] = f"{p:.4f}"


def printed_of(
    rows: pd.DataFrame,
    runs: SystemResult,
    metric: str,
    names: Mapping[str, str],
    variants: Mapping[str, str] | None = None,
) -> str:
    """The number that a paper prints of a system on a data set, "" for none; ``names`` are its names of data
    sets, ``variants`` those of systems by key, where they are not what :class:`System` says. Raises
    LookupError where several fit."""
    where = {"system": runs.system.printed, "metric": metric}
    listed = (variants[key] for key in runs.system.keys if key in (variants or {}))
    if variant := next(listed, runs.system.variant):
        where["variant"] = variant
    if names:
        where["dataset"] = names.get(runs.data, runs.data)
    return reported.only(rows, **where)
