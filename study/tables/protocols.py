"""Score tables and figures from records: the same for every page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from ..runs import Entry, Record
from ..scoring import PRESETS, Estimate, Scoring, by_preset, compare, for_nil, holm, recall, threshold_of
from . import reported
from .show import linked, table_from

NOT_RUN = "NOT RUN"


def percent(record: Record, measure: str, scoring: Scoring | str, interval: bool = True) -> str:
    """A metric in percent: ``51.7 [48.0, 55.3]``."""
    found = record.metric(measure, scoring)
    text = f"{100 * found['value']:.1f}"
    return f"{text} [{100 * found['low']:.1f}, {100 * found['high']:.1f}]" if interval else text


def score_table(
    entries: Iterable[Entry],
    scorings: Sequence[Scoring | str],
    measures: Sequence[str] = ("recall@1",),
    interval: bool = True,
) -> pd.DataFrame:
    """One row per entry, one column per measure and protocol; a missing record says so."""
    rows = []
    for entry in entries:
        row: dict[str, object] = {"data": entry.data, "linker": linked(entry.linker, entry.record)}
        counts = entry.record.outcomes.counts if entry.record else {}
        row["n"] = f"{counts['n_scored']:,}" if counts else NOT_RUN
        for scoring in scorings:
            for measure in measures:
                head = str(scoring).removesuffix("/any-of")
                head = head if len(measures) == 1 else f"{measure} {head}"
                row[head] = percent(entry.record, measure, scoring, interval) if entry.record else NOT_RUN
        rows.append(row)
    return table_from(rows)


def counts_table(entries: Iterable[Entry]) -> pd.DataFrame:
    """How the counts of each entry close: raw mentions, drops by reason, scored, and what scoring met."""
    rows = []
    for entry in entries:
        if entry.record is None:
            rows.append({"data": entry.data, "linker": entry.linker, "raw": NOT_RUN})
            continue
        counts = entry.record.outcomes.counts
        dropped = ", ".join(f"{reason} {n:,}" for reason, n in counts["dropped"].items() if n) or "none"
        rows.append(
            {
                "data": entry.data,
                "linker": linked(entry.linker, entry.record),
                "raw": f"{counts['n_raw']:,}",
                "dropped": dropped,
                "scored": f"{counts['n_scored']:,}",
                "gold not in the ontology": f"{counts['gold_outside_ontology']:,}",
                "not answered": f"{counts['unanswered']:,}",
            }
        )
    return table_from(rows)


def strata_table(entries: Iterable[Entry], names: Sequence[str]) -> pd.DataFrame:
    """Per data set the share of scored mentions, in percent, that belong to each stratum."""
    rows = []
    for entry in entries:
        row: dict[str, object] = {"data": linked(entry.data, entry.kinds)}
        mentions = entry.kinds.strata[~entry.kinds.strata["nil"]] if entry.kinds else None
        for name in names:
            row[name] = f"{100 * mentions[name].mean():.1f}" if entry.kinds else NOT_RUN
        row["n"] = f"{len(mentions):,}" if entry.kinds else NOT_RUN
        rows.append(row)
    return table_from(rows)


def presets_overview() -> pd.DataFrame:
    """The published protocols: what counts as right, what their papers print, and where it is said."""
    rows = []
    for name, preset in PRESETS.items():
        measures = ", ".join(preset.measures)
        why = f"{preset.source}. {preset.note}".removesuffix(" ")
        rows.append(
            {
                "protocol": name,
                "counts as right": str(preset.scoring),
                "measures": measures,
                "paper": preset.paper,
                "source": why,
            }
        )
    return table_from(rows)


def presets_table(entries: Iterable[Entry]) -> pd.DataFrame:
    """The main measure under every published protocol, in percent: a row each, a column per linker.

    The same data sets for every linker; protocols that count NIL want a threshold and are left out.
    """
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for entry in entries:
        found = {}
        if entry.record is not None and entry.kinds is not None:
            for row in by_preset(entry.record.outcomes, entry.kinds.strata):
                found.setdefault(row["protocol"], row)
        for name, preset in PRESETS.items():
            if preset.scoring.nil == "with-nil":
                continue
            cells = rows.setdefault((entry.data, name), {"data": entry.data, "protocol": name})
            value = f"{100 * found[name]['value']:.1f}" if found and found[name]["n"] else NOT_RUN
            cells |= {"n": f"{found[name]['n']:,}"} if found and preset.scoring.among != "normalized" else {}
            cells[entry.linker] = linked(value, entry.record)
    return table_from(list(rows.values()))


def nil_table(entries: Iterable[Entry], tuned: Iterable[Entry]) -> pd.DataFrame:
    """How well the best score tells NIL mentions, in percent; ``tuned`` are the same linkers on dev, where
    the threshold is chosen. Data sets without NIL mentions have no row."""
    thresholds = {(e.data, e.linker): threshold_of(e.record.outcomes) for e in tuned if e.record}
    rows = []
    for entry in entries:
        row: dict[str, object] = {"data": entry.data, "linker": linked(entry.linker, entry.record)}
        if entry.record is None:
            rows.append(row | {"auPR": NOT_RUN})
            continue
        found = for_nil(entry.record.outcomes, thresholds.get((entry.data, entry.linker)))
        if found is None:
            continue
        names = {"prevalence": "chance", "aupr": "auPR", "precision": "P", "recall": "R", "f1": "F1"}
        row |= {"mentions": f"{found['n']:,}", "NIL": f"{found['n_nil']:,}"}
        rows.append(row | {head: f"{100 * found[k]:.1f}" for k, head in names.items() if k in found})
    return table_from(rows)


def comparison_table(pairs: Iterable[tuple[Entry, Entry]], scoring: Scoring | str) -> pd.DataFrame:
    """First against second linker per data set: difference of accuracy, p after Holm over the table, and
    the smallest difference that the corpus could resolve, in points and in mentions."""
    pairs = list(pairs)
    made = [(a, b) for a, b in pairs if a.record and b.record]
    found = [
        compare(
            *(recall(e.record.outcomes, 1, _parsed(scoring)) for e in pair), pair[0].record.outcomes.clusters
        )
        for pair in made
    ]
    adjusted = dict(zip([a.data for a, _ in made], holm([c.p for c in found]), strict=True))
    rows = []
    for a, b in pairs:
        row = {"data": a.data, "first": linked(a.linker, a.record), "second": linked(b.linker, b.record)}
        if (a, b) in made:
            c = found[made.index((a, b))]
            d = c.difference
            row["difference"] = in_points(d)
            row["p (Holm)"] = f"{adjusted[a.data]:.4f}"
            row["detectable"] = f"{100 * c.detectable:.1f}"
            row["in mentions"] = f"{c.detectable * d.n:,.0f}"
        else:
            row["difference"] = NOT_RUN
        rows.append(row)
    return table_from(rows)


def _parsed(scoring: Scoring | str) -> Scoring:
    return scoring if isinstance(scoring, Scoring) else Scoring.parse(scoring)


def printed_table(selections: Iterable[tuple[str, str, str, str]]) -> pd.DataFrame:
    """Printed accuracies side by side: (paper, item, system, dataset) each."""
    rows = []
    for paper, item, system, dataset in selections:
        found = reported.select(reported.table(paper, item), system=system, dataset=dataset)
        rows += [
            {
                "paper": paper,
                "item": item,
                "system": system,
                "dataset": dataset,
                "printed": row.value,
                "protocol": row.note,
            }
            for row in found.itertuples()
        ]
    return table_from(rows)


def in_percent(one: Estimate) -> str:
    """``51.7 [48.0, 55.3]``"""
    return f"{100 * one.value:.1f} [{100 * one.low:.1f}, {100 * one.high:.1f}]"


def in_points(one: Estimate) -> str:
    """``+3.0 [-0.1, +6.7]``"""
    return f"{100 * one.value:+.1f} [{100 * one.low:+.1f}, {100 * one.high:+.1f}]"
