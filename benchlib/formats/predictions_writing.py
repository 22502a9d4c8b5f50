"""Predictions written to a file that :mod:`benchlib.formats.predictions_file` reads back."""

import gzip
import json
from itertools import chain
from pathlib import Path

from ..predictions import Predictions
from ..terminal import write


def write_predictions(predictions: Predictions, path: Path | str) -> None:
    """Write JSON lines, gzipped where the name ends in ``.gz``, whole or not at all.

    Reading the file gives the same :meth:`Predictions.frame`, unless a candidate has a name of the dictionary
    but no ids. Raises ValueError for another ending and for what could not be read again.
    """
    path = Path(path)
    if Path(path.name.removesuffix(".gz")).suffix != ".jsonl":
        raise ValueError(f"{path}: expected a name that ends in .jsonl or .jsonl.gz to write to")
    rows = predictions.frame()
    ids = set(chain.from_iterable(rows["ids"]))
    if "" in ids:
        raise ValueError(f"{path}: expected no empty id to write")
    if any("\0" in text for text in {*rows["name"], *ids}):
        raise ValueError(f"{path}: expected names and ids without NUL to write")
    listed = rows.itertuples(index=False)
    text = "".join(json.dumps(row._asdict(), ensure_ascii=False) + "\n" for row in listed)
    write(path, gzip.compress(text.encode()) if path.suffix == ".gz" else text)
