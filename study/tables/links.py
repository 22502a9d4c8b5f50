"""Cells that lead to each of the records behind them, and what to type to make one."""

from collections.abc import Iterable, Sequence

import pandas as pd

from ..chapters.results import SystemResult
from ..pages.literal import in_html
from ..pages.show import Markup, linked, table_from
from ..records import Record


def each(texts: Iterable[str], records: Iterable[Record]) -> str:
    """Texts with commas between, each leading to its record."""
    return joined([linked(text, record) for text, record in zip(texts, records, strict=True)], ", ")


def joined(cells: Sequence[str], between: str) -> str:
    """One cell of several; :class:`Markup` where one of them is."""
    if not any(isinstance(cell, Markup) for cell in cells):
        return between.join(cells)
    return Markup(between.join(cell if isinstance(cell, Markup) else in_html(cell) for cell in cells))


def system(runs: SystemResult) -> str:
    """The name of a system, leading to its record; to each of them by number where there are several."""
    name, there = linked(runs.label, runs.record), runs.there
    if len(there) < 2 or not any(record.path for record in there):
        return name
    return joined([name, " (records ", each(map(str, range(1, len(there) + 1)), there), ")"], "")


def by_name(found: Iterable[SystemResult]) -> pd.DataFrame:
    """The linker behind each system by its name, which may break after a comma, and what is done to its
    benchmark first."""
    return table_from(
        [
            {
                "system": runs.label,
                "linker": Markup(in_html(runs.system.linker).replace(",", ",<wbr>")),
                "benchmark": ", ".join(runs.system.changes),
            }
            for runs in found
        ]
    )
