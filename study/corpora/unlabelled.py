"""Unlabelled text: the files of a registered source, or of a folder of JSON lines, read by and by."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchlib.formats.json_text import json_or_none
from benchlib.formats.lines import numbered_lines, read_error

from . import registry
from .files import data_folder, locate

_ENDINGS = (".jsonl", ".jsonl.gz")


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its id, empty where the file gives none."""

    id: str
    text: str


def files(corpus: Path | str) -> list[Path]:
    """The ``.jsonl`` and ``.jsonl.gz`` files of a folder, by name, or of a registered source, each verified.

    Raises ValueError for a folder without such files and a name that is neither, and as :func:`locate`.
    """
    folder = Path(corpus)
    if not folder.is_dir():
        source = registry.source(str(corpus))
        return sorted(locate(source, file, data_folder()) for file in source.files)
    found = sorted(path for path in folder.glob("*") if path.name.endswith(_ENDINGS))
    if not found:
        raise ValueError(f"{folder}: expected .jsonl or .jsonl.gz files with text, found 0 files")
    return found


def read(path: Path) -> Iterator[Text]:
    """The texts of one file, by line: a title, if the line has one, then its ``text``.

    Raises ValueError (path:line) for a line that is no JSON object with a ``text``.
    """
    for number, line in numbered_lines(path):
        found = json_or_none(line)
        if not isinstance(found, dict) or not isinstance(found.get("text"), str):
            raise read_error(path, number, "a JSON object with a text", line)
        yield Text(str(found.get("id", "")), f"{found.get('title') or ''} {found['text']}".strip())


def fingerprint(folder: Path | str) -> str:
    """SHA-256 over the names and contents of the files of a folder. Raises as :func:`files`."""
    total = hashlib.sha256()
    for path in files(folder):
        with path.open("rb") as file:
            total.update(f"{path.name} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return total.hexdigest()


def text_id(path: Path, line: int) -> str:
    """The name of a text of a pool: its file and line, from 1."""
    return f"{source_of(path)}:{line}"


def source_of(path: Path) -> str:
    """The name of a file of a pool, without its endings."""
    return path.name.removesuffix(".gz").removesuffix(".jsonl")
