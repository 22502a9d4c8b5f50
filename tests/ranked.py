"""Runs whose outcomes are written down rank by rank, so that every table of them is worked out by hand, and
what a table says without its links and intervals."""

import html
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from benchlib.scoring import Outcomes
from benchlib.scoring.coding import ANY, NIL
from study.chapters.results import SystemResult
from study.chapters.templates import System
from study.records import Record

GONE = "NOT RUN: closed"


def record(
    ranks: Sequence[object], clusters: Sequence[int] | None = None, scores: Sequence[float] | None = None,
    path: str = "", trace: Sequence[dict] = (),
) -> Record:  # fmt: skip
    """A linking run: of each mention the rank of its gold, 0 where it is not listed, "half" where it is tied
    for the first place, None for a mention without an entity. Each is its own cluster unless said."""
    n, nil = len(ranks), np.array([rank is None for rank in ranks])
    above = np.array([rank - 1 if isinstance(rank, int) else 0 for rank in ranks])
    tied = np.array([2 if rank == "half" else 1 for rank in ranks])
    orders = {"above": above, "ties": tied, "golds": np.ones(n, dtype=int)}
    answers = np.ones(n) if scores is None else np.array(scores)
    outcomes = Outcomes(
        mention=np.arange(n),
        part=np.zeros(n, dtype=int),
        wants=np.where(nil, NIL, ANY),
        needed=np.ones(n, dtype=int),
        **{name: np.repeat(values[:, None], 4, axis=1) for name, values in orders.items()},
        cluster=np.arange(n) if clusters is None else np.array(clusters),
        top=np.full(n, "D1", dtype=object),
        top_score=answers.astype(np.float32),
        counts={
            "n_raw": n, "n_scored": int((~nil).sum()), "dropped": {"nil": int(nil.sum()), "span": 0},
            "gold_outside_ontology": 0, "unanswered": 0,
        },
    )  # fmt: skip
    made = Record.of_outcomes({"name": "by hand", "dataset": "toy"}, {}, outcomes, trace)
    return Record(made.inputs, {}, made.counts, made.metrics, made.table, trace=made.trace, path=path)


def runs(
    key: str, *seeds: Record | None | Sequence[Record | None], data: str = "toy", kinds=None, **of
) -> SystemResult:
    """The runs of a system called by its key: a record for each seed, or a list of those of its folds."""
    keys = of.pop("keys", (key,))
    system = System(keys, of.pop("label", key), **{"linker": "" if "reason" in of else key} | of)
    folds = tuple(tuple(one) if isinstance(one, list) else (one,) for one in seeds)
    return SystemResult(system, data, folds, kinds)


def strata(**names: Sequence[bool]) -> pd.DataFrame:
    """A column a stratum, a row a mention; ``_`` in a name is a blank."""
    return pd.DataFrame({name.replace("_", " "): values for name, values in names.items()})


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
