"""The settings of a training."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..encoders import PRECISIONS

SCHEDULES = ("linear", "constant")
KEEPS = ("best", "last")


@dataclass(frozen=True)
class Training:
    """How long, how fast and how carefully to train; a step is one update of the weights.

    ``steps`` is the budget: never time, which would make a result depend on the machine. ``learning_rate``
    is the peak; it rises linearly over the first ``warmup`` of the steps (a share), then falls linearly to 0
    or, with the ``schedule`` ``constant``, stays. ``weight_decay``, decoupled, spares biases and norms;
    ``eps`` is AdamW's, beside the root of the second moment. ``clip`` is the largest norm of the gradient,
    None for any. An update has the mean loss of ``accumulate`` batches. ``precision`` ``bf16`` is autocast:
    the weights stay as they are. Every ``evaluate_every`` steps the dev score is taken, and ``patience``
    evaluations in a row without a better one end the training. ``keep`` says which weights it ends with
    where dev was evaluated: the ``best`` on dev, or the ``last``. A checkpoint is written every
    ``checkpoint_minutes`` (0: each step) and at the end. ``seed`` is that of dropout.

    Raises ValueError for a value that cannot be, and for ``patience`` without ``evaluate_every``.
    """

    learning_rate: float
    steps: int
    warmup: float = 0.0
    schedule: str = "linear"
    weight_decay: float = 0.01
    eps: float = 1e-8
    clip: float | None = 1.0
    accumulate: int = 1
    precision: str = "fp32"
    evaluate_every: int | None = None
    patience: int | None = None
    keep: str = "best"
    checkpoint_minutes: float = 10.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, (expected, holds) in _EXPECTED.items():
            value = getattr(self, name)
            if not holds(value) and not (value is None and name in _OPTIONAL):
                raise ValueError(f"{name}: expected {expected}, found {value!r}")
        if self.patience is not None and self.evaluate_every is None:
            raise ValueError("patience: expected evaluate_every with it, found none")


def _number(holds: Callable[[float], bool]) -> Callable[[object], bool]:
    return lambda x: isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) and holds(x)


def _whole(least: int) -> Callable[[object], bool]:
    return lambda x: isinstance(x, int) and not isinstance(x, bool) and x >= least


_POSITIVE = ("a finite number above 0", _number(lambda x: x > 0))
_NOT_NEGATIVE = ("a finite number from 0 on", _number(lambda x: x >= 0))
_COUNT = ("a whole number from 1 on", _whole(1))
_OPTIONAL = ("clip", "evaluate_every", "patience")
_EXPECTED = {
    "learning_rate": _POSITIVE,
    "steps": _COUNT,
    "warmup": ("a share from 0 to below 1", _number(lambda x: 0 <= x < 1)),
    "schedule": (" or ".join(SCHEDULES), lambda x: x in SCHEDULES),
    "weight_decay": _NOT_NEGATIVE,
    "eps": _POSITIVE,
    "clip": _POSITIVE,
    "accumulate": _COUNT,
    "precision": (" or ".join(PRECISIONS), lambda x: x in PRECISIONS),
    "evaluate_every": _COUNT,
    "patience": _COUNT,
    "keep": (" or ".join(KEEPS), lambda x: x in KEEPS),
    "checkpoint_minutes": _NOT_NEGATIVE,
    "seed": ("a whole number from 0 on", _whole(0)),
}
