"""Mentions found and linked: scores end to end, gaps between systems, and a text of one's own."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
import pandas as pd

from benchlib.scoring import SpanOutcomes, by_match, spans_against

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.literal import in_html
from ..pages.numbers import percent, points
from ..pages.show import Markup, table_from
from ..printed import reported
from ..records import Record
from .rows import Row, by_pair, frame, system, why_not
from .trainings import state

_HEADS = {"precision": "precision", "recall": "recall", "f1": "F1"}


def end_to_end(
    results: Sequence[SystemResult], match: str, printed: pd.DataFrame, names: Mapping[str, str]
) -> pd.DataFrame:
    """Micro precision, recall and F1 in percent under one of ``MATCHES``, seeds together, with the printed
    ones of the same match beside, and the states of trainings; the intervals resample documents. ``names``
    are the paper's of data sets.
    """
    rows = []
    for runs in results:
        row: Row = {"data": runs.data, "system": system(runs), "F1": why_not(runs)}
        if runs.made:
            outcomes = SpanOutcomes.together(runs.spans)
            row |= {
                _HEADS[one["measure"]]: percent(one) for one in by_match(outcomes) if one["match"] == match
            }
            row["claims"] = f"{outcomes.claims.sum() / len(runs.records):,.0f}"
            row["golds"] = f"{outcomes.golds.sum() / len(runs.records):,.0f}"
            row |= state(runs)
        where = {"system": runs.system.printed, "dataset": names.get(runs.data, runs.data)}
        there = reported.select(printed, protocol=f"{match} match", **where)
        values = dict(zip(there["metric"], there["value"], strict=True)) if runs.system.printed else {}
        rows.append(row | {f"printed {head}": values.get(one, "") for one, head in _HEADS.items()})
    heads = [f"{kind}{head}" for kind in ("", "printed ") for head in _HEADS.values()]
    return frame(rows, ["data", "system", *heads, "claims", "golds", "state"])


def end_to_end_gaps(results: Sequence[SystemResult], pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """First minus second system of each pair of keys in points, seeds together, with p by permutation of
    documents after Holm over the row's pair."""
    rows = []
    for row, first, second in by_pair(results, pairs):
        if not (first.made and second.made):
            rows.append(row | {"F1": NOT_RUN})
            continue
        against = spans_against(*(SpanOutcomes.together(runs.spans) for runs in (first, second)))
        for match, measured in groupby(against, key=lambda one: one["match"]):
            gaps = {_HEADS[one["measure"]]: one for one in measured}
            told = {head: points(one) for head, one in gaps.items()}
            rows.append(row | {"match": match} | told | {"p (Holm) of F1": f"{gaps['F1']['p_holm']:.4f}"})
    return frame(rows)


def spans_in_text(record: Record | None) -> pd.DataFrame:
    """The spans that :func:`study.measurements.mention_detection.detect_in_text` found, each with its concept
    and the runner-up, and the share that each has among all concepts, in percent."""
    if record is None:
        return table_from([{"mention": NOT_RUN, "concept": ""}])
    rows = []
    for one in record.values["spans"]:
        row: Row = {"mention": record.values["text"][one["start"] : one["end"]]}
        for before, head in (("", "concept"), ("next_", "runner-up")):
            if f"{before}id" in one:
                row[head] = f"{one[f'{before}name']} ({one[f'{before}id']})"
                row[f"share of {head}, %"] = f"{100 * np.exp(one[f'{before}score']):.1f}"
        rows.append(row)
    return table_from(rows or [{"mention": "none found", "concept": ""}])


def marked_text(record: Record | None) -> str:
    """The text as HTML, with each span marked and its concept where a pointer rests; of those that overlap,
    the one that begins first."""
    if record is None:
        return ""
    text, at, parts = record.values["text"], 0, []
    for one in record.values["spans"]:
        if one["start"] >= at:
            inside = in_html(text[one["start"] : one["end"]])
            told = in_html(f"{one['name']} ({one['id']})")
            parts += [in_html(text[at : one["start"]]), f'<mark title="{told}">{inside}</mark>']
            at = one["end"]
    return Markup(f"<p>{''.join(parts)}{in_html(text[at:])}</p>")
