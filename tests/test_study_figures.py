"""Figures of the study: what is drawn is what the runs say, worked out by hand from small stand-ins."""

from dataclasses import replace
from io import StringIO
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from drawn_runs import answer, behind, data, drawn, kinds, legend, lines, not_run, texts
from ranked import measured, record, runs, strata
from torch.nn.functional import normalize

from benchlib.losses.by_name import LOSSES
from benchlib.scoring import Scoring, roc_curve
from study import figures
from study.claims import read_claims
from study.claims.verdicts import FAILS, HOLDS, TOO_SMALL
from study.figures import style

pytestmark = pytest.mark.filterwarnings("error")

GONE = runs("gone", None)


def test_gaps_join_strict_and_lenient_means_over_seeds():
    # Strict 1, 0, 1/2 and 1/2, lenient 1, 0, 1 and 1; then 1 and 1/2 by one seed, 1 and 1 by the other.
    once, seeds = record([1, 0, "half", "half"]), [record([1, "half"]), record([1, "half"])]
    found = [
        runs("a", once, data="one"),
        runs("b", *seeds, data="one"),
        runs("c", once, data="two"),
        runs("gone", None, data="two"),
        runs("d", record([1, 0]), data="three"),
    ]
    shown = figures.gaps(iter(found))
    figure = drawn(shown)
    [axes] = figure.axes
    # The systems of a data set are below its name; where both counts agree, its name is all.
    assert axes.get_xlabel() == "accuracy, %\nLess than 0.5 points on three"
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["one", "a", "b", "two", "c"]
    dots = [offset for one in axes.collections for offset in one.get_offsets().tolist()]
    assert dots == [[50, 1], [75, 1], [75, 2], [100, 2], [50, 4], [75, 4]]
    joined = [line.get_xdata() for line in axes.get_lines() if line.get_color() == style.GREY]
    assert np.array(joined).tolist() == [[50, 75], [75, 100], [50, 75]]
    # Four draws of 1, 0, 1/2 and 1/2 have the mean of eight coins: in 0.4 % of cases 0, in 3.5 % at most 1/8.
    assert axes.get_lines()[1].get_xdata() == pytest.approx([12.5, 87.5])
    first, *_, last = data(shown)
    assert first == {
        "data": "one", "system": "a", "protocol": "strict",
        "accuracy_percent": 50, "low_percent": 12.5, "high_percent": 87.5,
    }  # fmt: skip
    assert (last["data"], last["protocol"], last["accuracy_percent"]) == ("two", "lenient", 75)
    assert behind(shown) == {"one, a": 1, "one, b": 2, "two, c": 1}
    assert legend(figure) == ["strict", "lenient"]
    assert not_run(figures.gaps([GONE]))
    # A long name takes two lines.
    label = "untrained MiniLM, [CLS], with training strings"
    [axes] = drawn(figures.gaps([runs(name, once, data="one") for name in ("a", label, "c")])).axes
    ticks = [tick.get_text() for tick in axes.get_yticklabels()]
    assert ticks == ["one", "a", "untrained MiniLM, [CLS],\nwith training strings", "c"]
    assert [*axes.get_yticks()] == [0, 1, 2.5, 4]


def test_a_forest_has_the_effects_in_points_below_their_papers_before_what_they_ask_for():
    claims = {claim.id: claim for claim in read_claims()}
    found = [("B5", FAILS, -3.0), ("D13", HOLDS, 0.6), ("D15", HOLDS, -2.0), ("B1", TOO_SMALL, 4.0)]
    shown = figures.forest([answer(claims[id], *of) for id, *of in found], [*claims.values()])
    [axes] = drawn(shown).axes
    # The effect of D13 is a ratio.
    heads = [tick.get_text() for tick in axes.get_yticklabels() if tick.get_fontweight() == "bold"]
    assert heads == ["BioCoM", "Dual encoder"] and [row["id"] for row in data(shown)] == ["B1", "B5", "D15"]
    assert {name: data(shown)[2][name] for name in ("effect_points", "low_points", "high_points")} == {
        "effect_points": -2, "low_points": -3, "high_points": -1,
    }  # fmt: skip
    assert legend(shown.figure) == ["holds (1)", "does not hold (1)", "too small to decide (1)"]
    [left, right] = axes.get_xlim()
    asked = [segment[:, 0].tolist() for segment in axes.collections[-1].get_segments()]
    rules = [claims[id].rule for id in ("B1", "B5", "D15")]
    assert [rule.direction for rule in rules] == ["greater", "greater", "smaller"]
    assert asked == [[rules[0].threshold, right], [rules[1].threshold, right], [left, rules[2].threshold]]


def test_hubs_are_the_most_frequent_answers_with_the_share_that_is_gold():
    """Four mentions; D9 is gold of one of them, D1 and D2 answer one each and D1 is not listed."""
    of = record([0] * 4).outcomes
    tops = ["D9", "D9", "D9", "D2"], ["D2", "D1", "", ""]
    seeds = [SimpleNamespace(outcomes=replace(of, top=np.array(top, dtype=object))) for top in tops]
    golds = {"toy": measured(mentions=4, golds={"D9": 1, "D2": 2})}
    shown = figures.hubs([runs("a", *seeds), GONE, runs("b", *seeds, data="elsewhere")], golds)
    assert [tuple(row.values()) for row in data(shown)] == [
        ("toy", "a", 1, "D9", 75, 25), ("toy", "a", 2, "D1", 25, 0),
    ]  # fmt: skip
    [axes] = drawn(shown).axes
    marks = [dots.get_offsets()[0].tolist() for dots in axes.collections if len(dots.get_offsets()) == 1]
    assert [mark for mark in marks if mark != [0, 0]] == [[75, 0], [25, 0], [25, 0]]
    said = shown.figure.get_suptitle().replace("\n", " ")
    assert said == "One concept answers up to 75.0 % of the mentions; it is gold of 25.0 %"
    assert not_run(figures.hubs([GONE], golds))


def test_presets_draw_the_main_measure_of_each_protocol_with_its_interval():
    order = {"worst": 0.15, "best": 0.35}
    rows = [
        {"protocol": "p", "measure": "recall@1", "value": 0.5, "low": 0.4, "high": 0.7},
        {"protocol": "p", "measure": "recall@5", "value": 0.9, "low": 0.8, "high": 1.0},
        {"protocol": "q", "measure": "mrr", "value": 0.2, "low": 0.1, "high": 0.3} | order,
        {"protocol": "r", "measure": "mrr", "value": np.nan, "low": np.nan, "high": np.nan},
    ]
    shown = figures.presets({"a": pd.DataFrame(rows), "b": pd.DataFrame(rows[:1])})
    figure = drawn(shown)
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
    p = {"protocol": "p", "measure": "recall@1", "value_percent": 50, "low_percent": 40, "high_percent": 70}
    q = {"protocol": "q", "measure": "mrr", "value_percent": 20, "low_percent": 10, "high_percent": 30}
    order = {"worst_percent": 15, "best_percent": 35}
    assert data(shown) == [{"system": "a"} | p, {"system": "a"} | q | order, {"system": "b"} | p]
    assert not_run(figures.presets({}))


def test_nil_curves_step_through_the_thresholds():
    # From the lowest score up: NIL, known, NIL, known.
    ranks = [None, 2, None, 1]
    found = record(ranks, scores=[1, 2, 3, 4]).outcomes
    shown = figures.nil({"a": found}, kinds(ranks).strata)
    figure = drawn(shown)
    above, below = figure.axes
    assert lines(above)["a"] == pytest.approx(np.array([[50, 100], [50, 50], [100, 200 / 3], [100, 50]]))
    assert above.get_lines()[-1].get_ydata() == [50, 50]
    # From the highest down: right, NIL, wrong, NIL.
    wrong = np.array([[25, 0], [50, 50], [75, 200 / 3], [100, 75]])
    assert lines(below)["a"] == pytest.approx(wrong)
    assert legend(figure) == ["a"]
    precision = [row["precision_percent"] for row in data(shown) if "recall_percent" in row]
    assert precision == [100, 50, pytest.approx(66.667), 50]
    assert [row["wrong_percent"] for row in data(shown)[4:]] == [0, 50, pytest.approx(66.667), 75]
    known = record([1, 2]).outcomes
    assert texts(drawn(figures.nil({"a": known}, kinds([1, 2]).strata)).axes[0]) == ["no NIL mention"]
    assert not_run(figures.nil({}, kinds(ranks).strata))


def test_a_mention_of_a_concept_without_a_name_is_no_point_of_nil_but_a_risk():
    # From the lowest score up: a mention that nothing could link, NIL, one that is linked right.
    found = record([2, None, 1], scores=[1, 2, 3]).outcomes
    of_kinds = strata(nil=[False, True, False], reachable=[False, False, True])
    above, below = drawn(figures.nil({"a": found}, of_kinds)).axes
    assert lines(above)["a"] == pytest.approx(np.array([[100, 100], [100, 50]]))
    assert lines(below)["a"] == pytest.approx(np.array([[100 / 3, 0], [200 / 3, 50], [100, 200 / 3]]))


@pytest.mark.parametrize(
    ("draw", "area", "curve", "chance", "first"),
    [
        # Of the four pairs of a known and a NIL mention, three are in order in one run and all in the other.
        (figures.roc, 87.5, [[0, 0], [0, 50], [50, 50], [50, 100], [100, 100]], [[0, 0], [100, 100]],
         {"area_percent": 87.5, "nil_percent": 0, "known_percent": 0}),
        # Called from the lowest: NIL, known, NIL, known. Its area is (1 + 2 / 3) / 2, of the other run 1.
        (figures.nil_curves, 91.7, [[50, 100], [50, 50], [100, 200 / 3], [100, 50]], [[0, 50], [1, 50]],
         {"aupr_percent": 91.667, "recall_percent": 50, "precision_percent": 100}),
    ],
)  # fmt: skip
def test_curves_of_nil_draw_the_first_seed_with_the_area_of_all_and_chance(draw, area, curve, chance, first):
    ranks = [None, None, 1, 1]
    apart, mixed = (record(ranks, scores=of) for of in ([1, 2, 3, 4], [1, 3, 2, 4]))
    shown = draw([runs("a", mixed, apart, kinds=kinds(ranks)), GONE, runs("b", apart, kinds=kinds(ranks))])
    figure = drawn(shown)
    # The two have no name in common up to a bracket.
    curves, other = map(lines, figure.axes)
    assert [*curves, *other] == legend(figure) == [f"a ({area} %)", "b (100.0 %)"]
    assert curves[f"a ({area} %)"] == pytest.approx(np.array(curve))
    [dotted] = [line for line in figure.axes[0].get_lines() if line.get_color() == style.GREY]
    assert np.column_stack(dotted.get_data()).tolist() == chance
    assert data(shown)[0] == {"system": "a"} | first and behind(shown) == {"a": 2, "b": 1}
    assert not_run(draw([GONE]))


def test_a_recall_curve_is_the_mean_over_seeds_in_the_band_of_its_interval(monkeypatch):
    monkeypatch.setattr("study.figures.settings.KS", (1, 2, 4, 8))
    # Of four mentions the golds stand at 1, 2, 5 and nowhere, with the other seed at 1, 1, 3 and nowhere.
    a = runs("a", record([1, 2, 5, 0]), record([1, 1, 3, 0]))
    one, more = runs("one", record([1, 1, 1, 1])), runs("a, more", record([1, 1, 1, 1]))
    shown = figures.recall_curve([a, GONE, one, more], Scoring())
    figure = drawn(shown)
    # What is called alike up to a comma shares a panel.
    axes, other = figure.axes
    assert other.get_xscale() == "log" and [tick.get_text() for tick in other.get_xticklabels()] == [*"1248"]
    assert legend(figure) == ["a", "a, more", "one"] and [*lines(other)] == ["one"]
    assert axes.get_ylim() == other.get_ylim()
    assert lines(axes)["a"].tolist() == [[1, 37.5], [2, 50], [4, 62.5], [8, 75]]
    rows = data(shown)
    assert [row["low_percent"] for row in rows[4:]] == [100] * 8 and rows[2]["k"] == 4
    # Of 1, 1, 1/2 and 0 there are 256 draws of four: 1 sums to 0, 4 to 1/2 (2.0 % with it), 14 to 1, 16 to 4.
    assert (rows[2]["low_percent"], rows[2]["high_percent"]) == (25, 100)
    band = axes.collections[0].get_paths()[0].vertices
    at_four = sorted({round(y, 6) for x, y in band if x == 4})
    assert at_four == pytest.approx([rows[2]["low_percent"], rows[2]["high_percent"]])
    assert behind(shown) == {"a": 2, "one": 1, "a, more": 1}
    assert not_run(figures.recall_curve([GONE], Scoring()))


def test_a_curve_of_thousands_of_points_is_drawn_by_those_that_can_be_told_apart():
    ranks = [None if nil else 1 for nil in np.random.default_rng(0).random(4000) < 0.5]
    one = runs("a", record(ranks, scores=np.arange(4000)), kinds=kinds(ranks))
    drawn_points = lines(drawn(figures.roc([one])).axes[0]).popitem()[1]
    # A curve that rises enters each of 100 columns and 100 rows once; its first and last point count too.
    assert len(drawn_points) <= 202 and drawn_points[-1].tolist() == [100, 100]
    curve = 100 * np.column_stack(roc_curve(one.outcomes[0]))
    at = np.searchsorted(drawn_points[:, 0] + drawn_points[:, 1], curve.sum(axis=1), side="right") - 1
    assert np.abs(curve - drawn_points[at]).max() < 1


def test_ambiguity_is_a_share_of_the_distinct_names():
    card = measured(**{"dictionary.ambiguous_names": 1, "dictionary.folded_names": 8})
    shown = figures.ambiguity({"toy": card, "gone": None})
    [axes] = drawn(shown).axes
    assert [bar.get_width() for bar in axes.patches] == [12.5] and texts(axes) == ["12.50"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["toy"]
    assert data(shown) == [{"dictionary": "toy", "ambiguous_percent": 12.5}]
    assert shown.records == {"toy": [card]}
    assert not_run(figures.ambiguity({"gone": None}))


def test_the_toy_has_a_panel_for_each_loss_with_arrows_against_its_gradient():
    shown = figures.losses()
    figure = drawn(shown)
    assert [axes.get_title() for axes in figure.axes] == list(LOSSES)
    rows = pd.read_csv(StringIO(shown.csv)).groupby("loss")
    for axes in figure.axes:
        arrows = np.concatenate([np.column_stack([q.U, q.V]) for q in axes.collections if hasattr(q, "U")])
        at = np.concatenate([q.get_offsets() for q in axes.collections if hasattr(q, "U")])
        assert len(arrows) == 6 and np.abs(arrows).max() == pytest.approx(0.7)
        # The losses look at directions alone, so that no arrow points to the centre or away from it.
        assert np.abs((arrows * at).sum(axis=1)).max() < 1e-6
        listed = rows.get_group(axes.get_title())[["x", "y", "move_x", "move_y"]]
        assert listed.to_numpy() == pytest.approx(np.hstack([at, arrows]), abs=1e-4)
        # Downhill: a short step along all arrows lowers the loss, one against them raises it. A loss that is
        # no function of the place alone (CoSiNES picks its triplets) keeps what it picks in so short a step.
        places = [torch.tensor((at + step * arrows).reshape(3, 2, 2)) for step in (-1e-4, 0, 1e-4)]
        loss = LOSSES[axes.get_title()]
        uphill, here, downhill = (float(loss(normalize(place, dim=-1), 0.0)) for place in places)
        assert downhill < here < uphill, axes.get_title()
    assert legend(figure) == ["concept 1", "concept 2", "concept 3"]


def test_cosines_along_trainings_are_means_over_trainings_smoothed(monkeypatch):
    def trained(positive, negative, **more):
        rows = enumerate(zip(positive, negative, strict=True), start=1)
        trace = ({"step": step, "positive_cosine": p, "negative_cosine": n, **more} for step, (p, n) in rows)
        return record([1], trace=trace)

    monkeypatch.setattr("study.figures.training.WINDOW", 3)
    seeds = [
        trained([0.5, 0.7, 0.9], [0.1, 0.2, 0.3]),
        trained([0.3, 0.5, 0.7], [0.3, 0.2, 0.1], mined_share=0.25),  # the older record does not tell it
    ]
    shown = figures.cosines({"all": [runs("a", *seeds)], "none": [GONE]})
    means = shown.data.set_index(["panel", "line", "update"])["mean"]["all"]
    # Means over the two are 0.4, 0.6, 0.8 and 0.2 throughout; at the ends two of three are there.
    assert means["cosine, pairs of one concept"].tolist() == pytest.approx([0.5, 0.6, 0.7])
    assert means["cosine, pairs of two concepts"].tolist() == pytest.approx([0.2, 0.2, 0.2])
    assert means["share of mentions with a pair that is mined"].tolist() == [0.25, 0.25, 0.25]
    assert texts(drawn(shown).axes[1]) == ["NOT RUN: no record"] and list(shown.records) == ["all"]
