"""Whether a ranker learned, from traces written by hand and from those of the published rankers."""

import math
from types import SimpleNamespace

import pytest

from study.chapters.chapter import chapters, read_chapter
from study.chapters.run import plan_with
from study.chapters.trainings import final_loss
from study.systems import linker

RANKED = [name for name in chapters() if "rankers-dev" in read_chapter(name).runs]


def trained(losses, chance):
    """A training of these losses, one an update."""
    rows = [{"step": i, "loss": loss, "chance_loss": chance} for i, loss in enumerate(losses, start=1)]
    return SimpleNamespace(trace=rows, inputs={"name": "cross-encoder"})


def test_the_final_loss_is_that_of_the_last_tenth_as_a_share_of_chance():
    # Of twenty updates the last two: (0.9 + 1.1) / 2 of ln 16.
    record = trained([2.7] * 18 + [0.9, 1.1], math.log(16))
    assert final_loss(record) == pytest.approx(1 / 2.772589)
    # Of a trace that keeps every second update, that of 20 alone.
    record.trace = record.trace[1::2]
    assert final_loss(record) == pytest.approx(1.1 / 2.772589)
    for lacking in (trained([], None), trained([1], None)):
        with pytest.raises(ValueError, match="cross-encoder: expected a trace with the chance loss"):
            final_loss(lacking)


@pytest.mark.parametrize("name", RANKED)
def test_every_ranker_of_which_dev_chose_the_rate_learned(name):
    plan = plan_with(name)
    made = [
        record
        for row in plan.rows("rankers-dev")
        if linker(row.system.linker).base == "cross-encoder"
        for of_seed in row.jobs
        for job in of_seed
        if (record := plan.store.find(job.inputs)) is not None
    ]
    if not made:
        pytest.skip("no ranker of it was run")
    assert [record.stem for record in made if final_loss(record) >= 0.5] == []
