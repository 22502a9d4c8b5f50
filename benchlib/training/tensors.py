"""The tensors of a training by name: weights of the model, moments of the optimizer."""

from collections.abc import Mapping

import torch
from torch import Tensor


def weights(model: torch.nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers, not copied; one that modules share has its first name only."""
    first: dict[int, tuple[str, Tensor]] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first.setdefault(id(tensor), (name, tensor.detach()))
    return dict(first.values())


def put_weights(model: torch.nn.Module, tensors: Mapping[str, Tensor]) -> None:
    """Copy into the model what :func:`weights` gave, from any device."""
    for name, tensor in weights(model).items():
        tensor.copy_(tensors[name])


def moments(model: torch.nn.Module, optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """What the optimizer keeps for each parameter: ``PARAMETER.exp_avg`` and so on, not copied."""
    return {
        f"{name}.{key}": tensor
        for name, parameter in model.named_parameters()
        for key, tensor in optimizer.state.get(parameter, {}).items()
    }


def put_moments(
    model: torch.nn.Module, optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]
) -> None:
    """Copy into a fresh optimizer what :func:`moments` gave."""
    parameters = dict(model.named_parameters())
    for full, tensor in tensors.items():
        name, _, key = full.rpartition(".")
        optimizer.state[parameters[name]][key] = tensor.to(parameters[name].device, copy=True)
