"""Runs: compute a linker's outcomes on a benchmark once, keep them as a record, load it ever after."""

from .compute import (
    adaptation,
    adaptation_inputs,
    linking_inputs,
    linking_record,
    strata_inputs,
    strata_record,
)
from .obtain import COMPUTE, MissingRecord
from .record import BrokenRecord, Record, verify
from .store import Store, local, published
from .training import trainings_of
