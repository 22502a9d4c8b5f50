"""Figures of the study: what is drawn is what the runs say, worked out by hand from small stand-ins."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawn_runs import Record, Runs, drawn, legend, lines, not_run, outcomes, texts

from benchlib.linkers.tuning import LOSSES
from study import figures
from study.figures import style

pytestmark = pytest.mark.filterwarnings("error")


def test_gaps_join_strict_and_lenient_means_over_seeds():
    once = {"strict": [[1, 0, 0.5, 0.5]], "lenient": [[1, 0, 1, 1]]}
    twice = {"strict": [[1, 0], [1, 1]], "lenient": [[1, 1], [1, 1]]}
    found = [
        Runs("a", "one", [Record()], once),
        Runs("b", "one", [Record()] * 2, twice),
        Runs("c", "two", [Record()], once),
        Runs("gone", "two"),
    ]
    figure = drawn(figures.gaps(iter(found)))
    [axes] = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["one · a", "one · b", "two · c"]
    dots = [offset for one in axes.collections for offset in one.get_offsets().tolist()]
    # Between data sets there is more room than between systems.
    assert dots == [[50, 0], [75, 0], [75, 1], [100, 1], [50, 2.6], [75, 2.6]]
    joined = [line.get_xdata() for line in axes.get_lines() if line.get_color() == style.GREY]
    assert np.array(joined).tolist() == [[50, 75], [75, 100], [50, 75]]
    # Four draws of 1, 0, 1/2 and 1/2 have the mean of eight coins: in 0.4 % of cases 0, in 3.5 % at most 1/8.
    assert axes.get_lines()[1].get_xdata() == pytest.approx([12.5, 87.5])
    assert legend(figure) == ["strict", "lenient"]
    assert not_run(figures.gaps([Runs("gone")]))


def test_presets_draw_the_main_measure_of_each_protocol_with_its_interval():
    order = {"worst": 0.15, "best": 0.35}
    rows = [
        {"protocol": "p", "measure": "recall@1", "value": 0.5, "low": 0.4, "high": 0.7},
        {"protocol": "p", "measure": "recall@5", "value": 0.9, "low": 0.8, "high": 1.0},
        {"protocol": "q", "measure": "mrr", "value": 0.2, "low": 0.1, "high": 0.3} | order,
        {"protocol": "r", "measure": "mrr", "value": np.nan, "low": np.nan, "high": np.nan},
    ]
    figure = drawn(figures.presets({"a": pd.DataFrame(rows), "b": pd.DataFrame(rows[:1])}))
    [axes] = figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["p", "q", "r"]
    points = {one.get_label(): one.get_offsets().tolist() for one in axes.collections[2::3]}
    assert points == {"a": [[50, pytest.approx(-0.165)], [20, pytest.approx(0.835)]], "b": [[50, 0.165]]}
    # A protocol whose value does not depend on the order of ties has no range.
    ranges, intervals = (
        [segment[:, 0].tolist() for segment in one.get_segments() if len(segment)]
        for one in axes.collections[:2]
    )
    assert intervals == [pytest.approx([40, 70]), pytest.approx([10, 30])]
    assert ranges == [pytest.approx([15, 35])]
    assert legend(figure) == ["a", "b"]
    assert not_run(figures.presets({}))


def test_nil_curves_step_through_the_thresholds():
    # From the lowest score up: NIL, known, NIL, known.
    found = outcomes([1, 2, 3, 4], [True, False, True, False], [False, False, False, True])
    figure = drawn(figures.nil({"a": found}))
    left, right = figure.axes
    assert lines(left)["a"].tolist() == [[0.5, 1], [0.5, 0.5], [1, pytest.approx(2 / 3)], [1, 0.5]]
    assert left.get_lines()[-1].get_ydata() == [0.5, 0.5]
    # From the highest down: right, NIL, wrong, NIL.
    wrong = [[0.25, 0], [0.5, 1 / 2], [0.75, 2 / 3], [1, 3 / 4]]
    assert lines(right)["a"] == pytest.approx(np.array(wrong))
    assert legend(figure) == ["a"]
    known = outcomes([1, 2], [False, False], [True, False])
    assert texts(drawn(figures.nil({"a": known})).axes[0]) == ["no NIL mention"]
    assert not_run(figures.nil({}))


def test_roc_draws_the_first_seed_and_the_area_of_all():
    nil = [True, True, False, False]
    apart = Record(outcomes=outcomes([1, 2, 3, 4], nil, [True] * 4))
    mixed = Record(outcomes=outcomes([1, 3, 2, 4], nil, [True] * 4))
    figure = drawn(figures.roc([Runs("a", there=[mixed, apart]), Runs("gone"), Runs("b", there=[apart])]))
    # Of the four pairs of a known and a NIL mention, three are in order in one run and all in the other.
    curves = lines(figure.axes[0])
    assert list(curves) == legend(figure) == ["a (0.875)", "b (1.000)"]
    assert curves["a (0.875)"].tolist() == [[0, 0], [0, 0.5], [0.5, 0.5], [0.5, 1], [1, 1]]
    assert not_run(figures.roc([Runs("gone")]))


def test_ambiguity_is_a_share_of_the_distinct_names():
    card = Record(values={"dictionary.ambiguous_names": 1, "dictionary.folded_names": 8})
    [axes] = drawn(figures.ambiguity({"toy": card, "gone": None})).axes
    assert [bar.get_width() for bar in axes.patches] == [12.5] and texts(axes) == ["12.50"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["toy"]
    assert not_run(figures.ambiguity({"gone": None}))


def test_the_toy_has_a_panel_for_each_loss_with_arrows_against_its_gradient():
    figure = drawn(figures.losses())
    assert [axes.get_title() for axes in figure.axes] == list(LOSSES)
    for axes in figure.axes:
        arrows = np.concatenate([np.column_stack([q.U, q.V]) for q in axes.collections if hasattr(q, "U")])
        at = np.concatenate([q.get_offsets() for q in axes.collections if hasattr(q, "U")])
        assert len(arrows) == 6 and np.abs(arrows).max() == pytest.approx(0.7)
        # The losses look at directions alone, so that no arrow points to the centre or away from it.
        assert np.abs((arrows * at).sum(axis=1)).max() < 1e-6
    assert legend(figure) == ["concept 1", "concept 2", "concept 3"]


def test_a_figure_is_closed_so_that_a_cell_shows_it_once():
    assert figures.losses() is not None and plt.get_fignums() == []


def test_a_legend_has_columns_that_fit():
    shown = {f"a system with a rather long name, {i}": [("x", i + 1.0, 0.5)] for i in range(8)}
    figure = drawn(figures.tradeoff(shown))
    [box] = [one.get_window_extent() for one in figure.legends]
    assert box.x0 >= 0 and box.x1 <= figure.bbox.x1
    assert not box.overlaps(figure.axes[0].get_window_extent())
