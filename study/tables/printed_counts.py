"""The papers' statistics of their data, each beside ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import yaml

from ..runs import Record
from . import reported
from .scores import NOT_RUN
from .show import table_from

FILE = Path(__file__).resolve().parents[2] / "data" / "statistics.yaml"
_VALUE = re.compile(r"\{([\w-]+):([\w.]+)\}")
_KEYS = {"dataset", "variant", "split", "ours", "why"}


def load(path: Path = FILE) -> dict[str, list[dict]]:
    """Which count of ours stands beside which printed one, per table.

    Raises ValueError naming file and table for an unknown key or a line with neither count nor reason.
    """
    tables = yaml.safe_load(path.read_text(encoding="utf-8"))
    for table, lines in tables.items():
        for line in lines:
            if unknown := set(line) - _KEYS:
                raise ValueError(f"{path.name}: {table}: unknown key {', '.join(sorted(unknown))}")
            if "ours" not in line and "why" not in line:
                raise ValueError(f"{path.name}: {table}: {line} has neither ours nor why")
    return tables


def statistics_table(table: str, cards: Mapping[str, Record | None]) -> pd.DataFrame:
    """A statistics table of a paper with our counts beside: printed, ours, difference, why.

    ``cards`` maps a data set to its data card, None where there is no record.
    """
    paper, _, item = table.rpartition("_")
    rows = []
    for line in load()[table]:
        where = {key: line[key] for key in ("dataset", "variant", "split") if key in line}
        printed = reported.cell(paper, item, **where)
        card = cards.get(line["ours"][0]) if "ours" in line else None
        why = _VALUE.sub(lambda found: _value(cards, *found.groups()), line.get("why", ""))
        row = {
            **where,
            "printed": f"{printed:,}",
            "ours": NOT_RUN,
            "difference": "",
            "why": why,
        }
        if card is not None:
            ours = card.values[line["ours"][1]]
            difference = float(ours) - float(printed)
            row |= {"ours": f"{ours:,}", "difference": f"{difference:+,.10g}" if difference else "0"}
        rows.append(row)
    return table_from(rows)


def _value(cards: Mapping[str, Record | None], dataset: str, name: str) -> str:
    """A value of a data card as it stands in a sentence."""
    card = cards.get(dataset)
    return f"{card.values[name]:,}" if card is not None else "(not counted here)"
