"""Mentions in documents that have none: the names of an ontology and their abbreviations."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tqdm.auto import tqdm

from ..corpus import Document, Mention
from ..ontology import fold_name
from .abbreviations import abbreviations
from .matcher import Matcher

_TOGETHER = 300  # documents searched at a time, to bound memory


def find_mentions(
    documents: Sequence[Document],
    matcher: Matcher,
    is_known: Callable[[str], object] | None = None,
    progress: bool = False,
) -> list[Document]:
    """The documents with the names that ``matcher`` finds as their mentions. With ``is_known``, the short
    forms whose long form, folded, is known are mentions as well. Of those that overlap the first counts."""
    with_mentions: list[Document] = []
    with tqdm(total=len(documents), unit="document", disable=not progress) as bar:
        for first in range(0, len(documents), _TOGETHER):
            block = documents[first : first + _TOGETHER]
            matches = matcher([document.text for document in block])
            for document, found in zip(block, matches, strict=True):
                spans = {(start, end) for start, end, _ in found}
                mentions = tuple(_mentions(document.text, spans, is_known))
                with_mentions.append(replace(document, mentions=mentions))
            bar.update(len(block))
    return with_mentions


def _mentions(
    text: str, spans: set[tuple[int, int]], is_known: Callable[[str], object] | None
) -> Iterator[Mention]:
    for defined in abbreviations(text) if is_known else ():
        if is_known(fold_name(defined.long)):
            short_forms = re.finditer(rf"(?<!\w){re.escape(defined.short)}(?!\w)", text)
            spans.update(match.span() for match in short_forms)
    last = 0
    for start, end in sorted(spans):
        if start >= last:
            last = end
            yield Mention(start, end, text[start:end])
