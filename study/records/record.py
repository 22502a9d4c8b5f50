"""A record: what was run, what came out, and enough of it to score again."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from benchlib.scoring import Outcomes, Scoring, SpanOutcomes

LONGEST = 160  # characters of a readable name


class BrokenRecord(ValueError):
    """A record that is not whole, was edited or does not add up; the message names it and says what to do."""


def key_of(inputs: Mapping[str, object]) -> str:
    """The identity of a computation: SHA-256 of its inputs as canonical JSON."""
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, allow_nan=False).encode()).hexdigest()


def readable_name(inputs: Mapping[str, object]) -> str:
    """What all editions of a computation are called, and others may be: name, arguments, data, transforms,
    split, seed and k, in letters, digits and ``._,=+@-``."""
    parts = [inputs["name"], ",".join(f"{name}={one}" for name, one in inputs.get("arguments", {}).items())]
    parts += [inputs["dataset"], *inputs.get("transforms", ()), inputs.get("split", "")]
    parts += [f"{name}{inputs[name]}" for name in ("seed", "k") if name in inputs]
    safe = (re.sub(r"[^A-Za-z0-9._,=+@-]", "-", str(part)) for part in parts if part != "")
    return "--".join(safe).lstrip(".-")[:LONGEST]


def to_json_types(value):
    """JSON's own types, so that a key does not depend on tuple or list; NaN and infinity become null."""
    if isinstance(value, Mapping):
        return {str(name): to_json_types(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_types(one) for one in value]
    if hasattr(value, "tolist"):  # NumPy's
        return to_json_types(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Part:
    """A field of a record that may be given as a function, which reads it when it is first asked for."""

    def __init__(self, default: Callable[[], object]):
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, record: Record | None, owner: type) -> object:
        if record is None:
            return None  # the default of the field
        if callable(value := record.__dict__[self.name]):
            value = record.__dict__[self.name] = value()
        return value

    def __set__(self, record: Record, value: object) -> None:
        record.__dict__[self.name] = self.default() if value is None else value


@dataclass(frozen=True, repr=False)
class Record:
    """One computation and its result.

    ``inputs`` alone make the ``key``. A linking run has ``counts``, ``metrics`` (every measure under every
    protocol with its interval: a cache, see :func:`verify`) and a ``table``, from which ``outcomes`` are
    parsed when asked for, and ``values`` where a setting was chosen on dev; a measurement (a data card, a
    speed) has ``values``; the kinds of the mentions of a split, which all linking runs on it share, are a
    record whose table is ``strata``. ``made`` is its provenance. ``trace`` lists (step, seconds, loss,
    gradient norm, dev score) of a training, empty without one. ``path`` is that of a published record's JSON
    in the book, ``checksum`` that of a record as it was written. A record that is read has its metrics,
    table, values and trace read when they are asked for, which may raise BrokenRecord.
    """

    inputs: Mapping[str, object]
    made: Mapping[str, object]
    counts: Mapping[str, object] = field(default_factory=dict)
    metrics: tuple[Mapping[str, object], ...] = Part(tuple)
    table: pa.Table | None = Part(lambda: None)
    values: Mapping[str, object] = Part(dict)
    trace: tuple[Mapping[str, float], ...] = Part(tuple)
    path: str = field(default="", compare=False)
    checksum: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"<Record {self.stem}>"

    @property
    def shares_training(self) -> bool:
        """Whether its training was begun before it, for another record or by a run that was killed, so that
        its seconds leave a part out; old records say the first by ``fitted_for``."""
        return not self.made.keys().isdisjoint(("fitted_for", "resumed"))

    @classmethod
    def of_outcomes(cls, inputs, made, outcomes: Outcomes, *, trace=(), chosen=()) -> Record:
        """The record of a linking run, its metrics derived here; its ``values`` are what was ``chosen`` on
        dev."""
        from benchlib.scoring import by_protocol

        from .outcomes import table_of_outcomes

        table = table_of_outcomes(outcomes)
        metrics, values = by_protocol(outcomes), to_json_types(dict(chosen))
        return cls(inputs, made, outcomes.counts, metrics, table, values, tuple(trace))

    @classmethod
    def of_spans(cls, inputs, made, outcomes: SpanOutcomes, *, trace=(), chosen=()) -> Record:
        """The record of a run end to end: its ``values`` are scores and outcomes, and what was ``chosen`` on
        dev."""
        return cls(
            inputs, made, values=to_json_types({**dict(chosen), **outcomes.values}), trace=tuple(trace)
        )

    @classmethod
    def of_strata(cls, inputs, made, strata: pd.DataFrame) -> Record:
        """The record of the kinds of mentions, one row each."""
        from .outcomes import table_of_frame

        return cls(inputs, made, table=table_of_frame(strata))

    @property
    def key(self) -> str:
        return key_of(self.inputs)

    @property
    def stem(self) -> str:
        """A readable name, unique to the key."""
        return stem_of(self.inputs)

    @property
    def short_key(self) -> str:
        """The first digits of the key, by which the book and commands name the record."""
        return self.key[:16]

    # What needs pandas is imported where it is used: asking whether a record exists takes no second.
    @cached_property
    def outcomes(self) -> Outcomes | None:
        """The outcomes of a linking run, None of anything else; raises BrokenRecord."""
        from .outcomes import outcomes_in_table

        return self._parsed(lambda: outcomes_in_table(self.table, self.counts)) if self.counts else None

    @cached_property
    def spans(self) -> SpanOutcomes | None:
        """The outcomes of a run end to end, None of anything else; raises BrokenRecord."""
        from benchlib.scoring import SpanOutcomes

        there = "split" in self.inputs and "counts" in self.values
        return self._parsed(lambda: SpanOutcomes.of_values(self.values)) if there else None

    @cached_property
    def strata(self) -> pd.DataFrame | None:
        """The kinds of the mentions of a split, None of anything else; raises BrokenRecord."""
        from benchlib.scoring import CLASSES, STRATA

        if self.counts or self.table is None:
            return None
        types = dict.fromkeys(STRATA, bool) | dict.fromkeys(CLASSES, object)
        return self._parsed(lambda: self.table.select([*types]).to_pandas().astype(types))

    def metric(self, measure: str, scoring: Scoring | str) -> Mapping[str, object]:
        """One entry of ``metrics``; raises KeyError naming the measures there are."""
        for entry in self.metrics:
            if entry["measure"] == measure and entry["scoring"] == str(scoring):
                return entry
        there = sorted({str(entry["measure"]) for entry in self.metrics})
        raise KeyError(f"record {self.stem} has no {measure} under {scoring}; it has {', '.join(there)}")

    def _parsed(self, parse):
        try:
            return parse()
        except BrokenRecord:
            raise
        # Arrow and pandas have errors of every kind for the same thing: bytes that are no such table.
        except Exception as error:
            why = f"{self.stem}: its table cannot be read ({error!r}); delete the record and run again"
            raise BrokenRecord(why) from error


def stem_of(inputs: Mapping[str, object]) -> str:
    """The readable name of the record of these inputs, by which records name each other."""
    return f"{readable_name(inputs)}--{key_of(inputs)[:8]}"


def verify(record: Record) -> None:
    """Derive counts and metrics again from the table, and compare; a BrokenRecord says what does not follow.

    A few tenths of a second: done when a record is written, by a test over all that are published, and once
    a build, but not when one is read.
    """
    from benchlib.scoring import by_protocol

    again = "delete the record and run again"
    outcomes, _ = record.outcomes, record.strata
    if record.spans is not None:
        _verify_spans(record, again)
    if outcomes is None:
        return
    counts, scored = dict(record.counts), int(outcomes.whole.sum())
    if not counts_close(counts) or counts["n_scored"] != scored:
        raise BrokenRecord(f"{record.stem}: counts {counts} with {scored} mentions scored; {again}")
    derived = record._parsed(lambda: by_protocol(outcomes))
    if len(record.metrics) != len(derived):
        raise BrokenRecord(f"{record.stem}: {len(record.metrics)} metrics, {len(derived)} derived; {again}")
    for metric, other in zip(record.metrics, derived, strict=True):
        if not _follows(metric, other):
            raise BrokenRecord(f"{record.stem}: {metric} does not follow from the outcomes: {other}; {again}")


def _verify_spans(record: Record, again: str) -> None:
    counts = record.spans.counts
    if not all(map(counts_close, (counts, counts["golds"], counts["claims"]))):
        raise BrokenRecord(f"{record.stem}: counts {counts} do not close; {again}")
    for name, row in to_json_types(record.spans.values).items():
        there = record.values.get(name, {})
        if isinstance(row, dict) and name != "counts" and not _follows(there, row):
            raise BrokenRecord(f"{record.stem}: {name} is {there}, and {row} by the outcomes; {again}")


def _follows(measure: Mapping[str, object], derived: Mapping[str, object]) -> bool:
    """Whether a measure is the one derived: to the last mention, and the bounds of its interval, which
    another machine may sum in another order, to five digits."""

    def close(name: str, value: object) -> bool:
        if not (isinstance(value, float) and isinstance(measure[name], float)):
            return measure[name] == value
        return math.isclose(measure[name], value, rel_tol=1e-5 if name in ("low", "high") else 1e-9)

    return measure.keys() == derived.keys() and all(close(name, derived[name]) for name in derived)


def counts_close(counts: Mapping[str, object]) -> bool:
    """Whether scored and dropped mentions are all there were."""
    return counts["n_scored"] + sum(counts["dropped"].values()) == counts["n_raw"]
