"""Mentions in documents that have none: the names of an ontology and their abbreviations."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tqdm import tqdm

from ..corpus import Document, Mention
from ..ontology import fold_name
from .abbreviations import abbreviations
from .matcher import Matcher

_TOGETHER = 300  # documents searched at a time, to bound memory


def find_mentions(
    documents: Sequence[Document], matcher: Matcher, is_known: Callable | None, progress: bool = False
) -> Iterator[Document]:
    """The documents with the names that ``matcher`` finds as their mentions. With ``is_known``, the short
    forms of known long forms are mentions too. Of those that overlap, the one that begins first counts, and
    the longest of these."""
    for first in tqdm(range(0, len(documents), _TOGETHER), "mentions", disable=not progress):
        block = documents[first : first + _TOGETHER]
        for document, found in zip(block, matcher([each.text for each in block]), strict=True):
            spans = {(start, end) for start, end, _ in found}
            for defined in abbreviations(document.text) if is_known else ():
                if is_known(fold_name(defined.long)):
                    word = rf"(?<!\w){re.escape(defined.short)}(?!\w)"
                    spans.update(match.span() for match in re.finditer(word, document.text))
            mentions: list[Mention] = []
            for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
                if not mentions or start >= mentions[-1].end:
                    mentions.append(Mention(start, end, document.text[start:end]))
            yield replace(document, mentions=tuple(mentions))
