"""Checkpoints: a folder each, tensors as safetensors and the rest as JSON, whole or not there at all.

One that lacks a file was being deleted when its process was killed: it counts as deleted.
"""

import json
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from ..terminal import sync
from .config import Training
from .state import Trained

Tensors = Mapping[str, Tensor]

FORMAT = 2
_TENSORS, _STATE = "tensors.safetensors", "state.json"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Make a folder and keep other trainings out of it, until this one ends or its process is killed.

    Raises RuntimeError where another is at work.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        held = FileLock(folder / "lock").acquire(blocking=False)
    except Timeout:
        raise RuntimeError(f"{folder}: another training is at work here; wait for its end") from None
    with held:
        yield


def save(folder: Path, config: Training, state: Trained, tensors: Mapping[str, Tensors]) -> Path:
    """Write a checkpoint into a folder, then delete the earlier ones; until it is whole they stay.

    ``tensors`` are the groups ``model``, ``optimizer``, ``best`` and ``carried``.
    """
    earlier = _whole(folder)
    for left_over in set(folder.glob("checkpoint-*")) - set(earlier):
        shutil.rmtree(left_over)
    path = folder / f"checkpoint-{state.step:09d}"
    new = path.with_suffix(".new")
    new.mkdir()
    flat = {f"{group}/{name}": tensor for group, named in tensors.items() for name, tensor in named.items()}
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in flat.items()}, new / _TENSORS)
    versions = {"python": platform.python_version(), "torch": torch.__version__}
    content = {"format": FORMAT, "config": asdict(config), "state": asdict(state), "versions": versions}
    (new / _STATE).write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    for written in (new / _TENSORS, new / _STATE, new):
        sync(written)
    new.rename(path)
    sync(folder)
    for old in earlier:
        shutil.rmtree(old)
    return path


def load(folder: Path, config: Training, model: Tensors) -> tuple[Trained, dict[str, Tensors]] | None:
    """The state and the groups of tensors (on the CPU) of a folder's last whole checkpoint, None without one.

    ``model`` are the weights to be trained on. Raises ValueError for a checkpoint that is broken, of another
    config, or of a model with other tensors.
    """
    if not (paths := _whole(folder)):
        return None
    path = paths[-1]
    try:
        content = json.loads((path / _STATE).read_text(encoding="utf-8"))
        written, config_then, state = content["format"], content["config"], content["state"]
        flat = load_file(path / _TENSORS)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError) as error:
        raise ValueError(f"checkpoint {path} is broken; delete it to start anew: {error!r}") from error
    if written != FORMAT:
        raise ValueError(f"checkpoint {path}: expected format {FORMAT}, found {written}")
    tensors: dict[str, dict[str, Tensor]] = {"model": {}, "optimizer": {}, "best": {}, "carried": {}}
    for name, tensor in flat.items():
        group, _, name = name.partition("/")
        tensors[group][name] = tensor
    _same("config", path, asdict(config), config_then)
    _same("model", path, _shapes(model), _shapes(tensors["model"]))
    return Trained(**state), tensors


def weights(model: torch.nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers, not copied; one that modules share has its first name only."""
    first: dict[int, tuple[str, Tensor]] = {}
    for name, tensor in model.state_dict(keep_vars=True).items():
        first.setdefault(id(tensor), (name, tensor.detach()))
    return dict(first.values())


def put_weights(model: torch.nn.Module, tensors: Tensors) -> None:
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


def put_moments(model: torch.nn.Module, optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Copy into a fresh optimizer what :func:`moments` gave."""
    parameters = dict(model.named_parameters())
    for full, tensor in tensors.items():
        name, _, key = full.rpartition(".")
        optimizer.state[parameters[name]][key] = tensor.to(parameters[name].device, copy=True)


def _same(what: str, path: Path, now: Mapping[str, object], then: Mapping[str, object]) -> None:
    for name in now | then:
        ours, theirs = now.get(name, "nothing"), then.get(name, "nothing")
        if ours != theirs:
            raise ValueError(f"checkpoint {path} is of another {what}: {name} is {theirs}, expected {ours}")


def _shapes(tensors: Tensors) -> dict[str, str]:
    return {name: f"{tensor.dtype} {tuple(tensor.shape)}" for name, tensor in tensors.items()}


def _whole(folder: Path) -> list[Path]:
    """The whole checkpoints of a folder, the last one last."""
    return sorted(
        path
        for path in folder.glob("checkpoint-*")
        if path.suffix != ".new" and all((path / name).is_file() for name in (_TENSORS, _STATE))
    )
