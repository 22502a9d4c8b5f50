"""Tables of corpora of names, and drawings, from records made on small corpora."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from toy import BENCHMARK

from benchlib.datasets.strings import strings
from benchlib.report import curves, drawings, names_only, systems
from benchlib.report.session import Session
from benchlib.report.systems import System
from benchlib.runs import MissingRecord, Store
from benchlib.runs.examples import error_examples
from benchlib.runs.record import Record
from benchlib.scoring import SURFACE, Scoring, recall, roc_area, surface
from benchlib.scoring.surface import classes

STRICT = Scoring()


@pytest.fixture
def session(tmp_path) -> Session:
    return Session((BENCHMARK,), Store(tmp_path), "missing")


@pytest.fixture
def found(session):
    asked = [System(name, name) for name in ("exact", "prior")] + [System("gone", reason="NOT RUN: gone")]
    return systems.runs_of(session, asked, [])


def test_strings_are_counted_by_hand():
    # Train: cold (D2), Cold (D2), COLD (D1), shivers (D3); dev: cold (D1) twice, pyrexia (D3).
    assert strings(BENCHMARK) == {
        "learn.mentions": 7,
        "learn.distinct": 5,
        "learn.folded": 3,
        # Not the first name of their gold: Cold (of D2, whose is cold), COLD, cold (of D1), shivers, pyrexia.
        "learn.distinct_no_canonical": 5,
        "learn.concepts": 3,
        "test.mentions": 6,
        "test.distinct": 6,
        "test.seen": 3,
        "test.refined": 3,
        "test.concepts": 5,
        "test.largest_3": 4,
        "test.nil": 1,
        "dictionary.concepts": 4,
        "dictionary.names": 6,
    }


def test_sizes_and_strings_stand_beside_the_printed_ones():
    record = Record({}, {}, values=strings(BENCHMARK))
    table = names_only.strings_table({"toy": record, "gone": None}, {"learn.mentions": "8"})
    assert table["here"].tolist()[:2] == ["4", "7"] and table["printed"].tolist()[1] == "8"
    assert set(table["here"].tolist()[len(table) // 2 :]) == {"NOT RUN"}
    printed = pd.DataFrame(
        [
            {"variant": "KG entities", "dataset": "T", "value": "9999"},
            {"variant": "mentions", "dataset": "T", "value": "5"},
        ]
    )
    sizes = names_only.sizes_table({"toy": record, "gone": None}, printed, {"toy": "T"})
    assert sizes.iloc[0].tolist()[1:] == ["6", "4", "9,999", "6", "", "3", "5"]
    assert sizes["test"][1] == "NOT RUN"


def test_times_are_listed_with_the_printed_seconds():
    values = {"a": 0.5, "a.runs": [0.4, 0.5, 0.9], "n.mentions": 100}
    printed = pd.DataFrame([{"system": "A", "metric": "inference_seconds", "value": "60"}])
    table = names_only.times_table({"toy": Record({}, {}, values=values), "gone": None}, printed, {"A": "a"})
    assert table.iloc[0].tolist()[1:] == ["a", "0.50", "0.40 to 0.90", "200", "60"]
    assert table["seconds"][1] == "NOT RUN"


def test_classes_have_an_accuracy_and_a_share_of_the_errors(found):
    numbers = classes(BENCHMARK)
    assert sorted(i for some in numbers.values() for i in some) == list(range(BENCHMARK.test.n_mentions))
    record = Record({}, {}, values=numbers)
    assert names_only.classes_table(found, {"toy": None}, STRICT).empty
    table = names_only.classes_table(found, {"toy": record}, STRICT)
    credit = recall(found[0].outcomes[0], 1, STRICT)
    scored = found[0].outcomes[0].scored
    for row in table.to_dict("records"):
        of = np.isin(scored, numbers[row["class"]])
        assert row["n"] == str(of.sum()) and row["exact"].startswith(f"{100 * credit[of].mean():.1f} [")
        assert row["gone"] == "NOT RUN"
    shares = [float(row["errors, exact"]) for row in table.to_dict("records")]
    assert sum(shares) == pytest.approx(100, abs=0.2) and "nil" not in table["class"].tolist()
    assert names_only.rules_table()["class"].tolist() == list(SURFACE)


def test_examples_are_wrong_answers_of_their_class(session, tmp_path):
    with pytest.raises(MissingRecord):
        error_examples(BENCHMARK, Store(tmp_path / "empty"), "exact")
    [entry] = session.linked(["tfidf-char-1-2"])
    [record] = session.measured("errors:tfidf-char-1-2").values()
    table = names_only.examples_table({"toy": record, "gone": None})
    credit = recall(entry.record.outcomes, 1, STRICT)
    mentions = [mention.text for _, mention in BENCHMARK.test.mentions()]
    of = dict(zip(mentions, surface(BENCHMARK.test, BENCHMARK.ontology), strict=True))
    wrong = {mentions[i] for i, c in zip(entry.record.outcomes.scored, credit, strict=True) if c == 0}
    shown = table.to_dict("records")[:-1]
    assert shown and all(row["mention"] in wrong and of[row["mention"]] == row["class"] for row in shown)
    assert table["mention"].tolist()[-1] == "NOT RUN"


def test_changed_mentions_are_compared_with_themselves(session, found):
    masks = session.measured("perturbed")
    after = systems.runs_of(session, [System("exact", "exact", changes=("misspelt:test",))], [])
    gone = replace(after[0], entries=())
    table = names_only.changed_table(found, {"misspelt": [after[0], gone]}, masks, STRICT)
    outcomes = found[0].outcomes[0]
    of = np.isin(outcomes.scored, masks["toy"].values["misspelt"])
    intact, worse = (recall(one.outcomes[0], 1, STRICT)[of].mean() for one in (found[0], after[0]))
    assert of.any() and worse < intact
    assert table.iloc[0].tolist()[2:5] == [str(of.sum()), f"{100 * intact:.1f}", f"{100 * worse:.1f}"]
    assert table["mentions"][1] == "NOT RUN"


def test_areas_are_compared_with_the_system_named(found):
    table = names_only.areas_table(found, "exact")
    assert table["area"][0].startswith(f"{100 * roc_area(found[0].outcomes).value:.1f} [")
    assert table["exact minus this"][0] == "" and table["exact minus this"][1].count("[") == 1
    assert table["area"][2] == "NOT RUN: gone"
    figure = curves.roc_figure({runs.system.label: runs.outcomes for runs in found if runs.made})
    x, y = figure.axes[0].get_lines()[0].get_data()
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1) and (np.diff(y) >= 0).all()
    assert "NOT RUN" in curves.roc_figure({}).axes[0].texts[0].get_text()


@pytest.mark.parametrize(
    "draw", [drawings.mentions_drawing, drawings.siamese_drawing, drawings.triplets_drawing]
)
def test_drawings_say_what_they_show(draw):
    figure = draw()
    texts = [text.get_text() for axis in figure.axes for text in axis.texts]
    assert len([text for text in texts if text]) >= 4


def test_the_hard_negative_lies_inside_and_the_easy_one_outside():
    axis = drawings.triplets_drawing().axes[0]
    inner, outer = sorted(patch.radius for patch in axis.patches if hasattr(patch, "radius"))
    places = {text.get_text().partition(":")[0]: text.xy for text in axis.texts if ":" in text.get_text()}
    distance = {kind: np.hypot(*xy) for kind, xy in places.items()}
    assert distance["hard"] < inner < distance["semi-hard"] < outer < distance["easy"]
