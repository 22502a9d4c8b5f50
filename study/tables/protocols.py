"""The same predictions under many protocols, and what the mentions are."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from benchlib.results import NEEDS_TRAIN, SEEN_KINDS, SEEN_PROTOCOLS
from benchlib.scoring import PRESETS, Outcomes, Scoring, by_preset, mrr, recall

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.numbers import percent
from ..pages.show import linked, table_from


def scores(
    found: Iterable[SystemResult],
    scorings: Sequence[Scoring | str],
    measures: Sequence[str] = ("recall@1",),
    interval: bool = True,
) -> pd.DataFrame:
    """One row per run, one column per measure and protocol, in percent; a missing record says so."""
    rows = []
    for runs in found:
        record = runs.record
        row: dict[str, object] = {"data": runs.name, "linker": linked(runs.label, record)}
        row["n"] = f"{record.outcomes.counts['n_scored']:,}" if record else NOT_RUN
        for scoring in scorings:
            for measure in measures:
                head = str(scoring).removesuffix("/any-of")
                head = head if len(measures) == 1 else f"{measure} {head}"
                metric = record.metric(measure, scoring) if record else None
                text = percent(metric) if metric and interval else metric and f"{100 * metric['value']:.1f}"
                row[head] = text or runs.system.reason or NOT_RUN
        rows.append(row)
    return table_from(rows)


def counts(found: Iterable[SystemResult]) -> pd.DataFrame:
    """How the counts of each run close: raw mentions, drops by reason, scored, and what scoring met."""
    rows = []
    for runs in found:
        row: dict[str, object] = {"data": runs.name, "linker": linked(runs.label, runs.record)}
        rows.append(row)
        if runs.record is None:
            row["raw"] = NOT_RUN
            continue
        of = runs.record.outcomes.counts
        row["raw"] = f"{of['n_raw']:,}"
        row["dropped"] = ", ".join(f"{reason} {n:,}" for reason, n in of["dropped"].items() if n) or "none"
        row["scored"] = f"{of['n_scored']:,}"
        row["gold not in the ontology"] = f"{of['gold_outside_ontology']:,}"
        row["not answered"] = f"{of['unanswered']:,}"
    return table_from(rows)


def strata(found: Iterable[SystemResult], names: Sequence[str]) -> pd.DataFrame:
    """Per data set the share of scored mentions, in percent, that belong to each stratum."""
    rows = []
    for runs in found:
        row: dict[str, object] = {"data": linked(runs.name, runs.kinds)}
        mentions = runs.kinds.strata[~runs.kinds.strata["nil"]] if runs.kinds else None
        for name in names:
            needs = name in SEEN_KINDS and not runs.train
            share = NEEDS_TRAIN if needs else f"{100 * mentions[name].mean():.1f}" if runs.kinds else NOT_RUN
            row[name] = share
        row["n"] = f"{len(mentions):,}" if runs.kinds else NOT_RUN
        rows.append(row)
    return table_from(rows)


def published() -> pd.DataFrame:
    """The published protocols: what counts as right, what their papers print, and where it is said."""
    return table_from(
        [
            {
                "protocol": name,
                "counts as right": str(preset.scoring),
                "measures": ", ".join(preset.measures),
                "paper": preset.paper,
                "source": f"{preset.source}. {preset.note}".removesuffix(" "),
            }
            for name, preset in PRESETS.items()
        ]
    )


def under_published(found: Iterable[SystemResult]) -> pd.DataFrame:
    """The main measure under every published protocol, in percent: a row each, a column per system.

    The same data sets for every system; protocols that count NIL want a threshold and are left out.
    """
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for runs in found:
        values: dict[str, Mapping[str, float]] = {}
        if runs.record is not None and runs.kinds is not None:
            for row in by_preset(runs.record.outcomes, runs.kinds.strata):
                values.setdefault(row["protocol"], row)
        for name, preset in PRESETS.items():
            if preset.scoring.nil == "with-nil":
                continue
            row = rows.setdefault((runs.name, name), {"data": runs.name, "protocol": name})
            if needs := name in SEEN_PROTOCOLS and not runs.train:
                value = NEEDS_TRAIN
            else:
                there = values and values[name]["n"]
                value = f"{100 * values[name]['value']:.1f}" if there else runs.system.reason or NOT_RUN
            if values and not needs and preset.scoring.among != "normalized":
                row["n"] = f"{values[name]['n']:,}"
            row[runs.label] = linked(value, runs.record)
    return table_from(list(rows.values()))


def by_scoring(
    systems: Mapping[str, Outcomes], scorings: Iterable[Scoring], ks: Sequence[int] = (1, 2)
) -> pd.DataFrame:
    """Recall@k and MRR of a few mentions under each protocol, as shares: a column per system and measure."""
    rows = []
    for scoring in scorings:
        row: dict[str, object] = {"match": scoring.match, "over": scoring.over}
        for system, found in systems.items():
            values = {f"R@{k}": recall(found, k, scoring).mean() for k in ks}
            for measure, value in (values | {"MRR": mrr(found, scoring).mean()}).items():
                row[f"{system}: {measure}"] = f"{value:.3f}".rstrip("0").rstrip(".")
        rows.append(row)
    return table_from(rows)
