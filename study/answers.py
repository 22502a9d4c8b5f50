"""``python -m study.answers``, for one version: now ``study claims``."""

import sys

from .claims.answers import main

if __name__ == "__main__":
    sys.exit(main())
