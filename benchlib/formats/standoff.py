"""Corpora whose annotations point into a text: what BioC and BRAT have in common."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ..corpus import Corpus, Document, Mention
from .gold_ids import GoldReader


class Annotation(NamedTuple):
    """A mention of a file: where it is, its text, type and id string. Its offsets count from the first of
    ``bases`` where its text is, white space aside."""

    spans: list[tuple[int, int]]
    string: str
    type: str
    ids: str
    bases: tuple[int, ...] = (0,)


def annotated_corpus(
    name: str, documents: Iterable[tuple[str, str, list[Annotation]]], gold: GoldReader
) -> Corpus:
    """The corpus of (id, text, annotations). Dropped, counted: mentions in several pieces, those that are not
    where their offsets say, and repeated ones. Raises ValueError for a document without an id, and for a gold
    that is refused."""
    found: list[Document] = []
    dropped: Counter[str] = Counter()
    printed: dict[tuple[str, int, int], list[tuple[int, int]]] = {}
    for id, text, annotations in documents:
        if not id:
            raise ValueError("expected an id for each document")
        mentions: dict[Mention, None] = {}
        for one in annotations:
            try:
                kept = _mention(text, one, gold)
            except ValueError as error:
                raise ValueError(f"document {id}: {error}") from None
            kept = "duplicate row" if kept in mentions else kept
            spans = printed.setdefault((id, *one.spans[0]), [])
            if isinstance(kept, str):
                dropped[kept] += 1
            else:
                mentions[kept] = None
                spans.append((kept.start, kept.end))
        found.append(Document(id, text, tuple(mentions)))
    moved = {key: tuple(dict.fromkeys(spans)) for key, spans in printed.items() if {*spans} != {key[1:]}}
    return Corpus(name, tuple(found), dropped, moved)


def _mention(text: str, one: Annotation, gold: GoldReader) -> Mention | str:
    """The mention, or why it is dropped."""
    meant = gold(one.ids, one.type, ())
    if isinstance(meant, str) or len(one.spans) > 1:
        return meant if isinstance(meant, str) else "discontinuous span"
    for base in one.bases:
        start, end = (base + offset for offset in one.spans[0])
        if 0 <= start < end and one.string.strip() and text[start:end].split() == one.string.split():
            return Mention(start, end, text[start:end], one.type, meant)
    return "offset mismatch"
