"""The papers' statistics of their data, each beside ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from pydantic import model_validator

from ..chapters.chapter import NOT_RUN
from ..pages.show import linked, table_from
from ..places import ROOT
from ..printed import reported
from ..records import Record
from ..yaml_file import YamlModel, read_yaml, validated

FILE = ROOT / "data" / "statistics.yaml"
_VALUE = re.compile(r"\{([\w-]+):([\w.]+)\}")


class Line(YamlModel):
    """A printed count, the count of ours beside it (data set, key of its card), and why they differ."""

    dataset: str = ""
    variant: str = ""
    split: str = ""
    ours: tuple[str, str] | None = None
    why: str = ""

    @model_validator(mode="after")
    def _count_or_reason(self) -> Line:
        if self.ours is None and not self.why:
            raise ValueError("either ours or why")
        return self

    @property
    def where(self) -> dict[str, str]:
        """What selects the printed count."""
        named = {"dataset": self.dataset, "variant": self.variant, "split": self.split}
        return {key: value for key, value in named.items() if value}


def read_statistics(path: Path = FILE) -> dict[str, list[Line]]:
    """Which count of ours stands beside which printed one, per table.

    Raises ValueError naming file, table and line for an unknown key or a line with neither count nor reason.
    """
    return {
        table: [validated(Line, line, f"{path.name}: {table}: line {n}") for n, line in enumerate(lines, 1)]
        for table, lines in read_yaml(path).items()
    }


def statistics(table: str, cards: Mapping[str, Record | None]) -> pd.DataFrame:
    """A statistics table of a paper with our counts beside: printed, ours, difference, why.

    ``cards`` maps a data set to its data card, None where there is no record.
    """
    paper, _, item = table.rpartition("_")
    rows = []
    for line in read_statistics()[table]:
        where = line.where
        printed = reported.cell(paper, item, **where)
        card = cards.get(line.ours[0]) if line.ours else None
        why = _VALUE.sub(lambda found: _value(cards, *found.groups()), line.why)
        row = {
            **where,
            "printed": f"{printed:,}",
            "ours": NOT_RUN,
            "difference": "",
            "why": why,
        }
        if card is not None:
            ours = card.values[line.ours[1]]
            difference = float(ours) - float(printed)
            row |= {
                "ours": linked(f"{ours:,}", card),
                "difference": f"{difference:+,.10g}" if difference else "0",
            }
        rows.append(row)
    return table_from(rows)


def _value(cards: Mapping[str, Record | None], dataset: str, name: str) -> str:
    """A value of a data card as it stands in a sentence."""
    card = cards.get(dataset)
    return f"{card.values[name]:,}" if card is not None else "(not counted here)"
