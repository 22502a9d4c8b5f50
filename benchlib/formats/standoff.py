"""Corpora whose annotations point into a text: what PubTator, BioC and BRAT have in common."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..corpus import Corpus, Document, Gold, Mention
from .gold_ids import GoldReader
from .offsets import Oddities, Place, Span, place_mentions

Pair = tuple[Span, Mention | str | None]  # offsets in the file; the mention, why it is dropped, or None


class Annotation(NamedTuple):
    """A mention of a file. ``span`` covers all ``pieces``, which are as printed, if there are several;
    ``ids`` is None where the file has no place for them."""

    span: Span
    string: str
    type: str
    ids: str | None
    submentions: tuple[str, ...] = ()
    pieces: str = ""

    def gold_at(self, place: Place | None, text: str, where: str, gold: GoldReader, oddities: Oddities,
                begin: int = 0) -> Gold | str | None:  # fmt: skip
        """What it asks for at its place in the text of its passage, or why it is dropped; None for no mention
        of the corpus. ``oddities`` gets what is odd ``where`` it is, with places from ``begin`` on."""
        meant = gold(self.ids or "", self.type, self.submentions)
        if not isinstance(meant, Gold):
            return meant
        if place is None:
            return "discontinuous span" if self.span[0] < self.span[1] else "no place in the text"
        if place.how == "exact":
            return meant
        return oddities.reason(where, text, (self.span, self.string), place, begin) or meant


class Passage(NamedTuple):
    """A passage: where it begins in the text of its document, and by the file (``offset``)."""

    text: str
    annotations: list[Annotation]
    start: int = 0
    offset: int = 0


def corpus_of(name: str, documents: Iterable[tuple[str, str, Iterable[Pair]]]) -> Corpus:
    """The corpus of (id, text, annotations); what is dropped is counted."""
    read: list[Document] = []
    dropped: Counter[str] = Counter()
    printed: dict[tuple[str, int, int], list[Span]] = {}
    for id, text, annotations in documents:
        mentions: list[Mention] = []
        for span, kept in annotations:
            spans = printed.setdefault((id, *span), [])
            if isinstance(kept, str):
                dropped[kept] += 1
            elif kept:
                mentions.append(kept)
                spans.append((kept.start, kept.end))
        read.append(Document(id, text, tuple(mentions)))
    moved = {key: tuple(dict.fromkeys(spans)) for key, spans in printed.items() if {*spans} != {key[1:]}}
    return Corpus(name, tuple(read), dropped, moved)


def annotated_corpus(
    name: str, documents: Iterable[tuple[str, str, list[Passage]]], gold: GoldReader, oddities: Oddities
) -> Corpus:
    """The corpus of (id, text, passages), with mentions where :func:`benchlib.formats.offsets.place_mentions`
    finds them. Dropped, counted: mentions in several pieces or without a place, those that are nowhere, and
    repeated ones. Raises ValueError for a document without an id, and for a gold that is refused."""
    return corpus_of(name, ((id, text, _mentions(id, text, p, gold, oddities)) for id, text, p in documents))


def _mentions(
    id: str, text: str, passages: list[Passage], gold: GoldReader, oddities: Oddities
) -> Iterator[Pair]:
    if not id:
        raise ValueError("expected an id for each document")
    seen: set[Mention] = set()
    for piece, annotations, begin, offset in passages:
        whole = [(one.span, one.string) for one in annotations if not one.pieces]
        placing = place_mentions(piece, len(piece), whole, text[:begin], offset)
        oddities.count(placing)
        places = iter(placing.places)
        for one in annotations:
            place = None if one.pieces else next(places)
            start, end = span = tuple(at - offset for at in one.span)
            words = text[max(0, begin + start) : max(0, begin + end)].split()
            if place and place.how == "nearest" and words == one.string.split() != []:
                place = Place(span, span, "exact")  # in another passage than the one that lists it
            try:
                kept = one.gold_at(place, piece, f"document {id}", gold, oddities, begin * placing.absolute)
            except ValueError as error:
                raise ValueError(f"document {id}: {error}") from None
            if isinstance(kept, Gold):
                start, end = (begin + at for at in place.span)
                if one.ids is None:
                    oddities.counted["mentions without an id, read as NIL"] += 1
                mention = Mention(start, end, text[start:end], one.type, kept)
                kept = "duplicate row" if mention in seen else mention
                seen.add(mention)
            yield one.span, kept
