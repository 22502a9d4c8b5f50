"""Files of the registry on this machine: found, downloaded, and checked against their checksums."""

import gzip
import hashlib
import lzma
import os
import shutil
import tempfile
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Sequence
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from typing import BinaryIO
from urllib.error import URLError

from ..places import CHECKOUT, data_dir
from . import registry
from .registry import File, Source

FileLocator = Callable[[str], Path]  # from the name of a file in the registry to where it lies

_OPEN = {".gz": gzip.open, ".xz": lzma.open}
_TIMEOUT = 60  # seconds without an answer
MOST = 2 << 30  # bytes of one file where the registry does not say how many: forty times its largest


class MissingFile(FileNotFoundError):
    """A file of the registry that is not on this machine; the message says how to get it."""


class WrongContent(ValueError):
    """A file that is not what the registry describes."""


class LimitedStream:
    """A stream of which no more than ``most`` bytes can be read: WrongContent for one that has more, as an
    archive that unpacks to a thousand times its size."""

    def __init__(self, stream: BinaryIO, most: int, name: str):
        self._stream, self._left, self._told = stream, most, f"{name}: expected {most:,} bytes, found more"

    def read(self, size: int) -> bytes:
        block = self._stream.read(min(size, self._left + 1))
        self._left -= len(block)
        if self._left < 0:
            raise WrongContent(f"{self._told}; the rest was not read")
        return block


def data_folder() -> Path:
    """Where corpora lie: ``BENCHLIB_DATA``, else ``corpora`` in the checkout; of a library that is installed
    without one, in the user's ``.cache/benchlib``."""
    return Path(os.environ.get("BENCHLIB_DATA") or (CHECKOUT or data_dir()) / "corpora")


def find(file: File, folder: Path) -> Path | None:
    """The file in a data folder, compressed or not, or None."""
    plain = file.name.removesuffix(".gz")
    for name in (file.name, plain, plain + ".gz"):
        if (folder / name).is_file():
            return folder / name
    return None


def locate(source: Source, file: File, folder: Path) -> Path:
    """The path of a file, its content verified.

    Raises MissingFile saying what to do, and WrongContent naming file, expected and found.
    """
    path = find(file, folder)
    if path is None:
        where = f"{folder} (BENCHLIB_DATA names another)"
        raise MissingFile(f"{file.name} is not in {where}: {how_to_obtain(source, file)}")
    verify(path, file)
    return path


def how_to_obtain(source: Source, file: File) -> str:
    """What a user must do to have a file."""
    if source.obtain:
        return source.obtain
    if source.mirror_only or file.mirror_only:
        return f"no official download gives it; put it there from {file.url or source.homepage}"
    return f"run `make data`, or put it there from {file.url}"


def verify(path: Path, file: File) -> None:
    """Compare size and SHA-256 of the decompressed content with the registry, where it knows them; no more
    is read of it than it should have."""
    if file.sha256 is None:
        return
    try:
        size, digest = size_and_sha256(path, file.bytes or 0)
        found = f"{size:,} bytes with SHA-256 {digest}"
    except WrongContent:
        found = "more, of which the rest was not read"
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise WrongContent(f"{path}: damaged ({error}); delete it and run `make data`") from error
    expected = f"{file.bytes:,} bytes with SHA-256 {file.sha256}"
    if found != expected:
        raise WrongContent(f"{path}: expected {expected}, found {found}; delete it and run `make data`")


def size_and_sha256(path: Path, most: int = MOST) -> tuple[int, str]:
    """Size and SHA-256 of a file's decompressed content; WrongContent for one of more than ``most`` bytes."""
    digest, size = hashlib.sha256(), 0
    with _OPEN.get(path.suffix, open)(path, "rb") as stream:
        bounded = LimitedStream(stream, most, str(path))
        while block := bounded.read(1 << 20):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


def download(file: File, folder: Path) -> Path:
    """Fetch a file into a data folder: whole and verified, or not at all.

    ``mirror`` serves when ``url`` fails. Raises OSError when the address cannot be reached and WrongContent
    when what comes is another file.
    """
    try:
        return _fetch(file, folder)
    except (OSError, WrongContent):
        if not file.mirror:
            raise
    return _fetch(file.model_copy(update={"url": file.mirror, "member": ""}), folder)


def _fetch(file: File, folder: Path) -> Path:
    target = folder / file.name
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        # The suffixes decide how content is read, so they are kept.
        fetched = Path(scratch) / PurePosixPath(file.url.split("?")[0]).name
        try:
            with urllib.request.urlopen(file.url, timeout=_TIMEOUT) as answer, fetched.open("wb") as out:
                shutil.copyfileobj(LimitedStream(answer, MOST, file.url), out)
                announced = answer.headers.get("Content-Length")
                if announced is not None and out.tell() != int(announced):
                    raise OSError(f"{file.url}: {out.tell():,} bytes came of {int(announced):,}")
        except WrongContent:
            raise
        except (URLError, HTTPException, ValueError) as error:
            raise OSError(f"{file.url}: {error}") from error
        if file.member:
            fetched = unpack(fetched, file.member, Path(scratch) / "unpacked", file.bytes or MOST)
        if target.suffix == ".gz" and fetched.suffix != ".gz":
            target = target.with_suffix("")
        elif fetched.suffix == ".gz" and target.suffix != ".gz":
            target = target.with_name(target.name + ".gz")
        verify(fetched, file)
        os.replace(fetched, target)
    return target


def unpack(archive: Path, member: str, folder: Path, most: int = MOST) -> Path:
    """One member of a zip archive, written inside ``folder`` and nowhere else.

    Raises WrongContent for an archive that cannot be read, lacks the member, or holds it with more than
    ``most`` bytes, of which no more are unpacked.
    """
    target = folder / PurePosixPath(member).name
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(archive) as packed, packed.open(member) as stream, target.open("wb") as out:
            shutil.copyfileobj(LimitedStream(stream, most, f"{archive.name}: {member}"), out)
    except (KeyError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError) as error:
        raise WrongContent(f"{archive.name}: cannot take {member} from it ({error})") from error
    return target


def locator(ids: Sequence[str]) -> FileLocator:
    """A function from the name of a file of these registered sources to its verified path in the
    :func:`data_folder`."""
    files = {file.name: (source, file) for source in map(registry.source, ids) for file in source.files}

    def located(name: str) -> Path:
        if name not in files:
            raise ValueError(f"{name} is in none of the sources {', '.join(ids)}")
        return locate(*files[name], data_folder())

    return located
