"""Vectors kept on disk."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np


def cached(
    folder: str | Path, encoder: str, texts: Sequence, compute: Callable[[], np.ndarray]
) -> np.ndarray:
    """What ``compute`` gives for these texts, from the folder where it was kept before.

    ``encoder`` says everything that the vectors depend on but the texts: the fingerprint of the
    weights, pooling, length, precision. ``texts`` are strings, or tuples of strings and numbers such as
    (text, start, end). Two files a result: an array, and a JSON that names the encoder and the checksum
    of the array. Files that do not fit each other or the question are warned of and made anew.
    """
    folder = Path(folder)
    key = hashlib.sha256(json.dumps([encoder, list(texts)]).encode()).hexdigest()
    array, note = folder / f"{key}.npy", folder / f"{key}.json"
    if array.is_file() and note.is_file():
        try:
            said = json.loads(note.read_text(encoding="utf-8"))
            if said == _note(encoder, key, array):
                return np.load(array, allow_pickle=False)
            reason = "checksum, encoder or texts differ"
        except (ValueError, OSError) as error:
            reason = str(error)
        warnings.warn(f"cached vectors {array.name} are not usable, computed anew: {reason}", stacklevel=2)
    vectors = compute()
    folder.mkdir(parents=True, exist_ok=True)
    _replace(array, lambda file: np.save(file, vectors, allow_pickle=False))
    _replace(note, lambda file: file.write(json.dumps(_note(encoder, key, array), indent=1).encode()))
    return vectors


def _note(encoder: str, key: str, array: Path) -> dict[str, str]:
    with array.open("rb") as file:
        return {
            "encoder": encoder,
            "key": key,
            "sha256": hashlib.file_digest(file, "sha256").hexdigest(),
        }


def _replace(path: Path, write: Callable) -> None:
    """Write a file beside its place and move it there, so that no reader sees half of it."""
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise
