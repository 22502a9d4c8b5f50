"""What a paper prints: its tables as they stand, and its words for their numbers beside what these are."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pandas as pd
from pydantic import model_validator

from ..pages.show import table_from
from ..places import ROOT
from ..printed import reported
from ..yaml_file import YamlModel, read_yaml, validated

FILE = ROOT / "data" / "restated.yaml"


class Restated(YamlModel):
    """A number that a paper says again (``stated``), or its word for it (``said``), and the printed cells it
    comes from: the sum of ``plus`` less that of ``minus``."""

    what: str
    stated: dict[str, str] = {}
    said: str = ""
    plus: dict[str, str]
    minus: dict[str, str] = {}

    @model_validator(mode="after")
    def _one_of_both(self) -> Restated:
        if bool(self.stated) == bool(self.said):
            raise ValueError("either stated or said")
        return self


def as_printed(printed: pd.DataFrame) -> pd.DataFrame:
    """The rows of a paper's table as :func:`study.printed.reported.table` has them: a row a system and
    variant, a column a metric, or a data set where there is one metric for several; digits and order as
    printed.

    Raises LookupError where two numbers stand in one cell, of two splits or protocols say.
    """
    over_data = printed["metric"].nunique() == 1 < printed["dataset"].nunique()
    rows: dict[tuple[str, str], dict[str, object]] = {}
    for one in printed.itertuples():
        row = rows.setdefault((one.system, one.variant), {"system": one.system, "variant": one.variant})
        column = one.dataset if over_data else one.metric.replace("recall_at_", "@")
        if column in row:
            raise LookupError(
                f"{one.system}, {one.variant}: two printed numbers in column {column}; expected one"
            )
        row[column] = one.value
    return table_from([*rows.values()])


def restated(paper: str, path: Path = FILE) -> pd.DataFrame:
    """What a paper says of its numbers beside what its tables come to, exact, and the difference.

    Raises ValueError naming file, paper and line for a line that is not as :class:`Restated` describes, and
    LookupError for a selector that no printed number matches, or for ``stated`` several.
    """
    printed = reported.select(reported.read_reported(), paper=paper)
    rows = []
    for number, line in enumerate(read_yaml(path)[paper], 1):
        one = validated(Restated, line, f"{path.name}: {paper}: line {number}")
        comes_to = _sum(printed, one.plus) - (_sum(printed, one.minus) if one.minus else 0)
        row = {"what": one.what, "stated": one.said, "from the tables": f"{comes_to:,}"}
        if one.stated:
            stated = reported.pick(printed, **one.stated)
            row |= {"stated": f"{stated:,}", "difference": f"{comes_to - stated:+,}"}
        rows.append(row)
    return table_from(rows)


def _sum(printed: pd.DataFrame, where: dict[str, str]) -> Decimal:
    found = reported.select(printed, **where)
    if found.empty:
        raise LookupError(f"no reported number matches {where}")
    return sum(map(Decimal, found["value"]), Decimal(0))
