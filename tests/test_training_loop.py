"""The training loop: what it computes, when it stops, and what it leaves behind."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from benchlib.training import Training, loop, train


def mlp(dropout: float = 0.0, seed: int = 0, dtype=torch.float32) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Dropout(dropout), nn.Linear(16, 1)
    ).to(dtype)


def batch_at(number: int, size: int = 8, dtype=torch.float32):
    x = torch.randn(size, 6, generator=torch.Generator().manual_seed(number), dtype=dtype)
    return x, x[:, :1] * x[:, 1:2] + x[:, 2:3]


def squared(model, batch, share) -> torch.Tensor:
    x, y = batch
    return ((model(x) - y) ** 2).mean()


def minus_error(model) -> float:
    return -squared(model, batch_at(10**6, 256), 0.0).item()


def copies(model) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def same(model, weights) -> bool:
    return all(torch.equal(tensor, weights[name]) for name, tensor in model.state_dict().items())


def run(model, config, loss_of=squared, batches=batch_at, **settings):
    return train(model, batches, loss_of, config, progress=False, **settings)


def test_training_learns_and_says_what_it_did():
    model = mlp()
    before = minus_error(model)
    done = run(model, Training(1e-2, steps=200, warmup=0.1, evaluate_every=50), evaluate=minus_error)
    # A third of the variance (2) is left at most.
    assert before < -1.5 and done.best_score > -0.67
    assert done.step == 200 and not model.training
    assert [row["step"] for row in done.trace] == list(range(1, 201))
    assert [row["step"] for row in done.trace if row["dev_score"] is not None] == [50, 100, 150, 200]
    assert done.best_score == max(row["dev_score"] for row in done.trace if row["dev_score"] is not None)
    assert done.trace[done.best_step - 1]["dev_score"] == done.best_score == minus_error(model)
    assert sorted(row["seconds"] for row in done.trace) == [row["seconds"] for row in done.trace]


def test_the_same_seed_trains_the_same_weights_and_another_others():
    weights = []
    for seed in (0, 0, 1):
        model = mlp(dropout=0.5)
        torch.manual_seed(len(weights))
        run(model, Training(1e-2, steps=12, seed=seed))
        weights.append(copies(model))
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])
    assert any(not torch.equal(weights[0][name], weights[2][name]) for name in weights[0])


def test_evaluations_and_the_random_numbers_they_take_change_nothing():
    plain, evaluated = mlp(dropout=0.5), mlp(dropout=0.5)
    run(plain, Training(1e-2, steps=12))
    rising = iter(range(12))
    score = lambda model: torch.rand(5).sum() * 0 + next(rising)  # noqa: E731
    run(evaluated, Training(1e-2, steps=12, evaluate_every=1), evaluate=score)
    assert same(evaluated, copies(plain))


def test_each_update_is_adamw_of_the_rate_by_hand():
    # A constant gradient: Adam's step is the learning rate, whatever the gradient's size.
    model = nn.Module()
    model.w = nn.Parameter(torch.zeros(3, dtype=torch.float64))
    path = [0.0]

    def evaluate(model) -> float:
        path.append(model.w[0].item())
        return len(path)

    config = Training(0.1, steps=8, warmup=0.25, clip=None, evaluate_every=1)
    shares = []

    def slope(model, batch, share) -> torch.Tensor:
        shares.append(share)
        return -5 * model.w.sum()

    done = run(model, config, slope, evaluate=evaluate)
    steps = [after - before for before, after in zip(path, path[1:], strict=False)]
    by_hand = [0, 0.05, 0.1, 0.1 * 5 / 6, 0.1 * 4 / 6, 0.1 * 3 / 6, 0.1 * 2 / 6, 0.1 / 6]
    assert steps == pytest.approx(by_hand, abs=1e-9)
    assert shares == [step / 8 for step in range(8)]
    assert [row["gradient_norm"] for row in done.trace] == pytest.approx([math.sqrt(75)] * 8)


@pytest.mark.parametrize(("eps", "share"), [(1e-8, 1 / 1.01), (1e-6, 1 / 2), (4e-6, 1 / 5)])
def test_eps_holds_back_where_gradients_are_small(eps, share):
    # A constant gradient g: Adam's step is the learning rate times g / (g + eps).
    model = nn.Module()
    model.w = nn.Parameter(torch.zeros(1, dtype=torch.float64))
    config = Training(0.1, steps=3, schedule="constant", clip=None, eps=eps)
    run(model, config, lambda model, batch, share: -1e-6 * model.w.sum())
    assert model.w.item() == pytest.approx(3 * 0.1 * share)


@pytest.mark.parametrize(("clip", "expected"), [(1.0, [1.0, 0.5]), (None, [100.0, 0.5])])
def test_clipping_bounds_the_gradient_and_the_trace_has_it_before(clip, expected, monkeypatch):
    model, seen = nn.Module(), []
    model.w = nn.Parameter(torch.zeros(1))
    monkeypatch.setattr(torch.optim.AdamW, "step", lambda self: seen.append(model.w.grad.item()))
    slopes = [100.0, 0.5]
    config = Training(0.1, steps=2, clip=clip)
    done = run(model, config, lambda model, slope, share: slope * model.w.sum(), slopes.__getitem__)
    assert seen == pytest.approx(expected, rel=1e-5)
    assert [row["gradient_norm"] for row in done.trace] == slopes


def scripted(scores: list[float], kept: list[dict]):
    """Dev scores as listed, and the weights they were given for."""

    def evaluate(model) -> float:
        assert not model.training and not torch.is_grad_enabled()
        kept.append(copies(model))
        return scores[len(kept) - 1]

    return evaluate


def test_the_first_best_weights_on_dev_are_restored():
    kept = []
    config = Training(1e-2, steps=18, evaluate_every=3)
    model = mlp(dropout=0.1)
    done = run(model, config, evaluate=scripted([0.1, 0.3, 0.3, 0.2, 0.4, 0.4], kept))
    assert (done.step, done.best_step, done.best_score) == (18, 15, 0.4)
    assert same(model, kept[4]) and not same(model, kept[5])


def test_the_last_step_is_evaluated():
    kept = []
    model = mlp()
    config = Training(1e-2, steps=7, evaluate_every=3)
    done = run(model, config, evaluate=scripted([0.5, 0.4, 0.3], kept))
    assert [row["step"] for row in done.trace if row["dev_score"] is not None] == [3, 6, 7]
    assert (done.step, done.best_step) == (7, 3)
    assert same(model, kept[0])
    # The last weights can be kept though an earlier score was better; what the caller left does not count.
    last, plain = mlp(), mlp()
    squared(last, batch_at(99), 0).backward()
    found = run(last, replace(config, keep="last"), evaluate=scripted([0.5, 0.4, 0.3], []))
    without = run(plain, Training(1e-2, steps=7))
    assert same(last, copies(plain)) and (found.best_step, found.best_score) == (3, 0.5)
    assert (without.best_step, without.best_score) == (None, None)


class Clock:
    """Seconds that pass only when told."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(loop, "perf_counter", lambda: self.now)

    def slow(self, number: int):
        self.now += 1.0
        return batch_at(number)


def test_seconds_before_a_kill_count_and_those_between_do_not(monkeypatch, tmp_path):
    clock = Clock(monkeypatch)
    config = Training(1e-2, steps=10, checkpoint_minutes=0)

    def killed(number: int):
        if number == 4:
            raise KeyboardInterrupt
        return clock.slow(number)

    with pytest.raises(KeyboardInterrupt):
        run(mlp(), config, batches=killed, folder=tmp_path)
    clock.now += 500
    done = run(mlp(), config, batches=clock.slow, folder=tmp_path)
    assert (done.step, done.seconds) == (10, 10.0)
    assert [row["seconds"] for row in done.trace] == list(range(1, 11))


def test_checkpoints_come_by_the_minute_and_at_the_end(monkeypatch, tmp_path):
    clock, written = Clock(monkeypatch), []
    save = loop.checkpoint.save
    monkeypatch.setattr(loop.checkpoint, "save", lambda *args: written.append(args[2].step) or save(*args))
    run(mlp(), Training(1e-2, steps=130, checkpoint_minutes=1), batches=clock.slow, folder=tmp_path)
    assert written == [60, 120, 130]


def test_bf16_computes_in_bf16_and_keeps_the_weights_in_fp32():
    kinds = set()

    def loss_of(model, batch, share):
        x, y = batch
        out = model(x)
        kinds.add(out.dtype)
        return ((out.float() - y) ** 2).mean()

    model = mlp(dropout=0.1)
    before = minus_error(model)
    done = run(model, Training(1e-2, steps=100, precision="bf16"), loss_of)
    assert kinds == {torch.bfloat16}
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert minus_error(model) > before / 2
    assert all(math.isfinite(row["loss"]) for row in done.trace)


@pytest.mark.parametrize("what", ["loss", "gradient norm"])
def test_a_loss_or_gradient_that_is_not_finite_names_the_step_and_spares_the_weights(what, tmp_path):
    def loss_of(model, number, share):
        loss = squared(model, batch_at(number), share)
        if number != 5:
            return loss
        # The square root has an infinite slope at 0, where it is finite itself.
        return loss * math.nan if what == "loss" else loss + (0 * model[0].bias).sum().sqrt()

    config = Training(1e-2, steps=20, checkpoint_minutes=0)
    model = mlp()
    with pytest.raises(FloatingPointError, match=f"step 6: expected a finite {what}, found nan"):
        run(model, config, loss_of, batches=int, folder=tmp_path)
    assert [path.name for path in tmp_path.glob("checkpoint-*")] == ["checkpoint-000000005"]
    assert all(tensor.isfinite().all() for tensor in model.state_dict().values())
    # What is left is good to go on from, with a loss that is mended.
    mended, never = mlp(seed=5), mlp()
    assert run(mended, config, folder=tmp_path).step == 20
    run(never, config)
    assert same(mended, copies(never))


def test_dev_scores_are_finite_and_asked_for_at_an_interval():
    with pytest.raises(FloatingPointError, match="step 2: expected a finite dev score, found nan"):
        run(mlp(), Training(1e-2, steps=5, evaluate_every=2), evaluate=lambda model: math.nan)
    for every, evaluate in ((None, minus_error), (1, None)):
        with pytest.raises(ValueError, match="together"):
            run(mlp(), Training(1e-2, steps=5, evaluate_every=every), evaluate=evaluate)


def test_one_bar_that_ends_full(capsys):
    train(mlp(), batch_at, squared, Training(1e-2, steps=5))
    err = capsys.readouterr().err
    assert "100%" in err and err.count("\n") == 1
    run(mlp(), Training(1e-2, steps=5))
    assert capsys.readouterr().err == ""
