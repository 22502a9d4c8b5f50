"""States of trainings: every word and each of its bounds from records worked out by hand."""

import numpy as np
import pytest
from ranked import record

from benchlib.scoring import SpanOutcomes
from study.chapters.chapter import chapters
from study.chapters.jobs import STRATA, DataRef, Job
from study.chapters.run import plan_with
from study.chapters.training_states import (
    AT_CHANCE,
    NO_BETTER,
    PLATEAU,
    RISING,
    UNKNOWN,
    StateRecords,
    state_jobs,
    state_of,
)
from study.records import Record
from study.systems import linker


def right(n_right: int, n: int, documents: int = 0, trace=()) -> Record:
    """The first ``n_right`` of ``n`` mentions are right in each document; of 0, each mention is one."""
    ranks = [1] * n_right + [2] * (n - n_right)
    clusters = np.repeat(np.arange(documents), n) if documents else None
    return record(ranks * max(documents, 1), clusters, trace=trace)


def word(zero, half, full) -> str:
    return state_of([zero], [half], [full]).word


def trace(losses, chance=1.0, early=0.0) -> list[dict]:
    """Twenty updates, of which ``losses`` are the last two."""
    rows = [{"step": step, "loss": early, "chance_loss": 1.0} for step in range(1, 19)]
    return rows + [{"step": 19 + i, "loss": loss, "chance_loss": chance} for i, loss in enumerate(losses)]


# ---------------------------------------------------------------- words


def test_a_training_that_gained_all_in_its_first_half_is_at_a_plateau():
    # Documents are alike, so that every resample has the same means.
    state = state_of([right(20, 100, 3)], [right(60, 100, 3)], [right(60, 100, 3)])
    assert state.word == PLATEAU
    assert [one.value for one in (state.zero, state.half, state.full)] == pytest.approx([0.2, 0.6, 0.6])
    assert (state.gain.value, state.gain.low, state.gain.high) == pytest.approx((0.4, 0.4, 0.4))
    assert state.late.value == 0 and state.full.n == 300


@pytest.mark.parametrize(("full", "expected"), [(50, PLATEAU), (51, PLATEAU), (52, RISING), (40, PLATEAU)])
def test_more_than_a_point_in_the_second_half_is_rising_and_a_point_is_not(full, expected):
    assert word(right(0, 100, 3), right(50, 100, 3), right(full, 100, 3)) == expected


@pytest.mark.parametrize(("documents", "expected"), [(150, PLATEAU), (149, RISING)])
def test_an_upper_bound_above_two_points_is_rising_and_two_points_are_not(documents, expected):
    # The one document that is gained is drawn at most three times in 97.5 % of resamples, and three times
    # in more than the other 2.5 %: 3 of 150 are two points.
    state = state_of([right(0, documents)], [right(99, documents)], [right(100, documents)])
    assert 100 * state.late.high == pytest.approx(300 / documents, abs=1e-4) and state.late.value < 0.01
    assert state.word == expected


def test_an_interval_that_reaches_zero_is_no_better_than_zero_updates():
    # One of ten documents is gained, and is in none of a third of the resamples: the lower bound is 0.
    touching = state_of([right(4, 10)], [right(4, 10)], [right(5, 10)])
    assert touching.gain.low == 0 and touching.gain.value == pytest.approx(0.1)
    assert touching.word == NO_BETTER
    assert word(right(5, 10), right(5, 10), right(4, 10)) == NO_BETTER  # lost
    assert word(right(4, 10), None, right(4, 10)) == NO_BETTER  # whatever half of it gave
    # Nine of ten are gained: fewer than five of them in a resample are less likely than 2.5 %.
    assert state_of([right(0, 10)], [right(9, 10)], [right(9, 10)]).gain.low > 0.5
    assert word(right(0, 10), right(9, 10), right(9, 10)) == PLATEAU


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (trace([8.0, 10.0], chance=10.0), AT_CHANCE),  # the mean is 0.9 of chance
        (trace([8.0, 9.99], chance=10.0), PLATEAU),
        (trace([0.5, 0.5], early=1.0), PLATEAU),  # of the last tenth, not of all
        (trace([0.9, 0.9], early=0.0), AT_CHANCE),
        ([{"step": step, "loss": 9.0} for step in range(1, 21)], PLATEAU),  # an old one does not say
        (trace([9.0, 9.0], chance=None), PLATEAU),
        ([], PLATEAU),
    ],
)
def test_a_loss_of_nine_tenths_of_chance_is_at_chance(of, expected):
    full = right(60, 100, 3, trace=of)
    assert word(right(0, 100, 3), right(60, 100, 3), full) == expected
    if expected == AT_CHANCE:  # which comes first, and needs no other record
        assert word(None, None, full) == word(right(90, 100, 3), None, full) == AT_CHANCE


def test_without_a_record_that_is_needed_the_state_is_unknown_and_the_others_are_told():
    some, more = right(10, 100, 3), right(60, 100, 3)
    lacking = state_of([some], [None], [more])
    assert lacking.word == UNKNOWN and lacking.half is None and lacking.late is None
    assert lacking.better_than_none and not state_of([more], [None], [some]).better_than_none
    assert lacking.gain.value == pytest.approx(0.5)
    assert state_of([None], [more], [more]).word == UNKNOWN
    assert state_of([some], [some], [None]).word == UNKNOWN
    assert state_of([some], [], [more]).word == UNKNOWN  # an epoch that cannot be halved
    assert state_of([some], [], [some]).word == NO_BETTER


def test_folds_are_taken_together():
    zero, half = [right(0, 100, 3)] * 2, [right(50, 100, 3)] * 2
    # One point more in one fold, two in the other: a point and a half.
    state = state_of(zero, half, [right(51, 100, 3), right(52, 100, 3)])
    assert state.late.value == pytest.approx(0.015) and state.full.n == 600 and state.word == RISING
    assert state_of(zero, half, [right(51, 100, 3), None]).word == UNKNOWN


# ---------------------------------------------------------------- end to end


def spans(n_right: int) -> Record:
    """Of ten documents with a gold and a claim each, so many are right: F1 is their share."""
    worth = np.repeat((np.arange(10) < n_right).astype(float)[:, None], 3, axis=1)
    ones, counts = np.ones(10, dtype=int), {"n_raw": 10, "n_scored": 10, "dropped": {}}
    found = SpanOutcomes(ones, ones, worth, worth, counts | {"golds": counts, "claims": counts})
    return Record.of_spans({"name": "by hand", "dataset": "toy", "split": "dev"}, {}, found)


def test_end_to_end_the_strict_f1_decides_without_a_control():
    state = state_of([], [spans(6)], [spans(6)])
    assert state.word == PLATEAU and state.zero is None and state.gain is None
    assert state.full.value == pytest.approx(0.6) and state.late.value == 0
    assert state_of([], [spans(3)], [spans(5)]).word == RISING
    assert state_of([], [spans(0)], [spans(0)]).word == PLATEAU  # exempt from the comparison with none
    assert state_of([], [None], [spans(5)]).word == UNKNOWN


# ---------------------------------------------------------------- jobs


def job(name: str, *changes: str, data: str = "bc5cdr-released", seed: int = 3) -> Job:
    return Job(DataRef(data), changes, linker=linker(name).name, seed=seed)


def names(jobs) -> list[str]:
    return [one.linker for one in jobs]


def test_three_lengths_of_one_linker_on_dev_with_the_first_seed():
    states = state_jobs([job("bi-encoder,window=32,steps=301,learning_rate=0.001", "hold-out:hash:0.1")])
    assert names(states.zero) == ["bi-encoder,window=32,steps=0"]
    assert names(states.half) == ["bi-encoder,window=32,steps=150,learning_rate=0.001"]
    assert names(states.full) == ["bi-encoder,window=32,steps=301,learning_rate=0.001"]
    for one in (*states.zero, *states.half, *states.full):
        assert (one.split, one.seed, one.changes) == ("dev", 3, ("hold-out:hash:0.1",))
    assert names(states.control) == names(states.zero) and states.control[0].split == "test"


def test_arms_that_differ_in_their_training_share_their_control():
    arms = ["", "negatives=mixed", "n_negatives=32,fgsm=fgsm,batch=16", "delta=0.1,alpha=8", "score=softmax"]
    proxy = {state_jobs([job(f"bi-encoder,{arm}".rstrip(","))]).zero for arm in arms}
    # Those with a loss of dot products are compared by dot products without training, too.
    dot = {
        state_jobs([job(f"bi-encoder,{arm}")]).zero
        for arm in ("loss=ce", "loss=ce,negatives=mixed", "score=dot", "loss=ce,score=softmax")
    }
    by_cosine = state_jobs([job("bi-encoder,loss=ce,score=cosine")]).zero
    assert len(proxy) == len(dot) == 1 and proxy != dot and by_cosine in proxy
    # The index and what is read are not of the training.
    index = ["prototypes=train", "per_concept=8", "window=32", "references=True", "learning_rate=0.001"]
    assert len({state_jobs([job(f"krissbert,{setting}")]).zero for setting in index}) == len(index)
    assert names(state_jobs([job("collective,steps=9")]).zero) == ["collective,steps=0"]


def test_a_ranker_starts_from_its_first_stage_and_end_to_end_there_is_no_control():
    states = state_jobs([job("cross-encoder,first=bi-encoder;loss=ce;steps=100,steps=50")])
    assert names(states.zero) == names(states.control) == ["bi-encoder,loss=ce,steps=100"]
    assert names(states.half) == ["cross-encoder,first=bi-encoder;loss=ce;steps=100,steps=25"]
    assert names(state_jobs([job("cross-encoder,first=bm25")]).zero) == ["bm25"]
    # A weight chosen on dev would be scored where it was chosen.
    assert names(state_jobs([job("cross-encoder,steps=50,mix=dev")]).full) == ["cross-encoder,steps=50"]
    states = state_jobs([job("end-to-end,steps=100")])
    assert states.zero == states.control == () and names(states.half) == ["end-to-end,steps=50"]


def test_epochs_are_halved_and_the_last_weights_are_looked_at():
    chosen = state_jobs([job("cosines,steps=200,evaluate_steps=100,keep=best", data="ncbi-disease")])
    assert names(chosen.full) == ["cosines,steps=200"] and names(chosen.half) == ["cosines,steps=100"]
    assert names(chosen.zero) == ["cosines,epochs=0"]
    # Accuracy along a training chooses nothing where the last weights are kept.
    evaluated = state_jobs([job("cosines,epochs=9,evaluate_epochs=1")])
    assert names(evaluated.full) == ["cosines,epochs=9,evaluate_epochs=1"]
    assert names(evaluated.half) == ["cosines,epochs=4,evaluate_epochs=1"]
    for one_pass in ("biosyn,epochs=1", "biocom,steps=None"):
        assert state_jobs([job(one_pass)]).half == () and state_jobs([job(one_pass)]).zero


def test_dev_is_neither_learned_from_nor_named_in_the_dictionary_nor_test():
    learned = state_jobs([job("cosines,learns=train+dev,epochs=4", "add-names:train+dev", "dev:test")])
    assert names(learned.full) == ["cosines,epochs=4"]
    assert learned.full[0].changes == ("add-names:train",)
    assert state_jobs([job("tuned", "only-names:dev", "misspelt:test")]).full[0].changes == ()
    # The control stands beside the run that is shown.
    assert learned.control[0].changes == ("add-names:train+dev", "dev:test")


def test_folds_stand_in_for_a_dev_split_that_is_too_small():
    folds = [("fold:1/2",), ("fold:2/2",)]
    states = state_jobs([job("cosines,epochs=4", "add-names:train+dev")], folds)
    assert [one.changes for one in states.full] == [(*fold, "add-names:train") for fold in folds]
    assert len(states.zero) == len(states.half) == 2 and len(states.control) == 1
    own = [job("cosines,epochs=4", "fold:1/3"), job("cosines,epochs=4", "fold:2/3")]
    assert [one.changes for one in state_jobs(own, folds).full] == [("fold:1/3",), ("fold:2/3",)]


def test_without_a_training_or_without_dev_there_is_no_state(monkeypatch):
    assert state_jobs([job("tfidf")]) is None and state_jobs([job("bi-encoder,steps=0")]) is None
    monkeypatch.setattr(DataRef, "has", lambda self, *splits: False)
    assert state_jobs([job("bi-encoder")]) is None


@pytest.mark.parametrize("name", chapters())
def test_every_trained_system_of_a_chapter_has_its_states(name):
    plan = plan_with(name)
    asked = {*plan.jobs(["states"])}
    for run_set, entry in plan.chapter.runs.items():
        for row in plan.rows(run_set):
            trained = bool(row.system.linker and linker(row.system.linker).budget)
            assert (row.states is not None) == (trained and entry.has_states), (run_set, row.system.label)
            if row.states:
                there = StateRecords.of(row.states, lambda job: plan.store.find(job.inputs))
                assert {*row.states.zero, *row.states.control, *row.states.full} <= asked
                # Half is not asked for where the state is known without it, or the others come first.
                if None not in (*there.zero, *there.full) and there.state.word == UNKNOWN:
                    assert {*row.states.half} <= asked
                assert {job for job, of in zip(row.states.half, there.half, strict=True) if of} <= asked
                if row.kinds and len(row.states.full) == 1:
                    assert row.states.full[0].kinds in asked
    for one in asked:
        assert one.measurement == STRATA if not one.linker else linker(one.linker).name == one.linker
        if one.split == "dev":
            assert "learns=train+dev" not in one.linker and "keep=best" not in one.linker
            assert not any(change.endswith("dev") or change == "dev:test" for change in one.changes)
    assert not asked or {one.split for one in asked} == {"dev", "test"}


def test_records_are_looked_up_by_their_jobs():
    jobs = state_jobs([job("bi-encoder,steps=8")])
    there = {jobs.zero[0]: right(0, 100, 3), jobs.full[0]: right(60, 100, 3)}
    assert StateRecords.of(jobs, there.get).state.word == UNKNOWN
    there[jobs.half[0]] = right(60, 100, 3)
    assert StateRecords.of(jobs, there.get).state.word == PLATEAU
