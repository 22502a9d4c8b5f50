"""Gains beside printed ones, one system on several lists, how trainings go, and printed examples."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from ranked import GONE, record, runs

from benchlib.scoring import Scoring
from study import tables
from study.records import Record

STRICT = Scoring()
PRINTED = pd.DataFrame(
    [
        {"system": name, "metric": "recall_at_1", "dataset": "Toy", "value": value}
        for name, value in (("Ours", "80.0"), ("Other", "60.0"), ("Better", "90.0"))
    ]
)
OURS = runs("ours", record([1, 1, 1, 0]), printed="Ours")
OTHER = runs("other", record([1, 0, 1, 0]), printed="Other")
BETTER = runs("better", record([0, 0, 0, 0]), printed="Better")


def test_a_gain_is_set_beside_the_printed_one():
    paid = runs("paid", printed="Other", reason=GONE)
    pairs = [("ours", "other"), ("ours", "better"), ("ours", "paid")]
    table = tables.gains([OURS, OTHER, BETTER, paid], pairs, STRICT, PRINTED)
    assert table["printed gain"].tolist() == ["+20.00", "-10.00", "+20.00"]
    # Three of four against two of four, of which 25 points are 1.25 times the printed 20.
    assert table["our gain"][0].startswith("+25.0 [") and table["ours / printed"][0] == "1.25"
    # Where the paper gains nothing there is nothing to have a share of.
    assert table["our gain"][1].startswith("+75.0 [") and table["ours / printed"][1] == ""
    assert table["our gain"][2] == GONE


def test_a_gain_that_is_stated_and_one_on_some_mentions():
    table = tables.gains([OURS, OTHER], [("ours", "other")], STRICT, stated={("ours", "other"): "50"},
                         mentions={"toy": np.array([True, True, False, False])})  # fmt: skip
    # Of the first two mentions both against one.
    assert (table["printed gain"][0], table["ours / printed"][0]) == ("+50.00", "1.00")
    assert "printed gain" in tables.gains([OURS, OTHER], [("ours", "other")], STRICT)
    assert tables.gains([OURS], [("ours", "gone")], STRICT).empty


def test_how_many_mentions_a_printed_gain_takes():
    # Differences 1, 0, -1 and 0 in clusters of their own, of which 400 times as many mentions have a
    # twentieth of the error.
    first, second = (runs(key, record(hits * 100), printed=key.title())
                     for key, hits in (("ours", [1, 1, 0, 0]), ("other", [0, 1, 1, 0])))  # fmt: skip
    takes = []
    for printed in ("61.0", "80.0"):
        rows = PRINTED.assign(value=[printed, "60.0", "90.0"])
        table = tables.gains([first, second], [("ours", "other")], STRICT, rows, it_takes=True)
        assert table["mentions"].tolist() == ["400"]
        takes.append(float(table["it takes"][0].replace(",", "")))
    # Standard error of the mean of 400 such differences, and 2.8 times that is found four times in five.
    expected = 400 * (100 * 2.80 * np.sqrt(0.5 / 400) / 1.0) ** 2
    assert takes[0] == pytest.approx(expected, rel=0.1)
    assert takes[0] / takes[1] == pytest.approx(20**2, rel=0.01)


def test_a_system_on_two_lists_has_one_row():
    longer = runs("ours", record([1, 1, 1, 1]), printed="Ours", changes=("add-names:train",))
    table = tables.side_by_side(
        {"names": [OURS, OTHER], "more": [longer]}, ["ours", "other"], STRICT, PRINTED
    )
    assert table.columns.tolist() == ["system", "names", "printed", "more"]
    assert [one.split(" [")[0] for one in table["names"]] == ["75.0", "50.0"]
    assert [one.split(" [")[0] for one in table["more"]] == ["100.0", ""]
    assert table["printed"].tolist() == ["80.0", "60.0"]


def trained(key, *curves):
    """A seed a curve of dev scores, one fold each."""
    return runs(key, *(record([1], trace=[{"dev_score": score} for score in curve]) for curve in curves))


def test_steadiness_by_hand():
    # The standard deviation of two numbers is their distance over the root of 2, which cancels in a ratio.
    a = trained("a", [0.0, 0.4, 0.5, 0.6], [0.0, 0.2, 0.5, 0.7])
    b = trained("b", [0.0, 0.4, 0.5, 0.9], [0.0, 0.2, 0.5, 0.5])
    table = tables.steadiness([a, b, runs("c", None)])
    assert table["ratio"].tolist() == ["0.62 [0.25, 1.00]", "0.50 [0.00, 1.00]", "NOT RUN"]
    assert table["each seed"].tolist() == ["0.25, 1.00", "1.00, 0.00", ""]
    assert table["a minus this"].tolist() == ["", "+0.12 [-0.75, +1.00]", ""]
    # Two trainings: of four ways to swap, the two that keep both signs apart are as far or farther.
    assert table["p"].tolist()[1] == "1.0000"


def normed(key, *trainings):
    return runs(
        key,
        *(
            record([1], trace=[{"step": i, "gradient_norm": norm} for i, norm in enumerate(norms, 1)])
            for norms in trainings
        ),
        label=key.upper(),
    )


def test_the_variation_of_gradients_by_hand():
    # The first of four updates is warm-up. Of 1, 2, 3 and of 9, 10, 11 the standard deviation is 1.
    a = normed("a", [5, 1, 2, 3], [5, 9, 10, 11])
    b = normed("b", [8, 2, 4, 8], [8, 0.5, 1, 0.25])
    table = tables.gradients([a, runs("c", None), b], clip=2)
    assert table["training"].tolist() == ["A", "c", "B"]
    assert table["CV"].tolist() == [f"{(1 / 2 + 1 / 10) / 2:.2f}", "NOT RUN", f"{b_cv().mean():.2f}"]
    assert table["seeds CV"].tolist() == ["0.50, 0.10", "", ", ".join(f"{one:.2f}" for one in b_cv())]
    # Doublings lie the logarithm of 2 apart.
    assert table["SD of log"][2] == f"{np.log(2):.2f}"
    whole = [np.std(one, ddof=1) / np.mean(one) for one in ([5, 1, 2, 3], [5, 9, 10, 11])]
    assert table["CV, with warm-up"][0] == f"{np.mean(whole):.2f}"
    # Of 1, 2, 3 and of 9, 10, 11 four are above 2, where they are cut: 1, 2, 2 and 2, 2, 2 are left.
    assert table["above 2, %"][0] == f"{100 * 4 / 6:.1f}"
    assert table["CV, clipped"][0] == f"{np.std([1, 2, 2], ddof=1) / (5 / 3) / 2:.2f}"
    ratio = np.sqrt(np.prod(b_cv() / [1 / 2, 1 / 10]))
    assert table["CV divided by A"].tolist()[:2] == ["", ""]
    assert table["CV divided by A"][2].startswith(f"{ratio:.2f} [")
    elsewhere = replace(b, data="other")
    assert "CV divided by A" not in tables.gradients([a, elsewhere])
    assert tables.gradients([a, elsewhere])["data"].tolist() == ["toy", "other"]


def b_cv() -> np.ndarray:
    return np.array([np.std(one, ddof=1) / np.mean(one) for one in ([2, 4, 8], [0.5, 1, 0.25])])


def test_printed_examples_stand_beside_ours(tmp_path, monkeypatch):
    monkeypatch.setattr("study.tables.qualitative.FOLDER", tmp_path)
    (tmp_path / "x.csv").write_text(
        "type,mention,target,printed\nAcronym,NES,Netscape,SAS / iOS\nNone,Q,R,S\n"
    )
    answered = Record({}, {}, values={"NES": ["iOS", "Netscape"]})
    table = tables.printed_examples("x", {"toy": answered})
    assert table.to_dict("records")[0] == {
        "type": "Acronym",
        "mention": "NES",
        "gold": "Netscape",
        "printed": "SAS / iOS",
        "ours": "iOS / Netscape",
    }
    assert table["ours"].tolist()[1] == "NOT RUN"
    assert tables.printed_examples("x", {"toy": None})["ours"].tolist() == ["NOT RUN", "NOT RUN"]
    (tmp_path / "x.csv").write_text("type,mention,target,printed\nAcronym,NES,Netscape\n")
    with pytest.raises(ValueError, match="x.csv:2: expected 4 cells"):
        tables.printed_examples("x", {"toy": None})
    (tmp_path / "x.csv").write_text("type,mention\n")
    with pytest.raises(ValueError, match="x.csv:1: expected a first line with type,mention,target,printed"):
        tables.printed_examples("x", {"toy": None})
