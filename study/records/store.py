"""Where records lie: new ones loose, in ``new`` a readable JSON file each and its table beside it as Parquet;
the others packed together (see :mod:`.packed` and :mod:`.pack`)."""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchlib.terminal import write

from ..lock import locked
from ..places import ROOT
from .loose import parsed, rendered
from .packed import Packed, packed_in
from .record import BrokenRecord, Record, key_of, verify

PUBLISHED = ROOT / "data" / "records"
LIMIT = 300_000  # bytes of one loose record, both files together
ASKED = "STUDY_RECORDS_ASKED"
"""The environment variable with the file into which the keys of the records that a process asks for go, found
or not, and ``ALL`` where it goes through all: the book's build runs a page again when one of them changes."""
ALL = "."


@dataclass(frozen=True)
class Store:
    """A folder of records, and beside it one of ``trainings``: what is needed while they are made, its locks
    and the checkpoints of unfinished trainings."""

    folder: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder).resolve())

    @property
    def trainings(self) -> Path:
        """Beside the folder; of the published records in ``_build``, out of git's way."""
        return (ROOT / "_build" if self.folder == PUBLISHED else self.folder.parent) / "trainings"

    def path_of(self, inputs: Mapping[str, object]) -> Path:
        """The JSON file of the record of a computation until it is packed, whether it is there or not."""
        return self.folder / "new" / f"{key_of(inputs)}.json"

    def training_of(self, key: str) -> Path:
        """The folder of the training with this key, until the records that share it are written."""
        return self.trainings / key[:16]

    @property
    def writing_lock(self) -> Path:
        """The file that is locked while a record is written, or records are packed."""
        return self.trainings / "writing.lock"

    def lock_of(self, key: str) -> Path:
        """The file that is locked while the computation or training with this key is at work."""
        return (self.trainings / key[:16]).with_suffix(".lock")

    def has(self, inputs: Mapping[str, object]) -> bool:
        """Whether there is a record of this computation; it is not read."""
        key = _asked(key_of(inputs))
        return self.path_of(inputs).exists() or key in self.packed.entries

    def find(self, inputs: Mapping[str, object]) -> Record | None:
        """The record of a computation, a loose one before a packed one, or None; raises BrokenRecord."""
        return self._of_key(key_of(inputs))

    def named(self, name: str) -> Record | None:
        """The record of a stem, of a key or of at least 8 first digits of one, or None; raises ValueError for
        digits that several keys begin with."""
        digits = name.rpartition("--")[2]
        loose = [path.stem for path in self.folder.glob("new/*.json")]
        keys = {key for key in (*loose, *self.packed.entries) if key.startswith(digits)}
        if len(digits) < 8 or not keys:
            return None
        if len(keys) > 1:
            raise ValueError(
                f"{digits}: expected the first digits of one key, found {', '.join(sorted(keys))}"
            )
        return self._of_key(keys.pop())

    def _of_key(self, key: str) -> Record | None:
        _asked(key)
        with suppress(FileNotFoundError, NotADirectoryError):
            return self.read(self.folder / "new" / f"{key}.json")
        return self.packed_record(key) if key in self.packed.entries else None

    def __iter__(self) -> Iterator[Record]:
        """Every record, loose or packed, by its stem."""
        _asked(ALL)
        # Loose ones first: what is packed meanwhile is in the index by then.
        loose = {record.key: record for record in self.loose()}
        found = {key: self.packed_record(key) for key in self.packed.entries} | loose
        yield from sorted(found.values(), key=lambda record: record.stem)

    def loose(self) -> Iterator[Record]:
        """The records that are not packed."""
        for path in self.folder.glob("new/*.json"):
            with suppress(FileNotFoundError):  # packed since they were listed
                yield self.read(path)

    @property
    def packed(self) -> Packed:
        return packed_in(self.folder)

    def read(self, path: Path) -> Record:
        """Read a record: its bytes, each under its checksum; its table is parsed when it is asked for.

        Raises BrokenRecord, naming the file, for one that is not exactly as it was written, and
        FileNotFoundError where there is none.
        """
        with path.open("rb") as file:  # open all along: a new edition of it is another file
            content, table = parsed(path.name, file.read()), b""
            if "table" in content:
                beside = path.with_name(content["table"]["name"])
                try:
                    table = beside.read_bytes()
                except FileNotFoundError:
                    if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
                        return self.read(path)
                    why = f"{beside.name} is missing; delete {path.name} and run again"
                    raise BrokenRecord(why) from None
        if table and hashlib.sha256(table).hexdigest() != content["table"]["sha256"]:
            raise BrokenRecord(f"{beside.name}: not what was written; delete {path.name} and run again")
        inputs, made = content["inputs"], content["made"]
        return Record(
            inputs,
            made,
            content.get("counts", {}),
            tuple(content["metrics"]),
            partial(_table_in, table) if table else None,
            content.get("values"),
            tuple(content["trace"]) or partial(self._trace_of, made),
            self._address(content["key"]),
            content["sha256"],
        )

    def write(self, record: Record) -> Path:
        """Write a record whole or not at all, and delete an earlier one that is not packed.

        Raises ValueError for one over ``LIMIT``, and BrokenRecord for one that :func:`verify` refuses.
        """
        from .outcomes import parquet

        table, path = parquet(record.table) if record.table is not None else b"", self.path_of(record.inputs)
        data = rendered(record, table)
        if (size := len(data) + len(table)) > LIMIT:
            raise ValueError(f"record {record.stem} has {size:,} bytes, over {LIMIT:,}; nothing was replaced")
        verify(record)
        content = parsed(path.name, data)
        with locked(self.writing_lock):
            if table:
                write(path.with_name(content["table"]["name"]), table)
            # The JSON file names its table by checksum, so a record exists only once this is in place.
            write(path, data)
            for other in path.parent.glob(f"{path.stem}.????????.parquet"):
                if not table or other.name != content["table"]["name"]:
                    other.unlink()
            for left in path.parent.glob(".*.new"):  # by a writer that was killed
                left.unlink()
        return path

    def packed_record(self, key: str) -> Record:
        """A packed record by its key; its parts are read when they are asked for."""
        packed = self.packed
        entry = packed.entries[key]
        return Record(
            entry["inputs"],
            entry["made"],
            entry.get("counts", {}),
            partial(packed.metrics, key),
            partial(packed.table, key),
            partial(packed.values, key),
            lambda: packed.trace(key) or self._trace_of(entry["made"]),
            self._address(key),
            entry["sha256"],
        )

    def _trace_of(self, made: Mapping[str, object]) -> tuple[Mapping[str, float], ...]:
        """The trace in the record that a training was done for; none where that is gone, or was made again
        by another training."""
        first = self.named(str(made["fitted_for"])) if "fitted_for" in made else None
        return first.trace if first and first.made.get("weights") == made.get("weights") else ()

    def _address(self, key: str) -> str:
        return f"data/records/{key[:16]}.json" if self.folder == PUBLISHED else ""

    def require_writable(self) -> None:
        """Raises OSError where a record could not be written."""
        folder = self.folder / "new"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise OSError(f"cannot write to {folder}, so nothing was computed: {error}") from error


def _asked(key: str) -> str:
    """The key, noted down where the environment says so."""
    if note := os.environ.get(ASKED):
        with open(note, "a", encoding="utf-8") as file:
            file.write(f"{key}\n")
    return key


def _table_in(content: bytes) -> object:
    from .outcomes import table_in

    return table_in(content)


def published() -> Store:
    """The records that the book is made from, committed with the study."""
    return Store(PUBLISHED)


def local() -> Store:
    """Records of this machine alone: small checks and own corpora."""
    return Store(ROOT / "_build" / "records")
