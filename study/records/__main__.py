"""``study record KEY``: print a record of the study, or of this machine, as JSON."""

import argparse
import sys
from collections.abc import Sequence

from benchlib.terminal import run_command

from .loose import rendered
from .store import local, published


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="study record", description=__doc__)
    parser.add_argument("key", help="its first 8 digits or more")
    key = parser.parse_args(arguments).key

    def work() -> int:
        record = published().named(key) or local().named(key)
        if record is None:
            raise ValueError(f"{key}: no record; expected at least the first 8 digits of the key of one")
        print(rendered(record).decode(), end="")
        return 0

    return run_command(work, "not printed")


if __name__ == "__main__":
    sys.exit(main())
