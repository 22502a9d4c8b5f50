"""Measurements that are no linking runs as tables: strings, times, costs, agreement, pretraining."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.show import linked, table_from
from ..printed import reported
from ..records import Record

Records = Mapping[str, Record | None]
"""By data set; None where there is no record."""

STRINGS = {
    "dictionary.concepts": "entities of the list",
    "learn.mentions": "training mentions in the file",
    "learn.distinct": "distinct strings among these",
    "learn.distinct_no_canonical": "distinct strings that are not the canonical name of their entity",
    "learn.folded": "distinct strings, case-folded",
    "test.mentions": "test mentions",
    "test.distinct": "distinct strings among these",
    "test.seen": "test mentions that are a training string, case-folded",
    "test.concepts": "entities with a test mention",
    "test.largest_3": "test mentions of the three most frequent entities",
    "test.nil": "test mentions without an entity",
}
"""The counts of :mod:`study.measurements.strings` in words."""


HELD_OUT = {
    "concepts": "concepts",
    "concepts.held_out": "of them held out",
    "train.mentions": "training mentions",
    "train.left_out": "of them left out",
    "dev.mentions": "dev mentions",
    "dev.nil": "NIL before",
    "dev.held_out": "NIL by this",
    "test.mentions": "test mentions",
    "test.nil": "NIL before, test",
    "test.held_out": "NIL by this, test",
}
"""The counts of :func:`study.corpora.hold_out.held_out_counts` in words."""


def counted(record: Record | None, heads: Mapping[str, str]) -> dict[str, str]:
    """The counts of a measurement under the heads that stand for their names."""
    return {head: f"{record.values[name]:,}" if record else NOT_RUN for name, head in heads.items()}


def strings(found: Records, printed: Mapping[str, object]) -> pd.DataFrame:
    """The counts of ``STRINGS``, and beside those that a paper prints its number; ``printed`` is by key."""
    rows = []
    for data, record in found.items():
        for key, text in STRINGS.items():
            row = {"data": linked(data, record), "count": text}
            row["here"] = f"{record.values[key]:,}" if record else NOT_RUN
            rows.append(row | {"printed": f"{printed[key]:,}" if key in printed else ""})
    return table_from(rows)


def times(found: Records, printed: pd.DataFrame, systems: Sequence[SystemResult]) -> pd.DataFrame:
    """Seconds to link all test mentions and mentions a second, as ``benchmarks.timings.linking``
    measures them; the printed seconds stand beside what was timed for each of ``systems``."""
    seconds = reported.select(printed, metric="inference_seconds").set_index("system")["value"]
    theirs = {
        runs.system.timed: seconds[runs.system.printed]
        for runs in systems
        if runs.system.printed in seconds.index and runs.system.linker
    }
    rows = []
    for data, record in found.items():
        if record is None:
            rows.append({"data": data, "seconds": NOT_RUN})
            continue
        values = record.values
        for key in (name for name in values if f"{name}.runs" in values):
            runs = values[f"{key}.runs"]
            rows.append(
                {
                    "data": linked(data, record),
                    "system": key,
                    "seconds": f"{values[key]:.2f}",
                    "fastest to slowest": f"{min(runs):.2f} to {max(runs):.2f}",
                    "mentions a second": f"{values['n.mentions'] / values[key]:,.0f}",
                    "printed seconds": theirs.get(key, ""),
                }
            )
    return table_from(rows)


def cost(found: Records) -> pd.DataFrame:
    """Texts and mentions a second by way of encoding, as ``benchmarks.timings.encoding`` measures
    them."""
    rows = []
    for data, record in found.items():
        if record is None:
            rows.append({"data": data, "a second": NOT_RUN})
            continue
        for name, value in record.values.items():
            of, _, way = name.partition(".")
            if of != "n":
                rate = f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"
                rows.append({"data": linked(data, record), "of": of, "encoder": way, "a second": rate})
    return table_from(rows)


def exactness(found: Records) -> pd.DataFrame:
    """How far each search is from a float64 product, as ``benchmarks.timings.searching`` measures it."""
    rows = []
    for data, record in found.items():
        if record is None:
            rows.append({"data": data, "search": NOT_RUN})
            continue
        for way in ("search", "faiss", "bare"):
            of = {k.partition(".")[2]: v for k, v in record.values.items() if k.startswith(f"{way}.")}
            if of:
                rows.append(
                    {
                        "data": linked(data, record),
                        "search": way,
                        "same best score, %": f"{of['same_first']:.1f}",
                        f"same {record.values['k']} scores, %": f"{of['same_k']:.1f}",
                        "largest difference": f"{of['worst']:.0e}",
                        "seconds": f"{of['seconds']:.2f}",
                    }
                )
    return table_from(rows)


def pretraining(records: Iterable[Record | None]) -> pd.DataFrame:
    """What adapting an encoder took and what it did to held-out perplexity."""
    rows = []
    for record in records:
        if record is None:
            rows.append({"encoder": NOT_RUN})
            continue
        values = record.values
        rows.append(
            {
                "encoder": linked(record.inputs["config"]["encoder"], record),
                "tokens": f"{values['tokens']:,}",
                "steps": f"{values['steps']:,}",
                "minutes": f"{values['seconds'] / 60:.0f}",
                "held-out texts": f"{values['held_out_texts']:,}",
                "perplexity before": f"{values['perplexity_before']:.1f}",
                "after": f"{values['perplexity_after']:.1f}",
            }
        )
    return table_from(rows)


def cut_entities(found: Records) -> pd.DataFrame:
    """Concepts whose text is cut, and test mentions of them, as
    :func:`study.measurements.entity_lengths.entity_lengths` counts them."""
    rows = []
    for data, record in found.items():
        rows.append(row := {"data": linked(data, record), "concepts": NOT_RUN})
        if record:
            values = record.values
            row["concepts"], row["test mentions"] = f"{values['concepts']:,}", f"{values['test.mentions']:,}"
            row["concepts cut, %"] = f"{100 * values['cut'] / values['concepts']:.1f}"
            row["mentions of them, %"] = f"{100 * values['test.cut'] / values['test.mentions']:.1f}"
    return table_from(rows)


def held_out(found: Mapping[str, Records]) -> pd.DataFrame:
    """What holding concepts out does, by how they are chosen and data set, as
    :func:`study.corpora.hold_out.held_out_counts` counts it."""
    rows = []
    for way, records in found.items():
        for data, record in records.items():
            rows.append({"held out": way, "data": linked(data, record), **counted(record, HELD_OUT)})
    return table_from(rows)
