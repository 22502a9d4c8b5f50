"""Where the study lies: its checkout, what it builds, and what of it goes into an installed package."""

import os
from pathlib import Path

_PACKAGED = Path(__file__).parent / "corpora" / "packaged"  # where setup.py puts registry and mini corpus
CHECKOUT = None if _PACKAGED.is_dir() else Path(__file__).resolve().parents[1]
ROOT = CHECKOUT or Path(__file__).resolve().parents[1]
REGISTRY, MINI = ((CHECKOUT / "data" if CHECKOUT else _PACKAGED) / name for name in ("registry", "mini"))


def data_dir() -> Path:
    """The folder for everything that is made and can be made again: ``_build`` in a checkout, else
    ``benchlib`` in the user's cache (``XDG_CACHE_HOME``, or ``~/.cache``)."""
    if CHECKOUT:
        return CHECKOUT / "_build"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchlib"
