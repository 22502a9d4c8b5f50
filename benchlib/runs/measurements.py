"""The measurements that are no linking runs, by the name of their records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..datasets.card import card
from ..datasets.perturb import perturbed
from ..datasets.strings import strings
from ..encoders.cost import cost
from ..linkers.inference import inference
from ..retrieval.exactness import exactness
from ..scoring.surface import classes

MEASUREMENTS: Mapping[str, Callable[..., Mapping[str, object]]] = {
    "card": card,
    "strings": strings,
    "surface": classes,
    "perturbed": perturbed,
    "encoder-cost": cost,
    "inference": inference,
    "retrieval-exactness": exactness,
}
"""Functions of a benchmark."""
