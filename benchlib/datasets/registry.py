"""The registry: where every file comes from, what it must contain, and what each benchmark is made of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path, PurePosixPath

import yaml

FOLDER = Path(__file__).resolve().parents[2] / "data" / "registry"
BENCHMARKS = "benchmarks.yaml"


_KINDS: dict[str, Callable[[object], bool]] = {
    "str": lambda value: isinstance(value, str),
    "bool": lambda value: isinstance(value, bool),
    "int | None": lambda value: value is None or type(value) is int,
    "str | None": lambda value: value is None or isinstance(value, str),
    "tuple[str, ...]": lambda value: isinstance(value, tuple) and all(isinstance(one, str) for one in value),
}
"""What YAML must give for a field of each type."""


class RegistryError(ValueError):
    """A registry file that cannot be read as one."""


@dataclass(frozen=True)
class File:
    """One file. ``name`` is its path in a data folder or mirror; ``bytes`` and ``sha256`` are those of its
    *decompressed* content, None where no real file was seen. ``member`` is its path in the archive behind
    ``url``; ``mirror`` is the address of the very bytes described, tried when ``url`` gives none or others;
    ``mirror_only`` marks a file that no ordinary download gives."""

    name: str
    url: str = ""
    member: str = ""
    mirror: str = ""
    bytes: int | None = None
    sha256: str | None = None
    mirror_only: bool = False


@dataclass(frozen=True)
class Source:
    """A corpus, dictionary or pool of text as its makers publish it.

    ``obtain`` says what a user must do for a ``licensed`` source or one without a download.
    """

    id: str
    title: str
    homepage: str
    licence: str
    citation: str = ""
    files: tuple[File, ...] = ()
    notes: tuple[str, ...] = ()
    licensed: bool = False
    mirror_only: bool = False
    obtain: str = ""

    def fingerprint(self) -> str:
        """SHA-256 over the names and checksums of its files: for a source that is used as it is."""
        return hashlib.sha256(repr([(f.name, f.sha256) for f in self.files]).encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """A registered benchmark: its sources, what must be said with its numbers, and the fingerprint of its
    parsed content, so that the key of a record is known without the corpus."""

    id: str
    title: str
    sources: tuple[str, ...]
    fingerprint: str = ""
    notes: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()


def sources(folder: Path = FOLDER) -> tuple[Source, ...]:
    """Every source, by id; raises RegistryError naming file and key."""
    return tuple(_source(path) for path in sorted(folder.glob("*.yaml")) if path.name != BENCHMARKS)


def source(id: str, folder: Path = FOLDER) -> Source:
    """One source; raises ValueError listing those there are."""
    path = folder / f"{id}.yaml"
    if not path.exists():
        known = ", ".join(p.stem for p in sorted(folder.glob("*.yaml")) if p.name != BENCHMARKS)
        raise ValueError(f"no source {id!r} in the registry; expected one of {known}")
    return _source(path)


@lru_cache(maxsize=4)
def benchmarks(folder: Path = FOLDER) -> Mapping[str, Entry]:
    """Every registered benchmark by id; raises RegistryError naming file and key."""
    path = folder / BENCHMARKS
    return {
        id: _made(Entry, {"id": id, **_mapping(path, values, id)}, path) for id, values in _yaml(path).items()
    }


def benchmark(id: str) -> Entry:
    """One benchmark; raises ValueError listing those there are, or how to obtain a licensed one."""
    known = benchmarks()
    if id not in known and (FOLDER / f"{id}.yaml").exists() and source(id).licensed:
        raise ValueError(f"{id}: {source(id).obtain}")
    if id not in known:
        raise ValueError(
            f"no data set {id!r}; expected one of {', '.join(known)}, or a path to a PubTator file"
        )
    return known[id]


def fingerprint(id: str) -> str:
    """The pinned fingerprint of a benchmark's parsed content."""
    return benchmark(id).fingerprint


def _source(path: Path) -> Source:
    values = {"id": path.stem, **_yaml(path)}
    listed = values.pop("files", [])
    if not isinstance(listed, list):
        raise RegistryError(f"{path.name}: files: expected a list, found {listed!r}")
    files = tuple(_made(File, _mapping(path, one, "files"), path) for one in listed)
    return _made(Source, {**values, "files": files}, path)


def _made(kind, values: Mapping[str, object], path: Path):
    known = {field.name for field in fields(kind)}
    if unknown := sorted(set(values) - known):
        raise RegistryError(
            f"{path.name}: unknown key {', '.join(unknown)}; expected {', '.join(sorted(known))}"
        )
    values = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    expected = {field.name: field.type for field in fields(kind)}
    for key, value in values.items():
        if expected[key] in _KINDS and not _KINDS[expected[key]](value):
            raise RegistryError(f"{path.name}: {key}: expected {expected[key]}, found {value!r}")
    if kind is File and not _inside(name := str(values.get("name", ""))):
        raise RegistryError(f"{path.name}: name: expected a path within the data folder, found {name}")
    try:
        return kind(**values)
    except TypeError as error:
        raise RegistryError(
            f"{path.name}: {kind.__name__.lower()} {values.get('name', '')}: {error}"
        ) from None


def _inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _mapping(path: Path, values: object, key: str) -> Mapping[str, object]:
    if not isinstance(values, Mapping):
        raise RegistryError(f"{path.name}: {key}: expected a mapping, found {values!r}")
    return values


def _yaml(path: Path) -> Mapping[str, object]:
    try:
        return _mapping(path, yaml.safe_load(path.read_text(encoding="utf-8")), "file")
    except yaml.YAMLError as error:
        raise RegistryError(f"{path.name}: not YAML: {' '.join(str(error).split())}") from None
