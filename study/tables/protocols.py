"""The same predictions under many protocols, and what the mentions are."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from benchlib.results import NEEDS_TRAIN, SEEN_KINDS, SEEN_PROTOCOLS
from benchlib.scoring import PRESETS, Outcomes, Scoring, by_preset, mrr, recall

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.numbers import percent
from ..pages.show import linked, table_from
from .rows import Row, first_linked, why_not


def scores(
    results: Iterable[SystemResult],
    scorings: Sequence[Scoring | str],
    measures: Sequence[str] = ("recall@1",),
) -> pd.DataFrame:
    """One row per run, one column per measure and protocol, in percent with 95 % intervals; a missing record
    says so."""
    rows = []
    for runs in results:
        record = runs.record
        row: Row = {"data": runs.name, "linker": first_linked(runs)}
        row["n"] = f"{record.outcomes.counts['n_scored']:,}" if record else NOT_RUN
        for scoring, measure in ((scoring, measure) for scoring in scorings for measure in measures):
            head = str(scoring).removesuffix("/any-of")
            head = head if len(measures) == 1 else f"{measure} {head}"
            metric = record.metric(measure, scoring) if record else None
            row[head] = percent(metric) if metric else why_not(runs)
        rows.append(row)
    return table_from(rows)


def counts(results: Iterable[SystemResult]) -> pd.DataFrame:
    """How the counts of each run close: raw mentions, drops by reason, scored, and what scoring met."""
    rows = []
    for runs in results:
        row: Row = {"data": runs.name, "linker": first_linked(runs), "raw": NOT_RUN}
        if runs.record is not None:
            of = runs.record.outcomes.counts
            row |= {
                "raw": f"{of['n_raw']:,}",
                "dropped": dropped(of["dropped"]),
                "scored": f"{of['n_scored']:,}",
            }
            row["gold not in the ontology"] = f"{of['gold_outside_ontology']:,}"
            row["not answered"] = f"{of['unanswered']:,}"
        rows.append(row)
    return table_from(rows)


def dropped(reasons: Mapping[str, int]) -> str:
    """Mentions that are not scored by reason."""
    return ", ".join(f"{reason} {n:,}" for reason, n in reasons.items() if n) or "none"


def strata(results: Iterable[SystemResult], names: Sequence[str]) -> pd.DataFrame:
    """Per data set the share of scored mentions, in percent, that belong to each stratum."""
    rows = []
    for runs in results:
        row: Row = {"data": linked(runs.name, runs.kinds)} | dict.fromkeys([*names, "n"], NOT_RUN)
        if runs.kinds:
            mentions = runs.kinds.strata[~runs.kinds.strata["nil"]]
            row |= {"n": f"{len(mentions):,}"} | {
                name: f"{100 * mentions[name].mean():.1f}" for name in names
            }
        row |= {name: NEEDS_TRAIN for name in names if name in SEEN_KINDS and not runs.train}
        rows.append(row)
    return table_from(rows).reindex(columns=["data", *names, "n"])


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


def under_published(results: Iterable[SystemResult]) -> pd.DataFrame:
    """The main measure under every published protocol, in percent with 95 % intervals: a row each, a column
    per system.

    The same data sets for every system; protocols that count NIL want a threshold and are left out.
    """
    rows: dict[tuple[str, str], Row] = {}
    for runs in results:
        measured = runs.record is not None and runs.kinds is not None
        listed = by_preset(runs.record.outcomes, runs.kinds.strata) if measured else ()
        main = {row["protocol"]: row for row in reversed(listed)}  # the first measure of each
        for name, preset in PRESETS.items():
            if preset.scoring.nil == "with-nil":
                continue
            row = rows.setdefault((runs.name, name), {"data": runs.name, "protocol": name})
            value = percent(main[name]) if main and main[name]["n"] else why_not(runs)
            if name in SEEN_PROTOCOLS and not runs.train:
                value = NEEDS_TRAIN
            elif main and preset.scoring.among != "normalized":
                row["n"] = f"{main[name]['n']:,}"
            row[runs.label] = linked(value, runs.record)
    return table_from([*rows.values()])


def by_scoring(systems: Mapping[str, Outcomes], scorings: Iterable[Scoring]) -> pd.DataFrame:
    """Recall@1, Recall@2 and MRR of a few mentions by protocol, as shares: a column a system and measure."""
    rows = []
    for scoring in scorings:
        row: Row = {"match": scoring.match, "over": scoring.over}
        for system, found in systems.items():
            values = {f"R@{k}": recall(found, k, scoring).mean() for k in (1, 2)}
            for measure, value in (values | {"MRR": mrr(found, scoring).mean()}).items():
                row[f"{system}: {measure}"] = f"{value:.3f}".rstrip("0").rstrip(".")
        rows.append(row)
    return table_from(rows)
