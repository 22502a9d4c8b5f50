"""The training loop of every system."""

import math
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from ..encoders.precision import autocast
from . import checkpoint
from .checkpoint import moments, put_moments, put_weights, weights
from .config import Training
from .optimizer import adamw, rate
from .state import Trained


def train(
    model: torch.nn.Module,
    batch_at: Callable[[int], Any],
    loss_of: Callable[[torch.nn.Module, Any, float], torch.Tensor],
    config: Training,
    *,
    evaluate: Callable[[torch.nn.Module], float] | None = None,
    carried: dict[str, torch.Tensor] | None = None,
    watched: Mapping[str, float] | None = None,
    folder: Path | None = None,
    progress: bool = True,
) -> Trained:
    """Train a model in place; it ends in evaluation mode.

    ``batch_at(number)`` is the batch of update 0, 1, ...; ``loss_of(model, batch, share)`` is its scalar
    loss, ``share`` the part of the training that is done, 0 to 1. ``evaluate(model)`` is the score on dev,
    higher is better; it is taken every ``config.evaluate_every`` steps and after the last. ``carried`` holds
    what ``batch_at`` keeps between calls besides the number, such as the ranking that was mined last: it goes
    into each checkpoint and is put back on resume. ``watched`` is what ``loss_of`` tells besides, as it is
    after each update: it stands in the trace. With a ``folder``, one of its own for each training, a training
    killed there goes on from its last checkpoint, and a finished one returns at once. On a CPU the end is
    then bitwise that of a training never killed: dropout is seeded anew for each batch.

    Raises ValueError for a model without trainable parameters, a checkpoint that does not fit, bf16 on a
    GPU without it, or ``evaluate`` without ``config.evaluate_every`` or the other way round;
    FloatingPointError naming the step for a loss or gradient that is not finite, before it reaches the
    weights, and for such a dev score, while the last checkpoint stays; RuntimeError where another training
    is at work in the folder.
    """
    if (evaluate is None) != (config.evaluate_every is None):
        raise ValueError("expected evaluate and evaluate_every together, found one of them")
    optimizer = adamw(model, config)
    trained = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    device = trained[0].device
    bf16 = config.precision == "bf16"
    if bf16 and device.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise ValueError("precision: expected fp32 on a GPU without bf16, found bf16")
    carried = {} if carried is None else carried
    state, best = Trained(), {}
    here = nullcontext() if folder is None else checkpoint.alone(folder)
    with torch.random.fork_rng([device] if device.type == "cuda" else []), here:
        if folder is not None and (resumed := checkpoint.load(folder, config, weights(model))):
            state, tensors = resumed
            put_weights(model, tensors["model"])
            put_moments(model, optimizer, tensors["optimizer"])
            best = tensors["best"]
            carried |= tensors["carried"]

        saved = perf_counter()
        started = saved - state.seconds
        with tqdm(total=config.steps, initial=state.step, desc="train", disable=not progress) as bar:
            while not state.done:
                share = state.step / config.steps
                for group in optimizer.param_groups:
                    peak = config.learning_rate * group["times"]
                    group["lr"] = peak * rate(share, config.warmup, config.schedule)
                optimizer.zero_grad()
                torch.manual_seed(_seed(config.seed, state.step))
                batch = batch_at(state.step)
                model.train()
                with autocast(device, config.precision):
                    loss = loss_of(model, batch, share)
                loss.backward()
                norm = torch.nn.utils.clip_grad_norm_(trained, config.clip or math.inf)
                loss_value, norm_value = torch.stack([loss.detach().float(), norm.float()]).tolist()
                state.step += 1
                _finite(state.step, loss=loss_value, gradient_norm=norm_value)
                optimizer.step()

                state.done = state.step == config.steps
                score = None
                if evaluate is not None and (state.done or state.step % config.evaluate_every == 0):
                    model.eval()
                    with torch.no_grad():
                        score = float(evaluate(model))
                    _finite(state.step, dev_score=score)
                    if state.judge(score) and config.keep == "best":
                        best = {name: tensor.clone() for name, tensor in weights(model).items()}
                state.seconds = perf_counter() - started
                state.note(loss_value, norm_value, score, **(watched or {}))
                bar.set_postfix(loss=f"{loss_value:.4f}", refresh=False)
                bar.update()

                due = perf_counter() - saved >= 60 * config.checkpoint_minutes
                if folder is not None and (due or state.done):
                    groups = {"model": weights(model), "optimizer": moments(model, optimizer)}
                    checkpoint.save(folder, config, state, groups | {"best": best, "carried": carried})
                    saved = perf_counter()

    if best:
        put_weights(model, best)
    model.eval()
    return state


def _seed(seed: int, number: int) -> int:
    """A seed of torch for each batch: its dropout is the same whatever was computed before."""
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


def _finite(step: int, **values: float) -> None:
    for name, value in values.items():
        if not math.isfinite(value):
            raise FloatingPointError(
                f"step {step}: expected a finite {name.replace('_', ' ')}, found {value}"
            )
