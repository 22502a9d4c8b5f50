"""The registry: where every file comes from, what it must contain, and what each benchmark is made of."""

import difflib
import hashlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

from pydantic import field_validator

from ..places import REGISTRY
from ..yaml_file import YamlModel, read_yaml, validated

BENCHMARKS = "benchmarks.yaml"


class File(YamlModel):
    """One file. ``name`` is its path in a data folder or mirror; ``bytes`` and ``sha256`` are those of its
    *decompressed* content, None where no real file was seen. ``member`` is its path in the archive behind
    ``url``; ``mirror`` is the address of the very bytes described, tried when ``url`` gives none or others;
    ``mirror_only`` marks a file that no ordinary download gives.

    An address is ``https://``, ``http://`` or, for a mirror on this machine, ``file://``: what it gives is
    copied when it has the checksum, and never run. The registry as it comes has ``https://`` alone.
    """

    name: str
    url: str = ""
    member: str = ""
    mirror: str = ""
    bytes: int | None = None
    sha256: str | None = None
    mirror_only: bool = False

    @field_validator("name", "member")
    @classmethod
    def _inside(cls, name: str) -> str:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError("a path within its folder")
        return name

    @field_validator("url", "mirror")
    @classmethod
    def _address(cls, address: str) -> str:
        if address and not address.startswith(("https://", "http://", "file:///")):
            raise ValueError("an address that begins with https://, http:// or file:///")
        return address


class Source(YamlModel):
    """A corpus, dictionary or pool of text as its makers publish it.

    ``obtain`` says what a user must do for a ``licensed`` source or one without a download. ``systems`` says
    of published answers who gave them: rows of a table, by the heads of its columns.
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
    systems: tuple[dict[str, str], ...] = ()

    def fingerprint(self) -> str:
        """SHA-256 over the names and checksums of its files: for a source that is used as it is."""
        return hashlib.sha256(repr([(f.name, f.sha256) for f in self.files]).encode()).hexdigest()


class Entry(YamlModel):
    """A registered benchmark: its sources, what must be said with its numbers, and the fingerprint of its
    parsed content, so that the key of a record is known without the corpus. ``dictionary`` is that of the
    ontology alone, of benchmarks that have it in common."""

    id: str
    title: str
    sources: tuple[str, ...]
    fingerprint: str = ""
    dictionary: str = ""
    notes: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()


def sources(folder: Path = REGISTRY) -> tuple[Source, ...]:
    """Every source, by id; raises ValueError naming file and key."""
    return tuple(_source(path) for path in sorted(folder.glob("*.yaml")) if path.name != BENCHMARKS)


def source(id: str) -> Source:
    """One source; raises ValueError listing those there are."""
    path = REGISTRY / f"{id}.yaml"
    if not path.exists():
        known = ", ".join(one.id for one in sources())
        raise ValueError(f"no source {id!r} in the registry; expected one of {known}")
    return _source(path)


@lru_cache(maxsize=4)
def benchmarks(folder: Path = REGISTRY) -> Mapping[str, Entry]:
    """Every registered benchmark by id; raises ValueError naming file and key."""
    path = folder / BENCHMARKS
    listed = read_yaml(path)
    if not isinstance(listed, Mapping):
        raise ValueError(f"{path}: expected a mapping of benchmarks by id, found {listed!r}")
    return {id: validated(Entry, values, f"{path}: {id}", id=id) for id, values in listed.items()}


def benchmark(id: str) -> Entry:
    """One benchmark; raises ValueError listing those there are, or how to obtain a licensed one."""
    known = benchmarks()
    if id not in known and (REGISTRY / f"{id}.yaml").exists() and source(id).licensed:
        raise ValueError(f"{id}: {source(id).obtain}")
    if id not in known:
        close = difflib.get_close_matches(id, (*known, "mini"), n=1)
        meant = f" (did you mean {close[0]!r}?)" if close else ""
        raise ValueError(
            f"no data set {id!r}{meant}; expected one of {', '.join((*known, 'mini'))}, or the path of a "
            "PubTator file, with its ontology"
        )
    return known[id]


def pinned(dataset: str) -> str:
    """The pinned fingerprint of a registered benchmark; "" for any other data, and for one without."""
    there = benchmarks()
    return there[dataset].fingerprint if dataset in there else ""


def _source(path: Path) -> Source:
    return validated(Source, read_yaml(path), str(path), id=path.stem)
