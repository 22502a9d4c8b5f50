"""``python -m benchlib.runs DATASET ... [--name LINKER] [--change TRANSFORM]``: make published records."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from ..datasets.benchmark import SPLITS
from ..linkers import BASELINES, CATALOGUE, linker
from ..pretraining import RECIPES
from .adaptation import PREFIX, adaptation
from .compute import COMPUTE, kinds, measure, run
from .examples import PREFIX as ERRORS
from .examples import error_examples
from .measurements import MEASUREMENTS
from .store import published


def main(arguments: list[str] | None = None) -> int:
    ordinary = ["strata", *BASELINES, "card"]
    measurements = ["strata", *MEASUREMENTS, *(PREFIX + encoder for encoder in RECIPES)]
    parser = argparse.ArgumentParser(prog="python -m benchlib.runs", description=__doc__)
    parser.add_argument("datasets", nargs="+", help="registered data sets")
    parser.add_argument(
        "--name",
        action="append",
        help=f"a linker, with settings ({', '.join(CATALOGUE)}; cosines,layers=2), "
        f"{ERRORS} and a linker, or {', '.join(measurements)} (default: the baselines, strata, card)",
    )
    parser.add_argument("--change", action="append", default=[], help="a named transform; may be repeated")
    parser.add_argument("--split", choices=SPLITS, default="test", help="which mentions to link")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compute", choices=COMPUTE, default="missing")
    options = parser.parse_args(arguments)
    for name in options.name or ():
        try:
            name in measurements or linker(name.removeprefix(ERRORS))
        except ValueError as error:
            parser.error(f"argument --name: {error}, or a measurement: {', '.join(measurements)}")
    asked = {"changes": tuple(options.change), "compute": options.compute}
    for dataset in options.datasets:
        for name in options.name or ordinary:
            if name.startswith(ERRORS):
                drawn = partial(error_examples, store=published(), system=name.removeprefix(ERRORS))
                record = measure(name, drawn, dataset, published(), **asked)
            elif name in MEASUREMENTS:
                record = measure(name, MEASUREMENTS[name], dataset, published(), **asked)
            elif name.startswith(PREFIX):
                record = adaptation(name.removeprefix(PREFIX), published(), options.compute)
            elif name == "strata":
                record = kinds(dataset, published(), split=options.split, **asked)
            else:
                linking = {"seed": options.seed, "split": options.split, **asked}
                record = run(linker(name), dataset, published(), **linking)
            shown = [m for m in record.metrics if m["measure"] == "recall@1" and "any-of" in m["scoring"]]
            scores = "  ".join(f"{m['scoring'].rpartition('/')[0]} {100 * m['value']:.1f}" for m in shown)
            print(f"{record.stem}  {record.made['seconds']}  {scores}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
