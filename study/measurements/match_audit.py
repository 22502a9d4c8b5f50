"""How right the matches of a dictionary are, beside the mentions of a corpus that people annotated."""

import pandas as pd

from benchlib.corpus import Corpus, Document
from benchlib.matching.matcher import Matcher
from benchlib.ontology import Ontology

PLACES = {
    "exact": "at the span of a mention",
    "inside": "within that of a mention",
    "across": "over the edge of a mention, or around one",
    "outside": "away from all mentions",
}


def audit(matcher: Matcher, corpus: Corpus, ontology: Ontology) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The matches in a corpus, and its mentions.

    Of matches a row each, and one for each concept where a name has several: ``document``, ``start``,
    ``end``, ``concept``, ``place`` (the first of ``PLACES`` that holds) and ``right``, whether a mention at
    this very span has the concept in its gold, in whichever part. Of mentions that are not NIL a row each, in
    corpus order: ``document`` and ``found``, whether a match is right for it.
    """
    documents = corpus.documents
    found = matcher([document.text for document in documents])
    matches, mentions = [], []
    for document, in_text in zip(documents, found, strict=True):
        gold = [ontology.known(mention.gold.ids) for mention in document.mentions]
        at_span: dict[tuple[int, int], set[str]] = {}
        for mention, concepts in zip(document.mentions, gold, strict=True):
            at_span.setdefault((mention.start, mention.end), set()).update(concepts)
        here = [(start, end, id) for start, end, name in in_text for id in matcher.ids[name]]
        for start, end, id in here:
            right = id in at_span.get((start, end), ())
            matches.append((document.id, start, end, id, _place(document, start, end), right))
        for mention, concepts in zip(document.mentions, gold, strict=True):
            if not mention.gold.nil:
                own = {id for start, end, id in here if (start, end) == (mention.start, mention.end)}
                mentions.append((document.id, bool(own & concepts)))
    return (
        pd.DataFrame(matches, columns=["document", "start", "end", "concept", "place", "right"]),
        pd.DataFrame(mentions, columns=["document", "found"]),
    )


def _place(document: Document, start: int, end: int) -> str:
    spans = [(m.start, m.end) for m in document.mentions if m.start < end and start < m.end]
    if (start, end) in spans:
        return "exact"
    if any(first <= start and end <= last for first, last in spans):
        return "inside"
    return "across" if spans else "outside"
