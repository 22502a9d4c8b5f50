"""Vectors of names on disk: computed once for what they are made of, part by part, and mapped into memory."""

import hashlib
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from filelock import FileLock
from tqdm import tqdm

PART = 2_000  # names that are lost at most when the computation is stopped


def cache_folder() -> Path:
    """Where vectors are kept by default: ``benchlib/vectors`` in the user's cache (``XDG_CACHE_HOME``, or
    ``~/.cache``)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchlib" / "vectors"


def cached_vectors(
    encode: Callable[[Sequence[str]], np.ndarray],
    fingerprint: str,
    names: Sequence[str],
    folder: Path,
    progress: bool = False,
) -> np.ndarray:
    """``encode(names)``, names × width, float32, mapped into memory from a file of ``folder``.

    The file is found again by the ``fingerprint`` of the encoder and by the names in their order. Where it is
    not there, ``PART`` names at a time are encoded and written: after a stop the finished parts are read.
    """
    digest = hashlib.sha256(fingerprint.encode())
    for name in names:
        digest.update(b"\0" + name.encode())
    path = folder / f"{digest.hexdigest()}.npy"
    if path.exists():
        return np.load(path, mmap_mode="c")
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")):  # another process may be at the same names
        if not path.exists():
            parts = path.with_suffix(".parts")
            parts.mkdir(exist_ok=True)
            with tqdm(total=len(names), unit="name", disable=not progress) as bar:
                for first in range(0, len(names), PART):
                    block = names[first : first + PART]
                    if not (part := parts / f"{first}.npy").exists():
                        _write(part, [encode(block)])
                    bar.update(len(block))
            _write(path, [np.load(parts / f"{first}.npy") for first in range(0, len(names), PART)])
            shutil.rmtree(parts, ignore_errors=True)
    return np.load(path, mmap_mode="c")


def _write(path: Path, blocks: Sequence[np.ndarray]) -> None:
    """Write the rows of the blocks as one float32 array: whole, or not at all."""
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with scratch.open("wb") as file:
            np.save(file, np.concatenate(blocks).astype(np.float32, copy=False))
        os.replace(scratch, path)
    finally:
        scratch.unlink(missing_ok=True)
