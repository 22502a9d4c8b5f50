"""``study record KEY``: print a record of the study, or of this machine, as JSON."""

import argparse
from collections.abc import Sequence

from .loose import rendered
from .store import local, published


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="study record", description=__doc__.replace("``", ""))
    parser.add_argument("key", help="its first 8 digits or more")
    key = parser.parse_args(arguments).key
    if (record := published().named(key) or local().named(key)) is None:
        raise ValueError(f"{key}: no record; expected at least the first 8 digits of the key of one")
    print(rendered(record).decode(), end="")
