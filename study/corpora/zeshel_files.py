"""ZESHEL (Logeswaran et al. 2019): pages of wikis, each an entity, and mentions in them, as JSON lines."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchlib.corpus import Gold, Mention
from benchlib.formats.json_text import json_or_none
from benchlib.formats.lines import numbered_lines, wrong

_PAGE = {"document_id": str, "title": str, "text": str}
_MENTION = {
    "context_document_id": str,
    "corpus": str,
    "label_document_id": str,
    "category": str,
    "text": str,
    "start_index": int,
    "end_index": int,
}
_KINDS = {str: "text", int: "a whole number"}


class Page(NamedTuple):
    """A page of a wiki: an entity, and a text that mentions others."""

    title: str
    text: str


def read_pages(path: Path | str) -> dict[str, Page]:
    """``documents/WORLD.json``: the pages of one world by their id."""
    pages: dict[str, Page] = {}
    for number, entry in _entries(path, _PAGE):
        if entry["document_id"] in pages:
            raise wrong(path, number, "each page once", entry["document_id"])
        pages[entry["document_id"]] = Page(entry["title"], entry["text"])
    return pages


def read_mentions(path: Path | str) -> Iterator[tuple[int, dict]]:
    """``mentions/SPLIT.json``: the line number and the fields of each mention, see :func:`placed`."""
    return _entries(path, _MENTION)


def placed(path: Path | str, number: int, entry: dict, text: str) -> Mention:
    """The mention of a line, in the ``text`` of its page; its type is its ``category``.

    ``start_index`` and ``end_index`` count words between white space, the last one included. Raises
    ValueError (path:line) where other words than the mention's stand there.
    """
    first, last = entry["start_index"], entry["end_index"]
    words = [word.span() for word in re.finditer(r"\S+", text)]
    if not 0 <= first <= last < len(words):
        raise wrong(path, number, f"words from 0 to {len(words) - 1} of the page", f"{first} to {last}")
    start, end = words[first][0], words[last][1]
    if text[start:end].split() != entry["text"].split():
        raise wrong(
            path, number, f"the mention {entry['text']!r} at words {first} to {last}", text[start:end]
        )
    id = entry["label_document_id"]
    return Mention(start, end, text[start:end], entry["category"], Gold((frozenset([id]),), printed=id))


def _entries(path: Path | str, fields: dict[str, type]) -> Iterator[tuple[int, dict]]:
    for number, line in numbered_lines(path):
        entry = json_or_none(line)
        if not isinstance(entry, dict):
            raise wrong(path, number, "a JSON object", line)
        for field, kind in fields.items():
            if type(entry.get(field)) is not kind:  # True is no number
                raise wrong(path, number, f"{_KINDS[kind]} as {field}", repr(entry.get(field)))
        yield number, entry
