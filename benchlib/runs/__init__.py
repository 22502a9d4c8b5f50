"""Runs: compute a linker's outcomes on a benchmark once, keep them as a record, load it ever after."""

from .adaptation import adaptation
from .compute import Entry, MissingRecord, collect, kinds, measure, run
from .record import Record
from .store import Store, local, published

__all__ = [
    "Entry",
    "MissingRecord",
    "Record",
    "Store",
    "adaptation",
    "collect",
    "kinds",
    "local",
    "measure",
    "published",
    "run",
]
