"""The start of the program ``benchlib``; Ctrl-C ends it with one word and status 130 while it loads, too."""

import os
import signal
import sys


def main() -> int:
    """The exit status of :func:`benchlib.command.main`."""
    signal.signal(signal.SIGINT, _stop)  # nothing is there yet that an exception would clean up
    from .command import main

    signal.signal(signal.SIGINT, signal.default_int_handler)
    status = main()
    signal.signal(signal.SIGINT, _stop)
    return status


def _stop(*_: object) -> None:
    os.write(2, b"\nstopped\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
