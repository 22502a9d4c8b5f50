"""Examples: those that a paper prints beside what our linker answers, those where two linkers differ, and why
a linker answered as it did."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from ..chapters.chapter import NOT_RUN
from ..corpora.tsv import csv_rows
from ..pages.literal import in_html
from ..pages.page import Page
from ..pages.show import Markup, linked, table_from
from ..places import ROOT
from ..records import Record
from ..systems import linker
from .rows import Records, Row, by_record, frame

FOLDER = ROOT / "data" / "examples"
COLUMNS = ("type", "mention", "target", "printed")


def printed_examples(name: str, answers: Records) -> pd.DataFrame:
    """The mentions of a file of ``data/examples`` with the candidates printed and ours, best first.

    ``answers`` are the records of :mod:`study.measurements.answers` by data set. Raises ValueError, naming
    file and line, for a file that has other columns, and for one without a row.
    """
    listed = [row for _, row in csv_rows(FOLDER / f"{name}.csv", COLUMNS)]
    rows = []
    for record in answers.values():
        for example in listed:
            ours = record.values.get(example["mention"]) if record else None
            row = {"type": example["type"], "mention": example["mention"], "gold": example["target"]}
            row["printed"] = example["printed"]
            rows.append(row | {"ours": linked(" / ".join(ours), record) if ours else NOT_RUN})
    return table_from(rows)


def differences(page: Page, name: str) -> pd.DataFrame:
    """Mentions that one of two systems alone gets right, a few of each, with the first answer of both, as
    :func:`study.measurements.examples.differing_answers` picks them; ``name`` is that of the measurement in
    the chapter. Beside an answer by vote stand its votes."""
    if not (there := page.measured(name)):
        return table_from([])
    labels = [page.plan.system(key).label for key in page.plan.chapter.measured[name].of]
    systems = dict(zip(("linker", "other"), labels, strict=True))

    def rows(record: Record) -> Iterator[Row]:
        # A linker without a vote has no neighbours.
        asked = record.inputs["arguments"]
        voters = {side: linker(asked[side]).config.get("neighbours", 0) for side in systems}
        for side, label in systems.items():
            found = record.values[side]
            row = {"right": f"{label} alone ({found['mentions']:,} mentions)"}
            for example in found["examples"]:
                told = {"mention": example["mention"], "document": example["document"]}
                told["gold"] = "; ".join(_named(*gold) for gold in example["gold"])
                yield row | told | {systems[of]: _answer(example[of], n) for of, n in voters.items()}
            if not found["examples"]:
                yield row

    return table_from(by_record(there, rows, ["right"]))


def explained(records: Records) -> pd.DataFrame:
    """Mentions in their context, each with what it was compared with that is nearest, best first, as
    :func:`study.measurements.explanations.explanations` finds it."""

    def rows(record: Record) -> Iterator[Row]:
        for one in record.values["mentions"]:
            gold = {id for id, _ in one["gold"]}
            row: Row = {"mention": _in_context(one), "gold": "; ".join(_named(*of) for of in one["gold"])}
            for other in one["nearest"]:
                id, name = other["concept"]
                row["nearest"] = _in_context(other) if other["mention"] else f"(its {other['from']})"
                row |= {"from": other["from"], "its concept": _named(id, name)}
                yield row | {"similarity": f"{other['similarity']:.3f}", "right": "yes" if id in gold else ""}
                row = {"mention": "", "gold": ""}

    return frame(by_record(records, rows, ["mention"]))


def _in_context(told: Mapping[str, str]) -> Markup:
    before, mention, after = (in_html(told[part]) for part in ("before", "mention", "after"))
    return Markup(f"{before}<b>{mention}</b>{after}")


def _answer(answer: Sequence[object], voters: int) -> str:
    id, name, score = answer
    # The score of a vote is the number of votes and something below 1.
    votes = f", {int(score)} of {voters} votes" if voters else ""
    return f"{_named(id, name)}{votes}" if id else "(no answer)"


def _named(id: str, name: str) -> str:
    return f"{name} ({id})" if name != id else id
