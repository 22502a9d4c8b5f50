"""At a glance: statuses by the stated rule, worked out on runs written down rank by rank."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from ranked import record, runs, strata

from benchlib.runs import Record
from study.answers import Answer
from study.chapter import HeadlineEntry, ItemEntry
from study.runs import plan_with
from study.tables.glance import STATUSES, glance, legend, setup

ALWAYS = [1] * 19 + [0]  # right on 19 of 20: 95 %, interval 85 to 100
REACHABLE = SimpleNamespace(strata=strata(reachable=[True] * 18 + [False] * 2))


def answer(id: str, verdict: str, reason: str = "") -> Answer:
    numbers = (None,) * 4 if verdict == "not run" else (2.0, 1.0, 3.0, 20)
    return Answer(id, "toy", verdict, *numbers, "toy", reason, "measured", "yes", "", "", "points", "")


MADE = record(ALWAYS)


def page(*items: ItemEntry, value: str = "90.0", record=MADE, kinds=REACHABLE, called: str = "Toy", other=()):
    printed = pd.DataFrame(
        [{"system": "Ours", "metric": "recall_at_1", "variant": "", "dataset": "Toy", "value": value},
         {"system": "", "metric": "count", "variant": "mentions", "dataset": "Toy", "value": "20"}]
    )  # fmt: skip
    chapter = SimpleNamespace(
        items={f"Table {i}": item for i, item in enumerate(items, 1)},
        datasets={"other": {"toy": called}, "whole": {"toy": "Toy"}},
        other_knowledge_base=other,
        runs={"all": SimpleNamespace(data="whole"), "named elsewhere": SimpleNamespace(data="toy")},
        measured={"c": SimpleNamespace(data="whole")},
    )
    return SimpleNamespace(
        plan=SimpleNamespace(chapter=chapter),
        printed=lambda item: printed,
        runs=lambda name: [runs("ours", record, kinds=kinds, printed="Ours")],
        measured=lambda name: {"toy": Record({}, {}, values={"n": 20, "m": 21})},
    )


NUMBER = ItemEntry(reported="table1", anchor="a", headlines=(HeadlineEntry(runs="all", system="ours"),))


@pytest.mark.parametrize(
    ("value", "difference", "status"),
    [
        ("88.0", "+7.0", "reproduced"),  # within the interval, and below the ceiling of 18 in 20
        ("70.0", "+25.0", "differs"),
        ("91.0", "+4.0", "not comparable"),  # within the interval, but above the ceiling
    ],
)
def test_a_printed_number_is_held_against_interval_and_ceiling(value, difference, status):
    [row] = glance(page(NUMBER, value=value), []).to_dict("records")
    assert (row["printed"], row["difference"], row["status"]) == (value, difference, status)
    assert row["ours"].startswith("95.0 [") and row["ceiling"] == "90.0" and 'href="#a"' in row["the paper's"]


def test_a_number_of_another_knowledge_base_is_shown_and_not_compared():
    [row] = glance(page(NUMBER, value="88.0", other=("toy",)), []).to_dict("records")
    assert (row["printed"], row["difference"]) == ("88.0", "+7.0") and row["ours"].startswith("95.0 [")
    assert row["status"] == "not comparable: another knowledge base"
    [row] = glance(page(NUMBER, value="88.0", other=("another",)), []).to_dict("records")
    assert row["status"] == "reproduced"


def test_a_data_set_is_called_as_in_the_table_at_hand():
    [row] = glance(page(NUMBER, called="Toy as another table has it"), []).to_dict("records")
    assert row["printed"] == "90.0"
    anywhere = ItemEntry(reported="table1", headlines=(HeadlineEntry(runs="named elsewhere", system="ours"),))
    assert glance(page(anywhere), [])["printed"].tolist() == ["90.0"]
    assert glance(page(anywhere, called="unheard of"), [])["printed"].tolist() == [""]


def test_without_kinds_there_is_no_ceiling_and_without_a_record_no_number():
    [row] = glance(page(NUMBER, kinds=None), []).to_dict("records")
    assert (row["ceiling"], row["status"]) == ("", "reproduced")
    [row] = glance(page(NUMBER, record=None), []).to_dict("records")
    assert (row["printed"], row["ours"], row["status"]) == ("90.0", "", "NOT RUN")


def test_claims_drawings_reasons_and_counts_have_their_own_statuses():
    counts = [HeadlineEntry(measured="c", key=key, printed={"variant": "mentions"}) for key in "nm"]
    items = (
        ItemEntry(drawing="x.svg"),
        ItemEntry(reason="closed"),
        ItemEntry(runs="all"),
        ItemEntry(reported="table1", headlines=tuple(counts)),
        ItemEntry(claims=("C1", "C2", "C3", "C4", "C5", "C6")),
    )
    answers = [answer("C1", "supported"), answer("C2", "contradicted"), answer("C3", "inconclusive"),
               answer("C4", "not run", "no corpus")]  # fmt: skip
    answers += [replace(answer(f"C{i}", verdict), effect=None, basis="printed")
                for i, verdict in ((5, "supported"), (6, "contradicted"))]  # fmt: skip
    found = glance(page(*items), answers)
    assert found["status"].tolist() == [
        "drawn", "NOT RUN: closed", "shown, not compared", "reproduced", "differs",
        "reproduced", "differs", "undecided", "holds in print", "fails in print", "NOT RUN: no corpus",
    ]  # fmt: skip
    assert found["difference"].tolist()[3:5] == ["+0", "+1"]
    assert found["ours"].tolist()[5:] == ["2.0 [1.0, 3.0] points"] * 3 + [""] * 3
    told = legend(found["status"])
    assert all(f"**{status}**" in told for status in STATUSES if status != "not comparable")
    assert "not comparable" not in told


def test_claims_that_wait_for_the_same_share_a_row():
    answers = [answer("C1", "not run", "no corpus"), answer("C2", "supported"),
               answer("C3", "not run", "no model"), answer("C4", "not run", "no corpus")]  # fmt: skip
    found = glance(page(ItemEntry(claims=("C1", "C2", "C3", "C4"))), answers)
    assert found["status"].tolist() == ["reproduced", "NOT RUN: no corpus", "NOT RUN: no model"]
    what = [re.sub("<[^>]+>", "", cell) for cell in found["what"]]
    assert what == ["claim C2", "claims C1, C4", "claim C3"]
    assert all(f'href="#claim-c{i}"' in "".join(found["what"]) for i in range(1, 5))


def test_two_printed_numbers_for_one_are_an_error():
    twice = ItemEntry(reported="t", headlines=(HeadlineEntry(measured="c", key="n"),))
    of = page(twice)
    of.printed = lambda item: pd.DataFrame([{"dataset": "Toy", "value": "1"}] * 2)
    with pytest.raises(LookupError, match="2 printed numbers match"):
        glance(of, [])


def test_the_set_up_takes_our_settings_from_the_linker_and_marks_what_differs():
    found = setup(SimpleNamespace(plan=plan_with("cosines", {"epochs": "7", "learning_rate": "1e-5"})))
    rows = found.set_index("setting")
    assert rows.loc["epochs", ["the paper", "here", "differs"]].tolist() == ["up to 200", "7", "yes"]
    assert rows.loc["learning rate", ["here", "differs"]].tolist() == ["1e-05", ""]
    assert rows.loc["groups a batch", ["here", "differs"]].tolist() == ["16", ""]
    assert rows.loc["pooling", ["here", "differs"]].tolist() == ["cls", "as the script"]
    assert rows.loc["precision", ["here", "differs"]].tolist() == ["bf16", "not stated"]
