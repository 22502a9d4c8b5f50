"""``study book``: build the book of this checkout and print where it is."""

import argparse
import sys
import time
from collections.abc import Sequence

from ..corpora.files import data_folder
from ..places import ROOT
from .build import BuildError, build
from .layout import Layout


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="study book", description=__doc__.replace("``", ""))
    parser.add_argument("--jobs", type=int, default=2, help="pages that run side by side (default 2)")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    try:
        # Which corpora are at hand decides whether a page can show an excerpt of them.
        at_hand = sorted(str(path) for path in data_folder().rglob("*"))
        index = build(Layout(ROOT), *at_hand, jobs=options.jobs)
    except (BuildError, ValueError) as error:
        print(f"the book was not built\n{error}", file=sys.stderr)
        return 1
    print(f"built in {time.perf_counter() - started:.0f} s: {index}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
