"""Where the build reads and writes, and what its results depend on."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..records import Store
from ..records.store import ALL


@dataclass(frozen=True)
class Layout:
    """The folders of one build. The site mirrors the repository's paths, so that the path of an executed
    notebook is one that exists in the repository."""

    root: Path

    @property
    def build(self) -> Path:
        return self.root / "_build"

    @property
    def site(self) -> Path:
        return self.build / "site"

    @property
    def html(self) -> Path:
        return self.build / "html"

    @property
    def records(self) -> Path:
        return self.root / "data" / "records"

    @property
    def code(self) -> list[Path]:
        """What every page depends on: both packages, and the data but for the records."""
        data = sorted((self.root / "data").glob("*"))
        return [self.root / "benchlib", self.root / "study", *(p for p in data if p != self.records)]

    def parameter_cells(self) -> list[str]:
        """The parameters cell of every notebook: a page may show what others' defaults ask for."""
        cells = (cell for path in self.notebooks() for cell in json.loads(path.read_text("utf-8"))["cells"])
        return ["".join(cell["source"]) for cell in cells if "parameters" in cell["metadata"].get("tags", [])]

    def notebooks(self) -> list[Path]:
        """The pages that are executed; raises ValueError when there is none."""
        found = sorted((self.root / "notebooks").glob("*.ipynb"))
        if not found:
            raise ValueError("notebooks/: no page to execute")
        return found

    def executed(self, notebook: Path) -> Path:
        """Where a page lies as it was run; its outcome lies beside it."""
        return self.build / "open" / notebook.name


def digest(root: Path, paths: Iterable[Path], *more: str) -> str:
    """SHA-256 over the names and contents of files, folders taken whole, and over further strings."""
    total = hashlib.sha256()
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                total.update(f"{file.relative_to(root).as_posix()}\0".encode())
                total.update(hashlib.sha256(file.read_bytes()).digest())
    total.update("\0".join(more).encode())
    return total.hexdigest()


def snapshot(folder: Path) -> Mapping[str, str]:
    """The checksum of every record of a folder by its key, and that of them all as ``ALL``."""
    found = {record.key: record.checksum for record in Store(folder)}
    return {**found, ALL: hashlib.sha256(json.dumps(found).encode()).hexdigest()}
