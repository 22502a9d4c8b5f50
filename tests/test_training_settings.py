"""Settings of a training: what is refused, the learning rate, the parameters that decay, the trace."""

import dataclasses

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from benchlib.training import Training
from benchlib.training.optimizer import adamw, rate
from benchlib.training.state import ROWS, Trained

SETTINGS = {"learning_rate": 1e-5, "steps": 10}


def test_the_settings_of_a_paper_are_accepted():
    pel = Training(1e-5, steps=26_000, warmup=0.25, clip=1.0, evaluate_every=1000)
    assert dataclasses.replace(pel, clip=None, evaluate_every=None).steps == 26_000
    for settings, told in ((SETTINGS | {"lr": 1.0}, "\nlr\n"), ({"learning_rate": 1e-5}, "\nsteps\n")):
        with pytest.raises(ValueError, match=told):
            Training(**settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("learning_rate", value) for value in (0, -1e-5, float("nan"), float("inf"), "1e-5", None, True)],
        *[("steps", value) for value in (0, -1, 2.0, "10", True, None)],
        *[("warmup", value) for value in (-0.1, 1, 1.5, float("nan"), None)],
        *[("weight_decay", value) for value in (-0.1, float("inf"), None)],
        *[("eps", value) for value in (0, -1e-8, float("nan"), None)],
        *[("clip", value) for value in (0, -1.0, float("inf"))],
        *[("precision", value) for value in ("fp16", "BF16", None, 16, ["fp32"])],
        *[("evaluate_every", value) for value in (0, 0.5)],
        *[("checkpoint_minutes", value) for value in (-1, None, float("nan"))],
        *[("seed", value) for value in (-1, 0.0, None)],
    ],
)
def test_impossible_values_are_named(name, value):
    settings = SETTINGS | {"evaluate_every": 1} | {name: value}
    with pytest.raises(ValueError, match=f"\n{name}\n  Input should be "):
        Training(**settings)


def test_the_learning_rate_by_hand():
    quarter = [rate(step / 8, 0.25) for step in range(9)]
    assert quarter == pytest.approx([0, 1 / 2, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6, 0])
    assert [rate(step / 4, 0.0) for step in range(5)] == [1, 0.75, 0.5, 0.25, 0]
    assert [rate(step / 4, 0.5, "constant") for step in range(5)] == [0, 0.5, 1, 1, 1]


def test_only_matrices_decay():
    model = torch.nn.Sequential(torch.nn.Embedding(5, 4), torch.nn.Linear(4, 4), torch.nn.LayerNorm(4))
    model.temperature = torch.nn.Parameter(torch.tensor(1.0))
    model.frozen = torch.nn.Linear(4, 4).requires_grad_(False)
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    groups = adamw(model, Training(1e-3, steps=2, weight_decay=0.3)).param_groups
    decay = {names[id(p)]: group["weight_decay"] for group in groups for p in group["params"]}
    assert decay == {"0.weight": 0.3, "1.weight": 0.3} | dict.fromkeys(
        ("temperature", "1.bias", "2.weight", "2.bias"), 0.0
    )
    with pytest.raises(ValueError, match="trainable"):
        adamw(model.requires_grad_(False), Training(**SETTINGS))


def noted(steps: int, every: int | None) -> Trained:
    state = Trained()
    for step in range(1, steps + 1):
        state.step, state.seconds = step, step / 7
        state.note(1.0 / step, 2.0, float(step) if every and step % every == 0 else None)
        assert len(state.trace) <= ROWS == 500
    return state


def test_a_short_trace_is_whole_and_a_long_one_evenly_thin():
    assert [row["step"] for row in noted(500, 7).trace] == list(range(1, 501))
    trace = noted(5000, 100).trace
    assert [row["step"] for row in trace if row["dev_score"]] == list(range(100, 5001, 100))
    between = [row["step"] for row in trace if row["dev_score"] is None]
    assert between == [step for step in range(16, 5001, 16) if step % 100]
    row = {"step": 16, "seconds": round(16 / 7, 3), "loss": 1 / 16, "gradient_norm": 2.0, "dev_score": None}
    assert trace[0] == row


def test_what_is_watched_and_has_no_value_is_none_in_the_trace():
    # The cosine of two concepts, in a batch of one.
    state = Trained(step=1, seconds=0.5)
    state.note(1.0, 2.0, None, positive_cosine=0.5, negative_cosine=float("nan"))
    assert (state.trace[0]["positive_cosine"], state.trace[0]["negative_cosine"]) == (0.5, None)


@given(st.integers(1, 3000), st.none() | st.integers(1, 12))
def test_a_trace_is_in_order_and_never_too_long(steps, every):
    trace = noted(steps, every).trace
    order = [row["step"] for row in trace]
    assert order == sorted(set(order))
    assert len(trace) >= min(steps, 125)
