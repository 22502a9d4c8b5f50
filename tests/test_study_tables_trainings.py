"""How trainings go, as tables: traces and dev scores worked out by hand."""

from dataclasses import replace

import numpy as np
from ranked import cells, record, runs

from study import tables


def traced(key, column, *trainings, label=""):
    """A seed a training; of each the values of a column of its trace."""
    rows = [[{"step": step, column: value} for step, value in enumerate(of, 1)] for of in trainings]
    return runs(key, *(record([1], trace=trace) for trace in rows), label=label or key)


def test_the_last_tenth_of_the_updates_is_averaged_over_them_and_over_seeds():
    def trained(*losses, **watched):
        steps = enumerate(losses, 1)
        rows = [{"step": step, "loss": loss, "chance_loss": None} | watched for step, loss in steps]
        return record([1, 2], trace=rows)

    first = trained(*[5.0] * 18, 0.5, 0.7, chance_loss=2.0, positive_cosine=0.8)
    second = trained(*[5.0] * 18, 0.3, 0.1, chance_loss=2.0, positive_cosine=0.6)
    # A training that watched nothing has its loss alone; a system without a training has no row.
    others = [runs("old", trained(2.0)), runs("missing", None), runs("bare", record([1]))]
    table = tables.ends([runs("a", first, second), *others])
    heads = ["loss", "loss at chance", "cosine, one concept", "cosine, two concepts", "of chance"]
    assert list(table)[1:] == heads
    assert cells(table) == [
        ["a", "0.400", "2.000", "0.700", "", "0.20"], ["old", "2.000", "", "", "", ""],
        ["missing", "NOT RUN", "", "", "", ""],
    ]  # fmt: skip


def test_steadiness_by_hand():
    # The standard deviation of two numbers is their distance over the root of 2, which cancels in a ratio.
    a = traced("a", "dev_score", [0.0, 0.4, 0.5, 0.6], [0.0, 0.2, 0.5, 0.7])
    b = traced("b", "dev_score", [0.0, 0.4, 0.5, 0.9], [0.0, 0.2, 0.5, 0.5])
    table = tables.steadiness([a, b, runs("c", None)])
    assert table["ratio"].tolist() == ["0.62 [0.25, 1.00]", "0.50 [0.00, 1.00]", "NOT RUN"]
    assert table["a minus this"].tolist() == ["", "+0.12 [-0.75, +1.00]", ""]
    # Two trainings: of four ways to swap, the two that keep both signs apart are as far or farther.
    assert cells(table, "each seed", "p") == [["0.25, 1.00", ""], ["1.00, 0.00", "1.0000"], ["", ""]]


def test_the_variation_of_gradients_by_hand():
    def variation(*trainings):
        return np.array([np.std(one, ddof=1) / np.mean(one) for one in trainings])

    # The first of four updates is warm-up. Of 0.5, 1, 1.5 and of 9, 10, 11 the deviations are 0.5 and 1.
    a = traced("a", "gradient_norm", [5, 0.5, 1, 1.5], [5, 9, 10, 11], label="A")
    b = traced("b", "gradient_norm", [8, 2, 4, 8], [8, 0.5, 1, 0.25], label="B")
    table = tables.gradients([a, runs("c", None), b])
    of_b = variation([2, 4, 8], [0.5, 1, 0.25])
    ratio = np.sqrt(np.prod(of_b / [1 / 2, 1 / 10]))
    whole, clipped = variation([5, 0.5, 1, 1.5], [5, 9, 10, 11]), variation([0.5, 1, 1], [1, 1, 1])
    first, gone, second = table.to_dict("records")
    assert first["training"].startswith("A") and (first["CV"], first["seeds CV"]) == ("0.30", "0.50, 0.10")
    # Above 1 are the last of the first and all of the second: four of six.
    assert first["CV, with warm-up"] == f"{whole.mean():.2f}" and first["above 1, %"] == "66.7"
    assert first["CV, clipped"] == f"{clipped.mean():.2f}" and first["CV divided by A"] == ""
    assert (gone["training"], gone["CV"]) == ("c", "NOT RUN")
    assert second["CV"] == f"{of_b.mean():.2f}" and second["CV divided by A"].startswith(f"{ratio:.2f} [")
    # Doublings lie the logarithm of 2 apart.
    assert second["SD of log"] == f"{np.log(2):.2f}"
    elsewhere = tables.gradients([a, replace(b, data="other")])
    assert "CV divided by A" not in elsewhere and elsewhere["data"].tolist() == ["toy", "other"]
