"""How long systems take to link and to learn, beside what is printed."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

import pandas as pd

from ..chapters.chapter import NOT_RUN
from ..chapters.results import SystemResult
from ..chapters.speeds import fastest, seconds_ratio, timed
from ..chapters.templates import System
from ..pages.numbers import between
from ..pages.show import linked, table_from
from ..printed import reported
from ..records import Record
from .rows import Records, Row, by_record, frame

_PARTS = ("encoding", "search", "re-ranking")


def times(records: Records, printed: pd.DataFrame, systems: Sequence[SystemResult]) -> pd.DataFrame:
    """Seconds to link all test mentions and mentions a second, as ``benchmarks.timings.linking``
    measures them; the printed seconds stand beside what was timed for each of ``systems``."""
    seconds = reported.select(printed, metric="inference_seconds").set_index("system")["value"]
    theirs = {
        runs.system.timed: seconds[runs.system.printed]
        for runs in systems
        if runs.system.printed in seconds.index and runs.system.linker
    }

    def rows(record: Record) -> Iterator[Row]:
        for key, rounds in _timed(record):
            row: Row = {"system": key, "seconds": f"{record.values[key]:.2f}"}
            row["fastest to slowest"] = f"{min(rounds):.2f} to {max(rounds):.2f}"
            row["mentions a second"] = f"{record.values['n.mentions'] / record.values[key]:,.0f}"
            yield row | {"printed seconds": theirs.get(key, "")}

    return table_from(by_record(records, rows, ["seconds"]))


def heads(records: Records, systems: Mapping[str, str]) -> pd.DataFrame:
    """What finding spans takes beside reading the text, as
    ``benchmarks.timings.heads`` measures it; ``systems`` are labels by linker."""

    def rows(record: Record) -> Iterator[Row]:
        values = record.values
        for name, rounds in _timed(record):
            row: Row = {"head": systems.get(name, name), "seconds": f"{values[name]:.3f}"}
            row["fastest to slowest"] = f"{min(rounds):.3f} to {max(rounds):.3f}"
            row["seconds to read the text"] = f"{values[f'{name}.encoding']:.1f}"
            row["word pieces"] = f"{values['n.pieces']:,}"
            yield row | {"spans found": f"{values[f'{name}.spans']:,}"}

    return frame(by_record(records, rows, ["seconds"]))


def _timed(record: Record) -> list[tuple[str, Sequence[float]]]:
    """What was timed, with the seconds of each round."""
    values = record.values
    return [(name, values[f"{name}.runs"]) for name in values if f"{name}.runs" in values]


def cost(records: Records) -> pd.DataFrame:
    """Texts and mentions a second by way of encoding, as ``benchmarks.timings.encoding`` measures
    them."""

    def rows(record: Record) -> Iterator[Row]:
        for name, value in record.values.items():
            of, _, way = name.partition(".")
            if of != "n":
                rate = f"{value:,.0f}" if value >= 100 else f"{value:,.1f}"
                yield {"encoded": of, "as": way, "a second": rate}

    return table_from(by_record(records, rows, ["a second"]))


def speeds(
    records: Records, systems: Sequence[System], printed: pd.DataFrame, names: Mapping[str, str]
) -> pd.DataFrame:
    """Mentions linked a second by system and passes a call, the median and the range over rounds, and the
    shares of its parts, as ``benchmarks.timings.linking`` measures them. What is printed for a system
    stands beside one pass a call; ``names`` are the paper's of the data sets. Raises LookupError where
    several printed numbers fit one cell."""
    rows: list[Row] = []
    for data, record in records.items():
        for system in systems:
            row = {"data": linked(data, record), "system": system.label}
            there = {"printed": reported.only(printed, system=system.printed, dataset=names.get(data, data))}
            if record is None:
                rows.append(row | {"mentions a second": NOT_RUN} | there)
                continue
            for batch in record.inputs["arguments"]["batches"]:
                rate = {"passes a call": str(batch)} | _rate(record, timed(system, batch))
                rows.append(row | rate | (there if batch == 1 else {}))
    return table_from(rows)


def _rate(record: Record, key: str) -> Row:
    values, seconds, rounds = record.values, record.values[key], record.values[f"{key}.runs"]
    n = values["n.mentions"]
    rate: Row = {"mentions a second": f"{n / seconds:,.1f}"}
    rate["slowest to fastest"] = f"{n / max(rounds):,.1f} to {n / min(rounds):,.1f}"
    parts = [part for part in _PARTS if f"{key}.{part}" in values]
    return rate | {f"{part}, %": f"{100 * values[f'{key}.{part}'] / seconds:.0f}" for part in parts}


def speed_ratios(
    records: Records,
    pairs: Sequence[tuple[System, System]],
    printed: pd.DataFrame,
    names: Mapping[str, str],
) -> pd.DataFrame:
    """How many times as many mentions a second the first system of each pair links as the second: the
    geometric mean over rounds with its 95 % interval, with one pass a call, and each with the passes that
    suit it best. Raises LookupError as :func:`speeds`."""
    rows = []
    for data, record in records.items():
        for pair in pairs:
            row = {"data": linked(data, record), "systems": " / ".join(system.label for system in pair)}
            theirs = [
                reported.only(printed, system=system.printed, dataset=names.get(data, data))
                for system in pair
            ]
            row["printed"] = f"{Decimal(theirs[0]) / Decimal(theirs[1]):.1f}" if all(theirs) else ""
            row["one pass a call"] = NOT_RUN
            if record is not None:
                batches = tuple(record.inputs["arguments"]["batches"])
                fast, slow = (timed(system, fastest(record.values, system, batches)) for system in pair)
                row["one pass a call"] = _times(record, *(timed(system, 1) for system in reversed(pair)))
                row["each at its best"] = _times(record, slow, fast)
            rows.append(row)
    return table_from(rows)


def density(records: Records) -> pd.DataFrame:
    """How close mentions stand, in the documents that were linked and in the whole split."""

    def rows(record: Record) -> Iterator[Row]:
        of = record.values
        yield {
            "mentions linked": f"{of['n.mentions']:,}",
            "word pieces for eight of them": f"{8 * of['n.pieces'] / of['n.mentions']:.0f}",
            "the same in the whole split": f"{8 * of['all.pieces'] / of['all.mentions']:.0f}",
        }

    return table_from(by_record(records, rows, ["mentions linked"]))


def updates(records: Records, pairs: Sequence[tuple[str, System, System]]) -> pd.DataFrame:
    """Seconds to learn from the same mentions once, by what the negatives are, and how many times as long the
    second of a pair takes as the first, as ``benchmarks.timings.learning`` measures them."""
    rows = []
    for data, record in records.items():
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
    ratio = seconds_ratio(record.values, slow, fast)
    return between(ratio.value, ratio.low, ratio.high)
