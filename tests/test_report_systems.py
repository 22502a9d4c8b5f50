"""Systems side by side: the tables of a chapter re-derived from credits, and rows without a run."""

import numpy as np
import pandas as pd
import pytest
from toy import BENCHMARK

from benchlib.report import curves, results, systems
from benchlib.report.session import Session
from benchlib.report.systems import System
from benchlib.runs import Store
from benchlib.runs.record import Record
from benchlib.scoring import Scoring, compare, holm, recall

STRICT = Scoring()


@pytest.fixture
def session(tmp_path) -> Session:
    return Session((BENCHMARK,), Store(tmp_path), "missing")


@pytest.fixture
def found(session):
    asked = [
        System("exact", "exact", "Paper's exact", seeds=(0, 1)),
        System("prior", "prior"),
        System("theirs", printed="Theirs", reason="NOT RUN: closed"),
    ]
    return systems.runs_of(session, asked, ["anything"])


def credit(found, label: str, k: int = 1) -> np.ndarray:
    [runs] = [runs for runs in found if runs.system.label == label]
    return recall(runs.outcomes[0], k, STRICT)


def test_rows_stand_in_the_order_asked_with_a_seed_each(found):
    assert [(runs.data, runs.system.label, len(runs.entries)) for runs in found] == [
        ("toy", "exact", 2),
        ("toy", "prior", 1),
        ("toy", "theirs", 0),
    ]
    assert [runs.made for runs in found] == [True, True, False]


def test_results_are_recall_in_percent_with_what_is_printed_beside(found):
    printed = pd.DataFrame(
        [
            {"system": "Paper's exact", "dataset": "TOY", "metric": "recall_at_1", "value": "70.1"},
            {"system": "Paper's exact", "dataset": "other", "metric": "recall_at_1", "value": "12"},
            {"system": "Theirs", "dataset": "TOY", "metric": "recall_at_3", "value": "99.9"},
        ]
    )
    table = results.table(found, STRICT, (1, 3), printed, {"toy": "TOY"}, macro=True)
    value = 100 * credit(found, "exact").mean()
    assert table["@1"][0].startswith(f"{value:.1f} [") and table["seeds @1"][0] == f"{value:.1f}, {value:.1f}"
    assert table["@3"][1].startswith(f"{100 * credit(found, 'prior', 3).mean():.1f} [")
    assert table["@1"][2] == "NOT RUN: closed" and table["n"][2] == ""
    assert table["printed @1"].tolist() == ["70.1", "", ""] and table["printed @3"].tolist() == [
        "",
        "",
        "99.9",
    ]
    columns = ["system", "n", "@1", "printed @1", "macro @1", "seeds @1", "@3", "printed @3"]
    assert list(table) == columns
    # Each document is a cluster here: the macro average is that of their means.
    clusters = found[0].outcomes[0].clusters
    means = [credit(found, "exact")[clusters == one].mean() for one in np.unique(clusters)]
    assert table["macro @1"][0].startswith(f"{100 * np.mean(means):.1f} [")


def test_results_can_be_those_of_some_mentions_only(found):
    masks = systems.stratum(found, "seen name", holds=False)
    kinds = found[0].entries[0].kinds.strata
    kept = ~kinds["seen name"].to_numpy()[found[0].outcomes[0].scored]
    assert 0 < kept.sum() < len(kept)
    table = results.table(found, STRICT, (1,), mentions=masks)
    assert table["n"][0] == str(kept.sum())
    assert table["@1"][0].startswith(f"{100 * credit(found, 'exact')[kept].mean():.1f} [")


def test_the_largest_clusters_stand_apart_from_the_others(found):
    clusters, right = found[0].outcomes[0].clusters, credit(found, "exact")
    by_size = sorted(np.unique(clusters), key=lambda one: (-(clusters == one).sum(), one))
    table = results.largest(found, STRICT, 1)
    column = f"1: {(clusters == by_size[0]).sum()} mentions"
    assert list(table) == ["system", column, "all others"]
    assert table[column][0] == f"{100 * right[clusters == by_size[0]].mean():.1f}"
    rest = right[clusters != by_size[0]]
    assert len(rest) and table["all others"][0].startswith(f"{100 * rest.mean():.1f} [")
    assert table["all others"][2] == "NOT RUN: closed" and table[column][2] == ""
    assert results.largest(found, STRICT, len(by_size))["all others"][0] == ""


def test_gaps_are_paired_and_their_p_values_adjusted(found):
    table = results.gaps(found, [("prior", "exact"), ("exact", "prior"), ("exact", "theirs")], STRICT)
    clusters = found[0].outcomes[0].clusters
    by_hand = compare(credit(found, "prior"), credit(found, "exact"), clusters)
    assert table["difference"][0].startswith(f"{100 * by_hand.difference.value:+.1f} [")
    assert table["gained / lost"][0] == f"{by_hand.gained:,.0f} / {by_hand.lost:,.0f}"
    assert table["p (Holm)"][0] == f"{holm([by_hand.p, by_hand.p])[0]:.4f}"
    assert table["difference"][2] == "NOT RUN" and "macro difference" not in table


def test_a_macro_gap_counts_every_cluster_once(found):
    table = results.gaps(found, [("prior", "exact"), ("exact", "theirs")], STRICT, macro=True)
    clusters = found[0].outcomes[0].clusters
    apart = credit(found, "prior") - credit(found, "exact")
    means = [apart[clusters == one].mean() for one in np.unique(clusters)]
    assert table["macro difference"][0].startswith(f"{100 * np.mean(means):+.1f} [")
    assert len(means) < len(apart) and table["macro p (Holm)"][0] != "" == table["macro difference"][1]


def trained(session, scores: list[float], name: str = "exact") -> Record:
    [entry] = session.linked([name])
    trace = [{"step": 10 * (i + 1), "dev_score": score, "loss": 1.0} for i, score in enumerate(scores)]
    return Record(
        entry.record.inputs,
        entry.record.made,
        entry.record.outcomes,
        trace=(*trace, {"step": 99, "dev_score": None}),
    )


def test_folds_are_pooled_and_compared_mention_by_mention(session):
    exact, prior = trained(session, [0.1]), trained(session, [0.2], "prior")
    table = results.folds({"a": [exact, exact], "b": [prior, prior], "c": []}, STRICT)
    first, second = (100 * recall(one.outcomes, 1, STRICT).mean() for one in (exact, prior))
    assert table["accuracy"][0].startswith(f"{first:.1f} [") and table["accuracy"][2] == "NOT RUN"
    assert table["each fold"][1] == f"{second:.1f}, {second:.1f}"
    assert table["a minus this"][1].startswith(f"{first - second:+.1f} [")


def test_a_learning_curve_is_the_mean_over_records_by_number_of_evaluation(session):
    lines = {"two": [trained(session, [0.2, 0.4]), trained(session, [0.4, 0.8, 0.9])], "none": []}
    figure = curves.learning_figure({"panel": lines, "empty": {"two": []}}, epochs=2, mark=1)
    assert curves.dev_curve(lines["two"][0]).to_dict() == {10: 0.2, 20: 0.4}
    [line] = [one for one in figure.axes[0].get_lines() if one.get_label() == "two"]
    assert line.get_ydata().tolist() == pytest.approx([30, 60])
    assert "NOT RUN" in figure.axes[1].texts[0].get_text()


def test_points_are_accuracy_against_seconds_and_need_both(found):
    seconds = Record({}, {}, values={"fast": 0.5})
    points = systems.points(found[:1], [seconds, None], {"exact": "fast"}, STRICT)
    assert points == [("exact", 0.5, pytest.approx(credit(found, "exact").mean()))]
    assert systems.points(found[:1], [None], {"exact": "fast"}, STRICT) == []
    figure = curves.tradeoff_figure({"line": [*points, ("slower", 2.0, 0.9)], "alone": points, "gone": []})
    assert [text.get_text() for text in figure.axes[0].texts] == ["exact", "slower"]
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["line", "alone"]
    assert "NOT RUN" in curves.tradeoff_figure({"gone": []}).axes[0].texts[0].get_text()


def test_a_grid_has_a_cell_for_each_pair_of_settings(session):
    frame = systems.grid(session, {("1", "x"): "exact", ("2", "y"): "prior"}, [], STRICT, ("row", "column"))
    [entry] = session.linked(["exact"], split="dev")
    assert frame.loc["1", "x"] == pytest.approx(100 * recall(entry.record.outcomes, 1, STRICT).mean())
    assert np.isnan(frame.loc["1", "y"]) and frame.index.name == "row"
    texts = [text.get_text() for text in curves.grid_figure({"t": frame}).axes[0].texts]
    assert texts.count("–") == 2 and f"{frame.loc['1', 'x']:.1f}" in texts
    assert "NOT RUN" in curves.grid_figure({"t": frame * np.nan}).axes[0].texts[0].get_text()
