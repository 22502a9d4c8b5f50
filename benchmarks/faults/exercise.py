"""A small training, and processes that make its record and are killed at it."""

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from tiny import tiny_encoder

from benchlib import encoder
from benchlib.training import Training
from study.corpora import load
from study.records import Record, Store, linking_inputs, linking_record, trainings_of, verify
from study.systems import TunedLinker

DISK = ("open", "fsync", "replace", "rename", "unlink", "rmdir", "mkdir", "close")


class Exercise:
    """One small training on the embedded corpus, its record as it must be, and a folder for broken ones."""

    def __init__(self, folder: Path, rng: random.Random):
        torch.set_num_threads(1)  # no threads that a fork would lose
        encoder.Training = partial(Training, checkpoint_minutes=0)  # a checkpoint after every step
        self.folder, self.rng, self.benchmark = folder, rng, load("mini")
        self.linker = TunedLinker(
            tiny_encoder(folder / "encoder"), steps=8, concepts=8, precision="fp32", progress=False
        )
        self.inputs = linking_inputs(self.linker, self.benchmark)
        [self.training] = trainings_of(self.linker, self.inputs)
        self.expected = self.make(Store(folder / "never-killed" / "records"))
        started = time.perf_counter()
        self.make(self.store("second"))  # the first has imports to wait for
        self.seconds = time.perf_counter() - started

    def store(self, name: str) -> Store:
        """An empty one."""
        shutil.rmtree(self.folder / name, ignore_errors=True)
        return Store(self.folder / name / "records")

    def make(self, store: Store, seed: int = 0) -> Record:
        return linking_record(self.linker, self.benchmark, store, seed=seed)

    def whole(self, store: Store, done: bool = False) -> bool:
        """Whether the record is there; whatever is there must be whole, as of a training never killed."""
        found = list(store)
        for record in found:
            verify(record)
            assert (record.key, record.metrics) == (self.expected.key, self.expected.metrics)
            for name, array in vars(self.expected.outcomes).items():
                assert np.array_equal(getattr(record.outcomes, name), array)
            assert record.made["weights"] == self.expected.made["weights"]
            assert without_seconds(record) == without_seconds(self.expected)
        if done:
            assert len(found) == 1 and len(list(store.folder.glob("new/*"))) == 2
            assert not list(store.trainings.iterdir())
        return bool(found)

    def steps(self, store: Store) -> int:
        """Of the last whole checkpoint."""
        found = store.training_of(self.training).glob("checkpoint-*[0-9]")
        return max((int(p.name[-9:]) for p in found if len(list(p.iterdir())) == 2), default=0)


def without_seconds(record: Record) -> list[dict]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in record.trace]


def child(work: Callable[[], object], kill_after: float | None = None) -> int:
    """The status of a process that does this: 0 done, 1 it raised, negative a signal."""
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def counted(work: Callable[[], object], last: int, note: Path | None = None) -> None:
    """Do this, and die before call number ``last`` of those that touch the disk; note how many there are."""
    calls = 0

    def counting(function, *arguments, **named):
        nonlocal calls
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
        calls += 1
        return function(*arguments, **named)

    for name in DISK:
        setattr(os, name, partial(counting, getattr(os, name)))
    work()
    if note:
        note.write_text(str(calls))
