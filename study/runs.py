"""``python -m study.runs``, for one version: now ``study run``."""

import sys

from .chapters.run import main

if __name__ == "__main__":
    sys.exit(main())
