"""Half precision, also on processors without bfloat16 arithmetic."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

PRECISIONS = ("fp32", "bf16")
_PRODUCTS = {
    torch.nn.functional.linear,
    torch.nn.functional.scaled_dot_product_attention,
    torch.matmul,
    torch.bmm,
    Tensor.matmul,
    Tensor.__matmul__,
    Tensor.bmm,
}


@contextmanager
def autocast(device: torch.device, precision: str) -> Iterator[None]:
    """Within it matrix products of tensors of ``device`` are made in ``precision``, one of ``PRECISIONS``.

    On a processor without bfloat16 arithmetic PyTorch makes these products about eight times as slowly as
    those of float32. There both factors are rounded to bfloat16, multiplied in float32 and the product
    rounded: what the arithmetic of other processors does, but for the order of the sums.

    Raises ValueError for another precision.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}; expected one of {', '.join(PRECISIONS)}")
    bf16 = precision == "bf16"
    rounded = bf16 and device.type == "cpu" and not has_bf16()
    with (
        torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16),
        _Rounded() if rounded else nullcontext(),
    ):
        yield


def has_bf16() -> bool:
    """Whether the processor has bfloat16 arithmetic."""
    return torch.ops.mkldnn._is_mkldnn_bf16_supported()


class _Rounded(TorchFunctionMode):
    """Products in float32 of factors rounded to bfloat16, wherever autocast would make them in it."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func not in _PRODUCTS or not torch.is_autocast_enabled("cpu"):
            return func(*args, **kwargs)
        with torch.autocast("cpu", enabled=False):
            factors = (_rounded(value) for value in args)
            named = {name: _rounded(value) for name, value in kwargs.items()}
            return func(*factors, **named).to(torch.bfloat16)


def _rounded(value):
    if isinstance(value, Tensor) and value.is_floating_point():
        return value.to(torch.bfloat16).float()
    return value
