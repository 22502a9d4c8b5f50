"""Corpora whose annotations point into a text: what BioC and BRAT have in common."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..corpus import Corpus, Document, Mention
from .gold_ids import GoldReader
from .offsets import Oddities, Place, Span, place_mentions


class Annotation(NamedTuple):
    """A mention of a file: where it is, its text, type and id string."""

    spans: list[Span]
    string: str
    type: str
    ids: str


class Passage(NamedTuple):
    """A passage: where it begins in the text of its document, and by the file (``offset``)."""

    text: str
    annotations: list[Annotation]
    start: int = 0
    offset: int = 0


def annotated_corpus(
    name: str, documents: Iterable[tuple[str, str, list[Passage]]], gold: GoldReader, oddities: Oddities
) -> Corpus:
    """The corpus of (id, text, passages), with mentions where :func:`benchlib.formats.offsets.place_mentions`
    finds them. Dropped, counted: mentions in several pieces, those that are nowhere, and repeated ones.
    Raises ValueError for a document without an id, and for a gold that is refused."""
    found: list[Document] = []
    dropped: Counter[str] = Counter()
    printed: dict[tuple[str, int, int], list[Span]] = {}
    for id, text, passages in documents:
        if not id:
            raise ValueError("expected an id for each document")
        mentions: dict[Mention, None] = {}
        try:
            read = [pair for passage in passages for pair in _mentions(id, text, passage, gold, oddities)]
        except ValueError as error:
            raise ValueError(f"document {id}: {error}") from None
        for span, kept in read:
            kept = "duplicate row" if kept in mentions else kept
            spans = printed.setdefault((id, *span), [])
            if isinstance(kept, str):
                dropped[kept] += 1
            else:
                mentions[kept] = None
                spans.append((kept.start, kept.end))
        found.append(Document(id, text, tuple(mentions)))
    moved = {key: tuple(dict.fromkeys(spans)) for key, spans in printed.items() if {*spans} != {key[1:]}}
    return Corpus(name, tuple(found), dropped, moved)


def _mentions(
    id: str, text: str, passage: Passage, gold: GoldReader, oddities: Oddities
) -> Iterator[tuple[Span, Mention | str]]:
    """The offsets of each annotation of a passage, with its mention, or why it is dropped."""
    piece, annotations, begin, offset = passage
    whole = [(one.spans[0], one.string) for one in annotations if len(one.spans) == 1]
    placing = place_mentions(piece, len(piece), whole, text[:begin], offset=offset)
    if placing.what:
        oddities.counted[f"passages whose offsets count {placing.what}"] += 1
    places = iter(placing.places)
    for one in annotations:
        place = next(places) if len(one.spans) == 1 else None
        start, end = span = tuple(at - offset for at in one.spans[0])
        words = text[max(0, begin + start) : max(0, begin + end)].split()
        if place and place.how == "nearest" and words == one.string.split() != []:
            place = Place(span, span, "exact")  # in another passage than the one that lists it
        meant = gold(one.ids, one.type, ())
        kept = meant if isinstance(meant, str) else "" if place else "discontinuous span"
        if not kept and place.how != "exact":
            kept = oddities.reason(f"document {id}", piece, (one.spans[0], one.string), place, begin)
        if not kept:
            start, end = (begin + at for at in place.span)
            kept = Mention(start, end, text[start:end], one.type, meant)
        yield one.spans[0], kept
