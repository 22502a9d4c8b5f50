"""Measurements that are no linking runs as tables: counts, dictionary matches, agreement, pretraining."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from ..chapters.chapter import NOT_RUN
from ..pages.numbers import percent
from ..pages.show import linked, table_from
from ..records import Record
from .rows import Records, Row, by_record, counted, frame, heads

_SHARED = {"skip": "left out", "keep": "with all their concepts"}
_PRECISION = {
    "right of those at mentions": "precision_at_mentions",
    "right of all": "precision",
    "mentions found": "recall",
}


def counts(records: Records, name: str) -> pd.DataFrame:
    """The counts of a measurement that ``data/heads.yaml`` lists under the name, a column each."""
    columns = heads(name)
    return table_from(by_record(records, lambda record: [counted(record, columns)], columns.values()))


def strings(records: Records, printed: Mapping[str, object]) -> pd.DataFrame:
    """The counts of :mod:`study.measurements.strings`, a row each, and beside those that a paper prints its
    number; ``printed`` is by key."""
    rows = []
    for data, record in records.items():
        for key, text in heads("strings").items():
            row = {"data": linked(data, record), "count": text}
            row["here"] = f"{record.values[key]:,}" if record else NOT_RUN
            rows.append(row | {"printed": f"{printed[key]:,}" if key in printed else ""})
    return table_from(rows)


def coverage(records: Records) -> pd.DataFrame:
    """What the names of a dictionary find in unlabelled text, as
    :func:`study.systems.linked_text.match_counts` counts it, and the share of test mentions with a concept
    that was found there."""
    columns = heads("covered")

    def rows(record: Record) -> Iterator[Row]:
        share = len(record.values["found"]) / record.values["test.mentions"]
        yield counted(record, columns) | {"their concept found": f"{100 * share:.1f} %"}

    return table_from(by_record(records, rows, columns.values()))


def precision(found: Mapping[str, Records]) -> pd.DataFrame:
    """The two bounds of the precision of matches, in percent with intervals over documents, and the recall:
    by data set, names matched and what becomes of those that several concepts share, as
    :func:`study.measurements.match_audit.match_precision` measures them."""

    def rows(record: Record) -> Iterator[Row]:
        for shared, said in _SHARED.items():
            values = {name: record.values[f"{shared}.{name}"] for name in ("matches", "exact")}
            row: Row = {"shared names": said, "matches": f"{values['matches']:,}"}
            row["at mentions"] = f"{values['exact']:,}"
            for head, key in _PRECISION.items():
                ends = {"value": "", "low": "_low", "high": "_high"}
                share = {name: record.values[f"{shared}.{key}{end}"] for name, end in ends.items()}
                row[head] = "" if np.isnan(share["value"]) else percent(share)
            yield row

    every = [data for records in found.values() for data in records]
    return table_from(
        [
            {"data": row["data"], "names": names} | row
            for data in dict.fromkeys(every)
            for names, records in found.items()
            for row in by_record({data: records.get(data)}, rows, [*_PRECISION][:2])
        ]
    )


def exactness(records: Records) -> pd.DataFrame:
    """How far each search is from a float64 product, as ``benchmarks.timings.searching`` measures it."""

    def rows(record: Record) -> Iterator[Row]:
        values = record.values
        for way in ("search", "faiss", "bare"):
            if f"{way}.seconds" in values:
                yield {
                    "search": way,
                    "same best score, %": f"{values[f'{way}.same_first']:.1f}",
                    f"same {values['k']} scores, %": f"{values[f'{way}.same_k']:.1f}",
                    "largest difference": f"{values[f'{way}.worst']:.0e}",
                    "seconds": f"{values[f'{way}.seconds']:.2f}",
                }

    return table_from(by_record(records, rows, ["search"]))


def pretraining(records: Iterable[Record | None]) -> pd.DataFrame:
    """What adapting an encoder took and what it did to held-out perplexity."""
    rows: list[Row] = []
    for record in records:
        if record is None:
            rows.append({"encoder": NOT_RUN})
            continue
        row = counted(record, {"tokens": "tokens", "steps": "steps", "held_out_texts": "held-out texts"})
        row["encoder"] = linked(record.inputs["config"]["encoder"], record)
        row["minutes"] = f"{record.values['seconds'] / 60:.0f}"
        row["perplexity before"] = f"{record.values['perplexity_before']:.1f}"
        rows.append(row | {"after": f"{record.values['perplexity_after']:.1f}"})
    return frame(rows, ["encoder", "tokens", "steps", "minutes"])
