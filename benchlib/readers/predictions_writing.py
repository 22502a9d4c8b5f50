"""Predictions written to a file that :mod:`benchlib.readers.predictions_file` reads back."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np

from ..predictions import Predictions


def write_predictions(predictions: Predictions, path: Path | str) -> None:
    """Write JSON lines, gzipped where the name ends in ``.gz``, whole or not at all.

    Reading the file gives the same :meth:`Predictions.frame`, unless a candidate has a name of the dictionary
    but no ids. Raises ValueError for another ending and for what could not be read again.
    """
    path, frame = Path(path), predictions.frame()
    if Path(path.name.removesuffix(".gz")).suffix != ".jsonl":
        raise ValueError(f"{path}: expected a name that ends in .jsonl or .jsonl.gz to write to")
    if not np.isfinite(frame["score"]).all() or any("" in ids for ids in frame["ids"]):
        raise ValueError(f"{path}: expected finite scores and no empty id to write")
    rows = frame.astype({"score": float}).to_dict("records")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(temporary, "wt", encoding="utf-8", newline="") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
