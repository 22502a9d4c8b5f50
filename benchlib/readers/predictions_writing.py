"""Predictions written to a file that :mod:`benchlib.readers.predictions_file` reads back."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd

from ..predictions import COLUMNS, Predictions
from .predictions_file import DELIMITERS, kind_of


def write_predictions(predictions: Predictions, path: Path | str) -> None:
    """Write the table whole or not at all; reading it gives the same :meth:`Predictions.frame`, unless a
    candidate has a name of the dictionary but no ids.

    Raises ValueError for what could not be read again: in TSV and CSV also a line break, or ``|`` in an id.
    """
    path, frame = Path(path), predictions.frame()
    kind = kind_of(path)
    ids = {id for row in frame["ids"] for id in row}
    texts = {*frame["document"], *frame["name"], *ids} if kind in DELIMITERS else set()
    if not np.isfinite(frame["score"]).all() or "" in ids:
        raise ValueError(f"{path}: expected finite scores and no empty id to write")
    if any(re.search(r"[\r\n]", text) for text in texts) or any("|" in id for id in ids & texts):
        raise ValueError(f"{path}: a line break, or | in an id, cannot be written as {kind}; use .jsonl")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if kind == ".parquet":
            frame.assign(ids=frame["ids"].map(list)).to_parquet(temporary, index=False)
        else:
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(temporary, "wt", encoding="utf-8", newline="") as file:
                _write_text(frame, kind, file)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _write_text(frame: pd.DataFrame, kind: str, file) -> None:
    rows = frame.astype({"score": float}).to_dict("records")
    if kind == ".jsonl":
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return
    table = csv.DictWriter(file, COLUMNS, delimiter=DELIMITERS[kind], lineterminator="\n")
    table.writeheader()
    table.writerows({**row, "ids": "|".join(row["ids"])} for row in rows)
