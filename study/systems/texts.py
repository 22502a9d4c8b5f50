"""Mentions and the texts that they are in."""

from collections.abc import Sequence

from benchlib.corpus import Document
from benchlib.encoders.pieces import Span
from benchlib.predictions import Query

Text = tuple[str, Sequence[Span]]  # with spans in it, in code points


def places_of(queries: Sequence[Query], documents: Sequence[Document]) -> list[tuple[str, int, int]]:
    """The text of each query, and where in it that starts and ends."""
    texts = {document.id: document.text for document in documents}
    return [(texts[query.document], query.start, query.end) for query in queries]


def texts_of(queries: Sequence[Query], documents: Sequence[Document]) -> list[Text]:
    """Each document's text with the spans of its queries."""
    spans: dict[str, list[Span]] = {document.id: [] for document in documents}
    for query in queries:
        spans[query.document].append((query.start, query.end))
    return [(document.text, spans[document.id]) for document in documents]
