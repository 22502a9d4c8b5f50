"""How fast systems link and learn that took turns in one run, beside what is printed."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import pandas as pd

from ..chapters.chapter import NOT_RUN
from ..chapters.speeds import Values, fastest, seconds_ratio, timed
from ..chapters.templates import System
from ..pages.numbers import between
from ..pages.show import linked, table_from
from ..printed import reported
from ..records import Record
from .measured import Records

_PARTS = ("encoding", "search", "re-ranking")


def speeds(
    found: Records, systems: Sequence[System], printed: pd.DataFrame, names: Mapping[str, str]
) -> pd.DataFrame:
    """Mentions linked a second by system and passes a call, the median and the range over rounds, and the
    shares of its parts, as ``benchmarks.timings.linking`` measures them. What is printed for a system
    stands beside one pass a call; ``names`` are the paper's of the data sets. Raises LookupError where
    several printed numbers fit one cell."""
    rows: list[dict[str, object]] = []
    for data, record in found.items():
        for system in systems:
            row = {"data": linked(data, record), "system": system.label}
            there = {"printed": reported.only(printed, system=system.printed, dataset=names.get(data, data))}
            if record is None:
                rows.append(row | {"mentions a second": NOT_RUN} | there)
                continue
            for batch in _batches(record):
                rate = _rate(record.values, timed(system, batch))
                rows.append(row | {"passes a call": str(batch)} | rate | (there if batch == 1 else {}))
    return table_from(rows)


def _rate(values: Values, key: str) -> dict[str, str]:
    n, seconds, rounds = values["n.mentions"], values[key], values[f"{key}.runs"]
    rate = {
        "mentions a second": f"{n / seconds:,.1f}",
        "slowest to fastest": f"{n / max(rounds):,.1f} to {n / min(rounds):,.1f}",
    }
    parts = (part for part in _PARTS if f"{key}.{part}" in values)
    return rate | {f"{part}, %": f"{100 * values[f'{key}.{part}'] / seconds:.0f}" for part in parts}


def speed_ratios(
    found: Records,
    pairs: Sequence[tuple[System, System]],
    printed: pd.DataFrame,
    names: Mapping[str, str],
) -> pd.DataFrame:
    """How many times as many mentions a second the first system of each pair links as the second: the mean
    over rounds with its 95 % interval, with one pass a call, and each with the passes that suit it best.
    Raises LookupError as :func:`speeds`."""
    rows = []
    for data, record in found.items():
        for first, second in pairs:
            row = {"data": linked(data, record), "systems": f"{first.label} / {second.label}"}
            theirs = [
                reported.only(printed, system=one.printed, dataset=names.get(data, data))
                for one in (first, second)
            ]
            row["printed"] = f"{Decimal(theirs[0]) / Decimal(theirs[1]):.1f}" if all(theirs) else ""
            row["one pass a call"] = NOT_RUN
            if record is not None:
                values, batches = record.values, _batches(record)
                best = [timed(one, fastest(values, one, batches)) for one in (second, first)]
                row["one pass a call"] = _times(record, timed(second, 1), timed(first, 1))
                row["each at its best"] = _times(record, *best)
            rows.append(row)
    return table_from(rows)


def density(found: Records) -> pd.DataFrame:
    """How close mentions stand, in the documents that were linked and in the whole split."""
    rows = []
    for data, record in found.items():
        row = {"data": linked(data, record), "mentions linked": NOT_RUN}
        if record is not None:
            of = record.values
            row["mentions linked"] = f"{of['n.mentions']:,}"
            row["word pieces for eight of them"] = f"{8 * of['n.pieces'] / of['n.mentions']:.0f}"
            row["the same in the whole split"] = f"{8 * of['all.pieces'] / of['all.mentions']:.0f}"
        rows.append(row)
    return table_from(rows)


def updates(found: Records, pairs: Sequence[tuple[str, System, System]]) -> pd.DataFrame:
    """Seconds to learn from the same mentions once, by what the negatives are, and how many times as long the
    second of a pair takes as the first, as ``benchmarks.timings.learning`` measures them."""
    rows = []
    for data, record in found.items():
        for negatives, first, second in pairs:
            row = {"data": linked(data, record), "negatives": negatives}
            rows.append(row)
            if record is None:
                row["ratio"] = NOT_RUN
                continue
            for head, one in (("collective", first), ("one mention", second)):
                row[f"{head}, seconds"] = f"{record.values[one.timed]:,.1f}"
                row[f"{head}, updates"] = str(record.values[f"{one.timed}.updates"])
            row["mentions"] = str(record.values["n.mentions"])
            row["ratio"] = _times(record, second.timed, first.timed)
    return table_from(rows)


def _times(record: Record, slow: str, fast: str) -> str:
    found = seconds_ratio(record.values, slow, fast)
    return between(found.value, found.low, found.high)


def _batches(record: Record) -> tuple[int, ...]:
    return tuple(record.inputs["arguments"]["batches"])
