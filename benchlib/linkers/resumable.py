"""Trainings of linkers that go on after a kill."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..datasets.benchmark import Benchmark
from .linker import Linker

TRAININGS = Path(__file__).resolve().parents[2] / "_build" / "trainings"


@contextmanager
def resumable(linker: Linker, benchmark: Benchmark, seed: int) -> Iterator[Path]:
    """A folder for the checkpoints of one training: the same for the same linker, benchmark and seed.

    It outlives a training that is killed, so that the next one goes on from there, and not one that ends:
    what was asked to be run afresh is.
    """
    identity = [linker.name, linker.version, linker.config, benchmark.fingerprint(), seed]
    folder = TRAININGS / hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
