"""What a paper prints: its tables, its words for their numbers, and its counts and gains beside ours."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
from pydantic import model_validator

from benchlib.scoring import Scoring, compare

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..pages.numbers import points
from ..pages.show import linked, table_from
from ..places import ROOT
from ..printed import reported
from ..yaml_file import YamlModel, read_yaml, validated
from .accuracy import printed_of
from .rows import Records, Row, by_pair, frame, mean_credit

RESTATED = ROOT / "data" / "restated.yaml"
STATISTICS = ROOT / "data" / "statistics.yaml"
_VALUE = re.compile(r"\{([\w-]+):([\w.]+)\}")


class Restated(YamlModel):
    """A number that a paper says again (``stated``), or its word for it (``said``), and the printed cells it
    comes from: the sum of ``plus`` less that of ``minus``."""

    what: str
    stated: dict[str, str] = {}
    said: str = ""
    plus: dict[str, str]
    minus: dict[str, str] = {}

    @model_validator(mode="after")
    def _one_of_both(self) -> Restated:
        if bool(self.stated) == bool(self.said):
            raise ValueError("either stated or said")
        return self


class Count(YamlModel):
    """A printed count, the count of ours beside it (data set, key of its card), and why they differ."""

    dataset: str = ""
    variant: str = ""
    split: str = ""
    ours: tuple[str, str] | None = None
    why: str = ""

    @model_validator(mode="after")
    def _count_or_reason(self) -> Count:
        if self.ours is None and not self.why:
            raise ValueError("either ours or why")
        return self


def as_printed(printed: pd.DataFrame) -> pd.DataFrame:
    """The rows of a paper's table as :func:`study.printed.reported.table` has them: a row a system and
    variant, a column a metric, or a data set where there is one metric for several; digits and order as
    printed.

    Raises LookupError where two numbers stand in one cell, of two splits or protocols say.
    """
    over_data = printed["metric"].nunique() == 1 < printed["dataset"].nunique()
    rows: dict[tuple[str, str], Row] = {}
    for one in printed.itertuples():
        row = rows.setdefault((one.system, one.variant), {"system": one.system, "variant": one.variant})
        column = one.dataset if over_data else one.metric.replace("recall_at_", "@")
        if column in row:
            raise LookupError(
                f"{one.system}, {one.variant}: two printed numbers in column {column}; expected one"
            )
        row[column] = one.value
    return table_from([*rows.values()])


def restated(paper: str, path: Path = RESTATED) -> pd.DataFrame:
    """What a paper says of its numbers beside what its tables come to, exact, and the difference.

    Raises ValueError naming file, paper and line for a line that is not as :class:`Restated` describes, and
    LookupError for a selector that no printed number matches, or for ``stated`` several.
    """
    printed = reported.select(reported.read_reported(), paper=paper)
    rows = []
    for one in _lines(Restated, path, paper):
        comes_to = _sum(printed, one.plus) - (_sum(printed, one.minus) if one.minus else 0)
        row = {"what": one.what, "stated": one.said, "from the tables": f"{comes_to:,}"}
        if one.stated:
            stated = reported.pick(printed, **one.stated)
            row |= {"stated": f"{stated:,}", "difference": f"{comes_to - stated:+,}"}
        rows.append(row)
    return table_from(rows)


def _sum(printed: pd.DataFrame, where: dict[str, str]) -> Decimal:
    found = reported.select(printed, **where)
    if found.empty:
        raise LookupError(f"no reported number matches {where}")
    return sum(map(Decimal, found["value"]), Decimal(0))


def statistics(table: str, cards: Records, path: Path = STATISTICS) -> pd.DataFrame:
    """A statistics table of a paper with our counts beside: printed, ours, difference, why.

    ``cards`` are the data cards by data set. Raises ValueError naming file, table and line for an unknown key
    or a line with neither count nor reason.
    """

    def in_words(found: re.Match) -> str:
        card = cards.get(found[1])
        return f"{card.values[found[2]]:,}" if card else "(not counted here)"

    paper, _, item = table.rpartition("_")
    rows = []
    for line in _lines(Count, path, table):
        where = {name: value for name in ("dataset", "variant", "split") if (value := getattr(line, name))}
        printed = reported.cell(paper, item, **where)
        row = {**where, "printed": f"{printed:,}", "ours": NOT_RUN, "difference": ""}
        row["why"] = _VALUE.sub(in_words, line.why)
        if line.ours and (card := cards.get(line.ours[0])):
            ours = card.values[line.ours[1]]
            difference = float(ours) - float(printed)
            row["ours"] = linked(f"{ours:,}", card)
            row["difference"] = f"{difference:+,.10g}" if difference else "0"
        rows.append(row)
    return table_from(rows)


def _lines(model: type[YamlModel], path: Path, name: str) -> list[YamlModel]:
    lines = enumerate(read_yaml(path)[name], 1)
    return [validated(model, line, f"{path.name}: {name}: line {number}") for number, line in lines]


def gains(
    results: Sequence[SystemResult],
    pairs: Sequence[tuple[str, str]],
    scoring: Scoring,
    printed: pd.DataFrame | None = None,
    names: Mapping[str, str] | None = None,
    stated: Mapping[tuple[str, str], str] | None = None,
    mentions: Mapping[str, np.ndarray] | None = None,
    it_takes: bool = False,
) -> pd.DataFrame:
    """The printed gain of the first over the second system of each pair in accuracy, ours with its interval,
    both in points, and ours divided by the printed.

    ``printed`` has the rows of the paper's own table, whose data sets ``names`` calls as the paper does;
    ``stated`` has gains that stand in its text alone, by pair of keys. ``mentions`` restricts ours to a mask
    by data set (:func:`study.chapters.results.stratum`). With ``it_takes`` stands beside them how many
    mentions, in documents like these, would show the printed gain four times in five
    (:attr:`benchlib.scoring.Comparison.detectable`): the interval falls with the root of their number. A pair
    of which one is dropped has no row.
    """
    rows = []
    for row, first, second in by_pair(results, pairs, ("of", "over")):
        rows.append(row)
        there = _printed_gain(first, second, printed, names or {}, stated or {})
        row["printed gain"] = "" if there is None else f"{there:+.2f}"
        kept = first.among(mentions) if first.made and second.made else None
        if kept is None:
            row["our gain"] = first.system.reason or second.system.reason or NOT_RUN
            continue
        credits = [mean_credit(runs, scoring) for runs in (first, second)]
        found = compare(*credits, first.clusters, (kept, kept))
        ours = found.difference
        row["our gain"] = points(ours)
        row["ours / printed"] = f"{100 * ours.value / there:.2f}" if there is not None and there > 0 else ""
        if it_takes and there:
            times = (100 * found.detectable / there) ** 2
            row |= {"mentions": f"{kept.sum():,}", "it takes": f"{kept.sum() * times:,.0f}"}
    return frame(rows)


def _printed_gain(
    first: SystemResult,
    second: SystemResult,
    printed: pd.DataFrame | None,
    names: Mapping[str, str],
    stated: Mapping[tuple[str, str], str],
) -> float | None:
    """The gain between two printed numbers, else one that the text states; None for equal numbers."""
    if printed is not None and first.system.printed and second.system.printed:
        a, b = (printed_of(printed, runs, "recall_at_1", names) for runs in (first, second))
        if a and b and float(a) != float(b):
            return float(a) - float(b)
    gaps = (gap for (a, b), gap in stated.items() if a in first.system.keys and b in second.system.keys)
    return next(map(float, gaps), None)
