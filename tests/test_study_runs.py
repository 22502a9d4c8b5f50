"""``study run``: records of a chapter made here or on a cluster, whatever is killed meanwhile."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from small_study import page, put, write_study
from tiny import tiny_encoder

from benchlib.scoring import Scoring
from benchlib.terminal import print_messages
from study.chapters import plan as plans
from study.chapters import run as runs
from study.chapters import training_states
from study.chapters.jobs import DataRef, Job
from study.chapters.listing import listing
from study.chapters.run import main, make, missing, plan_with
from study.chapters.training_states import UNKNOWN
from study.claims.evidence import Evidence, OnDev
from study.corpora import load
from study.records import MissingRecord, Record, Store, verify
from study.records.pack import pack
from study.systems import ExactLinker, PriorLinker

OWN = Path(__file__).resolve().parent.parent / "data" / "examples" / "own-corpus"
CHAPTER = """
systems:
  exact: {label: Exact, linker: exact}
  prior: {label: Prior, linker: prior, seeds: "{seeds}"}
  tfidf: {label: TF-IDF, linker: tfidf}
runs:
  test: {data: mini, systems: [exact, prior], kinds: true}
  more: {data: mini, systems: [tfidf]}
measured:
  cards: {measurement: card, data: mini}
  errors: {measurement: errors, data: mini, of: exact}
"""
CELL = 'scale = "mini"\ncompute = "missing"\nseeds = [0, 1]\n'
SHARING = (
    ("dev", "bi-encoder"),
    ("test", "bi-encoder"),
    ("test", "bi-encoder,score=dot"),
    ("test", "bi-encoder,steps=9"),
)  # split and linker: the first three are one training
GOOD = ["--set", "test", "--set", "cards", "--set", "errors"]  # 6 records: 3 runs, kinds, card, errors


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """A study of one small chapter, whose records lie beside it."""
    write_study(tmp_path, CELL, tiny=CHAPTER)
    monkeypatch.setattr(plans, "local", lambda: store_of(tmp_path))
    return tmp_path


def store_of(root: Path) -> Store:
    return Store(root / "records")


def made(root: Path) -> dict[str, int]:
    """When each record was written."""
    return {path.name: path.stat().st_mtime_ns for path in store_of(root).folder.glob("new/*.json")}


def same(store: Store) -> dict[str, tuple]:
    """What records say, but for when, where and how fast they were made."""
    return {
        one.key: (one.metrics, one.table, one.values, [{**step, "seconds": 0} for step in one.trace])
        for one in store
    }


@dataclass(frozen=True)
class Deadly(Job):
    """A job that kills the process that makes it, each time until as many of its files are there."""

    folder: str = ""
    times: int = 1

    def record(self, store: Store, compute: str = "missing", keep_training: bool = False) -> Record:
        dead = len(list(Path(self.folder).glob("*.dead")))
        if dead < self.times:
            (Path(self.folder) / f"{dead}.dead").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().record(store, compute, keep_training)


def deadly(root: Path, monkeypatch, times: int = 1) -> None:
    """Let the first job of a chapter be a deadly one."""
    bad = Deadly(DataRef("mini"), linker="exact", seed=9, folder=str(root), times=times)
    monkeypatch.setattr(runs, "missing", lambda *of: [bad, *missing(*of)])


def test_what_is_missing_is_listed_with_minutes_by_its_like(root):
    plan = plan_with("tiny", root=root)
    for seed, seconds in ((5, 30.0), (6, 90.0), (7, 300.0)):
        put(plan.store, "prior", seconds - 1, 1.0, seed)
    other = Job(DataRef("mini"), linker="prior,learns=train+dev")
    lines = listing([*missing(plan, ["test"]), other], plan.store).splitlines()
    assert lines == [
        "       ?  strata on mini, test",
        "       ?  exact on mini, test, seed 0",
        " 1.5 min  prior on mini, test, seed 0",  # the middle one of three
        " 1.5 min  prior on mini, test, seed 1",
        " 1.5 min  prior,learns=train+dev on mini, test, seed 0",  # of the same kind
        "5 to make, about 4 minutes on one core and 2 of unknown length",
    ]


def test_a_training_is_timed_by_those_of_its_length(root):
    for steps, seconds in ((0, 30.0), (100, 600.0), (200, 1200.0)):
        put(store_of(root), f"bi-encoder,steps={steps}", seconds, 0.0)
    asked = [Job(DataRef("mini"), linker=f"bi-encoder,window=16,steps={steps}") for steps in (0, 100, 400)]
    lines = listing(asked, store_of(root)).splitlines()
    # Nothing has the length of the last: the middle one of its kind tells.
    assert [line[:9] for line in lines[:3]] == [" 0.5 min ", "10.0 min ", "10.0 min "]


def test_a_training_is_counted_with_the_first_job_that_needs_it(root):
    put(store_of(root), "bi-encoder", 540.0, 60.0, split="dev")
    for split, seconds in (("test", 180.0), ("train", 120.0)):
        put(store_of(root), "bi-encoder", 0.0, seconds, split=split, fitted_for="that of dev")
    asked = [Job(DataRef("mini"), linker=name, split=split) for split, name in SHARING]
    first, *rest = listing(asked, store_of(root)).splitlines()
    assert first.startswith("11.0 min  bi-encoder on mini, dev")  # 9 to fit, 2 to link
    assert [line[:9] for line in rest[:3]] == [" 2.0 min ", " 2.0 min ", "11.0 min "]
    assert rest[3] == "4 to make, about 26 minutes on one core"


def test_jobs_of_one_training_follow_on_each_other():
    jobs = [Job(DataRef("mini"), linker=name, split=split) for split, name in SHARING]
    exact = [Job(DataRef("mini"), linker="exact", split=split) for split in ("dev", "test")]
    other = replace(jobs[0], seed=1)
    together = runs.by_training([exact[0], jobs[0], other, jobs[3], *jobs[1:3], exact[1]])
    assert together == [(exact[0],), (jobs[0], *jobs[1:3]), (other,), (jobs[3],), (exact[1],)]


def test_the_states_of_trainings_are_made_only_where_they_are_named(root, capsys, tmp_path, monkeypatch):
    chapter = """
systems:
  exact: {label: Exact, linker: exact}
  one: {label: One, linker: "tuned,model=MODEL,steps=4,learning_rate=0.01,precision=fp32", seeds: [1, 0]}
  other: {label: Other, linker: "tuned,model=MODEL,steps=4,learning_rate=0.001,precision=fp32"}
runs:
  rates: {data: mini, systems: [other], split: dev}
  test: {data: mini, systems: [exact, one], kinds: true}
"""
    write_study(root, CELL, tiny=chapter.replace("MODEL", tiny_encoder(tmp_path / "tiny")))
    assert main(["tiny", "--list"], root) == 0
    lines = capsys.readouterr().out.splitlines()
    # Of one: zero updates on dev and test, all of them, and the kinds of the mentions of dev.
    assert lines[0] == "4 more say how its trainings go, made by --set states"
    assert lines[-1].startswith("5 to make")  # kinds, exact, one twice, other
    # With run sets beside it, it is that of their trainings.
    assert main(["tiny", "--set", "rates", "--set", "states", "--list"], root) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("1 to make")
    assert main(["tiny", "--set", "states"], root) == 0
    assert "4 of 4 records made" in capsys.readouterr().out
    assert main(["tiny", "--list"], root) == 0 and "more say" not in capsys.readouterr().out
    # It is at chance. Were it better than none, half of the updates would be asked for.
    monkeypatch.setattr(training_states, "CHANCE", 9.0)
    monkeypatch.setattr(training_states, "in_points", lambda share: 1.0)
    assert main(["tiny", "--set", "states"], root) == 0
    assert "1 of 1 records made" in capsys.readouterr().out
    inputs = [one.inputs for one in store_of(root) if "config" in one.inputs]
    there = [(one["config"]["steps"], one["split"], one["seed"]) for one in inputs]
    assert sorted(there) == [(0, "dev", 1), (0, "test", 1), (2, "dev", 1), (4, "dev", 1)]
    evidence = Evidence(lambda name: plan_with(name, root=root))
    [state] = evidence.states("tiny", "test", "one", "mini")
    assert state.word != UNKNOWN and state.gain.value == pytest.approx(state.full.value - state.zero.value)
    assert [of.word for of in evidence.states("tiny", "rates", "other", "mini")] == [UNKNOWN]
    half, full = (OnDev(evidence, when) for when in ("half", "full"))
    one = ("tiny", "test", "one", "mini")
    for of, value in ((half, state.half.value), (full, state.full.value)):
        found = of.runs(*one, kinds=True)
        assert found.credits(1, Scoring()).mean() == value
        assert found.kinds.inputs["split"] == found.record.inputs["split"] == "dev"
    for call in (
        lambda: half.runs("tiny", "rates", "other", "mini"),  # not made
        lambda: half.runs("tiny", "test", "exact", "mini"),  # without training
        lambda: half.measured("tiny", "surface", "mini"),
    ):
        with pytest.raises(MissingRecord):
            call()
    with pytest.raises(ValueError, match="tiny: runs test: expected a trained system, found 'exact' on mini"):
        evidence.states("tiny", "test", "exact", "mini")
    with pytest.raises(ValueError, match="tiny: runs test: expected one system 'none' on mini, found 0"):
        evidence.states("tiny", "test", "none", "mini")
    # A page shows them, and asks for none.
    here = page(root, compute="never")
    exact, trained = here.runs("test")
    assert exact.states is None and here.trained == [trained] and trained.states.state == state
    assert trained.control.made and [job.linker for job in here.missing][0] == "exact"
    assert (len(here.shown), len(here.missing)) == (4, 4)


@pytest.mark.parametrize("more", [[], ["--jobs", "2"]])
def test_one_process_makes_the_records_of_one_training(root, capsys, tmp_path, more):
    chapter = """
systems:
  one: {label: One, linker: "tuned,model=MODEL,steps=1", seeds: [0, 1]}
runs:
  dev: {data: mini, systems: [one], split: dev}
  test: {data: mini, systems: [one]}
"""
    write_study(root, CELL, tiny=chapter.replace("MODEL", tiny_encoder(tmp_path / "tiny")))
    assert main(["tiny", *more], root) == 0
    assert "4 of 4 records made" in capsys.readouterr().out
    there = list(store_of(root))
    trained = [(one.inputs["seed"], one.made["training"]) for one in there if "resumed" not in one.made]
    assert sorted(seed for seed, _ in trained) == [0, 1]
    assert {(one.inputs["seed"], one.made["training"]) for one in there} == {*trained}
    assert not list(store_of(root).trainings.iterdir())


def test_listing_makes_nothing_and_a_second_run_does_nothing(root, capsys):
    assert main(["tiny", "--list", *GOOD], root) == 0
    assert "6 to make" in capsys.readouterr().out and made(root) == {}
    assert main(["tiny", *GOOD], root) == 0
    out, first = capsys.readouterr().out, made(root)
    assert "6 of 6 records made" in out and len(first) == 6
    # What reads other records comes after these.
    assert out.index("exact on mini") < out.index("errors,linker=exact on mini")
    assert main(["tiny", *GOOD], root) == 0
    assert "0 missing" in capsys.readouterr().out and made(root) == first
    assert main(["tiny", *GOOD, "-p", "seeds", "[1, 2]"], root) == 0
    assert "1 of 1 records made" in capsys.readouterr().out and len(made(root)) == 7


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tiny", "-p", "seed", "1"], "did you mean 'seeds'"),
        (["tiny", "--set", "tests"], "no runs tests; expected test, more, cards, errors"),
        (["tiny", "-p", "seeds", "-1", "--list"], "expected greater than or equal to 0"),
        (["tiny", "--again", "0000"], "--again 0000: chapter tiny asks for no such record"),
        (["protocols", "-p", "dataset", "nowhere"], "no data set 'nowhere'; expected one of ncbi-disease"),
        (["protocols", "-p", "dataset", "no.txt", "-p", "ontology", "n.tsv"], "no.txt: no such file"),
        (["protocols", "-p", "dataset", "bc2gn", "-p", "ontology", "n.tsv"], "ontology would be ignored"),
    ],
)
def test_what_cannot_be_run_is_said_in_one_line(root, capsys, words, told):
    assert main(words, *([root] if words[0] == "tiny" else [])) == 2
    error = capsys.readouterr().err
    assert error.startswith("not run: ") and told in error and error.count("\n") == 1 and made(root) == {}


def test_a_number_of_processes_is_at_least_one(capsys):
    with pytest.raises(SystemExit):
        main(["cosines", "--jobs", "0"])
    assert "--jobs: expected 1 or more, found 0" in capsys.readouterr().err


def test_what_reading_an_own_corpus_found_is_told(capsys):
    corpus, names = str(OWN / "corpus.txt"), str(OWN / "dictionary.tsv")
    assert main(["datasets", "-p", "dataset", corpus, "-p", "ontology", names, "--list"]) == 0
    told = capsys.readouterr().err
    print_messages("note", load(corpus, names).notes)
    assert told and told == capsys.readouterr().err


def test_a_failing_job_stops_no_other(root, capsys, monkeypatch):
    def fails(self, benchmark, seed=0):
        raise RuntimeError("no memory")

    monkeypatch.setattr(ExactLinker, "fit", fails)
    assert main(["tiny", *GOOD], root) == 1
    out = capsys.readouterr().out
    assert "FAIL  exact on mini, test, seed 0: RuntimeError: no memory" in out
    # The errors of exact match are those of a record that there is not.
    assert "FAIL  errors,linker=exact on mini: MissingRecord: no record of exact on mini" in out
    assert "4 of 6 records made" in out and len(made(root)) == 4


def test_a_record_is_made_afresh_when_it_is_named(root, capsys):
    assert main(["tiny", "--set", "test"], root) == 0
    pack(store_of(root))
    record = next(record for record in store_of(root) if record.inputs["name"] == "exact")
    again = ["tiny", "--again", record.short_key]
    assert main([*again[:2], record.key[:7]], root) == 2  # a few digits are those of many records
    assert main([*again, "--list"], root) == 0 and "\n1 to make, about " in capsys.readouterr().out
    assert main(again, root) == 0
    assert "1 of 1 records made" in capsys.readouterr().out and list(made(root)) == [f"{record.key}.json"]


def test_two_processes_make_the_same_records_as_one(root, capsys):
    assert main(["tiny", "--jobs", "2"], root) == 0
    assert "7 of 7 records made" in capsys.readouterr().out
    alone = Store(root / "alone" / "records")
    jobs = plan_with("tiny", root=root).jobs()
    assert runs.run_all(jobs, lambda some: (make(job, alone) for job in some)) == []
    assert same(alone) == same(store_of(root)) and len(list(alone)) == 7


def test_a_killed_worker_takes_no_record_with_it(root, capsys, monkeypatch):
    deadly(root, monkeypatch)
    assert main(["tiny", *GOOD, "--jobs", "2"], root) == 0
    told = capsys.readouterr()
    assert "a worker was killed; the others continue with the rest" in told.err
    assert "7 of 7 records made" in told.out and len(made(root)) == 7 and (root / "0.dead").exists()


def test_a_job_that_kills_every_worker_has_failed_and_others_are_made(root, capsys, monkeypatch):
    deadly(root, monkeypatch, times=99)
    monkeypatch.setattr(runs, "_RESTARTS", 1)
    assert main(["tiny", "--set", "cards", "--jobs", "2"], root) == 1
    out = capsys.readouterr().out
    assert "FAIL  exact on mini, test, seed 9: workers were killed 2 times" in out
    assert "1 of 2 records made" in out and len(made(root)) == 1


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    distributed = pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("dask")
    with distributed.LocalCluster(
        n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None,
        local_directory=str(folder), silence_logs=50,
    ) as there:  # fmt: skip
        yield there


def test_a_cluster_of_which_a_worker_is_killed_makes_all_records(root, capsys, monkeypatch, cluster):
    deadly(root, monkeypatch)
    assert main(["tiny", *GOOD, "--dask", cluster.scheduler_address], root) == 0
    assert "7 of 7 records made" in capsys.readouterr().out
    assert (root / "0.dead").exists() and not (root / "1.dead").exists()
    assert all(verify(one) is None for one in store_of(root)) and len(made(root)) == 7


def test_a_job_that_kills_a_cluster_has_failed_and_others_are_made(root, capsys, monkeypatch, cluster):
    deadly(root, monkeypatch, times=99)
    cluster.scheduler.allowed_failures = 0
    assert main(["tiny", "--set", "cards", "--dask", cluster.scheduler_address], root) == 1
    out = capsys.readouterr().out
    assert "FAIL  exact on mini, test, seed 9: KilledWorker" in out and "1 of 2 records made" in out


def test_a_scheduler_that_is_not_there_is_said_in_words(root, capsys):
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        assert main(["tiny", "--set", "cards", "--dask", "tcp://127.0.0.1:9"], root) == 2
    assert "not run: " in capsys.readouterr().err


STARTED = """
import signal, sys
from pathlib import Path
from study.chapters import plan
from study.chapters.run import main
from study.records import Store
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell in the background takes away
root = Path(sys.argv[1])
plan.local = lambda: Store(root / "records")
sys.exit(main(sys.argv[2:], root))
"""


def stopped(root: Path, records: int, capsys) -> None:
    """What is there is whole, and the next run makes the rest."""
    first = made(root)
    left = records - len(first)
    assert len(first) >= 2 and left > 0 and all(verify(one) is None for one in store_of(root))
    assert main(asked(records), root) == 0
    assert f"{left} of {left} records made" in capsys.readouterr().out
    after = made(root)
    assert len(after) == records and first.items() <= after.items()
    assert not [path for path in store_of(root).folder.iterdir() if path.name.startswith(".")]


def asked(records: int) -> list[str]:
    """What is asked for so many records: one of kinds, one of exact match, and the seeds of the prior."""
    return ["tiny", "--set", "test", "-p", "seeds", str(list(range(records - 2)))]


def test_ctrl_c_in_the_midst_of_a_record_leaves_it_to_the_next_run(root, capsys, monkeypatch):
    fits, fit = [], PriorLinker.fit

    def interrupted(self, benchmark, seed=0):
        fits.append(seed)
        if len(fits) == 3:
            signal.raise_signal(signal.SIGINT)
        return fit(self, benchmark, seed)

    monkeypatch.setattr(PriorLinker, "fit", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        assert main(asked(6), root) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert "stopped; the same command resumes from here" in capsys.readouterr().err
    assert len(made(root)) == 3  # exact match and two priors
    stopped(root, 6, capsys)


def test_ctrl_c_ends_all_processes_without_a_traceback(root, capsys):
    started = subprocess.Popen(
        [sys.executable, "-c", STARTED, str(root), *asked(26), "--jobs", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    while len(made(root)) < 2 and started.poll() is None:
        time.sleep(0.02)
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does: to all its processes
    out, err = started.communicate(timeout=60)
    assert started.returncode == 130, err
    assert "stopped; the same command resumes from here" in err and "Traceback" not in out + err
    stopped(root, 26, capsys)
