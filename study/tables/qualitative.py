"""Examples: those that a paper prints beside what our linker answers, those where two linkers differ, and why
a linker answered as it did."""

from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd

from benchlib.formats.delimited import csv_rows

from ..chapters.chapter import NOT_RUN
from ..pages.page import Page
from ..pages.show import Markup, linked, table_from
from ..places import ROOT
from ..records import Record
from ..systems import linker
from .accuracy import drop_single_dataset

FOLDER = ROOT / "data" / "examples"
COLUMNS = ("type", "mention", "target", "printed")


def printed_examples(name: str, answers: Mapping[str, Record | None]) -> pd.DataFrame:
    """The mentions of a file of ``data/examples`` with the candidates printed and ours, best first.

    ``answers`` are the records of :mod:`study.measurements.answers` by data set. Raises ValueError, naming
    file and line, for a file that has other columns, and for one without a row.
    """
    listed = [row for _, row in csv_rows(FOLDER / f"{name}.csv", COLUMNS)]
    rows = []
    for record in answers.values():
        for example in listed:
            ours = record.values.get(example["mention"]) if record else None
            rows.append(
                {
                    "type": example["type"],
                    "mention": example["mention"],
                    "gold": example["target"],
                    "printed": example["printed"],
                    "ours": linked(" / ".join(ours), record) if ours else NOT_RUN,
                }
            )
    return table_from(rows)


def differences(page: Page, name: str) -> pd.DataFrame:
    """Mentions that one of two systems alone gets right, a few of each, with the first answer of both, as
    :func:`study.measurements.examples.differing_answers` picks them; ``name`` is that of the measurement in
    the chapter. Beside an answer by vote stand its votes."""
    if not (there := page.measured(name)):
        return table_from([])
    labels = [page.plan.system(key).label for key in page.plan.chapter.measured[name].of]
    systems = dict(zip(("linker", "other"), labels, strict=True))
    rows = []
    for data, record in there.items():
        if record is None:
            rows.append({"data": data, "right": NOT_RUN})
            continue
        voters = {side: _voters(record.inputs["arguments"][side]) for side in systems}
        for side, label in systems.items():
            found = record.values[side]
            row = {"data": linked(data, record), "right": f"{label} alone ({found['mentions']:,} mentions)"}
            if not found["examples"]:
                rows.append(row)
            for example in found["examples"]:
                told = {"mention": example["mention"], "document": example["document"]}
                told["gold"] = "; ".join(_named(*gold) for gold in example["gold"])
                told |= {systems[of]: _answer(example[of], n) for of, n in voters.items()}
                rows.append(row | told)
    return table_from(rows)


def explained(found: Mapping[str, Record | None]) -> pd.DataFrame:
    """Mentions in their context, each with what it was compared with that is nearest, best first, as
    :func:`study.measurements.explanations.explanations` finds it."""
    rows = []
    for data, record in found.items():
        if record is None:
            rows.append({"data": data, "mention": NOT_RUN, "nearest": ""})
            continue
        for one in record.values["mentions"]:
            gold = {id for id, _ in one["gold"]}
            row: dict[str, object] = {"data": linked(data, record), "mention": _in_context(one)}
            row["gold"] = "; ".join(_named(*concept) for concept in one["gold"])
            for other in one["nearest"]:
                id, name = other["concept"]
                row |= {"nearest": _in_context(other) if other["mention"] else f"(its {other['from']})"}
                row |= {"from": other["from"], "its concept": _named(id, name)}
                row |= {"similarity": f"{other['similarity']:.3f}", "right": "yes" if id in gold else ""}
                rows.append(row)
                row = {"data": linked(data, record), "mention": "", "gold": ""}
    return drop_single_dataset(table_from(rows))


def _in_context(told: Mapping[str, str]) -> Markup:
    """A string set off from what stands before and after it."""
    before, mention, after = (escape(told[part]) for part in ("before", "mention", "after"))
    return Markup(f"{before}<b>{mention}</b>{after}")


def _voters(name: str) -> int:
    """How many neighbours vote in a linker; 0 in one that has no vote."""
    return linker(name).config.get("neighbours", 0)


def _answer(answer: Sequence[object], voters: int) -> str:
    id, name, score = answer
    # The score of a vote is the number of votes and something below 1.
    votes = f", {int(score)} of {voters} votes" if voters else ""
    return f"{_named(id, name)}{votes}" if id else "(no answer)"


def _named(id: str, name: str) -> str:
    return f"{name} ({id})" if name != id else id
