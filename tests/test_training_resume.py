"""A training that is killed and resumed ends bitwise where one never killed does (CPU)."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from benchlib.sampling import shared_negatives
from benchlib.training import Training, checkpoint, train
from benchlib.training.checkpoint import weights

CONFIG = Training(0.006, steps=48, warmup=0.2, weight_decay=0.1, clip=0.5, evaluate_every=3,
                  checkpoint_minutes=0, seed=3)  # fmt: skip
CONCEPTS = 30


class Net(nn.Module):
    """Dropout, buffers that change with training, frozen and shared weights."""

    def __init__(self, seed: int = 0, width: int = 8):
        super().__init__()
        torch.manual_seed(seed)
        self.names = nn.Embedding(CONCEPTS, width)
        self.hidden = nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.Dropout(0.3))
        self.frozen = nn.Linear(width, width).requires_grad_(False)
        self.head = nn.Linear(width, CONCEPTS, bias=False)
        self.head.weight = self.names.weight

    def forward(self, concepts: torch.Tensor) -> torch.Tensor:
        return self.head(self.frozen(self.hidden(self.names(concepts))))


class Batches:
    """Batches with hard negatives, mined with the model as it is at every 14th batch."""

    def __init__(self, model: Net):
        self.model, self.carried = model, {}

    def __call__(self, number: int) -> tuple[torch.Tensor, torch.Tensor]:
        gold = torch.arange(number, number + 6) % CONCEPTS
        if number % 14 == 0:
            self.model.eval()
            with torch.no_grad():
                self.carried["ranking"] = self.model(torch.arange(CONCEPTS)).argsort(dim=1, descending=True)
        ranking = self.carried["ranking"][gold].numpy()
        wrong = shared_negatives(gold.tolist(), ranking, CONCEPTS, 4, 50, CONFIG.seed, number)
        return gold, torch.from_numpy(wrong).expand(len(gold), -1)


def loss_of(model, batch, share) -> torch.Tensor:
    gold, wrong = batch
    scores = model(gold).gather(1, torch.cat([gold[:, None], wrong], dim=1))
    return nn.functional.cross_entropy(scores, torch.zeros(len(gold), dtype=torch.long)) * (1 + share)


def evaluate(model) -> float:
    # The mean score of the right concepts grows steadily; past 0.35 it is too large.
    right = model(torch.arange(CONCEPTS, device=model.head.weight.device)).diagonal()
    return -float((right.mean() - 0.35) ** 2)


def trained(folder: Path | None, config: Training = CONFIG, seed: int = 0, wrap=lambda batches: batches):
    batches = Batches(model := Net(seed))
    kept = {"carried": batches.carried, "folder": folder}
    done = train(model, wrap(batches), loss_of, config, evaluate=evaluate, progress=False, **kept)
    return model.state_dict(), done


def without_seconds(done) -> tuple:
    rows = [{key: value for key, value in row.items() if key != "seconds"} for row in done.trace]
    return rows, done.step, done.best_step, done.best_score


def assert_equal(ours, theirs):
    assert ours[0].keys() == theirs[0].keys()
    for name, tensor in ours[0].items():
        assert torch.equal(tensor, theirs[0][name]), name
    assert without_seconds(ours[1]) == without_seconds(theirs[1])


@pytest.fixture(scope="module")
def never_killed():
    """The best of 48 steps lies between."""
    weights, done = trained(None)
    assert 6 < done.best_step < done.step == 48
    return weights, done


CHILD = """
import sys, time
from test_training_resume import *

def wrap(batches):
    def batch_at(number):
        print(number, flush=True)
        # Slow enough to be killed on the way, and never done before it is.
        time.sleep(0.004 if number < 44 else 600)
        return batches(number)
    return batch_at

trained(Path(sys.argv[1]), RARELY, wrap=wrap)
"""
RARELY = replace(CONFIG, checkpoint_minutes=0.0003)


def child(folder: Path) -> subprocess.Popen:
    """A training in a process of its own, which prints the batches it asks for."""
    here = Path(__file__).parent
    paths = os.pathsep.join([str(here), str(here.parent)])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": str(torch.get_num_threads())}
    command = [sys.executable, "-c", CHILD, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def until(stop: int):
    """Batches up to one that is not given."""

    def wrap(batches):
        def batch_at(number):
            if number == stop:
                raise KeyboardInterrupt
            return batches(number)

        return batch_at

    return wrap


def test_interrupted_at_every_single_batch(tmp_path, never_killed):
    for stop in range(48):
        # Once a step is done, another model's weights make no difference.
        with pytest.raises(KeyboardInterrupt):
            trained(tmp_path, seed=stop if stop > 1 else 0, wrap=until(stop))
    assert_equal(trained(tmp_path), never_killed)
    # A finished training returns at once.
    again = trained(tmp_path, seed=4, wrap=lambda batches: None)
    assert_equal(again, never_killed)
    assert again[1].seconds > 0


def test_interrupted_while_a_checkpoint_is_written(tmp_path, monkeypatch, never_killed):
    def failing(function, calls: int):
        count = iter(range(calls))

        def call(*args):
            if next(count, None) is None:
                raise KeyboardInterrupt
            return function(*args)

        return call

    # Each in the second checkpoint written since the start: before, between and after its parts.
    syncs = [(checkpoint, "sync", calls) for calls in range(4, 8)]
    for owner, name, calls in [(checkpoint, "save_file", 1), *syncs, (Path, "rename", 1)]:
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(owner, name, failing(getattr(owner, name), calls))
            trained(tmp_path)
        assert any(path.suffix != ".new" for path in tmp_path.glob("checkpoint-*"))
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(checkpoint.shutil, "rmtree", failing(None, 0))
        trained(tmp_path)
    assert_equal(trained(tmp_path), never_killed)
    assert len(list(tmp_path.glob("checkpoint-*"))) == 1


@pytest.fixture
def folder(tmp_path) -> Path:
    trained(tmp_path, replace(CONFIG, steps=2))
    return tmp_path


def test_a_checkpoint_is_safetensors_and_json(folder):
    (path,) = folder.glob("checkpoint-*")
    assert sorted(file.name for file in path.iterdir()) == ["state.json", "tensors.safetensors"]
    content = json.loads((path / "state.json").read_text())
    assert content["config"]["steps"] == content["state"]["step"] == 2
    assert content["versions"]["torch"] == torch.__version__
    names = set(load_file(path / "tensors.safetensors"))
    # The shared matrix is there once, with its moments; the frozen one without.
    assert {"model/names.weight", "best/names.weight", "optimizer/names.weight.exp_avg"} <= names
    assert {"model/hidden.1.running_mean", "model/frozen.weight", "carried/ranking"} <= names
    assert not {"model/head.weight", "optimizer/frozen.weight.exp_avg"} & names


def test_a_checkpoint_of_another_config_model_or_format_is_an_error(folder):
    config, ours = replace(CONFIG, steps=2), weights(Net())
    less = {name: tensor for name, tensor in ours.items() if name != "frozen.bias"}
    for other, model, words in (
        (replace(config, learning_rate=0.007), ours, "config: learning_rate is 0.006, expected 0.007"),
        (replace(config, seed=4), ours, "config: seed is 3, expected 4"),
        (config, weights(Net(width=9)), r"model: names.weight is torch.float32 \(30, 8\), .*\(30, 9\)"),
        (config, less, "model: frozen.bias is .*, expected nothing"),
        (config, ours | {"extra": torch.zeros(1)}, "model: extra is nothing"),
    ):
        with pytest.raises(ValueError, match=f"of another {words}"):
            checkpoint.load(folder, other, model)
    (path,) = folder.glob("checkpoint-*/state.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(ValueError, match="expected format 2, found 99"):
        trained(folder, config)


@pytest.mark.parametrize("name", ["state.json", "tensors.safetensors"])
@pytest.mark.parametrize("left", [0, 0.5, 0.99])
def test_a_broken_checkpoint_is_an_error(folder, name, left):
    (path,) = folder.glob("checkpoint-*")
    content = (path / name).read_bytes()
    (path / name).write_bytes(content[: int(left * len(content))])
    with pytest.raises(ValueError, match=f"{path.name} is broken; delete it to start anew"):
        trained(folder, replace(CONFIG, steps=2))


@pytest.mark.parametrize("left", [["state.json"], ["tensors.safetensors"], []])
def test_the_whole_checkpoint_before_a_half_deleted_one_is_used(tmp_path, left, never_killed):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path, wrap=until(20))
    (whole,) = tmp_path.glob("checkpoint-*")
    assert whole.name == "checkpoint-000000020"
    half = tmp_path / "checkpoint-000000026"
    half.mkdir()
    for name in left:
        (half / name).write_bytes((whole / name).read_bytes())
    state, _ = checkpoint.load(tmp_path, CONFIG, weights(Net()))
    assert state.step == 20
    assert_equal(trained(tmp_path), never_killed)
    assert not half.exists()


def test_a_training_in_another_process_keeps_the_folder_until_it_is_killed(tmp_path, never_killed):
    with child(tmp_path) as other:
        while int(other.stdout.readline()) < 30:
            pass
        with pytest.raises(RuntimeError, match="another training is at work"):
            trained(tmp_path, RARELY)
        other.kill()
    assert other.returncode == -signal.SIGKILL
    state, _ = checkpoint.load(tmp_path, RARELY, weights(Net()))
    assert 20 < state.step <= 44 and not state.done
    # Whatever the model was before, the checkpoint is what counts.
    assert_equal(trained(tmp_path, RARELY, seed=8), never_killed)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_training_on_a_gpu_resumes_there(tmp_path, precision):
    config = replace(CONFIG, precision=precision)

    def on_gpu(folder: Path | None, stop: int):
        model = Net().cuda()

        def batch_at(number):
            if number == stop:
                raise KeyboardInterrupt
            return torch.arange(number, number + 6, device="cuda") % CONCEPTS

        def cross_entropy(model, gold, share):
            return nn.functional.cross_entropy(model(gold).float(), gold)

        done = train(model, batch_at, cross_entropy, config, evaluate=evaluate, folder=folder, progress=False)
        return model.state_dict(), done

    with pytest.raises(KeyboardInterrupt):
        on_gpu(tmp_path, 15)
    resumed, whole = on_gpu(tmp_path, -1), on_gpu(None, -1)
    assert resumed[1].step == whole[1].step
    # Kernels of a GPU may add in any order: close, not equal.
    for name, tensor in resumed[0].items():
        assert tensor.is_cuda
        torch.testing.assert_close(tensor, whole[0][name], rtol=1e-3, atol=1e-3)
