"""Tables of kinds of mentions: by class, by stratum, and damaged; and the areas of NIL."""

import numpy as np
import pytest
from ranked import GONE, cells, kinds, links, measured, record, runs
from sklearn.metrics import roc_auc_score
from toy import BENCHMARK

from benchlib.scoring import Scoring, recall
from study import tables
from study.chapters.results import stratum
from study.measurements import measure, measurement_inputs
from study.measurements.surface import surface
from study.records import Store, linking_record
from study.systems import linker

STRICT = Scoring()
RANKS = [1, 1, None, 0, 0]  # number 2 has no entity


def test_classes_have_an_accuracy_and_a_share_of_the_errors():
    found = [
        runs("a", record(RANKS, path="data/records/run.json")), runs("right", record([1, 1, None, 1, 1])),
        runs("gone", None),
        runs("s", record([1, 1, None, 0, 0]), record([0, 1, None, 1, 0])),  # wrong: 1/2, 0, 1/2 and 1
    ]  # fmt: skip
    numbers = {"seen": [0, 3], "other": [1, 2, 4], "none": [], "nil": [2]}
    sorted_by = {"toy": measured("data/records/surface.json", **numbers), "elsewhere": None}
    table = tables.classes(found, sorted_by, STRICT)
    heads = ["class", "n", "a", "errors, a", "right", "errors, right", "gone", "s", "errors, s"]
    assert list(table) == heads and table["right"][0] == "100.0 [100.0, 100.0]"
    # A system without an error has no share of any.
    assert cells(table) == [
        ["seen", "2", "50.0", "50.0", "100.0", "", "NOT RUN", "50.0", "50.0"],
        ["other", "2", "50.0", "50.0", "100.0", "", "NOT RUN", "50.0", "50.0"],
    ]
    assert links(table["class"][0]) == {"seen": "surface"} and "run" in links(table["a"][0]).values()
    assert tables.classes(found, {"toy": None}, STRICT).empty


def test_a_stratum_is_of_the_mentions_that_are_scored():
    of = kinds(no_name=[True, False, True, True, False], empty=[False] * 5)
    seeds = [record(RANKS, path=f"data/records/s{seed}.json") for seed in (0, 1)]
    found = [runs("a", *seeds, kinds=of), runs("bare", record(RANKS)), runs("gone", reason=GONE)]
    masks = {name: stratum(found, name) for name in ("no name", "empty")}
    table = tables.by_kind(found, masks, STRICT)
    assert table["no name"].tolist()[:2] == ["2", "50.0 [0.0, 100.0]"] and table["all"].tolist()[0] == "4"
    assert table["empty"].tolist()[:2] == ["0", "no mention left"]
    assert table["all"].tolist()[-1] == GONE and table["no name"].tolist()[-1] == ""
    assert set(links(table["system"][1]).values()) == {"s0", "s1"}


def test_examples_are_wrong_answers_of_their_class(tmp_path):
    store, asked = Store(tmp_path / "records"), {"linker": "tfidf"}
    linked = linking_record(linker("tfidf"), BENCHMARK, store)
    errors = measure("errors", BENCHMARK, store, arguments=asked)
    assert errors.inputs == measurement_inputs("errors", BENCHMARK, arguments=asked)
    *shown, gone = tables.examples({"toy": errors, "gone": None}).to_dict("records")
    credit = recall(linked.outcomes, 1, STRICT)
    texts = [mention.text for _, mention in BENCHMARK.test.mentions()]
    of = dict(zip(texts, surface(BENCHMARK.test, BENCHMARK.ontology), strict=True))
    wrong = {texts[i] for i, c in zip(linked.outcomes.scored, credit, strict=True) if c == 0}
    assert shown and all(row["mention"] in wrong and of[row["mention"]] == row["class"] for row in shown)
    assert [*gone.values()] == ["gone", "NOT RUN", "", ""]
    told = tables.examples({"toy": measured("data/records/errors.json", seen=[["m", "g", "x"]])})
    assert links(told["class"][0]) == {"seen": "errors"}


def test_changed_mentions_are_compared_with_themselves():
    before = [runs("a", record(RANKS, path="data/records/before.json")), runs("b", record(RANKS))]
    changes = {"changes": ("misspelt:test",)}
    after = runs("a", record([0, 1, None, 0, 1], path="data/records/after.json"), **changes)
    masks = {"toy": measured("data/records/mask.json", misspelt=[0, 1, 2], acronyms=[], swapped=[4])}
    changed = {"misspelt": [after, runs("b", None, **changes)], "acronyms": [after], "swapped": [after]}
    table = tables.perturbation_table(before, changed, masks, STRICT)
    assert cells(table) == [
        ["misspelt", "a", "2", "100.0", "50.0", "-50.0"], ["misspelt", "b", "NOT RUN", "", "", ""],
        ["acronyms", "a", "0", "", "", ""], ["swapped", "a", "1", "0.0", "100.0", "+100.0"],
    ]  # fmt: skip
    assert table["difference"][3] == "+100.0 [+100.0, +100.0]"
    # A row leads to both runs and to what says which mentions are damaged.
    leads = {"misspelt": "mask", "a": "after", "100.0": "before", "50.0": "after"}
    assert links("".join(table.iloc[0])) == leads
    unknown = tables.perturbation_table(before, {"misspelt": [after]}, {}, STRICT)
    assert unknown["mentions"].tolist() == ["NOT RUN"]


def test_areas_are_compared_with_the_system_named():
    nil = [None, 1, 1, None, 1]
    scores = {"a": [0.1, 0.9, 0.8, 0.2, 0.3], "b": [0.5, 0.9, 0.4, 0.2, 0.3]}
    known = np.array([rank is not None for rank in nil])
    of = kinds(nil=~known, reachable=known)
    found = [runs(key, record(nil, scores=one, path=f"data/records/{key}.json"), kinds=of)
             for key, one in scores.items()]  # fmt: skip
    areas = {key: 100 * roc_auc_score(known, one) for key, one in scores.items()}
    assert areas == pytest.approx({"a": 100.0, "b": 66.67}, abs=0.01)
    table = tables.areas([*found, runs("gone", reason=GONE), runs("lost", None)], "a")
    assert cells(table) == [
        ["a", "100.0", ""], ["b", "66.7", "+33.3"], ["gone", GONE, ""], ["lost", "NOT RUN", ""],
    ]  # fmt: skip
    assert links(table["system"][1]) == {"b": "b"}
    assert "a minus this" not in tables.areas(found, "dropped")
    # Of a concept without a name, the last mention is in no pair: of the four others b loses 0.4 to 0.5.
    of.strata["reachable"] = [False, True, True, False, False]
    assert cells(tables.areas(found, "a"), "area")[1] == ["75.0"]
