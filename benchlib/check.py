"""``python -m benchlib.check``, for one version: now ``benchlib check``."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main(["check", *sys.argv[1:]]))
