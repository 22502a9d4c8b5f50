"""``study pack [FOLDER ...]``: fold new records into the packed ones.

Loose records of the study, and of further folders of records, take the place of packed ones that are older:
of the same computation, or of an earlier version of it or of its data. Only the files whose records changed
are written anew. New files have new names, the index that names them is replaced after them, and what it no
longer names is deleted last: whenever this is killed, each record is there, loose or packed, and the same
command goes on.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from benchlib.terminal import write

from ..corpora import registry
from ..lock import held, locked
from .loose import content_name
from .outcomes import LAYOUT, outcomes_in_table, parquet, row_groups, table_of_runs
from .packed import HEAD, INDEX, Packed
from .record import Record, readable_name, verify
from .store import Store, published

LIMIT = 8_000_000  # bytes of a file
_ROWS = 400_000  # of a row group, which is read whole for any of its runs
_HEADLINES = ("strict/names/any-of", "lenient/names/any-of")
_EDITION = {"version", "fingerprint"}


def pack(store: Store, folders: Iterable[Path] = ()) -> int:
    """Fold the loose records of a store, and those of other folders, into its packed ones; returns how many.

    Raises BrokenRecord for one that is not whole or that :func:`verify` refuses, FileNotFoundError for a
    folder without records, and OSError while records are being made.
    """
    folders = tuple(folders)
    for folder in folders:
        if not any((folder / name).exists() for name in ("new", INDEX)):
            raise FileNotFoundError(f"{folder}: expected a folder of records, with new or {INDEX}")
    with locked(store.writing_lock):
        locks = (lock for lock in store.trainings.glob("*.lock") if lock != store.writing_lock)
        if any(map(held, locks)):
            raise OSError("records are being made; pack them when that is done")
        before, loose = store.packed, list(store.loose())
        there = {key: entry["sha256"] for key, entry in before.entries.items()}
        others = (record for folder in folders for record in Store(folder))
        new = [record for record in (*loose, *others) if there.get(record.key) != record.checksum]
        for record in new:
            verify(record)
        packing = _Packing(store.folder, newest([*map(store.packed_record, before.entries), *new]))
        packing.outcomes(before)
        packing.rows("metrics", lambda record: record.metrics)
        packing.rows("traces", lambda record: () if "fitted_for" in record.made else record.trace)
        packing.strata()
        packing.values()
        packing.index()
        for name in ("new/*.json", "new/*", "**/.*.new"):
            for path in store.folder.glob(name):
                path.unlink()
        return len(new)


def newest(records: Iterable[Record]) -> list[Record]:
    """The last edition of every computation, by stem."""
    found: dict[str, dict[str, Record]] = {}
    for record in sorted(records, key=lambda record: str(record.made.get("date", ""))):
        alike = found.setdefault(readable_name(record.inputs), {})
        for key in [key for key, other in alike.items() if _is_older(other, record)]:
            del alike[key]
        alike[record.key] = record
    return sorted((one for alike in found.values() for one in alike.values()), key=lambda record: record.stem)


def _is_older(other: Record, record: Record) -> bool:
    """Whether another record is an earlier edition of the computation of this one."""
    # Data of one's own that bear one name are other data, not another edition.
    pinned = registry.pinned(str(record.inputs.get("dataset")))
    edition = _EDITION if pinned and pinned == record.inputs["fingerprint"] else _EDITION - {"fingerprint"}
    names = {*other.inputs, *record.inputs} - edition
    return all(other.inputs.get(name) == record.inputs.get(name) for name in names)


class _Packing:
    """The files of some records, each written when it is complete, and the places of the records in them."""

    def __init__(self, folder: Path, records: Sequence[Record]):
        self.folder, self.records = folder, records
        self.files: dict[str, str] = {}
        self.parts: dict[str, dict[str, object]] = {record.key: {} for record in records}

    def _add(self, name: str, content: bytes) -> None:
        if len(content) > LIMIT:
            raise ValueError(f"{name} has {len(content):,} bytes, over {LIMIT:,}; nothing was replaced")
        self.files[name] = sha256 = hashlib.sha256(content).hexdigest()
        stem, ending = name.rsplit(".", 1)
        path = self.folder / content_name(stem, sha256, ending)
        if not path.exists():
            write(path, content)

    def outcomes(self, before: Packed) -> None:
        """Those of linking runs, split by split; the files of a split without a new run stay."""
        splits: dict[str, list[Record]] = {}
        for record in self.records:
            if record.counts:
                splits.setdefault(_split(record.inputs), []).append(record)
        packed: dict[str, dict[str, str]] = {}
        for key, entry in before.entries.items():
            if "outcomes" in entry["parts"]:
                packed.setdefault(_split(entry["inputs"]), {})[key] = entry["sha256"]
        layouts: dict[bytes, pa.Table] = {}
        first: dict[bytes, int] = {}  # its first row
        for split, records in splits.items():
            stays = packed.get(split) == {record.key: record.checksum for record in records}
            by_layout: dict[bytes, list[Record]] = {}
            for record in records:
                layout = before.rows(record.key, "layouts") if stays else record.table.select(LAYOUT)
                columns = (layout[name].to_numpy().astype("int64").tobytes() for name in LAYOUT)
                digest = hashlib.sha256(b"".join(columns)).digest()
                if digest not in layouts:
                    first[digest], layouts[digest] = sum(map(len, layouts.values())), layout
                self.parts[record.key]["layouts"] = {"first": first[digest], "rows": len(layout)}
                by_layout.setdefault(digest, []).append(record)
                if stays:
                    place = before.entries[record.key]["parts"]["outcomes"]
                    self.parts[record.key]["outcomes"] = place
                    self.files[place["file"]] = before.files[place["file"]]
            if not stays:
                self._outcomes_of(split, by_layout.values())
        if layouts:
            self._add("layouts.parquet", parquet(pa.concat_tables(layouts.values())))

    def _outcomes_of(self, split: str, by_layout: Iterable[Sequence[Record]]) -> None:
        """Those of a split: files of row groups, of one layout each."""
        files, size = [[]], 0
        for records in by_layout:
            step = max(1, _ROWS // max(1, len(records[0].table)))
            for start in range(0, len(records), step):
                runs = records[start : start + step]
                group = table_of_runs([outcomes_in_table(record.table, record.counts) for record in runs])
                size += (own := len(row_groups([group])))
                if size > LIMIT and files[-1]:
                    files, size = [*files, []], own
                files[-1].append((group, runs))
        for number, groups in enumerate(files, 1):
            name = f"outcomes/{split}.{number}.parquet" if len(files) > 1 else f"outcomes/{split}.parquet"
            self._add(name, row_groups([group for group, _ in groups]))
            for i, (_, runs) in enumerate(groups):
                for j, record in enumerate(runs):
                    self.parts[record.key]["outcomes"] = {"file": name, "group": i, "run": j}

    def rows(self, part: str, rows_of: Callable[[Record], Sequence[Mapping[str, object]]]) -> None:
        """What records have as rows of numbers, with the key of the first that has the same: the trace of a
        training is that of all its records."""
        found: list[dict[str, object]] = []
        places: dict[str, dict[str, object]] = {}
        for record in self.records:
            if rows := rows_of(record):
                if (text := repr(rows)) not in places:
                    columns = {"columns": list(rows[0])} if part == "traces" else {}
                    places[text] = {"first": len(found), "rows": len(rows), **columns}
                    found += ({"key": record.key, **row} for row in rows)
                self.parts[record.key][part] = places[text]
        if found:
            names = dict.fromkeys(name for row in found for name in row)
            table = pa.table({name: [row.get(name) for row in found] for name in names})
            self._add(f"{part}.parquet", parquet(table))

    def strata(self) -> None:
        tables, n = [], 0
        for record in self.records:
            if record.table is not None and not record.counts:
                rows = len(record.table)
                self.parts[record.key]["strata"] = {"first": n, "rows": rows}
                tables.append(record.table.add_column(0, "key", [[record.key] * rows]))
                n += rows
        if tables:
            self._add("strata.parquet", parquet(pa.concat_tables(tables)))

    def values(self) -> None:
        lines = []
        for record in self.records:
            if record.values:
                self.parts[record.key]["values"] = {"line": len(lines)}
                lines.append(_line({"key": record.key, "values": record.values}))
        if lines:
            self._add("values.jsonl", b"".join(lines))

    def index(self) -> None:
        """Make the files those of the folder, and delete what they replace."""
        lines = [b'", "files": ' + _line(dict(sorted(self.files.items())))[:-1] + b"}\n"]
        for record in self.records:
            entry = {"key": record.key, "sha256": record.checksum}
            entry |= {"inputs": record.inputs, "made": record.made}
            if record.counts:
                recall = {of: record.metric("recall@1", of)["value"] for of in _HEADLINES}
                entry |= {"counts": record.counts, "recall@1": recall}
            lines.append(_line(entry | {"parts": self.parts[record.key]}))
        content = b"".join(lines)
        write(self.folder / INDEX, HEAD + hashlib.sha256(content).hexdigest().encode() + content)
        packed = Packed(self.folder, (self.folder / INDEX).read_bytes())
        for name in ("outcomes/*", "layouts.*", "metrics.*", "strata.*", "traces.*", "values.*"):
            for path in {*self.folder.glob(name)} - {packed.path_of(name) for name in packed.files}:
                path.unlink()


def _split(inputs: Mapping[str, object]) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "-", f"{inputs['dataset']}") + f".{inputs['split']}"


def _line(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="study pack", description=__doc__.replace("``", ""))
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER", help="of further records")
    folders = parser.parse_args(arguments).folders
    print(f"{pack(published(), folders)} records packed")
