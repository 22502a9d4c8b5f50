"""The page on the learning parts: its figure, its tables, and what they say without records."""

import numpy as np
import pytest

from benchlib.datasets import load
from benchlib.encoders.cost import cost
from benchlib.linkers.tuning import LOSSES
from benchlib.report import parts
from benchlib.retrieval.exactness import exactness
from benchlib.runs import MissingRecord, Store, adaptation, measure
from benchlib.runs.record import Record


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path)


def test_the_toy_has_a_panel_for_each_loss_and_arrows_where_it_moves():
    figure = parts.toy_figure()
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert [axis.get_title() for axis in shown] == list(LOSSES)
    for axis in shown:
        arrows = np.concatenate([np.hypot(q.U, q.V) for q in axis.collections if hasattr(q, "U")])
        assert len(arrows) == 6 and np.isfinite(arrows).all() and arrows.max() > 0.5


def test_costs_and_exactness_are_measured_on_a_corpus(store):
    mini = load("mini")
    found = measure("encoder-cost", cost, mini, store, arguments={"names": 20, "documents": 1})
    rows = parts.cost_table({"mini": found, "other": None})
    assert rows["encoder"].tolist()[:4] == ["tfidf", "graph", "1-layers", "2-layers"]
    assert rows.iloc[-1]["a second"] == "NOT RUN"
    assert all(float(rate.replace(",", "")) > 0 for rate in rows["a second"][:-1])
    exact = measure("retrieval-exactness", exactness, mini, store, arguments={"names": 100})
    assert exact.values["search.same_k"] == 100.0 and exact.values["search.worst"] < 1e-6
    table = parts.exactness_table({"mini": exact, "other": None})
    assert table["search"].tolist()[0] == "search" and table.iloc[-1]["search"] == "NOT RUN"


def test_an_adapted_encoder_without_a_record_says_what_would_make_it(store):
    with pytest.raises(
        MissingRecord, match=r"benchlib.runs unlabelled-pubmed --name pretraining-minilm\+pubmed"
    ):
        adaptation("minilm+pubmed", store, "never")
    assert parts.pretraining_table([None]).iloc[0]["encoder"] == "NOT RUN"
    values = {"tokens": 4_000_000, "steps": 976, "seconds": 1200.0, "held_out_texts": 12,
              "perplexity_before": 100.0, "perplexity_after": 20.04}  # fmt: skip
    record = Record({"config": {"encoder": "minilm+pubmed"}}, {}, values=values)
    row = parts.pretraining_table([record]).iloc[0]
    assert (row["minutes"], row["perplexity before"], row["after"]) == ("20", "100.0", "20.0")
