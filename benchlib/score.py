"""``python -m benchlib.score``, for one version: now ``benchlib score``."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main(["score", *sys.argv[1:]]))
