"""What systems reach: beside the printed numbers, in pairs, on the largest clusters, over folds."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Comparison, Scoring, cluster_means, compare, estimate, holm, over_seeds

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key, ceiling
from ..pages.literal import in_html
from ..pages.numbers import NONE_LEFT, percent, points
from ..pages.show import Markup, linked, table_from
from ..printed import reported
from .rows import (
    Row,
    by_pair,
    by_system,
    each,
    first_linked,
    firsts,
    frame,
    joined,
    mean_credit,
    reached,
    why_not,
)
from .trainings import trained


def accuracy(
    results: Sequence[SystemResult],
    scoring: Scoring,
    ks: Sequence[int] = (1, 3, 5),
    printed: pd.DataFrame | None = None,
    names: Mapping[str, str] | None = None,
    mentions: Mapping[str, np.ndarray] | None = None,
    macro: bool = False,
    mrr: bool = False,
) -> pd.DataFrame:
    """Recall@k of every system in percent: the mean over seeds with the interval over clusters.

    ``printed`` has the rows of the paper's own table, whose data sets ``names`` calls as the paper does.
    ``mentions`` restricts all to a mask by data set (:func:`study.chapters.results.stratum`). ``macro`` adds
    recall@1 averaged over clusters, ``mrr`` the mean reciprocal rank. Beside printed numbers stands the
    ceiling, where a dictionary lacks a gold: what is printed above it is not comparable. Beside a trained
    system stand the control with zero updates, on the same mentions, and the state of its training
    (:mod:`study.chapters.training_states`). Where nothing has run on a data set and nothing is printed about
    it, one row says so. Raises LookupError where several printed numbers fit one cell.
    """
    metrics = {f"@{k}": f"recall_at_{k}" for k in ks} | ({"MRR": "mrr"} if mrr else {})
    rows = []
    for runs in results:
        row: Row = {"data": runs.data, "system": first_linked(runs)}
        kept = runs.among(mentions) if runs.made else None
        if kept is None:
            row[f"@{ks[0]}"] = why_not(runs)
        elif not kept.any():
            row |= {"n": "0", f"@{ks[0]}": NONE_LEFT}
        else:
            row |= {"n": f"{kept.sum():,}"} | _recalls(runs, scoring, ks, kept, macro)
            row |= trained(runs, ks[0], scoring, kept)
            if mrr:
                ranks = runs.reciprocal(scoring)[:, kept]
                row["MRR"] = percent(over_seeds([*ranks], runs.clusters[kept]))
        if printed is not None and len(printed) and runs.system.printed:
            for head, metric in metrics.items():
                row[f"printed {head}"] = printed_of(printed, runs, metric, names or {})
            if kept is not None and (top := ceiling(runs, kept)) is not None and top < 1:
                row["ceiling"] = f"{100 * top:.1f}"
        rows.append(row)
    # A printed number stands next to the measured one.
    recalls = [f"{kind}@{k}" for k in ks for kind in ("", "printed ", "macro ", "seeds ")]
    heads = ["data", "system", "n", "ceiling", *recalls, "MRR", "printed MRR"]
    heads += [f"zero updates @{ks[0]}", "state"]
    return frame(_collapse_not_run(rows, "systems", ("system",), f"@{ks[0]}"), heads)


def _recalls(runs: SystemResult, scoring: Scoring, ks: Sequence[int], kept: np.ndarray, macro: bool) -> Row:
    cells: Row = {}
    for k in ks:
        recall = reached(runs, scoring, k, kept)
        cells[f"@{k}"] = percent(recall)
        if k == 1 and macro:
            means = cluster_means(mean_credit(runs, scoring)[kept], runs.clusters[kept])
            cells["macro @1"] = percent(estimate(means, np.arange(len(means)))[0])
        if k == 1 and len(recall.seeds) > 1:
            cells["seeds @1"] = each((f"{100 * value:.1f}" for value in recall.seeds), firsts(runs))
    return cells


def largest(results: Sequence[SystemResult], scoring: Scoring, n: int = 3) -> pd.DataFrame:
    """Accuracy of every system in percent on each of the ``n`` clusters with the most mentions, of equal ones
    the first, and on all others together, seeds averaged. All of one data set."""

    def cells(runs: SystemResult) -> Row:
        credit, clusters = mean_credit(runs, scoring), runs.clusters
        numbers, sizes = np.unique(clusters, return_counts=True)
        most = np.argsort(-sizes, kind="stable")[:n]
        told: Row = {
            f"{place}: {sizes[at]:,} mentions": f"{100 * credit[clusters == numbers[at]].mean():.1f}"
            for place, at in enumerate(most, 1)
        }
        others = ~np.isin(clusters, numbers[most])
        rest = percent(estimate(credit[others], clusters[others])[0]) if others.any() else ""
        return told | {"all others": rest}

    return by_system(results, cells, "all others")


def paired(
    results: Sequence[SystemResult],
    pairs: Sequence[tuple[str, str]],
    scoring: Scoring,
    macro: bool = False,
    plain_p: bool = False,
) -> pd.DataFrame:
    """First against second system of each pair of keys, on every data set, paired mention by mention.

    The difference of accuracy in points, p after Holm over the table, credit gained and lost in mentions,
    and the smallest difference that the corpus could have shown, in points and in mentions. Credits are
    averaged over seeds. ``macro`` adds the difference between averages over clusters, whose p values are
    adjusted apart, ``plain_p`` each p before Holm. A pair of which one is dropped has no row. Both names lead
    to all the records compared.
    """
    rows, made, compared, macros = [], [], [], []
    for row, first, second in by_pair(results, pairs):
        rows.append(row)
        if not (first.made and second.made):
            row["difference"] = NOT_RUN
            continue
        made.append(row)
        credits, clusters = [mean_credit(runs, scoring) for runs in (first, second)], first.clusters
        compared.append(compare(*credits, clusters))
        if macro:
            means = [cluster_means(credit, clusters) for credit in credits]
            macros.append(compare(*means, np.arange(len(means[0]))))
    _add_gaps(made, compared)
    for row, c in zip(made, compared, strict=True):
        row |= {"p": f"{c.p:.4f}"} if plain_p else {}
        row["gained / lost"] = f"{c.gained:,.0f} / {c.lost:,.0f}"
        if c.gained or c.lost:  # else nothing is known of what is detectable
            row["detectable"] = f"{100 * c.detectable:.1f}"
            row["in mentions"] = f"{c.detectable * c.difference.n:,.0f}"
    if macro:
        _add_gaps(made, macros, "macro ")
    return frame(_collapse_not_run(rows, "pairs", ("first", "second"), "difference"))


def folds(results: Sequence[SystemResult], scoring: Scoring) -> pd.DataFrame:
    """Accuracy in percent at the end of trainings over folds, all mentions together, seeds averaged; that of
    each fold beside, seed by seed; and the paired difference of the first system from each other."""

    def cells(runs: SystemResult) -> Row:
        of_seeds = [
            each((f"{100 * part.mean():.1f}" for part in runs.by_fold(credit)), of_seed)
            for credit, of_seed in zip(runs.credits(1, scoring), runs.records, strict=True)
        ]
        told: Row = {"accuracy": percent(reached(runs, scoring)), "each fold": joined(of_seeds, "; ")}
        if runs is not results[0] and results[0].made:
            c = compare(mean_credit(results[0], scoring), mean_credit(runs, scoring), runs.clusters)
            told |= {f"{results[0].label} minus this": points(c.difference), "p": f"{c.p:.4f}"}
        return told

    return by_system(results, cells, "accuracy", "training", first_linked)


def side_by_side(
    lists: Mapping[str, Sequence[SystemResult]], keys: Sequence[str], scoring: Scoring, printed: pd.DataFrame
) -> pd.DataFrame:
    """Accuracy in percent of the systems with the keys, a column for each list that is searched; what the
    paper prints stands in the last."""
    rows: dict[str, Row] = {}
    for name, found in lists.items():
        for runs in by_key(found, *keys):
            row = rows.setdefault(runs.label, {"system": runs.label})
            row[name] = linked(percent(reached(runs, scoring)) if runs.made else NOT_RUN, runs.record)
            if runs.system.printed and len(printed):
                row["printed"] = printed_of(printed, runs, "recall_at_1", {})
    return table_from([*rows.values()])


def by_name(results: Sequence[SystemResult]) -> pd.DataFrame:
    """The linker behind each system by its name, which may break after a comma, and what is done to its
    benchmark first."""
    return table_from(
        [
            {
                "system": runs.label,
                "linker": Markup(in_html(runs.system.linker).replace(",", ",<wbr>")),
                "benchmark": ", ".join(runs.system.changes),
            }
            for runs in results
        ]
    )


def _collapse_not_run(rows: Sequence[Row], what: str, names: Sequence[str], value: str) -> list[Row]:
    """The rows, but one alone for a data set of which four or more say nothing besides their ``names`` but
    NOT RUN in ``value``: what is not there should not take a page."""
    kept = []
    for data in dict.fromkeys(row["data"] for row in rows):
        here = [row for row in rows if row["data"] == data]
        told = {cell for row in here for head, cell in row.items() if cell and head not in ("data", *names)}
        if len(here) > 3 and told == {NOT_RUN}:
            here = [{"data": data, names[0]: f"all {len(here)} {what}", value: NOT_RUN}]
        kept += here
    return kept


def _add_gaps(rows: Sequence[Row], compared: Sequence[Comparison], what: str = "") -> None:
    for row, c, p in zip(rows, compared, holm([c.p for c in compared]), strict=True):
        row |= {f"{what}difference": points(c.difference), f"{what}p (Holm)": f"{p:.4f}"}


def printed_of(rows: pd.DataFrame, runs: SystemResult, metric: str, names: Mapping[str, str]) -> str:
    """The number that a paper prints of a system on a data set, "" for none; ``names`` are its names of data
    sets. Raises LookupError where several fit."""
    where = {"system": runs.system.printed, "metric": metric}
    if runs.system.variant:
        where["variant"] = runs.system.variant
    if names:
        where["dataset"] = names.get(runs.data, runs.data)
    return reported.only(rows, **where)
