"""Where records lie: a readable JSON file each, and its table, if it has one, beside it as Parquet."""

import hashlib
import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..corpora import registry
from ..places import ROOT
from .lock import locked
from .loose import parsed, rendered
from .record import BrokenRecord, Record, key_of, readable, stem_of, verify

LIMIT = 300_000  # bytes of one record, both files together
_EDITION = {"version", "fingerprint"}


@dataclass(frozen=True)
class Store:
    """A folder of records, and beside it one of ``trainings``: what is needed while they are made, its locks
    and the checkpoints of unfinished trainings. Stores of one folder must share their trainings."""

    folder: Path
    trainings: Path | None = None  # beside the folder; of the published one in _build, out of git's way

    def __post_init__(self) -> None:
        folder = Path(self.folder).resolve()
        beside = ROOT / "_build" if folder == ROOT / "data" / "records" else folder.parent
        object.__setattr__(self, "folder", folder)
        object.__setattr__(self, "trainings", Path(self.trainings or beside / "trainings"))

    def path_of(self, inputs: Mapping[str, object]) -> Path:
        """The file of the record of a computation, whether it is there or not."""
        return self.folder / f"{stem_of(inputs)}.json"

    def training_of(self, inputs: Mapping[str, object]) -> Path:
        """The folder for the checkpoints of a computation or training, until a record of it is written."""
        return self.trainings / key_of(inputs)[:16]

    def lock_of(self, key: str) -> Path:
        """The file that is locked while the computation or training with this key is at work."""
        return (self.trainings / key[:16]).with_suffix(".lock")

    def has(self, inputs: Mapping[str, object]) -> bool:
        """Whether there is a record of this computation; it is not read."""
        return self.path_of(inputs).exists()

    def find(self, inputs: Mapping[str, object]) -> Record | None:
        """The record of a computation, or None; raises BrokenRecord."""
        path = self.path_of(inputs)
        try:
            record = self.read(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if record.key != key_of(inputs):
            raise BrokenRecord(f"{path.name}: of another computation whose key begins alike; move it away")
        return record

    def paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))

    def __iter__(self) -> Iterator[Record]:
        for path in self.paths():
            try:
                record = self.read(path)
            except FileNotFoundError:  # superseded since they were listed
                continue
            yield record

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
        return Record(
            content["inputs"],
            content["made"],
            content.get("counts", {}),
            tuple(content.get("metrics", ())),
            table,
            content.get("values", {}),
            tuple(content["trace"] or self._trace_of(content["made"])),
            f"data/records/{path.name}" if path.parent.resolve() == published().folder else "",
        )

    def write(self, record: Record) -> Path:
        """Write a record whole or not at all, and delete what it supersedes: its older table, and the records
        of the same computation by an older version or on older data.

        Raises ValueError for one over ``LIMIT``, and BrokenRecord for one that :func:`verify` refuses.
        """
        data, path = rendered(record), self.path_of(record.inputs)
        if (size := len(data) + len(record.table)) > LIMIT:
            raise ValueError(f"record {record.stem} has {size:,} bytes, over {LIMIT:,}; nothing was replaced")
        verify(record)
        content = parsed(path.name, data)
        named = content["table"]["name"] if record.table else ""
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.trainings / "writing.lock"):
            if named:
                self._put(named, record.table)
            # The JSON file names its table by checksum, so a record exists only once this is in place.
            self._put(path.name, data)
            self._delete_tables(path, named)
            for other in self.folder.glob(f"{readable(record.inputs)}--????????.json"):
                if other != path and self._is_older(other, content["inputs"]):
                    other.unlink()
                    self._delete_tables(other)
            for left in self.folder.glob(".*.new"):  # by a writer that was killed
                left.unlink()
        return path

    def _trace_of(self, made: Mapping[str, object]) -> list[Mapping[str, float]]:
        """The trace in the record that a training was done for; none where that is gone, or was made again
        by another training."""
        path = self.folder / f"{made.get('fitted_for')}.json"
        try:
            first = parsed(path.name, path.read_bytes())
        except FileNotFoundError:
            return []
        return first["trace"] if first["made"].get("weights") == made.get("weights") else []

    def require_writable(self) -> None:
        """Raises OSError where a record could not be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self.folder).close()
        except OSError as error:
            raise OSError(f"cannot write to {self.folder}, so nothing was computed: {error}") from error

    def _put(self, name: str, content: bytes) -> None:
        """Atomic, and on the disk before anything else is done."""
        unfinished = self.folder / f".{uuid.uuid4().hex}.new"
        try:
            with unfinished.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, self.folder / name)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        folder = os.open(self.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def _delete_tables(self, path: Path, keep: str = "") -> None:
        for table in self.folder.glob(f"{path.stem}.????????.parquet"):
            if table.name != keep:
                table.unlink()

    def _is_older(self, path: Path, inputs: Mapping[str, object]) -> bool:
        """Whether a file is another edition of this computation; a broken one is nobody's."""
        try:
            theirs = parsed(path.name, path.read_bytes())["inputs"]
        except BrokenRecord:
            return False
        # Data of one's own that bear one name are other data, not another edition.
        pinned = registry.pinned(str(inputs.get("dataset")))
        edition = _EDITION if pinned and pinned == inputs["fingerprint"] else _EDITION - {"fingerprint"}
        return all(theirs.get(name) == inputs.get(name) for name in {*theirs, *inputs} - edition)


def published() -> Store:
    """The records that the book is made from, committed with the study."""
    return Store(ROOT / "data" / "records")


def local() -> Store:
    """Records of this machine alone: small checks and own corpora."""
    return Store(ROOT / "_build" / "records")
