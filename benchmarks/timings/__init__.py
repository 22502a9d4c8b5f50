"""The times that the book shows: records of their own, taken here and not by ``study run``."""

from collections.abc import Callable, Mapping

from .encoding import cost
from .heads import head_times
from .learning import updates
from .linking import inference
from .searching import exactness

TIMINGS: Mapping[str, Callable[..., Mapping[str, object]]] = {
    "encoder-cost": cost,
    "head-times": head_times,
    "inference": inference,
    "retrieval-exactness": exactness,
    "updates": updates,
}
