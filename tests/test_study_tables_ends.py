"""How trainings end, as a table: the last tenth of two traces, by hand."""

from ranked import record, runs

from study import tables


def trained(*losses, chance=None, **watched):
    """A record whose training had these losses, one an update."""
    rows = [
        {"step": step, "loss": loss, "chance_loss": chance} | watched for step, loss in enumerate(losses, 1)
    ]
    return record([1, 2], trace=rows)


def test_the_last_tenth_of_the_updates_is_averaged_over_them_and_over_seeds():
    first = trained(*[5.0] * 18, 0.5, 0.7, chance=2.0, positive_cosine=0.8)
    second = trained(*[5.0] * 18, 0.3, 0.1, chance=2.0, positive_cosine=0.6)
    row = tables.ends([runs("a", first, second)]).iloc[0]
    assert (row["loss"], row["loss at chance"], row["of chance"]) == ("0.400", "2.000", "0.20")
    assert row["cosine, one concept"] == "0.700" and not row["cosine, two concepts"]


def test_a_training_that_watched_nothing_has_its_loss_alone():
    found = [runs("old", trained(2.0)), runs("missing", None), runs("untrained", record([1]))]
    table = tables.ends(found)
    assert table["loss"].tolist() == ["2.000", "NOT RUN"]
    assert not any(table["loss at chance"])
