"""``study export FOLDER``: write the linking runs of the study with their samples, in the exchange format of
Every Eval Ever; a run takes a few MB, all of them several GB."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from ..records import published
from ..records.export import export
from .chapter import chapters
from .run import plan_with


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="study export", description=__doc__.replace("``", ""))
    parser.add_argument("folder", type=Path, help="to write to")
    parser.add_argument("--chapter", choices=chapters(), help="only the runs that this chapter asks for")
    options = parser.parse_args(arguments)
    store = published()
    if options.chapter:
        inputs = (job.inputs for job in plan_with(options.chapter).jobs() if job.linker)
        records = filter(None, map(store.find, inputs))
    else:
        records = store
    # Those of one split lie together in a file.
    linked = (record for record in records if record.counts)  # given mentions: no other run has samples
    of_split = sorted(linked, key=lambda record: (record.inputs["dataset"], record.inputs["split"]))
    for record in tqdm(of_split, unit="run"):
        export(record, options.folder)
    print(f"{len(of_split)} runs written to {options.folder}")
