"""``python -m benchlib.runs DATASET ... [--name LINKER] [--change TRANSFORM]``: make published records."""

from __future__ import annotations

import argparse
import sys

from ..datasets.card import card
from ..linkers import CATALOGUE, linker
from .compute import COMPUTE, measure, run
from .store import published


def main(arguments: list[str] | None = None) -> int:
    names = [*CATALOGUE, "card"]
    parser = argparse.ArgumentParser(prog="python -m benchlib.runs", description=__doc__)
    parser.add_argument("datasets", nargs="+", help="registered data sets")
    parser.add_argument("--name", action="append", choices=names, help="what to run (default: everything)")
    parser.add_argument("--change", action="append", default=[], help="a named transform; may be repeated")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compute", choices=COMPUTE, default="missing")
    options = parser.parse_args(arguments)
    changes = tuple(options.change)
    for dataset in options.datasets:
        for name in options.name or names:
            if name == "card":
                record = measure("card", card, dataset, published(), changes=changes, compute=options.compute)
            else:
                record = run(
                    linker(name),
                    dataset,
                    published(),
                    changes=changes,
                    seed=options.seed,
                    compute=options.compute,
                )
            shown = [m for m in record.metrics if m["measure"] == "recall@1" and "any-of" in m["scoring"]]
            scores = "  ".join(f"{m['scoring'].rpartition('/')[0]} {100 * m['value']:.1f}" for m in shown)
            print(f"{record.stem}  {record.made['seconds']}  {scores}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
