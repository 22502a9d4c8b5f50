"""``python -m benchmarks.timings [CHAPTER ...]``: take the times that chapters show and that are missing."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchlib.terminal import run_command
from study.chapters.chapter import CHAPTERS, chapters
from study.chapters.run import plan_with
from study.measurements import measure
from study.places import ROOT

from . import TIMINGS


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    there = chapters(root / CHAPTERS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timings", description=__doc__)
    parser.add_argument("chapters", nargs="*", metavar="CHAPTER", help="by default all")
    parser.add_argument("-p", "--parameter", nargs=2, action="append", default=[], dest="given",
                        metavar=("NAME", "VALUE"), help="a parameter of the notebooks")  # fmt: skip
    parser.add_argument("--again", action="store_true", help="also those that have a record")
    options = parser.parse_args(arguments)
    compute = "always" if options.again else "missing"

    def work() -> int:
        for name in options.chapters or there:
            plan = plan_with(name, dict(options.given), root)
            for job in plan.jobs(plan.chapter.measured):
                if job.timing and (options.again or not plan.store.has(job.inputs)):
                    print(job, flush=True)
                    how = {"changes": job.changes, "arguments": dict(job.arguments), "compute": compute}
                    take = TIMINGS[job.measurement]
                    measure(job.measurement, job.data.benchmark, plan.store, **how, function=take)
        return 0

    return run_command(work, "not timed", status=2)


if __name__ == "__main__":
    sys.exit(main())
