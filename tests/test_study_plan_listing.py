"""``study run --plan``: what is done, running and left, over all chapters."""

from pathlib import Path

import pytest
from small_study import put, write_study

from study.chapters import plan as plans
from study.chapters import run as run_module
from study.chapters.run import main
from study.lock import held, locked
from study.records import Store
from study.records.obtain import clean_trainings
from study.systems import ExactLinker, TunedLinker

FIRST = """
systems:
  exact: {label: Exact, linker: exact}
  prior: {label: Prior, linker: prior, seeds: [0, 1]}
  tuned: {label: Tuned, linker: tuned, seeds: [0, 1]}
runs:
  names: {data: mini, systems: [exact, prior]}
  trained: {data: mini, systems: [tuned]}
  dev: {data: mini, systems: [tuned], split: dev}
measured:
  cards: {measurement: card, data: mini}
"""
SECOND = """
systems:
  exact: {label: Exact, linker: exact}
  tfidf: {label: TF-IDF, linker: tfidf}
runs:
  again: {data: mini, systems: [exact]}
  more: {data: mini, systems: [exact, tfidf]}
"""
FP32 = "This processor has no bf16 arithmetic: choose precision=fp32 for trainings on it, one for all arms."


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch) -> Store:
    """The store of a study of two chapters in ``tmp_path``."""
    write_study(tmp_path, 'scale = "mini"\ncompute = "missing"\n', first=FIRST, second=SECOND)
    there = Store(tmp_path / "records")
    monkeypatch.setattr(plans, "local", lambda: there)
    return there


def listed(root: Path, capsys) -> dict[tuple[str, ...], list[str]]:
    """The numbers of each line, by its chapter and set."""
    capsys.readouterr()
    assert main(["--plan"], root) == 0
    head, *lines = (line.split() for line in capsys.readouterr().out.splitlines())
    assert head == ["chapter", "set", "records", "done", "running", "left", "hours"]
    return {(line[0],) if line[0] == "total" else tuple(line[:2]): line for line in lines}


def test_records_are_counted_once_with_the_hours_of_like_ones(tmp_path, store, capsys):
    put(store, "prior", 0.0, 1800.0, seed=0)
    put(store, "tuned", 3600.0, 720.0)
    lines = listed(tmp_path, capsys)
    assert lines == {
        # Exact match has no like; the other prior takes half an hour as the first did.
        ("first", "names"): ["first", "names", "3", "1", "0", "2", "0.5", "+", "1", "unknown"],
        # Two trainings of an hour, and 12 minutes to link.
        ("first", "trained"): ["first", "trained", "2", "0", "0", "2", "2.4"],
        # The same trainings: what is left is to link.
        ("first", "dev"): ["first", "dev", "2", "0", "0", "2", "0.4"],
        ("first", "cards"): ["first", "cards", "1", "0", "0", "1", "0.0", "+", "1", "unknown"],
        # Zero updates on dev and test; all of them are counted above, and half comes where these do not tell.
        ("first", "states"): ["first", "states", "2", "0", "0", "2", "1.4"],
        # Exact match is counted in the first chapter.
        ("second", "more"): ["second", "more", "1", "0", "0", "1", "0.0", "+", "1", "unknown"],
        ("total",): ["total", "11", "1", "0", "10", "4.7", "+", "3", "unknown"],
    }


def test_what_is_at_work_is_running(tmp_path, store, capsys, monkeypatch):
    seen, fit = [], ExactLinker.fit

    def watched(self, benchmark, seed=0):
        seen.append(listed(tmp_path, capsys))
        return fit(self, benchmark, seed)

    monkeypatch.setattr(ExactLinker, "fit", watched)
    assert main(["second", "--set", "again"], tmp_path) == 0
    assert seen[0]["first", "names"][2:6] == ["3", "0", "1", "2"]
    assert listed(tmp_path, capsys)["first", "names"][2:6] == ["3", "1", "0", "2"]


def test_records_of_a_training_at_work_are_running(tmp_path, store, capsys, monkeypatch):
    seen = []

    def watched(self, benchmark, seed=0):
        seen.append(listed(tmp_path, capsys))
        raise RuntimeError("enough seen")

    monkeypatch.setattr(TunedLinker, "fit", watched)
    assert main(["first", "--set", "trained"], tmp_path) == 1
    for lines in seen:  # of each seed
        assert lines["first", "trained"][2:6] == lines["first", "dev"][2:6] == ["2", "0", "1", "1"]
    assert len(seen) == 2


def test_a_lock_that_its_holder_left_behind_is_not_held(tmp_path):
    lock = tmp_path / "one.lock"
    with locked(lock):
        assert held(lock)
    lock.touch()  # as of a process that was killed
    assert not held(lock)


def test_trainings_that_nobody_is_at_work_on_are_deleted(store):
    at_work, left = store.training_of("0" * 64), store.training_of("1" * 64)
    for folder in (at_work, left):
        (folder / "within").mkdir(parents=True)
    with locked(store.lock_of("0" * 64)):
        assert clean_trainings(store) == 1
        assert at_work.exists() and not left.exists()
    assert clean_trainings(store) == 1 and [*store.trainings.iterdir()] == []
    assert clean_trainings(Store(store.folder.parent / "none" / "records")) == 0


def test_a_processor_without_bf16_is_named_where_trainings_are_left(tmp_path, store, capsys, monkeypatch):
    monkeypatch.setattr(run_module, "run_all", lambda jobs, on: [])
    for lacks, chapter in ((True, "first"), (False, "first"), (True, "second")):  # the second trains nothing
        monkeypatch.setattr(run_module, "_lacks_bf16", lambda lacks=lacks: lacks)
        assert main([chapter], tmp_path) == 0
        assert (FP32 in capsys.readouterr().out) is (lacks and chapter == "first")


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["first", "--plan"],
        ["--plan", "--list"],
        ["--plan", "-p", "seeds", "1"],
        ["--plan", "--jobs", "8"],
        ["--clean-trainings", "--jobs", "1"],
        ["first", "--jobs", "2", "--dask", "tcp://127.0.0.1:9"],
        ["--clean-trainings", "--plan"],
        ["first", "--clean-trainings"],
    ],
)
def test_a_chapter_or_the_plan_of_all_is_asked_for(tmp_path, capsys, words):
    with pytest.raises(SystemExit) as ended:
        main(words, tmp_path)
    assert ended.value.code == 2 and "expected" in capsys.readouterr().err
