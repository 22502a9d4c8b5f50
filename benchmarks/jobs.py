"""Eight short trainings, one process after the other against two side by side: the ratio of their times."""

import tempfile
import time
from pathlib import Path

from study.chapters.jobs import DataRef, Job
from study.chapters.run import on_this_machine
from study.records import Store

LINKER = "tuned,layers=2,steps=80,precision=fp32"


def seconds(processes: int) -> float:
    """What eight seeds of one training take, start of the processes included."""
    jobs = [Job(DataRef("mini"), linker=LINKER, seed=seed) for seed in range(8)]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        for job, _, error in on_this_machine(jobs, Store(Path(folder) / "records"), processes):
            if error:
                raise RuntimeError(f"{job}: {error}")
        return time.perf_counter() - started


if __name__ == "__main__":
    alone, together = seconds(1), seconds(2)
    print(f"1 process {alone:.1f} s, 2 processes {together:.1f} s: {together / alone:.2f} of it")
