"""The examples that a paper prints, beside what our linker answers to the same mentions."""

from __future__ import annotations

import csv
from collections.abc import Mapping

import pandas as pd

from benchlib.runs import Record

from ..chapter import ROOT
from ..formats import NOT_RUN
from ..show import linked, table_from

FOLDER = ROOT / "data" / "examples"
COLUMNS = ("type", "mention", "target", "printed")


def printed_examples(name: str, answers: Mapping[str, Record | None]) -> pd.DataFrame:
    """The mentions of a file of ``data/examples`` with the candidates printed and ours, best first.

    ``answers`` are the records of :mod:`benchlib.linkers.answers` by data set. Raises ValueError, naming file
    and line, for a file that has other columns.
    """
    path = FOLDER / f"{name}.csv"
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path.name}:1: expected {','.join(COLUMNS)}, found {reader.fieldnames}")
        listed = []
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(f"{path.name}:{reader.line_num}: expected {len(COLUMNS)} fields")
            listed.append(row)
    rows = []
    for record in answers.values():
        for example in listed:
            ours = record.values.get(example["mention"]) if record else None
            rows.append(
                {
                    "type": example["type"],
                    "mention": example["mention"],
                    "gold": example["target"],
                    "printed": example["printed"],
                    "ours": linked(" / ".join(ours), record) if ours else NOT_RUN,
                }
            )
    return table_from(rows)
