"""What was timed side by side: systems against each other, round by round."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchlib.scoring import Estimate

from .templates import System
from .trainings import ratio

Values = Mapping[str, Any]
"""Those of ``benchmarks.timings.linking`` or ``benchmarks.timings.learning``."""


def timed(system: System, batch: int | None = None) -> str:
    """Under which name the seconds of a system stand, those with ``batch`` passes a call if it is said."""
    return system.timed if batch is None else f"{system.timed} by {batch}"


def fastest(values: Values, system: System, batches: tuple[int, ...]) -> int:
    """The number of passes a call with which a system takes the least time."""
    return min(batches, key=lambda batch: values[timed(system, batch)])


def seconds_ratio(values: Values, first: str, second: str) -> Estimate:
    """The seconds of one divided by those of another, round by round (:func:`ratio`)."""
    return ratio(*(np.array([values[f"{of}.runs"]]) for of in (first, second)))
