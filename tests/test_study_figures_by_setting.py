"""Accuracy against a setting: the points, their ticks and intervals, and what is left out, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from bs4 import BeautifulSoup
from drawn_runs import behind, data, drawn, legend, lines, not_run, texts
from ranked import record, runs

from benchlib.scoring import Scoring
from study import figures

pytestmark = pytest.mark.filterwarnings("error")

STRICT = Scoring()
SHARE = ("sample-names", "share of the names, %")


def sampled(key, share, *seeds, data="toy"):
    changes = ("unlabelled:x", f"sample-names:{share}:7") if share else ("unlabelled:x",)
    return runs(key, *seeds, data=data, changes=changes)


def labels(axes):
    return [tick.get_text() for tick in axes.get_xticklabels()]


def bars(axes):
    """(x, low, high) of every bar."""
    return [(*segment[0], segment[1][1]) for one in axes.collections for segment in one.get_segments()]


def test_the_share_of_names_is_read_from_the_transform():
    found = {
        # Of a chapter in any order: the line goes from the smallest share to the largest.
        "A": [
            sampled("a", "", record([1, 1, 0, None]), record([1, 0, 0, None])),
            sampled("a", "0.125", record([0, 0, 0, None])),
            sampled("a", "1/4", record([1, 0, 0, None])),
        ],
        "B": [sampled("b", "", record([1, 1, 1, None]))],
    }
    shown = figures.by_setting(found, STRICT, *SHARE)
    figure = drawn(shown)
    [axes] = figure.axes
    assert lines(axes)["A"] == pytest.approx(np.array([[12.5, 0], [25, 100 / 3], [100, 50]]))
    assert lines(axes)["B"].tolist() == [[100, 100]]
    assert [*axes.get_xticks()] == [12.5, 25, 100] and labels(axes) == ["12.5", "25", "100"]
    assert (axes.get_title(), axes.get_xlabel(), axes.get_xscale()) == ("toy", SHARE[1], "linear")
    assert legend(figure) == ["A", "B"] and behind(shown) == {"toy, A": 4, "toy, B": 1}
    # Of 27 draws of the credits 1, 1/2 and 0 one has none of them and one all the first: 3.7 % each.
    first = data(shown)[0]
    assert first == {
        "data": "toy", "system": "A", "names_percent": 100,
        "accuracy_percent": 50, "low_percent": 0, "high_percent": 100,
    }  # fmt: skip
    assert sorted(bars(axes)) == [(12.5, 0, 0), (25, 0, 100), (100, 0, 100), (100, 100, 100)]


def test_only_the_mentions_of_the_mask_count_and_a_data_set_without_one_is_not_run():
    found = {"A": [sampled("a", "", record([1, 1, 0, None]), record([1, 0, 0, None])),
                   sampled("a", "0.5", record([1, 0, 1, None])),
                   sampled("a", "", record([1]), data="bare")]}  # fmt: skip
    shown = figures.by_setting(found, STRICT, *SHARE, {"toy": np.array([True, True, False, True])})
    toy, bare = drawn(shown).axes
    assert lines(toy)["A"].tolist() == [[50, 50], [100, 75]] and texts(bare) == ["NOT RUN: no record"]
    # A quarter of the draws of 1 and 1/2 have the first twice, a quarter the second.
    assert (100, 50, 100) in bars(toy) and behind(shown) == {"toy, A": 3}
    none = {"toy": np.zeros(4, dtype=bool), "bare": np.ones(1, dtype=bool)}
    toy, bare = drawn(figures.by_setting(found, STRICT, *SHARE, none)).axes
    assert toy.get_xlabel() == f"{SHARE[1]}\nno mention left: A at 50, 100" and lines(toy) == {}
    assert lines(bare)["A"].tolist() == [[100, 100]]


def at(key, value, *seeds, data="toy", **of):
    return runs(key, *seeds, data=data, values={"n": value, "other": "x"}, **of)


def test_what_is_not_run_is_left_out_and_said_and_keeps_its_tick():
    one, half = record([1, 1]), record([1, 0])
    found = {
        "A": [at("a", 1, half), at("a", 5, None), at("a", 20, one, None), at("a", 10, one)],
        "B": [at("b", 5, half), at("b", 1, reason="NOT RUN: closed"), at("b", 1, one, data="other")],
        "C": [at("c", 5, None), at("c", 5, None, data="none")],
    }
    shown = figures.by_setting(found, STRICT, "n", "n")
    figure = drawn(shown)
    toy, other, none = figure.axes
    assert {name: line.tolist() for name, line in lines(toy).items()} == {
        "A": [[1, 50], [10, 100]], "B": [[5, 50]],
    }  # fmt: skip
    # In lines that a phone shows whole.
    assert toy.get_xlabel() == "n\nNOT RUN: B at 1; A at 5, 20; C at 5" and other.get_xlabel() == "n"
    assert labels(toy) == labels(other) == ["1", "5", "10", "20"] and texts(none) == ["NOT RUN: no record"]
    assert legend(figure) == ["A", "B"] and behind(shown) == {"toy, A": 2, "toy, B": 1, "other, B": 1}
    assert [(row["system"], row["n"]) for row in data(shown)] == [("A", 1), ("A", 10), ("B", 5), ("B", 1)]
    assert not_run(figures.by_setting({}, STRICT, "n", "n"))
    assert not_run(figures.by_setting({"C": found["C"]}, STRICT, "n", "n"))


@pytest.mark.parametrize(("log", "end"), [(False, 16 + 15 / 5), (True, 16 * 16 ** (1 / 5))])
def test_all_stands_apart_at_the_right_end(log, end):
    found = {"A": [at("a", "all", record([1, 1])), at("a", 16, record([1, 0])), at("a", 1, record([0, 0]))],
             "B": [at("b", "all", record([0, 1]))]}  # fmt: skip
    shown = figures.by_setting(found, STRICT, "n", "n", log=log)
    [axes] = drawn(shown).axes
    parts = [(line.get_label(), *line.get_data()) for line in axes.get_lines() if line.get_label() in "AB"]
    assert [(label, [*x], [*y]) for label, x, y in parts] == [
        ("A", [1, 16], [0, 50]), ("A", [pytest.approx(end)], [100]), ("B", [pytest.approx(end)], [50]),
    ]  # fmt: skip
    assert labels(axes) == ["1", "16", "all"] and axes.get_xscale() == ("log" if log else "linear")
    assert [row["n"] for row in data(shown)] == ["all", "16", "1", "all"]
    alone = figures.by_setting({"B": found["B"]}, STRICT, "n", "n", log=log)
    assert labels(drawn(alone).axes[0]) == ["all"]


def test_what_has_no_place_on_the_axis_is_refused():
    for value, log, expected in ((None, False, "a number or 'all'"), ("5", False, "a number or 'all'"),
                                 (0, True, "a number above 0 or 'all'")):  # fmt: skip
        with pytest.raises(ValueError, match=f"^a: n is {value!r}; expected {expected}$"):
            figures.by_setting({"A": [at("a", value, record([1]))]}, STRICT, "n", "n", log=log)
    with pytest.raises(ValueError, match="a: m is None; expected a number"):
        figures.by_setting({"A": [at("a", 1, record([1]))]}, STRICT, "m", "m")
    twice = [at("a", 1, None), at("b", 1, record([1]))]
    with pytest.raises(ValueError, match="A on toy: two runs at 1; expected one"):
        figures.by_setting({"A": twice}, STRICT, "n", "n")
    # Of two lines or data sets each has its own.
    both = [at("a", 1, record([1])), at("a", 1, record([1]), data="other")]
    assert len(data(figures.by_setting({"A": both, "B": both}, STRICT, "n", "n"))) == 4


def test_the_states_of_a_setting_have_their_numbers_and_commands_in_ascending_order():
    one, half = record([1, 1]), record([1, 0])
    page = SimpleNamespace(name="toy", parameters=SimpleNamespace(values=dict, defaults=dict))
    found = {"A": [at("a", "all", one), at("a", 5, half), at("a", 1, None)], "B & C": [at("b", 5, None)]}
    shown = BeautifulSoup(figures.steps(page, ["x", "y"], found, STRICT, "n", "names"), "html.parser")
    states = [[cell.get_text() for cell in state.find_all("td")] for state in shown.find_all("section")]
    assert states == [
        ["not run", ""],
        ["50.0 [0.0, 100.0]", "not run"],
        ["100.0 [100.0, 100.0]", ""],
    ]
    heads = [head.get_text() for head in shown.section.find_all("th")]
    assert heads == ["", "A", "B & C", "toy"]
    assert [strong.get_text() for strong in shown.find_all("strong")] == ["1", "5", "all"]
    commands, keys = [pre.get_text() for pre in shown.find_all("pre")], [half.short_key, one.short_key]
    assert commands[0] == "study run toy --set x --set y"
    assert commands[1:] == [f"{commands[0]} --again {key}" for key in keys]
    assert figures.steps(page, ["x"], {}, STRICT, "n", "names") == ""
