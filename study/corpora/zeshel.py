"""ZESHEL: linking to worlds of which no mention was seen in training, for whoever has the files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from benchlib.benchmark import Benchmark
from benchlib.corpus import Corpus, Document, Gold, Mention
from benchlib.formats.json_text import json_or_none
from benchlib.formats.lines import add_once, numbered_lines, read_error
from benchlib.formats.own import ReadingOptions
from benchlib.ontology import Concept, Ontology

from ..yaml_file import validated

START = 128  # words of a page that are its definition
T = TypeVar("T", bound=BaseModel)


def zeshel(folder: Path | str, ontology: Path | str | Ontology | None, reading: ReadingOptions) -> Benchmark:
    """The published train and dev mentions, and the test mentions of one world, such as ``lego``, whose
    ``documents/WORLD.json`` is given as ``ontology``.

    ``folder`` has ``documents/WORLD.json`` and ``mentions/{train,val,test}.json`` as distributed. An entity
    is a page: its title, and the start of its text as definition. The ontology is all pages of the world, and
    those of other worlds that mentions of train and dev stand for: a linker learns from what it can link to.
    A test mention is thus ranked against its world *and these*; the paper and those after it rank it within
    its world, which is a little easier.

    Raises ValueError (path:line) for a line that is not of the format, a mention that is not where it is said
    to be, and a page that its world has not; ValueError for another folder, for options, which are not read,
    and for a world without test mentions; FileNotFoundError.
    """
    if not (Path(folder) / "mentions").is_dir():
        raise ValueError(f"{folder}: expected a PubTator file, or a folder of BRAT, ShARe, n2c2 or ZESHEL")
    if unread := reading.unusual():
        raise ValueError(f"{folder}: ZESHEL is read in its own way; {', '.join(unread)} would be ignored")
    if ontology is None or isinstance(ontology, Ontology):
        raise ValueError(f"{folder}: expected documents/WORLD.json as `ontology`, found {ontology}")
    world = Path(ontology).stem
    folder = Path(folder)
    pages: dict[str, dict[str, Page]] = {}
    train, dev = (_corpus(folder, split, pages) for split in ("train", "val"))
    learned = {id for corpus in (train, dev) for _, mention in corpus.mentions() for id in mention.gold.ids}
    test = _corpus(folder, "test", pages, world)
    concepts = (
        Concept(id, (page.title,), definition=" ".join(page.text.split()[:START]))
        for name, there in pages.items()
        for id, page in there.items()
        if name == world or id in learned
    )
    notes = ("Ranked against the pages of the world and those that mentions of train and dev stand for.",)
    name = f"zeshel-{world}"
    return Benchmark(name, train, dev, test, Ontology(name, concepts), notes=notes)


def _corpus(folder: Path, split: str, pages: dict[str, dict[str, Page]], world: str = "") -> Corpus:
    """The mentions of a split, or those of one world; ``pages``, by world, are read where they are needed."""
    path = folder / "mentions" / f"{split}.json"
    found: dict[str, tuple[str, list[Mention]]] = {}
    worlds: dict[str, None] = {}
    for number, entry in _rows(path, WordMention):
        of, id = entry.corpus, entry.context_document_id
        worlds[of] = None
        if world not in ("", of):
            continue
        if of not in pages:
            pages[of] = read_pages(folder / "documents" / f"{of}.json")
        if missing := {id, entry.label_document_id} - pages[of].keys():
            raise read_error(path, number, f"pages of {of}", min(missing))
        text, mentions = found.setdefault(id, (pages[of][id].text, []))
        mentions.append(placed(path, number, entry, text))
    if not found:
        raise ValueError(f"{path}: no mention of {world or 'any world'}; expected one of {', '.join(worlds)}")
    documents = (Document(id, text, tuple(mentions)) for id, (text, mentions) in found.items())
    return Corpus(f"zeshel-{world or split}", tuple(documents))


class Page(BaseModel, strict=True):
    """A page of a wiki: an entity, and a text that mentions others."""

    document_id: str
    title: str
    text: str


class WordMention(BaseModel, strict=True):
    """A line of ``mentions/SPLIT.json``; indices count words, the last one included."""

    context_document_id: str
    corpus: str
    label_document_id: str
    category: str
    text: str
    start_index: int
    end_index: int


def read_pages(path: Path | str) -> dict[str, Page]:
    """``documents/WORLD.json``: the pages of one world by their id."""
    pages: dict[str, Page] = {}
    for number, page in _rows(path, Page):
        add_once(path, number, pages, page.document_id, page)
    return pages


def placed(path: Path | str, number: int, entry: WordMention, text: str) -> Mention:
    """The mention of a line, in the ``text`` of its page; its type is its ``category``. Raises ValueError
    (path:line) where other words than the mention's stand there.
    """
    first, last = entry.start_index, entry.end_index
    words = [word.span() for word in re.finditer(r"\S+", text)]
    if not 0 <= first <= last < len(words):
        raise read_error(path, number, f"words from 0 to {len(words) - 1} of the page", f"{first} to {last}")
    start, end = words[first][0], words[last][1]
    if text[start:end].split() != entry.text.split():
        raise read_error(
            path, number, f"the mention {entry.text!r} at words {first} to {last}", text[start:end]
        )
    id = entry.label_document_id
    return Mention(start, end, text[start:end], entry.category, Gold((frozenset([id]),), printed=id))


def _rows(path: Path | str, model: type[T]) -> Iterator[tuple[int, T]]:
    for number, line in numbered_lines(path):
        yield number, validated(model, json_or_none(line), f"{path}:{number}")
