"""Packed records, read: an index with a line a record, and files of which each record has some rows.

``index.jsonl`` begins with a line that has the checksum of all that follows and those of the files; each
other line is a record: key, inputs, made, counts, Recall@1, and the place of its ``parts``. The first digits
of its checksum are in the name of a file, so an index and the files that it names belong together for good.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from .loose import content_name
from .record import BrokenRecord

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

INDEX = "index.jsonl"
HEAD = b'{"format": 6, "sha256": "'
_RESTORE = "restore it from version control, or start again where records were packed meanwhile"
_GROUPS = 8  # row groups that are kept in memory, of some 30 MB


def packed_in(folder: Path) -> Packed:
    """The packed records of a folder, none where it has no index; read anew with a new index."""
    try:
        of = (folder / INDEX).stat()
    except (FileNotFoundError, NotADirectoryError):
        return Packed(folder)
    return _read(folder, (of.st_ino, of.st_mtime_ns, of.st_size))


@lru_cache(maxsize=4)
def _read(folder: Path, edition: tuple[int, ...]) -> Packed:
    return Packed(folder, (folder / INDEX).read_bytes())


class Packed:
    """The records of an index, by key in ``entries``; raises BrokenRecord for a file that is not as it was
    written, when it is first read."""

    def __init__(self, folder: Path, index: bytes = b""):
        self.folder = folder
        self.files: dict[str, str] = {}
        self.entries: dict[str, Mapping] = {}
        if not index:
            return
        start = len(HEAD)
        if not index.startswith(HEAD):
            raise BrokenRecord(f"{folder / INDEX}: not an index of format 6; {_RESTORE}")
        if index[start : start + 64] != hashlib.sha256(index[start + 64 :]).hexdigest().encode():
            raise BrokenRecord(f"{folder / INDEX}: its content is not what was written; {_RESTORE}")
        head, *lines = map(json.loads, index.splitlines())
        self.files = head["files"]
        self.entries = {entry["key"]: entry for entry in lines}

    def path_of(self, name: str) -> Path:
        """Where a file lies that the index calls ``name``."""
        stem, ending = name.rsplit(".", 1)
        return self.folder / content_name(stem, self.files[name], ending)

    def content(self, name: str) -> bytes:
        """The bytes of a file."""
        path = self.path_of(name)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise BrokenRecord(f"{path} is missing; {_RESTORE}") from None
        if hashlib.sha256(content).hexdigest() != self.files[name]:
            raise BrokenRecord(f"{path}: its content is not what was written; {_RESTORE}")
        return content

    def check(self) -> None:
        """Compare every file with its checksum."""
        for name in self.files:
            self.content(name)

    # What needs pyarrow is imported where it is used: asking whether a record exists takes no second.
    def metrics(self, key: str) -> tuple[Mapping[str, object], ...]:
        rows = self.rows(key, "metrics")
        return tuple(rows.drop_columns("key").to_pylist()) if rows is not None else ()

    def trace(self, key: str) -> tuple[Mapping[str, float], ...]:
        """The trace of the training behind a record; empty where ``fitted_for`` names another record."""
        columns = self._place(key, "traces").get("columns")
        return tuple(self.rows(key, "traces").select(columns).to_pylist()) if columns else ()

    def values(self, key: str) -> Mapping[str, object]:
        place = self._place(key, "values")
        return json.loads(self._values[place["line"]])["values"] if place else {}

    def table(self, key: str) -> pa.Table | None:
        """The table of outcomes or strata, None of a record that has neither."""
        from .outcomes import table_of_run

        if place := self._place(key, "outcomes"):
            runs = _group(self, place["file"], place["group"])
            return table_of_run(runs, place["run"], self.rows(key, "layouts"))
        strata = self.rows(key, "strata")
        return None if strata is None else strata.drop_columns("key")

    def rows(self, key: str, part: str) -> pa.Table | None:
        """Those of a record in the table of a part."""
        place = self._place(key, part)
        return _table(self, f"{part}.parquet").slice(place["first"], place["rows"]) if place else None

    def _place(self, key: str, part: str) -> Mapping:
        return self.entries[key]["parts"].get(part, {})

    @cached_property
    def _values(self) -> list[bytes]:
        return self.content("values.jsonl").splitlines()


@lru_cache(maxsize=8)
def _table(packed: Packed, name: str) -> pa.Table:
    from .outcomes import table_in

    return table_in(packed.content(name))


@lru_cache(maxsize=4)
def _file(packed: Packed, name: str) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    return pq.ParquetFile(io.BytesIO(packed.content(name)), read_dictionary=["top"])


@lru_cache(maxsize=_GROUPS)
def _group(packed: Packed, name: str, group: int) -> pa.Table:
    from .outcomes import whole

    return whole(_file(packed, name).read_row_group(group, use_threads=False))
