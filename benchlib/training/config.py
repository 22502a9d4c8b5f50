"""The settings of a training."""

from typing import Annotated, Literal

import pydantic
from pydantic import ConfigDict, Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt
from pydantic.dataclasses import dataclass


@dataclass(frozen=True, config=ConfigDict(strict=True, extra="forbid", allow_inf_nan=False))
class Training:
    """How long, how fast and how carefully to train; a step is one update of the weights.

    ``steps`` is the budget: never time, which would make a result depend on the machine. ``learning_rate``
    is the peak; it rises linearly over the first ``warmup`` of the steps (a share), then falls linearly to 0
    or, with the ``schedule`` ``constant``, stays. ``weight_decay``, decoupled, spares biases and norms;
    ``eps`` is AdamW's, beside the root of the second moment. ``clip`` is the largest norm of the gradient,
    None for any. ``precision`` ``bf16`` is autocast: the weights stay as they are. Every ``evaluate_every``
    steps the dev score is taken. ``keep`` says which weights the training ends with where dev was evaluated:
    the ``best`` on dev, or the ``last``. A checkpoint is written every ``checkpoint_minutes`` (0: each step)
    and at the end. ``seed`` is that of dropout. Raises ValueError for a value that cannot be.
    """

    learning_rate: PositiveFloat
    steps: PositiveInt
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.0
    schedule: Literal["linear", "constant"] = "linear"
    weight_decay: NonNegativeFloat = 0.01
    eps: PositiveFloat = 1e-8
    clip: PositiveFloat | None = 1.0
    precision: Literal["fp32", "bf16"] = "fp32"
    evaluate_every: PositiveInt | None = None
    keep: Literal["best", "last"] = "best"
    checkpoint_minutes: NonNegativeFloat = 10.0
    seed: NonNegativeInt = 0


def first_mistake(error: pydantic.ValidationError) -> str:
    """What is wrong with the first wrong setting, as one sentence."""
    first = error.errors()[0]
    told = first["msg"].removeprefix("Value error, ")
    if first["loc"]:
        told = f"{first['loc'][0]} is {first['input']!r}; expected {told.removeprefix('Input should be ')}"
    return told
