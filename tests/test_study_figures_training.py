"""Figures of trained systems: lines, bands and heat maps are what the records say."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from drawn_runs import behind, data, drawn, evaluated, legend, lines, not_run, texts, trained
from ranked import record, runs

from benchlib.scoring import Estimate, Scoring
from study import figures
from study.chapters.costs import Cost
from study.chapters.results import SystemResult
from study.figures import style

pytestmark = pytest.mark.filterwarnings("error")


def test_a_learning_curve_is_the_mean_of_equal_evaluations_in_a_band_of_one_deviation():
    folds = runs("folds", [evaluated({10: 0.2, 20: 0.4}), evaluated({12: 0.4, 24: 0.8, 30: 0.9})])
    alone = runs("alone", evaluated({5: 0.5, 10: 0.6}))
    # The last updates are 20 and 30, 25 in the mean: so are the epochs.
    shown = figures.learning("panel", [folds, runs("none", None), alone], 25, mark=15, by="system")
    figure = drawn(shown)
    [axes] = figure.axes
    assert lines(axes)["folds"] == pytest.approx(np.array([[11, 30], [22, 60]]))
    assert lines(axes)["alone"] == pytest.approx(np.array([[12.5, 50], [25, 60]]))
    assert axes.get_ylabel() == "accuracy on\nheld-out mentions, %"
    assert legend(figure) == ["folds", "alone"] and axes.get_xlabel() == "epochs"
    assert figure.legends[0].get_title().get_text() == "system" and axes.get_title() == "panel"
    assert [*axes.get_lines()[-1].get_xdata()] == [15, 15]
    # Two values lie half their difference off their mean: by the root of 2 of it they deviate (n - 1).
    edges = axes.collections[0].get_paths()[0].vertices
    assert sorted({round(y, 6) for x, y in edges if x == 11}) == [
        round(30 + side * 10 * 2**0.5, 6) for side in (-1, 1)
    ]
    row = {"panel": "panel", "label": "folds", "trainings": 2}
    last = {"epochs": 22, "accuracy_percent": 60, "deviation_points": pytest.approx(20 * 2**0.5, abs=1e-3)}
    assert data(shown)[1] == row | last
    assert behind(shown) == {"folds": 2, "alone": 1}
    assert not_run(figures.learning("empty", [runs("folds", None)], 2, 1, "system"))


def test_a_learning_curve_needs_dev_scores_and_one_line_a_label():
    never, fine = runs("never", evaluated({})), runs("x", evaluated({1: 0.1}))
    with pytest.raises(ValueError, match="toy, never: a trace without dev scores"):
        figures.learning("p", [never], 2, 1, "system")
    with pytest.raises(ValueError, match="panel 'p': x is there twice"):
        figures.learning("p", [fine, fine], 2, 1, "system")


def test_the_first_twelve_labels_are_told_apart_without_colour():
    looks = style.line_styles(f"system {i}" for i in range(12)).values()
    assert len({look["marker"] for look in looks}) == 12
    assert len({(look["color"], look["linestyle"]) for look in looks}) == 12


def test_gradients_are_relative_to_their_training_and_smoothed(monkeypatch):
    monkeypatch.setattr("study.figures.training.WINDOW", 3)
    # Of eight updates two are warm-up. The means of the others are 2 and 20.
    small, large = [8, 4, 1, 3, 1, 3, 2, 2], [20, 20, 10, 30, 10, 30, 20, 20]
    both, gone = runs("both", trained(small), trained(large)), runs("gone", None)
    found = {"random": [both, gone], "mixed": [runs("one", trained(small))], "none": []}
    shown = figures.gradients(found)
    figure = drawn(shown)
    first, second, empty = figure.axes
    assert texts(empty) == ["NOT RUN: no record"] and first.get_yscale() == "log"
    assert [axes.get_title() for axes in figure.axes] == ["random", "mixed", "none"]
    relative = np.array([[4, 2, 0.5, 1.5, 0.5, 1.5, 1, 1], [1, 1, 0.5, 1.5, 0.5, 1.5, 1, 1]])
    smooth = [[one[max(0, i - 1) : i + 2].mean() for i in range(8)] for one in relative]
    assert lines(first)["both"] == pytest.approx(np.column_stack([range(1, 9), np.mean(smooth, axis=0)]))
    assert lines(second)["one"][:, 1] == pytest.approx(smooth[0])
    assert [*first.get_lines()[-1].get_xdata()] == [2, 2]
    assert data(shown)[-1] == {"panel": "mixed", "label": "one", "update": 8, "relative_norm": 1}
    assert behind(shown) == {"random, both": 2, "mixed, one": 1} and legend(figure) == ["both", "one"]
    assert not_run(figures.gradients({"random": [gone]}))
    with pytest.raises(ValueError, match="expected a training of several updates, found 0 gradient norms"):
        figures.gradients({"random": [runs("untrained", trained([]))]})


def cost(label: str, seconds: float, share: float, *keys: str, value: str = "") -> Cost:
    accuracy = Estimate(share, share - 0.1, share + 0.2, 10)
    return Cost(label, seconds, accuracy, tuple(SimpleNamespace(key=key) for key in keys), value)


def test_a_tradeoff_names_the_points_of_a_line_and_leaves_out_what_has_none():
    points = [cost("small", 0.5, 0.25, "a", "time", value="1"), cost("large", 2.0, 0.5, "b", "time")]
    found = {"line": points, "alone": [cost("x", 1.0, 0.75)], "gone": []}
    shown = figures.tradeoff(found, {"alone": (60, 70.5), "theirs": (30, 67.2)})
    figure = drawn(shown)
    [axes] = figure.axes
    assert texts(axes) == ["1"] and axes.get_xscale() == "log"
    marks = {name: line.tolist() for name, line in lines(axes).items()}
    assert marks.pop("open: printed") == []
    assert marks == {"line": [[0.5, 25], [2, 50]], "alone": [[1, 75]], "theirs, printed": [[30, 67.2]]}
    assert legend(figure) == ["line", "alone", "theirs, printed", "open: printed"]
    # The bars of the line: from low to high.
    bars = [segment[:, 1].tolist() for segment in axes.collections[0].get_segments()]
    assert bars == [pytest.approx([15, 45]), pytest.approx([40, 70])]
    # A printed point has the form and colour of ours, and is open.
    ours, printed = (next(one for one in axes.get_lines() if [*one.get_xdata()] == [x]) for x in (1, 60))
    assert (ours.get_color(), ours.get_marker()) == (printed.get_color(), printed.get_marker())
    assert printed.get_markerfacecolor() == "none" != ours.get_markerfacecolor()
    first, *_, last = data(shown)
    assert first == {
        "source": "here", "label": "line", "point": "small", "seconds": 0.5,
        "accuracy_percent": 25, "low_percent": 15, "high_percent": 45,
    }  # fmt: skip
    assert last == {"source": "printed", "label": "theirs", "seconds": 30, "accuracy_percent": 67.2}
    assert [record.key for record in shown.records["line"]] == ["a", "time", "b"]
    assert not_run(figures.tradeoff({"gone": []}))
    [axes] = drawn(figures.tradeoff(found, x_label="seconds of updates", y_label="Recall@10")).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("seconds of updates (log scale)", "Recall@10, %")


def test_the_seconds_of_a_tradeoff_are_plain_numbers_near_and_far_apart():
    for ends, told in (([20, 150], ["20", "50", "100"]), ([0.3, 300], ["1", "10", "100"])):
        figure = drawn(figures.tradeoff({"line": [cost(f"{at}", at, 0.5) for at in ends]}))
        figure.canvas.draw()
        axis = figure.axes[0].xaxis
        least, most = figure.axes[0].get_xlim()
        ticks = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
        assert [label.get_text() for at, label in ticks if least <= at <= most] == told
        assert not any(label.get_text() for label in axis.get_minorticklabels())


def tried(margin: float, rate: float, *seeds: Sequence[object]) -> SystemResult:
    return runs("x", *map(record, seeds), values={"margin": margin, "rate": rate})


def test_a_grid_has_a_cell_for_each_pair_of_settings_on_one_scale():
    found = [tried(2.0, 1e-4, [1, 0], [1, 1]), tried(2.0, 1e-5), tried(0.5, 1e-5, [0, "half"])]
    other = [tried(1.0, 1e-3, [1, 1])]
    shown = figures.grid({"a": found, "b": other, "none": [tried(1.0, 1.0)], "no": []}, Scoring())
    figure = drawn(shown)
    first, second, *empty = figure.axes
    cells = np.ma.filled(first.collections[0].get_array().reshape(2, 2).astype(float), np.nan)
    assert np.array_equal(cells, [[75, np.nan], [np.nan, 25]], equal_nan=True)
    assert sorted(texts(first)) == ["25.0", "75.0", "–", "–"] and texts(second) == ["100.0"]
    assert [tick.get_text() for tick in first.get_yticklabels()] == ["2", "0.5"]
    assert [tick.get_text() for tick in first.get_xticklabels()] == ["0.0001", "1e-05"]
    assert (first.get_ylabel(), first.get_xlabel(), first.get_title()) == ("margin", "rate", "a")
    assert [axes.collections[0].get_clim() for axes in (first, second)] == [(25, 100)] * 2
    assert [texts(axes) for axes in empty] == [["NOT RUN: no record"]] * 2
    assert data(shown) == [
        {"panel": "a", "margin": 2, "rate": 1e-4, "accuracy_percent": 75},
        {"panel": "a", "margin": 0.5, "rate": 1e-5, "accuracy_percent": 25},
        {"panel": "b", "margin": 1, "rate": 1e-3, "accuracy_percent": 100},
    ]
    assert not_run(figures.grid({"none": [tried(1.0, 1.0)]}, Scoring()))


def test_a_grid_refuses_what_does_not_make_one():
    with pytest.raises(ValueError, match="panel 'a': two runs at 1, 2; expected one a cell"):
        figures.grid({"a": [tried(1, 2), tried(1, 2)]}, Scoring())
    with pytest.raises(ValueError, match="panel 'a': settings .*'margin', 'rate'.*expected the same two"):
        figures.grid({"a": [tried(1, 2), runs("y", values={"rate": 1.0})]}, Scoring())
