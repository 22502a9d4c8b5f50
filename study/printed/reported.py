"""The papers' printed numbers: one row a number, each with the place it stands in."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from ..corpora.tsv import csv_rows
from ..places import ROOT

COLUMNS = ("paper", "item", "system", "variant", "dataset", "split", "metric", "value", "unit", "std", "note")
FOLDER = ROOT / "data" / "reported"

Selector = Mapping[str, "str | Sequence[str]"]


@cache
def read_reported(folder: Path = FOLDER) -> pd.DataFrame:
    """Every printed number as text, digits as printed, in order of file name and line.

    ``protocol`` is added to the columns of the files: the first segment of ``note``, which says what a
    number was measured under. Raises ValueError for a folder without a file, and (path:line) for a file of
    other columns or a row of another length.
    """
    rows = [row for path in sorted(folder.glob("*.csv")) for _, row in csv_rows(path, COLUMNS)]
    if not rows:
        raise ValueError(f"{folder}: expected CSV files of reported numbers, found none")
    frame = pd.DataFrame(rows, columns=[*COLUMNS], dtype=object)
    return frame.assign(protocol=frame["note"].str.split(";").str[0])


def select(rows: pd.DataFrame, **where: str | Sequence[str]) -> pd.DataFrame:
    """The rows whose columns have the given text, or one of the given texts, in file order.

    Raises ValueError for a column that does not exist.
    """
    chosen = np.ones(len(rows), dtype=bool)
    for column, texts in where.items():
        if column not in rows.columns:
            raise ValueError(f"no column {column!r} in the reported numbers; there are {list(rows.columns)}")
        chosen &= rows[column].isin([texts] if isinstance(texts, str) else texts).to_numpy()
    return rows[chosen]


def only(rows: pd.DataFrame, **where: str | Sequence[str]) -> str:
    """The one number that ``where`` selects, as printed, "" for none; raises LookupError for several."""
    found = select(rows, **where)["value"]
    if len(found) > 1:
        raise LookupError(f"{len(found)} printed numbers match {where}; expected one")
    return found.iloc[0] if len(found) else ""


def pick(rows: pd.DataFrame, **where: str | Sequence[str]) -> Decimal:
    """The value of the one row that ``where`` selects, exact; raises LookupError unless it is one."""
    number = only(rows, **where)
    if not number:
        raise LookupError(f"no printed number matches {where}; expected one")
    return Decimal(number)


def cell(paper: str, item: str, **where: str | Sequence[str]) -> Decimal:
    """One printed number, for example ``cell("biocom", "table1", system="BioCoM", dataset="NCBID")``.

    Raises LookupError, naming the selector, unless exactly one row matches.
    """
    return pick(read_reported(), paper=paper, item=item, **where)


def table(paper: str, item: str) -> pd.DataFrame:
    """The rows of one table, figure or text, long form, in print order; raises LookupError for none."""
    found = select(read_reported(), paper=paper, item=item)
    if found.empty:
        raise LookupError(f"no reported numbers of {paper} {item}")
    return found.reset_index(drop=True)
