"""Predictions written to a file that :mod:`benchlib.readers.predictions_file` reads back."""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..predictions import Predictions


def write_predictions(predictions: Predictions, path: Path | str) -> None:
    """Write JSON lines, gzipped where the name ends in ``.gz``, whole or not at all.

    Reading the file gives the same :meth:`Predictions.frame`, unless a candidate has a name of the dictionary
    but no ids. Raises ValueError for another ending and for what could not be read again.
    """
    path = Path(path)
    if Path(path.name.removesuffix(".gz")).suffix != ".jsonl":
        raise ValueError(f"{path}: expected a name that ends in .jsonl or .jsonl.gz to write to")
    listed = predictions.index >= 0
    used = [predictions.candidates[i] for i in np.unique(predictions.index[listed])]
    if not np.isfinite(predictions.scores[listed]).all() or any("" in candidate.ids for candidate in used):
        raise ValueError(f"{path}: expected finite scores and no empty id to write")
    if any("\0" in text for one in used for text in (one.name, *one.ids)):
        raise ValueError(f"{path}: expected names and ids without NUL to write")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(temporary, "wt", encoding="utf-8", newline="") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in _rows(predictions))
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _rows(predictions: Predictions) -> Iterator[dict[str, object]]:
    """The rows of :meth:`Predictions.frame`, one at a time."""
    lists = zip(predictions.queries, predictions.index.tolist(), predictions.scores.tolist(), strict=True)
    for query, index, scores in lists:
        for rank, (i, score) in enumerate(zip(index, scores, strict=True), start=1):
            if i >= 0:
                candidate = predictions.candidates[i]
                yield {**query._asdict(), "rank": rank, **candidate._asdict(), "score": score}
