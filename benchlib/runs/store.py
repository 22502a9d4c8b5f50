"""Where records lie: a readable JSON file each, and its table, if it has one, beside it as Parquet."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..scoring import by_protocol
from .provenance import ROOT
from .record import FORMAT, Record, key_of, outcomes_from_table, record_table, strata_from_table

LIMIT = 300_000  # bytes of one record, both files together


class BrokenRecord(ValueError):
    """A record whose files do not agree with each other."""


@dataclass(frozen=True)
class Store:
    """A folder of records."""

    folder: Path

    def find(self, key: str) -> Record | None:
        """The record with this key, or None."""
        for path in sorted(self.folder.glob(f"*--{key[:8]}.json")):
            record = self.read(path)
            if record.key == key:
                return record
        return None

    def paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def __iter__(self) -> Iterator[Record]:
        return (self.read(path) for path in self.paths())

    def write(self, record: Record) -> Path:
        """Write a record whole or not at all, and delete those it supersedes: same name, data and seed
        under another key. Raises ValueError for one over ``LIMIT``."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{record.stem}.json"
        content: dict[str, object] = {"format": FORMAT, "key": record.key, "inputs": record.inputs}
        frame = record_table(record)
        table = b"" if frame is None else _parquet(frame)
        if record.outcomes is not None:
            content["counts"] = record.outcomes.counts
            content["metrics"] = record.metrics
        if table:
            content["table"] = {"sha256": hashlib.sha256(table).hexdigest()}
        if record.values:
            content["values"] = record.values
        if record.trace:
            content["trace"] = record.trace
        content["made"] = record.made
        text = _json(content).encode()
        if len(text) + len(table) > LIMIT:
            raise ValueError(f"record {record.stem} has {len(text) + len(table):,} bytes, over {LIMIT:,}")
        superseded = set(self.folder.glob(f"{record.stem.rpartition('--')[0]}--????????.json")) - {path}
        if table:
            _replace(path.with_suffix(".parquet"), table)
        # The JSON file names its table by checksum, so a record exists only once this is in place.
        _replace(path, text)
        for old in superseded:
            old.unlink()
            old.with_suffix(".parquet").unlink(missing_ok=True)
        return path

    def read(self, path: Path) -> Record:
        """Read a record and derive its metrics again.

        Raises BrokenRecord, naming the file, for one that is truncated, was edited, or whose metrics do
        not follow from its outcomes.
        """
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise BrokenRecord(f"{path.name}: format {content['format']}; this version reads {FORMAT}")
            if content["key"] != key_of(content["inputs"]):
                raise BrokenRecord(f"{path.name}: the key does not follow from the inputs")
            outcomes = strata = None
            if "table" in content:
                frame = _read_table(path.with_suffix(".parquet"), content["table"]["sha256"])
                if "counts" in content:
                    outcomes = outcomes_from_table(frame, content["counts"])
                else:
                    strata = strata_from_table(frame)
            record = Record(
                content["inputs"],
                content["made"],
                outcomes,
                strata,
                content.get("values", {}),
                tuple(content.get("trace", ())),
                path.relative_to(ROOT).as_posix() if path.parent == published().folder else "",
            )
        except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise BrokenRecord(
                f"{path.name}: not a whole record ({error!r}); delete it and run again"
            ) from error
        if outcomes is not None:
            _check_metrics(path, content["metrics"], by_protocol(outcomes))
        return record


def published() -> Store:
    """The records that the book is made from, committed with the study."""
    return Store(ROOT / "data" / "records")


def local() -> Store:
    """Records of this machine alone: small checks and own corpora."""
    return Store(ROOT / "_build" / "records")


def _check_metrics(path: Path, stored: list, derived: tuple) -> None:
    if len(stored) != len(derived):
        raise BrokenRecord(f"{path.name}: {len(stored)} stored metrics, {len(derived)} derived")
    for one, other in zip(stored, derived, strict=True):
        same = all(one[name] == other[name] for name in ("measure", "scoring", "n")) and all(
            abs(one[name] - other[name]) < 1e-4 for name in ("value", "low", "high")
        )
        if not same:
            raise BrokenRecord(f"{path.name}: stored {one} does not follow from the outcomes: {other}")


def _read_table(path: Path, checksum: str) -> pd.DataFrame:
    if not path.exists():
        raise BrokenRecord(f"{path.name} is missing; the record is not whole")
    table = path.read_bytes()
    if hashlib.sha256(table).hexdigest() != checksum:
        raise BrokenRecord(f"{path.name}: its content is not what the record was written with")
    return pd.read_parquet(io.BytesIO(table))


def _parquet(frame: pd.DataFrame) -> bytes:
    """The frame as Parquet; a counter such as ``mention`` is stored by its steps, which are mostly 1."""
    counters = ("mention", "cluster")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    counted = [name for name in counters if name in table.column_names]
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        compression="zstd",
        compression_level=15,
        use_dictionary=[name for name in table.column_names if name not in counters],
        column_encoding=dict.fromkeys(counted, "DELTA_BINARY_PACKED"),
    )
    return buffer.getvalue()


def _json(content: dict[str, object]) -> str:
    """Readable JSON with one metric or trace line a row, so that a change shows as a small difference."""
    lines = []
    for name, value in content.items():
        if name in ("metrics", "trace"):
            rows = ",\n  ".join(json.dumps(row) for row in value)
            lines.append(f'"{name}": [\n  {rows}\n ]')
        else:
            lines.append(f'"{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    os.replace(temporary, path)
