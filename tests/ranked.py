"""Runs whose outcomes are written down rank by rank, so that every table of them is worked out by hand, and
what a table says without its links and intervals."""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd

from benchlib.scoring import Outcomes
from benchlib.scoring.coding import ANY, NIL
from study.chapters.results import SystemResult
from study.chapters.templates import System
from study.records import MissingRecord, Record

GONE = "NOT RUN: closed"
MADE = {
    "commit": "0123456789ab+",
    "date": "2026-01-02T03:04:05+00:00",
    "hardware": {"machine": "x86_64", "cpu": "Fast <CPU>", "cores": 4, "threads": 2, "memory_gb": 16},
    "versions": {"python": "3.11.7", "benchlib": "0.1"},
}
"""The provenance of a record."""


def record(
    ranks: Sequence[object], clusters: Sequence[int] | None = None, scores: Sequence[float] | None = None,
    path: str = "", trace: Sequence[dict] = (),
) -> Record:  # fmt: skip
    """A linking run: of each mention the rank of its gold, 0 where it is not listed, "half" where it is tied
    for the first place, None for a mention without an entity. Each is its own cluster unless said."""
    n, nil = len(ranks), np.array([rank is None for rank in ranks])
    above = np.array([rank - 1 if isinstance(rank, int) else 0 for rank in ranks])
    tied = np.array([2 if rank == "half" else 1 for rank in ranks])
    orders = {"n_better": above, "n_tied": tied, "n_tied_gold": np.ones(n, dtype=int)}
    answers = np.ones(n) if scores is None else np.array(scores)
    outcomes = Outcomes(
        mention=np.arange(n),
        part=np.zeros(n, dtype=int),
        line_type=np.where(nil, NIL, ANY),
        n_required=np.ones(n, dtype=int),
        **{name: np.repeat(values[:, None], 4, axis=1) for name, values in orders.items()},
        cluster=np.arange(n) if clusters is None else np.array(clusters),
        top=np.full(n, "D1", dtype=object),
        top_score=answers.astype(np.float32),
        counts={
            "n_raw": n, "n_scored": int((~nil).sum()), "dropped": {"nil": int(nil.sum()), "span": 0},
            "gold_outside_ontology": 0, "unanswered": 0,
        },
    )  # fmt: skip
    made = Record.of_outcomes({"name": "by hand", "dataset": "toy"}, {}, outcomes, trace=trace)
    return Record(made.inputs, {}, made.counts, made.metrics, made.table, trace=made.trace, path=path)


def runs(
    key: str, *seeds: Record | None | Sequence[Record | None], data: str = "toy", kinds=None, **of
) -> SystemResult:
    """The runs of a system called by its key: a record for each seed, or a list of those of its folds."""
    keys = of.pop("keys", (key,))
    system = System(keys, of.pop("label", key), **{"linker": "" if "reason" in of else key} | of)
    folds = tuple(tuple(one) if isinstance(one, list) else (one,) for one in seeds)
    return SystemResult(system, data, folds, kinds)


def page(printed: Sequence[dict], found: SystemResult, items=(), called="Toy", other=()) -> SimpleNamespace:
    """A page whose chapter has these items, rows in print and one system on one data set, which the table at
    hand and others call so."""
    chapter = SimpleNamespace(
        name="toy",
        items={f"Table {i}": item for i, item in enumerate(items, 1)},
        datasets={"other": {"toy": called}, "whole": {"toy": "Toy"}},
        other_knowledge_base=other,
        runs={"all": SimpleNamespace(data="whole"), "named elsewhere": SimpleNamespace(data="toy")},
    )
    plan, rows = SimpleNamespace(chapter=chapter), pd.DataFrame(printed)
    return SimpleNamespace(plan=plan, printed=lambda item: rows, runs=lambda name: [found])


class Given:
    """Evidence for claims of the runs given, by system, and of values by measurement."""

    def __init__(self, *found, **measured):
        self.found, self.values = {of.system.keys[0]: of for of in found}, measured

    def runs(self, chapter, name, system, data, kinds=False):
        if system not in self.found or (kinds and self.found[system].kinds is None):
            raise MissingRecord({"name": "strata" if system in self.found else system, "dataset": data})
        return self.found[system] if kinds else replace(self.found[system], kinds=None)

    def every(self, chapter, name, system, data, kinds=False):
        """Those of ``system``, and of ``system:1`` and so on where it stands for several."""
        more = [key for key in self.found if key.startswith(f"{system}:")]
        return [self.runs(chapter, name, key, data, kinds) for key in (system, *more)]

    def system(self, chapter, key):
        return self.found[key].system

    def measured(self, chapter, measurement, data):
        made = self.values.get("made", {"hardware": {"cpu": "any"}})
        return SimpleNamespace(values=self.values[measurement], made=made)


def strata(**names: Sequence[bool]) -> pd.DataFrame:
    """A column a stratum, a row a mention; ``_`` in a name is a blank."""
    return pd.DataFrame({name.replace("_", " "): values for name, values in names.items()})


def kinds(**names: Sequence[bool]) -> SimpleNamespace:
    """The record of the kinds of mentions: these strata."""
    return SimpleNamespace(strata=strata(**names))


def measured(path: str = "", **values) -> Record:
    """A measurement with these values."""
    return Record({}, {}, values=values, path=path)


def plain(cell: object) -> str:
    """A cell without links and intervals."""
    return re.sub(r" \[.*", "", html.unescape(re.sub(r"<[^>]*>", "", str(cell))))


def cells(table: pd.DataFrame, *heads: str) -> list[list[str]]:
    """The plain cells of these columns, or of all, row by row."""
    return [[plain(cell) for cell in row] for row in table[list(heads or table)].to_numpy()]


def links(cell: str) -> dict[str, str]:
    """The records that a cell leads to, by the text of each link."""
    found = re.findall(r'<a href="\.\./data/records/(\w+)\.html">([^<]*)</a>', cell)
    return {text: name for name, text in found}
