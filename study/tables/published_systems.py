"""Answers that others published, recounted: what aligns, how systems agree, and what nobody gets right."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Scoring, compare
from benchlib.scoring.comparison import Comparison

from ..chapters.results import SystemResult, by_key, ceiling, listed, stratum, within
from ..corpora import registry
from ..corpora.published import END_TO_END, SOURCES
from ..pages.numbers import percent, points
from ..pages.show import table_from
from ..records import Record
from .rows import Records, Row, by_record, by_system, frame, mean_credit, reached, recall_at_1

RULES = {
    "outside the dictionary": "no concept of the gold has a name in our dictionary",
    "composite": "the gold has several concepts",
    "annotation": "train or dev mentions have the string, letter case ignored, and none has this gold",
    "ambiguous name": "the string is a name of several concepts",
    "unknown string": "the string is not a name of the dictionary",
    "context": "the string is a name of one concept",
}
"""Why no system has a mention right: the first rule that fits, the last where no other does."""
_MATCHES = {"unique": "strict (one owner)", "strict": "expected tie", "lenient": "lenient"}


def alike(records: Records) -> dict[str, np.ndarray]:
    """The mentions that align with those of BELB and are not merged there: a mask by data set."""
    return {
        data: ~np.isin(np.arange(record.values["here"]), record.values["unlike"])
        for data, record in records.items()
        if record is not None
    }


def where_alike(
    results: Sequence[SystemResult], recounted: Records, every: bool = False
) -> list[SystemResult]:
    """The results, with published answers, or ``every`` one, restricted to the mentions that are
    :func:`alike`."""
    masks = alike(recounted)

    def restricted(runs: SystemResult) -> bool:
        return runs.data in masks and (every or runs.recounted)

    return [within([runs], masks)[0] if restricted(runs) else runs for runs in results]


def replicated(records: Records) -> pd.DataFrame:
    """Strict and lenient top-1 accuracy of each published file in percent of all mentions of BELB, and of a
    system that finds mentions itself, of those that it found."""
    return frame(by_record(records, _replicated, ["strict", "lenient"]))


def _replicated(record: Record) -> list[Row]:
    n = record.values.get("mentions", 0)
    rows = []
    for system, counts in record.values["systems"].items():
        row: Row = {"system": system, "answered": f"{counts['answered']:,} of {n:,}"}
        row |= {name: f"{100 * counts[name] / n:.2f}" for name in ("strict", "lenient")}
        if system in END_TO_END:
            row["on found mentions"] = f"{100 * counts['strict'] / counts['answered']:.2f}"
        row |= {
            "names listed": str(counts["depth"]),
            "foreign": f"{100 * counts['foreign'] / counts['answered']:.1f}",
        }
        rows.append(row)
    return rows


def alignment(records: Records) -> pd.DataFrame:
    """How many test mentions BELB and the corpus here have, and how many of them are alike."""
    heads = {
        "mentions": "BELB",
        "here": "here",
        "aligned": "align",
        "merged": "merged",
        "composite": "composite",
    }

    def rows_of(record: Record) -> list[Row]:
        alike = record.values["here"] - len(record.values["unlike"])
        counts = {head: f"{record.values.get(name, 0):,}" for name, head in heads.items()}
        return [counts | {"compared below": f"{alike:,}"}]

    return frame(by_record(records, rows_of, ["BELB"]))


def made_with() -> pd.DataFrame:
    """How each published system was trained, with which encoder and dictionary, as the registry has it."""
    return table_from([row for source in SOURCES for row in registry.source(source).systems])


def owners(records: Records) -> pd.DataFrame:
    """First answers by how many owners the answered name has and whether gold is among them, as
    :func:`study.measurements.shared_names.shared_names` counts them, in percent of all."""
    head = "owners of the answered name"

    def rows_of(record: Record) -> Iterator[Row]:
        if not (of := record.values):
            return
        for name in ("one, gold", "one, not gold", "several, gold", "several, not gold"):
            row: Row = {head: name, "mentions": f"{of[name]:,}"}
            row["share, %"] = f"{100 * of[name] / of['mentions']:.1f}"
            row["strict"] = "right" if name == "one, gold" else "wrong"
            yield row | {"lenient": "wrong" if "not" in name else "right"}
        share = f"{100 * of['alone'] / of['mentions']:.1f}"
        yield {head: "several, gold alone is human", "mentions": f"{of['alone']:,}", "share, %": share}

    return frame(by_record(records, rows_of, ["mentions"]))


def shared_names(records: Records) -> pd.DataFrame:
    """The examples of :func:`study.measurements.shared_names.shared_names`, each with the chance of a random
    pick among the owners of the answered name."""

    def rows_of(record: Record) -> Iterator[Row]:
        for one in record.values.get("examples", ()):
            row: Row = {"mention": one["mention"], "document": one["document"]}
            row |= {"offsets": f"{one['start']}-{one['end']}", "owners": str(one["owners"])}
            row |= {"human owners": str(one["here"]), "gold": "{1} ({0})".format(*one["gold"])}
            yield row | {"random pick, %": f"{100 / one['owners']:.0f}"}

    return frame(by_record(records, rows_of, ["mention"]))


def agreement(results: Sequence[SystemResult], scoring: Scoring) -> pd.DataFrame:
    """Of the mentions of each data set the share in percent that all, some and no system has right at rank 1,
    and the best single system, as :func:`right_by_system` has it."""
    rows = []
    for data in dict.fromkeys(runs.data for runs in results):
        there = [runs for runs in results if runs.data == data and runs.made]
        if not there:
            continue
        right = right_by_system(there, scoring)
        best = max(there, key=lambda runs: recall_at_1(runs, scoring))
        shares = {
            "all": right.all(axis=0),
            "some": right.any(axis=0) & ~right.all(axis=0),
            "none": ~right.any(axis=0),
        }
        row: Row = {"data": data, "systems": str(len(there)), "n": f"{right.shape[1]:,}"}
        row |= {name: f"{100 * mask.mean():.1f}" for name, mask in shares.items()}
        row["best system"] = f"{best.label} {100 * recall_at_1(best, scoring):.1f}"
        row["any of them"] = f"{100 * right.any(axis=0).mean():.1f}"
        rows.append(row)
    return frame(rows)


def against_best(
    results: Sequence[SystemResult], key: str, scoring: Scoring
) -> list[tuple[SystemResult, SystemResult, Comparison]]:
    """The system ``key`` of each data set, the best of the published ones there, and the first minus the
    second."""
    pairs = []
    for data in dict.fromkeys(runs.data for runs in results):
        there = [runs for runs in results if runs.data == data and runs.made]
        published = [runs for runs in there if runs.recounted]
        for own in by_key(there, key) if published else ():
            best = max(published, key=lambda runs: recall_at_1(runs, scoring))
            credits = (mean_credit(runs, scoring) for runs in (own, best))
            pairs.append((own, best, compare(*credits, own.clusters)))
    return pairs


def reach(own: SystemResult) -> str:
    """A sentence on the ceiling of a system, where that is known; it starts with a space."""
    top = ceiling(own, np.ones(len(own.clusters), dtype=bool))
    return "" if top is None else f" The dictionary of the {own.label} allows at most {100 * top:.1f}\u00a0%."


def headline(results: Sequence[SystemResult], key: str, scoring: Scoring) -> str:
    """A bullet a data set, in Markdown: the system ``key`` against the best of the published ones."""
    lines = []
    for own, best, gap in against_best(results, key, scoring):
        both = ", ".join(f"{of.label} {100 * recall_at_1(of, scoring):.1f} %" for of in (own, best))
        gained = f"{points(gap.difference)} points, p = {gap.p:.4f}"
        lines.append(f"- **{own.data}**, {gap.difference.n:,} mentions: {both}: {gained}.{reach(own)}")
    return "\n".join(lines) or "Nothing is published about these data."


def by_protocol(results: Sequence[SystemResult], recounted: Records, scoring: Scoring) -> pd.DataFrame:
    """Recall@1 in percent by BELB's modes, and Recall@5 by ``scoring``, which no shorter list can answer."""

    def cells(runs: SystemResult) -> Row:
        row: Row = {"n": f"{len(runs.clusters):,}"}
        row |= {head: percent(reached(runs, Scoring(match, "names"))) for match, head in _MATCHES.items()}
        _, _, published = runs.system.linker.partition("published,system=")
        record = recounted.get(runs.data)
        short = published and record and record.values["systems"][published]["depth"] < 5
        return row | {"expected tie @5": "not applicable" if short else percent(reached(runs, scoring, 5))}

    return by_system(results, cells, _MATCHES["strict"])


def right_by_system(results: Sequence[SystemResult], scoring: Scoring) -> np.ndarray:
    """Which mentions each of the systems has right at rank 1: systems × mentions, all of one data set. A
    mention is right where its credit is at least one half."""
    return np.array([mean_credit(runs, scoring) >= 0.5 for runs in results])


def unsolved(results: Sequence[SystemResult], kinds: Records, scoring: Scoring) -> pd.DataFrame:
    """The mentions that no system has right, by the first of :data:`RULES` that fits: how many, and the share
    of them in percent; a column a data set."""
    names = ("reachable", "composite", "several concepts", "no name")
    masks = [stratum(results, name, name != "reachable") for name in names]
    masks.insert(2, listed(kinds, "annotated otherwise"))
    rows: dict[str, Row] = {reason: {"reason": reason, "rule": rule} for reason, rule in RULES.items()}
    rows["all"] = {"reason": "all", "rule": "of all mentions compared"}
    for data in dict.fromkeys(runs.data for runs in results if runs.made):
        there = [runs for runs in results if runs.data == data and runs.made]
        left = none = ~right_by_system(there, scoring).any(axis=0)
        among = [there[0].among(mask) for mask in masks]
        for reason, of in zip(RULES, [*among, np.ones_like(none)], strict=True):
            fits = left & (False if of is None else of)
            rows[reason][data] = f"{fits.sum():,} ({100 * fits.sum() / max(none.sum(), 1):.0f} %)"
            left = left & ~fits
        rows["all"][data] = f"{none.sum():,} ({100 * none.mean():.1f} %)"
    return frame([*rows.values()])


def found_by(joint: Sequence[SystemResult]) -> dict[str, np.ndarray]:
    """The mentions that systems found, NIL or not: a mask by data set."""
    masks = {}
    for runs in filter(lambda runs: runs.made, joint):
        outcomes = runs.outcomes[0]
        found = outcomes.mention[np.isfinite(outcomes.top_score)]
        masks[runs.data] = np.isin(np.arange(outcomes.mention.max() + 1), found)
    return masks
