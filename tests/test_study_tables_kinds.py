"""Tables of kinds of mentions: by class, by stratum, damaged, and without an entity."""

from types import SimpleNamespace

import numpy as np
import pytest
from ranked import GONE, record, runs, strata
from sklearn.metrics import roc_auc_score
from toy import BENCHMARK

from benchlib.scoring import Scoring, recall
from study import tables
from study.measurements import measure, measurement_inputs
from study.measurements.surface import SURFACE, surface
from study.records import Record, Store, linking_record
from study.systems import linker

STRICT = Scoring()
# Numbers 0 to 4; 2 has no entity.
RANKS = [1, 1, None, 0, 0]


def counted(**values) -> Record:
    return Record({}, {}, values=values)


def test_classes_have_an_accuracy_and_a_share_of_the_errors():
    found = [runs("a", record(RANKS)), runs("right", record([1, 1, None, 1, 1])), runs("gone", None)]
    sorted_by = {"toy": counted(seen=[0, 3], other=[1, 2, 4], none=[], nil=[2]), "elsewhere": None}
    table = tables.classes(found, sorted_by, STRICT)
    assert table["class"].tolist() == ["seen", "other"] and table["n"].tolist() == ["2", "2"]
    assert table["a"].tolist() == ["50.0 [0.0, 100.0]"] * 2
    assert table["errors, a"].tolist() == ["50.0", "50.0"] and set(table["gone"]) == {"NOT RUN"}
    # A system without an error has no share of any.
    assert table["right"][0] == "100.0 [100.0, 100.0]" and table["errors, right"].tolist() == ["", ""]
    assert tables.classes(found, {"toy": None}, STRICT).empty


def test_the_shares_of_the_errors_are_of_credit_averaged_over_seeds():
    several = runs("s", record([1, 0, 0, 0]), record([0, 0, 1, 0]))  # wrong: 1/2, 1, 1/2, 1
    table = tables.classes([several], {"toy": counted(x=[0], y=[1, 3], z=[2])}, STRICT)
    assert [float(share) for share in table["errors, s"]] == pytest.approx([16.7, 66.7, 16.7])


def test_every_class_of_surface_form_has_its_rule():
    table = tables.rules()
    assert table["class"].tolist() == list(SURFACE) and all(table["rule"])


def test_a_stratum_is_of_the_mentions_that_are_scored():
    kinds = SimpleNamespace(strata=strata(no_name=[True, False, True, True, False], empty=[False] * 5))
    found = [runs("a", record(RANKS), kinds=kinds), runs("bare", record(RANKS)), runs("gone", reason=GONE)]
    table = tables.by_stratum(found, ["no name", "empty"], STRICT)
    assert table["no name"].tolist() == ["50.0 [0.0, 100.0]", "NOT RUN", "NOT RUN"]
    assert table["empty"].tolist() == ["no mention left", "NOT RUN", "NOT RUN"]


def test_examples_are_wrong_answers_of_their_class(tmp_path):
    store, asked = Store(tmp_path / "records"), {"linker": "tfidf"}
    linked = linking_record(linker("tfidf"), BENCHMARK, store)
    record_ = measure("errors", BENCHMARK, store, arguments=asked)
    table = tables.examples({"toy": record_, "gone": None})
    assert record_.inputs == measurement_inputs("errors", BENCHMARK, arguments=asked)
    credit = recall(linked.outcomes, 1, STRICT)
    texts = [mention.text for _, mention in BENCHMARK.test.mentions()]
    of = dict(zip(texts, surface(BENCHMARK.test, BENCHMARK.ontology), strict=True))
    wrong = {texts[i] for i, c in zip(linked.outcomes.scored, credit, strict=True) if c == 0}
    shown = table.to_dict("records")[:-1]
    assert shown and all(row["mention"] in wrong and of[row["mention"]] == row["class"] for row in shown)
    assert table.iloc[-1].tolist() == ["gone", "NOT RUN", "", ""]


def test_changed_mentions_are_compared_with_themselves():
    before = [runs("a", record(RANKS)), runs("b", record(RANKS))]
    after = runs("a", record([0, 1, None, 0, 1]), changes=("misspelt:test",))
    gone = runs("b", None, changes=("misspelt:test",))
    masks = {"toy": counted(misspelt=[0, 1, 2], acronyms=[], swapped=[4])}
    changed = {"misspelt": [after, gone], "acronyms": [after], "swapped": [after]}
    table = tables.perturbation_table(before, changed, masks, STRICT)
    assert table["system"].tolist() == ["a", "b", "a", "a"]
    assert table["mentions"].tolist() == ["2", "NOT RUN", "0", "1"]
    assert table["intact"].tolist() == ["100.0", "", "", "0.0"]
    assert table["changed"].tolist() == ["50.0", "", "", "100.0"]
    assert (
        table["difference"][0].startswith("-50.0 [") and table["difference"][3] == "+100.0 [+100.0, +100.0]"
    )
    assert tables.perturbation_table(before, {"misspelt": [after]}, {}, STRICT)["mentions"].tolist() == [
        "NOT RUN"
    ]


def test_areas_are_compared_with_the_system_named():
    nil = [None, 1, 1, None, 1]
    scores = {"a": [0.1, 0.9, 0.8, 0.2, 0.3], "b": [0.5, 0.9, 0.4, 0.2, 0.3]}
    known = np.array([rank is not None for rank in nil])
    kinds = SimpleNamespace(strata=strata(nil=~known, reachable=known))
    found = [runs(key, record(nil, scores=of), kinds=kinds) for key, of in scores.items()]
    table = tables.areas([*found, runs("gone", reason=GONE), runs("lost", None)], "a")
    areas = {key: 100 * roc_auc_score(known, of) for key, of in scores.items()}
    assert areas == pytest.approx({"a": 100.0, "b": 66.67}, abs=0.01)
    assert table["area"].tolist()[0].startswith("100.0 [") and table["area"][1].startswith("66.7 [")
    assert table["area"].tolist()[2:] == [GONE, "NOT RUN"]
    assert table["a minus this"].tolist()[::2] == ["", ""] and table["a minus this"][1].startswith("+33.3 [")
    assert "a minus this" not in tables.areas(found, "dropped")
    # Of a concept without a name, the last mention is in no pair: of the four others b loses 0.4 to 0.5.
    kinds.strata["reachable"] = [False, True, True, False, False]
    assert tables.areas(found, "a")["area"][1].startswith("75.0 [")
