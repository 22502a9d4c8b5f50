"""The parts that all tables share: rows by system, pair and record, and cells that lead to the records."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Estimate, Scoring, over_seeds

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult, by_key
from ..pages.literal import in_html
from ..pages.show import Markup, linked, table_from
from ..places import ROOT
from ..records import Record
from ..yaml_file import read_yaml

Row = dict[str, object]
Records = Mapping[str, Record | None]
"""By data set; None where there is no record."""


def frame(rows: Sequence[Row], heads: Sequence[str] = ()) -> pd.DataFrame:
    """Rows as text cells, columns in the order of ``heads``, those that are not among them last; without the
    column ``data`` where there is one data set."""
    found = table_from(rows)
    if "data" in found and found["data"].nunique() == 1:
        found = found.drop(columns="data")
    first = [head for head in heads if head in found]
    return found[[*first, *(head for head in found if head not in first)]]


def by_system(
    results: Sequence[SystemResult],
    cells: Callable[[SystemResult], Row | None],
    not_run: str,
    name: str = "system",
    label: Callable[[SystemResult], str] | None = None,
) -> pd.DataFrame:
    """A row a system: the data set, the ``name``, and the ``cells``; no row where these are None.

    The name leads to all records unless ``label`` makes it. A system that is not made has the reason in the
    column ``not_run``.
    """
    rows, heads = [], {"data": None, name: None}
    for runs in results:
        told = cells(runs) if runs.made else {not_run: why_not(runs)}
        if told is not None:
            rows.append({"data": runs.data, name: (label or system)(runs)} | told)
            heads |= dict.fromkeys(told) if runs.made else {}
    return frame(rows, [*heads])


def by_record(
    records: Records, rows_of: Callable[[Record], Iterable[Row]], not_run: Iterable[str]
) -> list[Row]:
    """The rows of each record, led by the data set; without a record the columns ``not_run`` say so."""
    empty = [dict.fromkeys(not_run, NOT_RUN)]
    return [
        {"data": linked(data, record)} | row
        for data, record in records.items()
        for row in (rows_of(record) if record else empty)
    ]


def by_pair(
    results: Sequence[SystemResult],
    pairs: Sequence[tuple[str, str]],
    names: Sequence[str] = ("first", "second"),
) -> Iterator[tuple[Row, SystemResult, SystemResult]]:
    """The two systems of each pair of keys, data set by data set, each led by the start of its row; no pair
    twice, none of a system with itself."""
    couples: dict[tuple[SystemResult, SystemResult], None] = {}
    for data in dict.fromkeys(runs.data for runs in results):
        here = [runs for runs in results if runs.data == data]
        for a, b in pairs:
            for first in by_key(here, a):
                couples |= {(first, second): None for second in by_key(here, b) if second is not first}
    for first, second in couples:
        yield {"data": first.data, names[0]: system(first), names[1]: system(second)}, first, second


def reached(runs: SystemResult, scoring: Scoring, k: int = 1, kept: np.ndarray | None = None) -> Estimate:
    """Recall@k as a share: the mean over seeds with its interval over clusters, of the mentions ``kept``."""
    of = slice(None) if kept is None else kept
    return over_seeds([*runs.credits(k, scoring)[:, of]], runs.clusters[of])


def mean_credit(runs: SystemResult, scoring: Scoring) -> np.ndarray:
    """The credit of every counted mention, averaged over seeds."""
    return runs.credits(1, scoring).mean(axis=0)


def recall_at_1(runs: SystemResult, scoring: Scoring) -> float:
    """Recall@1 as a share: the mean over mentions and seeds."""
    return float(mean_credit(runs, scoring).mean())


def why_not(runs: SystemResult) -> str:
    return runs.system.reason or NOT_RUN


def heads(name: str) -> dict[str, str]:
    """The heads of the counts of a measurement, by the name of each, from ``data/heads.yaml``."""
    return read_yaml(ROOT / "data" / "heads.yaml")[name]


def counted(record: Record, columns: Mapping[str, str]) -> Row:
    """The counts of a measurement under the heads that stand for their names; ``a / b`` is a share, in
    percent."""

    def cell(name: str) -> str:
        part, _, whole = name.partition(" / ")
        of = record.values[part]
        return f"{100 * of / record.values[whole]:.1f}" if whole else f"{of:,}"

    return {head: cell(name) for name, head in columns.items()}


def firsts(runs: SystemResult) -> list[Record]:
    """The record of each seed, of its first fold where there are several."""
    return [of_seed[0] for of_seed in runs.records]


def each(texts: Iterable[str], records: Iterable[Record]) -> str:
    """Texts with commas between, each leading to its record."""
    return joined([linked(text, record) for text, record in zip(texts, records, strict=True)], ", ")


def joined(cells: Sequence[str], between: str) -> str:
    """One cell of several; :class:`Markup` where one of them is."""
    if not any(isinstance(cell, Markup) for cell in cells):
        return between.join(cells)
    return Markup(between.join(cell if isinstance(cell, Markup) else in_html(cell) for cell in cells))


def in_context(text: str, start: int, end: int, width: int) -> Markup:
    """A mention marked in at most ``width`` characters of text on each side."""
    before, after = text[max(0, start - width) : start], text[end : end + width]
    cut = "…" if start > width else "", "…" if end + width < len(text) else ""
    left, middle, right = (in_html(part) for part in (cut[0] + before, text[start:end], after + cut[1]))
    return Markup(f"{left}<mark>{middle}</mark>{right}")


def first_linked(runs: SystemResult) -> str:
    """The name of a system, leading to its first record."""
    return linked(runs.label, runs.record)


def system(runs: SystemResult) -> str:
    """The name of a system, leading to its record; to each of them by number where there are several."""
    name, there = linked(runs.label, runs.record), runs.there
    if len(there) < 2 or not any(record.path for record in there):
        return name
    return joined([name, " (records ", each(map(str, range(1, len(there) + 1)), there), ")"], "")
