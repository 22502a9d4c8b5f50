"""At a glance: statuses by the stated rule, worked out on runs written down rank by rank."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import ranked
from ranked import cells, record, runs

from study import figures
from study.chapters.chapter import HeadlineEntry, ItemEntry
from study.chapters.run import plan_with
from study.chapters.training_states import PLATEAU, RISING, State
from study.claims.answers import Answer
from study.claims.printed_numbers import ABOVE, BESIDE_ABOVE, NO_CONTROL, as_before, by_item
from study.claims.verdicts import FAILS, HOLDS, MIXED, NOT_COMPARABLE, NOT_RUN, TOO_SMALL, VERDICTS
from study.tables.glance import STATUSES, _apart, findings, in_short, legend, setup_table, summary_table

ALWAYS = [1] * 19 + [0]  # right on 19 of 20: 95 %, interval 85 to 100
REACHABLE = ranked.kinds(reachable=[True] * 18 + [False] * 2)
SAME = np.zeros(20, dtype=int)  # one document, so that the interval has no width


def answer(id: str, verdict: str, reason: str = "", **more) -> Answer:
    numbers = (None,) * 4 if verdict == NOT_RUN else (2.0, 1.0, 3.0, 20)
    row = Answer(id, "toy", verdict, *numbers, "toy", reason, "measured", "yes", "", "", "points", "")
    return replace(row, **more)


MADE = record(ALWAYS)


def page(*items: ItemEntry, value: str = "90.0", record=MADE, kinds=REACHABLE, called: str = "Toy", other=(),
         control=None, state="", linker="tfidf"):  # fmt: skip
    printed = {"system": "Ours", "metric": "recall_at_1", "dataset": "Toy", "protocol": "", "value": value}
    found = runs("ours", record, kinds=kinds, printed="Ours", linker=linker)
    if state:
        states = SimpleNamespace(control=(control,) if control else (), state=State(state))
        found = replace(found, states=states)
    return ranked.page([printed], found, items, called, other)


NUMBER = ItemEntry(reported="table1", anchor="a", headlines=(HeadlineEntry(runs="all", system="ours"),))


@pytest.mark.parametrize(
    ("value", "difference", "status"),
    [
        ("88.0", "+7.0", "too small to decide: our interval reaches print ± 2"),
        ("70.0", "+25.0", "does not hold"),
        ("91.0", "+4.0", f"not comparable: {ABOVE}"),  # within the interval, but above the ceiling
    ],
)
def test_a_printed_number_is_held_against_interval_and_ceiling(value, difference, status):
    [row] = summary_table(page(NUMBER, value=value), []).to_dict("records")
    assert (row["printed"], row["difference"], row["status"]) == (value, difference, status)
    assert row["ours"].startswith("95.0 [") and row["ceiling"] == "90.0" and 'href="#a"' in row["the paper's"]
    assert (row["training"], row["zero updates"]) == ("", "")


def test_a_number_above_the_ceiling_tells_of_all_numbers_over_its_mentions():
    values = {"recall_at_1": "70.0", "recall_at_3": "91.0"}
    printed = {"system": "Ours", "dataset": "Toy", "protocol": ""}
    rows = [printed | {"metric": metric, "value": value} for metric, value in values.items()]
    found = runs("ours", MADE, kinds=REACHABLE, printed="Ours", linker="tfidf")

    def told(**strata):
        headlines = [
            HeadlineEntry(runs="all", system="ours", metrics=(metric,), stratum=stratum)
            for metric, stratum in strata.items()
        ]
        item = ItemEntry(reported="table1", anchor="a", headlines=tuple(headlines))
        return [
            (one.verdict, one.reason)
            for one in by_item(ranked.page(rows, found, (item,), "Toy", ()))["Table 1"]
        ]

    above = (NOT_COMPARABLE, ABOVE)
    assert told(recall_at_1="", recall_at_3="") == [(NOT_COMPARABLE, BESIDE_ABOVE), above]
    assert told(recall_at_1="") == [(FAILS, "")]
    assert told(recall_at_1="reachable", recall_at_3="") == [(FAILS, ""), above]  # scored on others


def test_a_number_compared_otherwise_once_ours_was_seen_has_both_verdicts():
    def shown(stratum="", other="", before=None):
        headline = HeadlineEntry(runs="all", system="ours", stratum=stratum, other=other, before=before or {})
        of = page(ItemEntry(reported="table1", anchor="a", headlines=(headline,)), value="91.0")
        [row] = summary_table(of, []).to_dict("records")
        return row["status"], as_before(by_item(of)["Table 1"])

    # All 18 that can be found are right; 91 is above the ceiling of all 20.
    assert shown(stratum="reachable") == ("does not hold", "")
    told = "does not hold; before a change of what is compared: not comparable"
    counted = " (before what is compared was changed: 1 is not comparable)"
    assert shown(stratum="reachable", before={"stratum": ""}) == (told, counted)
    told = "not comparable: its n-grams; before a change of what is compared: does not hold"
    counted = " (before what is compared was changed: 1 does not hold)"
    assert shown(stratum="reachable", other="its n-grams", before={"other": ""}) == (told, counted)
    # A change of what is compared that changes no verdict is not told.
    assert shown(other="its n-grams", before={"other": ""}) == ("not comparable: its n-grams", "")


def test_printed_numbers_are_drawn_with_ours_and_the_control():
    control = record([1] * 10 + [0] * 10, SAME)
    trained = page(
        NUMBER, ItemEntry(), value="94.0", kinds=None, linker="tuned", control=control, state=PLATEAU
    )
    drawn = figures.against_print(by_item(trained))
    [row] = drawn.data.to_dict("records")
    assert (row["item"], row["printed_percent"], row["zero_updates_percent"]) == ("Table 1", 94, 50)
    assert row["ours_percent"] == pytest.approx(95) and row["low_percent"] < 95 <= row["high_percent"]
    [axes] = drawn.figure.axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["ours"]
    marks = [offset for dots in axes.collections for offset in dots.get_offsets().tolist()]
    assert marks == [[94, 0], [pytest.approx(95), 0], [50, 0]]
    # Ten of twenty are right only with training.
    seen = "1 of 1 within 2 points of print, 0 lower; training adds +45.0 points (median)"
    assert drawn.figure.get_suptitle().replace("\n", " ") == seen
    for nothing in (page(NUMBER, record=None), page(NUMBER, value=""), page(ItemEntry())):
        assert figures.against_print(by_item(nothing)).data.empty


def test_of_a_system_the_first_number_is_drawn_and_the_highest_above_print_first(monkeypatch):
    [one] = by_item(page(NUMBER, value="90.0"))["Table 1"]

    def called(label, value):
        system = replace(one.runs.system, label=label)
        return replace(one, value=value, runs=replace(one.runs, system=system))

    items = {"Table 1": [called("a", "99"), called("b", "70"), one], "Table 2": [called("a", "50")]}
    shown = figures.against_print(items)
    assert shown.data["printed_percent"].tolist() == [70, 90, 99]
    assert shown.figure.get_suptitle().replace("\n", " ") == "0 of 3 within 2 points of print, 1 lower"
    monkeypatch.setattr(sys.modules["study.figures.forest"], "LONGEST", 2)
    assert figures.against_print(items).data["system"].tolist() == ["b", "a"]


def test_the_box_counts_verdicts_and_distances(monkeypatch):
    rows = [("encoder", "A < B", "C"), ("batch", "8", "16"), ("epochs", "2", "7")]
    setup = pd.DataFrame(rows, columns=["setting", "here", "the paper"])
    monkeypatch.setattr("study.tables.glance.setup_table", lambda page: setup)
    of = {"kinds": None, "linker": "tuned", "control": record([1] * 10 + [0] * 10, SAME)}
    trained = page(NUMBER, value="94.0", state=PLATEAU, **of)
    numbers = [*by_item(trained)["Table 1"], *by_item(page(NUMBER, value="70.0"))["Table 1"]]
    numbers += by_item(page(NUMBER, record=None))["Table 1"]  # nothing to compare
    told = [HOLDS, HOLDS, NOT_RUN, TOO_SMALL]
    answers = [answer(f"C{i}", verdict, RISING, wording="A < B") for i, verdict in enumerate(told)]
    answers.append(replace(answer("C4", FAILS), basis="printed"))
    box = in_short(trained, numbers, answers, "Do it.")
    assert "<dd>Of 2 printed numbers 1 does not hold (ours), 1 is too small to decide. " in box
    links = "; ".join(f'<a href="#claim-c{i}" title="A &lt; B">C{i}</a>' for i in range(2))
    assert f"Of 4 measured claims 2 hold ({links}), 1 is too small to decide, 1 is not run." in box
    assert "1 is not run. Lacking most: a training at a plateau (1).</dd>" in box
    assert "Ours minus printed, 2 comparable: median +13.0 points, from +1.0 to +25.0. " in box
    assert "Ours minus the same system with zero updates: +45.0 points." in box
    assert "<dd>Here: A &lt; B; 2 epochs. The paper: C; 7 epochs.</dd>" in box and "<dd>Do it.</dd>" in box
    assert "<dd>No printed number has a number of ours to compare.</dd>" in in_short(trained, [], [], "")


def test_a_finding_has_its_number_and_leads_to_its_claim():
    answers = [answer("C1", HOLDS), answer("C2", NOT_RUN, "no corpus")]
    assert findings(answers, {"C2": "Ours: {}.", "C1": "A < B by {}."}).splitlines() == [
        '- Ours: not run. <a href="#claim-c2">Claim C2</a>: not run.',
        '- A < B by 2.0 [1.0, 3.0] points. <a href="#claim-c1">Claim C1</a>: holds.',
    ]
    with pytest.raises(KeyError, match="C3"):
        findings(answers, {"C3": "{}"})
    for seeds, told in (("+0.2, -9.0", " (single runs: +0.2, -9.0)"), ("+0.2, +1.4", ""), ("", "")):
        [line] = findings([replace(answers[0], seeds=seeds)], {"C1": "By {}."}).splitlines()
        assert line.startswith(f"- By 2.0 [1.0, 3.0] points{told}. ")


def test_a_trained_row_has_its_control_and_its_state():
    made, control = record(ALWAYS, SAME), record([1] * 10 + [0] * 10, SAME)
    trained = {"record": made, "linker": "tuned", "kinds": None, "value": "94.0"}
    [row] = summary_table(page(NUMBER, **trained, control=control, state=PLATEAU), []).to_dict("records")
    assert (row["status"], row["training"], row["zero updates"]) == ("holds", "plateau", "50.0 [50.0, 50.0]")
    [row] = summary_table(page(NUMBER, **trained, state=RISING), []).to_dict("records")
    assert (row["status"], row["training"]) == (f"too small to decide: {NO_CONTROL}", "rising")


def numbers(*headlines, **of):
    """The rows of printed numbers, each (printed, ours without its interval, difference, status)."""
    items = [
        ItemEntry(reported="table1", headlines=(HeadlineEntry(system="ours", **one),)) for one in headlines
    ]
    return cells(summary_table(page(*items or [NUMBER], **of), []), "printed", "ours", "difference", "status")


def test_what_cannot_be_compared_is_shown_with_the_reason():
    assert numbers(value="88.0", other=("toy",)) == [
        ["88.0", "95.0", "+7.0", "not comparable: another knowledge base"]
    ]
    [row] = numbers({"runs": "all", "other": "another encoder"}, value="88.0")
    assert row[3] == "not comparable: another encoder"
    # Without a record there is no number.
    assert numbers(record=None) == [["90.0", "", "", "not run: no record"]]


def test_a_data_set_is_called_as_in_the_table_at_hand():
    assert numbers(called="Toy as another table has it")[0][0] == "90.0"
    elsewhere = {"runs": "named elsewhere"}
    assert numbers(elsewhere)[0][0] == "90.0"
    [row] = numbers(elsewhere, called="unheard of")
    assert (row[0], row[3]) == ("", "shown, not compared")


def test_without_kinds_there_is_no_ceiling():
    [row] = summary_table(page(NUMBER, kinds=None, value="96.0"), []).to_dict("records")
    assert row["ceiling"] == "" and row["status"].startswith("too small to decide: our interval is wider")


def test_metrics_have_the_names_of_the_tables():
    metrics = ("recall_at_10", "mrr", "strict f1", "partial f1")
    headline = HeadlineEntry(runs="all", system="ours", metrics=metrics)
    rows = summary_table(page(ItemEntry(reported="table1", headlines=(headline,)), record=None), [])
    assert rows["what"].tolist() == ["ours, Recall@10", "ours, MRR", "ours, strict F1", "ours, partial F1"]


def test_claims_drawings_and_reasons_have_their_own_statuses():
    said = ({"drawing": "x.svg"}, {"reason": "closed"}, {"as_printed": True}, {"runs": "all"})
    items = [ItemEntry(**of) for of in (*said, {"claims": ("C1", "C2", "C3", "C4", "C5", "C6")})]
    answers = [answer("C1", HOLDS), answer("C2", FAILS, beside="a < b"), answer("C3", TOO_SMALL),
               answer("C4", NOT_RUN, "no corpus"), answer("C6", MIXED)]  # fmt: skip
    answers += [replace(answer("C5", HOLDS), effect=None, basis="printed")]
    found = summary_table(page(*items), answers)
    assert found["status"].tolist() == [
        "drawn", "not run: closed", "as printed", "shown, not compared",
        HOLDS, FAILS, TOO_SMALL, "not run: no corpus", "holds, as printed", MIXED,
    ]  # fmt: skip
    assert found["ours"].tolist()[4:] == ["2.0 [1.0, 3.0] points"] * 3 + ["", "", "2.0 [1.0, 3.0] points"]
    told = legend(found["status"])
    assert f"**{FAILS}**" in legend([f"{FAILS}; before a change of what is compared: {NOT_COMPARABLE}"])
    assert all(f"**{status}**" in told for status in STATUSES if status != NOT_COMPARABLE)
    assert NOT_COMPARABLE not in told and {*VERDICTS, NOT_COMPARABLE} <= set(STATUSES)


def test_a_set_up_is_as_the_script_where_what_is_said_of_the_script_is_ours():
    rows = setup_table(SimpleNamespace(plan=plan_with("biocom"))).set_index("setting")
    assert rows.loc["loss", "differs"] == "as the script"
    assert _apart("cosine in section 3.1; euclidean in the script", "cosine") == "yes"


def test_the_set_up_takes_our_settings_from_the_linker_and_marks_what_differs():
    found = setup_table(SimpleNamespace(plan=plan_with("cosines", {"epochs": "7", "learning_rate": "1e-5"})))
    rows = found.set_index("setting")
    printed = "not stated for Table 1; up to 200 in Figures 3 and 4"
    assert rows.loc["epochs", ["the paper", "here", "differs"]].tolist() == [printed, "7", "yes"]
    assert rows.loc["learning rate", ["here", "differs"]].tolist() == ["1e-05", ""]
    assert rows.loc["groups a batch", ["here", "differs"]].tolist() == ["16", ""]
    assert rows.loc["pooling", ["here", "differs"]].tolist() == ["cls", "as the script"]
    assert rows.loc["distance in training", ["here", "differs"]].tolist() == ["euclidean", "as the script"]
    assert rows.loc["precision", ["here", "differs"]].tolist() == ["bf16", "not stated"]
