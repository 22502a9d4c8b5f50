"""Settings that a chapter chose were chosen on dev, by records that are older than those they led to."""

import pytest

from benchlib.linkers import linker
from benchlib.scoring import Scoring, recall
from study.chapter import chapters, read_chapter
from study.runs import plan_with

CHOSEN = [
    (name, key) for name in chapters() for key, entry in read_chapter(name).systems.items() if entry.chosen_by
]


def found(plan, run_set, key=""):
    """The published records of a run set with their linkers, of one system or of all."""
    return [
        (job.linker, record)
        for row in plan.rows(run_set)
        if not key or key in row.system.keys
        for of_seed in row.jobs
        for job in of_seed
        if (record := plan.store.find(job.inputs)) is not None
    ]


def test_there_is_a_choice_to_look_at():
    assert ("cosines", "gnn") in CHOSEN


@pytest.mark.parametrize(("name", "key"), CHOSEN)
def test_a_choice_was_made_on_dev_before_its_records_were(name, key):
    plan = plan_with(name)
    run_set = plan.chapter.systems[key].chosen_by
    assert {row.jobs[0][0].split for row in plan.rows(run_set)} == {"dev"}
    tried = found(plan, run_set)
    choice = {record.stem for _, record in tried}  # of which one may be shown beside what it led to
    led_to = [
        record
        for set_name, entry in plan.chapter.runs.items()
        if key in entry.systems
        for _, record in found(plan, set_name, key)
        if record.stem not in choice
    ]
    if not led_to:
        pytest.skip("what the choice leads to was not run")
    assert len(tried) == len(plan.rows(run_set)) > 1
    # A ranker without an update is its first linker, which stands beside what was tried.
    base = linker(plan.systems[key][0].linker).base
    scores = {
        of: recall(record.outcomes, 1, Scoring()).mean() for of, record in tried if linker(of).base == base
    }
    best = linker(max(scores, key=scores.get)).config
    # What was tried differs in some settings, and of these the system has the best's.
    configs = [linker(of).config for of in scores]
    varied = {name for name in best if len({config[name] for config in configs}) > 1}
    assert varied
    for system in plan.systems[key]:
        chosen = linker(system.linker).config
        assert {name: chosen[name] for name in varied} == {name: best[name] for name in varied}
    assert max(r.made["date"] for _, r in tried) < min(r.made["date"] for r in led_to)
